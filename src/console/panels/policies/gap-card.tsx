import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { GapStatus } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Select } from '../../parts/select.tsx'

/** A gap of the specification: its question, what the sandbox does, and what would change with another option. */
export function GapCard({ gap }: { gap: GapStatus }) {
  const { id, section, question, policy, value, behaviour } = gap
  const [draft, setDraft] = useState<string>()
  const chosen = draft ?? value ?? ''
  const isOther = policy !== null && chosen !== value && chosen.trim() !== ''
  const set = async (option: string): Promise<void> => {
    if (policy === null || value === null) return
    await api.command(
      { type: 'policy.set', policies: { [policy]: option } },
      `Set the policy ${policy} to ${option}`,
    )
    setDraft(undefined)
  }
  return (
    <li>
      <div>
        <p class="soft">
          <code>{id}</code> {section === '–' ? 'Not in the specification' : `Section ${section}`}
        </p>
        <h2>{question}</h2>
        <p>{behaviour}</p>
      </div>
      {policy === null ? (
        <p class="soft">Fixed</p>
      ) : (
        <div>
          <Options gap={gap} chosen={chosen} onChoose={setDraft} />
          {value !== gap.default && !isOther && (
            <p class="soft">
              Not the default, <code>{gap.default}</code>.{' '}
              <Button variant="quiet" onPress={() => set(gap.default ?? '')}>
                Set to the default
              </Button>
            </p>
          )}
        </div>
      )}
      {isOther && (
        <div class="change" role="status">
          <p>
            <span class="soft">Instead: </span>
            {gap.options[chosen] ?? gap.accepts ?? 'another value'}
          </p>
          <Button variant="primary" onPress={() => set(chosen)}>
            {`Set ${chosen.slice(0, 40)}`}
          </Button>
          <Button variant="quiet" onPress={() => setDraft(undefined)}>
            Leave it
          </Button>
        </div>
      )}
    </li>
  )
}

interface OptionsProps {
  gap: GapStatus
  chosen: string
  onChoose: (option: string) => void
}

/** A choice; where further values are accepted, a text with the options as suggestions. */
function Options({ gap, chosen, onChoose }: OptionsProps) {
  const { id, policy, options, accepts } = gap
  const names = Object.keys(options)
  return (
    <label>
      <code>{policy}</code>
      {accepts === null ? (
        <Select
          label={policy ?? ''}
          value={chosen}
          options={names.map((name) => [name, name === gap.default ? `${name} (default)` : name])}
          onSelect={onChoose}
        />
      ) : (
        <>
          <input
            class="field mono"
            aria-label={policy ?? ''}
            list={`${id}-options`}
            value={chosen}
            onInput={({ currentTarget }) => onChoose(currentTarget.value)}
          />
          <datalist id={`${id}-options`}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <small class="soft">Also {accepts}</small>
        </>
      )}
    </label>
  )
}
