import { Undo2 } from 'lucide'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { GapStatus } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { SearchField, Segments, Select, TextField } from '../../parts/form-fields.tsx'
import { EmptyState, Unread } from '../../parts/placeholders.tsx'
import { withCode } from '../../parts/marked-text.tsx'
import { pressOnEnter } from '../../parts/request-form.tsx'
import { Disclosure, Section } from '../../parts/section.tsx'
import { hasWords } from '../../parts/value-words.ts'
import { navigate, query } from '../../state/location.ts'
import { notifyOf } from '../../state/notices.ts'
import { useGet } from '../../state/resource.ts'
import './policies.css'

/** Topics of gaps. A gap belongs to the first topic whose pattern matches its `section`, such as `4.8, 4.9`. */
const TOPICS: readonly (readonly [title: string, section: RegExp])[] = [
  ['Tokens', /^5/],
  ['Rate limits', /^8/],
  ['Bodies of errors', /^7/],
  ['Lists and pages', /^4\.[389]/],
  ['Which report is latest', /^4\.[56]/],
  ['Reports and their states', /^(?:4\.4|2\.6|3)/],
  ['Contents', /^(?:4\.7|2\.7)/],
  ['Ids and the age of data', /^(?:4\.2|2\.1)\b/],
  ['Fields of records', /^2/],
  ['Paths and transport', /^/],
]

const FILTERS = { '': 'All', set: 'Can be set', fixed: 'Fixed' }

export function PoliciesPanel() {
  const policies = useGet('/policies')
  const { value = [] } = policies
  const search = query.value['search'] ?? ''
  const filter = query.value['filter'] ?? ''
  const shown = value.filter((gap) => matches(gap, search) && isIn(filter, gap))
  const changed = value.filter(isChanged)
  // A gap changed after the panel was opened also stays in its topic, so that its row does not move from under the pointer.
  const atFirst = useRef<readonly string[] | undefined>(undefined)
  if (policies.value) atFirst.current ??= changed.map(({ id }) => id)
  const isAbove = (gap: GapStatus) =>
    search === '' && isChanged(gap) && atFirst.current?.includes(gap.id) === true
  return (
    <>
      <h1>Policies</h1>
      <p class="sub">
        Questions that the specification leaves open. See whether a client copes with another
        answer.
      </p>
      <div class="row">
        <SearchField
          label={policies.value ? `Search ${value.length} questions` : 'Search'}
          value={search}
          onInput={(text) => navigate({ search: text }, { replace: true })}
        />
        <Segments
          label="Questions"
          value={filter}
          options={Object.entries(FILTERS)}
          onSelect={(name) => navigate({ filter: name }, { replace: true })}
        />
        {search !== '' && (
          <span class="soft" role="status">
            {shown.length} of {value.length}
          </span>
        )}
      </div>
      <Unread of={policies} lines={12} />
      {policies.value && shown.length === 0 && (
        <EmptyState
          title="No question matches"
          action={
            <Button onPress={() => navigate({ search: undefined, filter: undefined })}>
              Show all questions
            </Button>
          }
        >
          Search for an id like G-024, a section like 4.5, or a word of the question.
        </EmptyState>
      )}
      {changed.length > 0 && search === '' && filter !== 'fixed' && (
        <Section
          title={<TitleWithCount title="Not the default" count={changed.length} />}
          aside={<Button onPress={() => resetAll(changed)}>Set all to their defaults</Button>}
        >
          <Gaps gaps={changed} />
        </Section>
      )}
      <Topics gaps={shown.filter((gap) => !isAbove(gap))} isSearch={search !== ''} />
    </>
  )
}

function isChanged({ value, default: usual }: GapStatus): boolean {
  return value !== usual
}

function isIn(filter: string, { policy }: GapStatus): boolean {
  return filter === 'set' ? policy !== null : filter !== 'fixed' || policy === null
}

function matches(gap: GapStatus, search: string): boolean {
  const { id, section, question, policy, behaviour, value, options } = gap
  const texts = [id, section, question, policy, behaviour, value, ...Object.entries(options).flat()]
  return hasWords([topicOf(gap), ...texts].join(' '), search)
}

function topicOf({ section }: GapStatus): string {
  return TOPICS.find(([, pattern]) => pattern.test(section))?.[0] ?? ''
}

