import { api } from '../../api/client.ts'
import type { GapStatus } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState, Unread } from '../../parts/placeholders.tsx'
import { SearchField, Select } from '../../parts/form-fields.tsx'
import { hasWords } from '../../parts/value-words.ts'
import { navigate, query } from '../../state/location.ts'
import { useGet } from '../../state/resource.ts'
import './policies.css'
import { useState } from 'preact/hooks'

const FILTERS = {
  '': 'All',
  set: 'Can be set',
  changed: 'Not the default',
  fixed: 'Fixed behaviour',
} as const
type Filter = keyof typeof FILTERS

/** What the specification leaves open: each gap, what the sandbox does, and what else it could do. */
export function PoliciesPanel() {
  const policies = useGet('/policies')
  const { value } = policies
  const search = query.value['search'] ?? ''
  const filter = toFilter(query.value['filter'])
  const shown = value?.filter((gap) => matches(gap, search) && isIn(filter, gap)) ?? []
  const changed = value?.filter(isChanged) ?? []
  return (
    <>
      <h1>Policies</h1>
      <p class="sub">
        What the specification leaves open. Set a policy to see whether a client copes with what the
        real service may do.
      </p>
      <div class="toolbar">
        <SearchField
          label="Search gaps, sections, options"
          value={search}
          onInput={(text) => navigate({ search: text }, { replace: true })}
        />
        <Select
          label="Which gaps"
          value={filter}
          options={Object.entries(FILTERS)}
          onSelect={(name) => navigate({ filter: name }, { replace: true })}
        />
        {changed.length > 0 && (
          <Button onPress={() => resetAll(changed)}>Set all to their defaults</Button>
        )}
        {value && (
          <span class="soft" role="status">
            {shown.length} of {value.length}
          </span>
        )}
      </div>
      <Unread of={policies} lines={12} />
      {value && shown.length === 0 && (
        <EmptyState
          title="No gap matches"
          action={
            <Button onPress={() => navigate({ search: undefined, filter: undefined })}>
              Show all
            </Button>
          }
        >
          Search for an id like G-024, a section like 4.5, or a word of the question.
        </EmptyState>
      )}
      {shown.length > 0 && (
        <ul class="gap-list card">
          {shown.map((gap) => (
            <GapCard key={gap.id} gap={gap} />
          ))}
        </ul>
      )}
    </>
  )
}

function toFilter(text = ''): Filter {
  return text in FILTERS ? (text as Filter) : ''
}

function isChanged({ value, default: usual }: GapStatus): boolean {
  return value !== usual
}

function isIn(filter: Filter, gap: GapStatus): boolean {
  if (filter === 'set') return gap.policy !== null
  if (filter === 'fixed') return gap.policy === null
  return filter !== 'changed' || isChanged(gap)
}

/** Every word of the search is in something that the gap says. */
function matches(gap: GapStatus, search: string): boolean {
  const { id, section, question, policy, behaviour, value, options } = gap
  const texts = [id, section, question, policy, behaviour, value, ...Object.entries(options).flat()]
  return hasWords(texts.join(' '), search)
}

function resetAll(changed: readonly GapStatus[]): Promise<unknown> {
  const policies = Object.fromEntries(
    changed.map((gap) => [gap.policy ?? gap.id, gap.default ?? '']),
  )
  return api.command({ type: 'policy.set', policies }, 'Set all policies to their defaults')
}

/** A gap of the specification: its question, what the sandbox does, and what would change with another option. */
function GapCard({ gap }: { gap: GapStatus }) {
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
