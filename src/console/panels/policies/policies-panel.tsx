import { api } from '../../api/client.ts'
import type { GapStatus } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Select } from '../../parts/select.tsx'
import { hasWords } from '../../parts/texts.ts'
import { Unread } from '../../parts/unread.tsx'
import { navigate, query } from '../../state/location.ts'
import { useGet } from '../../state/resource.ts'
import { GapCard } from './gap-card.tsx'
import './policies.css'

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