function resetAll(changed: readonly GapStatus[]): Promise<unknown> {
  const policies = Object.fromEntries(
    changed.map((gap) => [gap.policy ?? gap.id, gap.default ?? '']),
  )
  return api.command({ type: 'policy.set', policies }, 'Set all policies to their defaults')
}

function TitleWithCount({ title, count }: { title: string; count: number }) {
  return (
    <>
      {title} <small class="soft">{count}</small>
    </>
  )
}

function Topics({ gaps, isSearch }: { gaps: readonly GapStatus[]; isSearch: boolean }) {
  return (
    <div class="topics">
      {TOPICS.map(([title]) => {
        const gapsOfTopic = gaps.filter((gap) => topicOf(gap) === title)
        if (gapsOfTopic.length === 0) return null
        const heading = (
          <h2>
            <TitleWithCount title={title} count={gapsOfTopic.length} />
          </h2>
        )
        return (
          <Disclosure key={`${title} ${isSearch}`} summary={heading} isOpen={isSearch}>
            <Gaps gaps={gapsOfTopic} />
          </Disclosure>
        )
      })}
    </div>
  )
}

function Gaps({ gaps }: { gaps: readonly GapStatus[] }) {
  const fixed = gaps.filter(({ policy }) => policy === null)
  return (
    <ul class="gaps lines">
      {[...gaps.filter(({ policy }) => policy !== null), ...fixed].map((gap) => (
        <GapRow key={gap.id} gap={gap} />
      ))}
    </ul>
  )
}

function GapRow({ gap }: { gap: GapStatus }) {
  const { id, section, question, policy, value, seen, behaviour, options, default: usual } = gap
  const others = Object.entries(options).filter(([name]) => name !== value)
  const set = (option: string): Promise<unknown> =>
    api.command(
      { type: 'policy.set', policies: { [policy ?? id]: option } },
      `Set the policy ${policy ?? id} to ${option}`,
    )
  return (
    <li data-changed={isChanged(gap)}>
      <div>
        <b>{question}</b>
        <small class={policy === null ? 'soft' : ''}>
          {value !== null && value !== behaviour && `${value}: `}
          {withCode(behaviour ?? '')}
        </small>
        {others.map(([name, meaning]) => (
          <small key={name} class="soft">
            or {name}: {withCode(meaning)}
          </small>
        ))}
      </div>
      {policy === null ? (
        <small class="soft">Fixed, cannot be set</small>
      ) : (
        <Options gap={gap} onSet={set} />
      )}
      <div>
        <small class="soft">
          {section === '–' ? 'Not in the specification' : `Section ${section}`} · {id}
          {seen !== null && ` · Seen at the service on ${seen}`}
        </small>
        <code class="soft">{policy}</code>
        {isChanged(gap) && usual !== null && (
          <Button class="small" icon={Undo2} variant="quiet" onPress={() => set(usual)}>
            Back to {usual}
          </Button>
        )}
      </div>
    </li>
  )
}

function Options({ gap, onSet }: { gap: GapStatus; onSet: (option: string) => Promise<unknown> }) {
  const { question, policy, value, options, accepts } = gap
  const [draft, setDraft] = useState<string>()
  const id = useId()
  useEffect(() => setDraft(undefined), [value])
  const label = `${question} (${policy})`
  const chosen = draft ?? value ?? ''
  const choose = async (option: string): Promise<void> => {
    setDraft(option)
    try {
      await onSet(option)
    } catch (error) {
      setDraft(undefined)
      notifyOf(error)
    }
  }
  if (accepts === null) {
    return (
      <Select
        label={label}
        value={chosen}
        options={Object.keys(options).map((name) => [
          name,
          name === gap.default ? `${name} (default)` : name,
        ])}
        onSelect={(option) => void choose(option)}
      />
    )
  }
  return (
    <form class="stack" onKeyDown={pressOnEnter}>
      <TextField
        name={`policies.${policy}`}
        class="field mono"
        aria-label={label}
        aria-describedby={`${id}-also`}
        list={id}
        value={chosen}
        onInput={setDraft}
      />
      <datalist id={id}>
        {Object.keys(options).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <small id={`${id}-also`} class="soft">
        Also {accepts}
      </small>
      {chosen !== value && chosen.trim() !== '' && (
        <Button variant="primary" onPress={() => onSet(chosen)}>
          {`Set ${chosen.slice(0, 40)}`}
        </Button>
      )}
    </form>
  )
}
