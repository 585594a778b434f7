import { Select } from './select.tsx'
import type { Token } from '../state/tokens.ts'

interface TokenSelectProps {
  tokens: readonly Token[]
  /** The id of the one that is selected; null for a request without a token. */
  selected: number | null
  onSelect: (id: number | null) => void
}

/** Chooses the token of a request. */
export function TokenSelect({ tokens, selected, onSelect }: TokenSelectProps) {
  return (
    <label class="labelled">
      Token
      <Select
        label="Token"
        value={String(selected ?? '')}
        options={[...tokens.map(({ id, name }) => [String(id), name] as const), ['', 'no token']]}
        onSelect={(value) => onSelect(value === '' ? null : Number(value))}
      />
    </label>
  )
}
