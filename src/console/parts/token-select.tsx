import type { JSX } from 'preact'
import type { Token } from '../state/tokens.ts'

interface TokenSelectProps {
  tokens: readonly Token[]
  /** The id of the one that is selected; null for a request without a token. */
  selected: number | null
  onSelect: (id: number | null) => void
}

/** Chooses whom a request is from. */
export function TokenSelect({ tokens, selected, onSelect }: TokenSelectProps): JSX.Element {
  return (
    <label class="labelled">
      Token
      <select
        class="field"
        aria-label="Token"
        value={selected ?? ''}
        onChange={({ currentTarget: { value } }) => onSelect(value === '' ? null : Number(value))}
      >
        {tokens.map(({ id, name }) => (
          <option key={id} value={id}>
            {name.slice(0, 80)}
          </option>
        ))}
        <option value="">no token</option>
      </select>
    </label>
  )
}
