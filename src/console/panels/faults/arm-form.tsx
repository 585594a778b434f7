import { useState } from 'preact/hooks'
import type { FaultForms } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { kindTitle, sentenceOfFault } from '../../../wording/fault-words.ts'
import type { FaultInput } from '../../../wording/fault-words.ts'
import { pressOnEnter } from '../../parts/press-on-enter.ts'
import { Select } from '../../parts/select.tsx'
import { openapi, toEndpoints } from '../../state/openapi.ts'
import { useResource } from '../../state/resource.ts'
import type { Token } from '../../state/tokens.ts'
import { arm } from './presets.tsx'
import { Named, SchemaField } from './schema-field.tsx'

/** The forms of a schedule, and what each is called here. */
const SCHEDULES: readonly { title: string; fields: readonly string[] }[] = [
  { title: 'All of them', fields: [] },
  { title: 'The first few', fields: ['first'] },
  { title: 'Every few', fields: ['every'] },
  { title: 'Only one', fields: ['nth'] },
  { title: 'A share, at random', fields: ['share'] },
  { title: 'For a time', fields: ['from', 'until'] },
]

/** What is written in the fields, by their names; text as it was written. */
type Draft = Readonly<Record<string, string>>

/** Arms a fault of any kind, by the schema that the server has of it. */
export function ArmForm({
  forms: { kinds, schedule },
  tokens,
}: {
  forms: FaultForms
  tokens: readonly Token[]
}) {
  const [name, setName] = useState('status')
  const [draft, setDraft] = useState<Draft>({ status: '503', ms: '2000' })
  const [times, setTimes] = useState(0)
  const document = useResource(openapi, [])
  const kind = kinds.find((one) => one.kind === name) ?? kinds[0]
  const { fields: timing = [] } = SCHEDULES[times] ?? {}
  const set = (field: string) => (value: string) => setDraft({ ...draft, [field]: value })

  const armDraft = (): Promise<void> => {
    const own = pick(draft, Object.keys(kind?.fields.properties ?? {}))
    const when = pick(draft, timing)
    const target = pick(draft, ['endpoint', 'token', 'project'])
    const fault = {
      kind: name,
      ...own,
      ...target,
      ...(Object.keys(when).length > 0 && { schedule: when }),
    } as unknown as FaultInput
    return arm(sentenceOfFault(fault, tokens), fault)
  }
  return (
    <Card title="Arm one of your own">
      <form class="form" onKeyDown={pressOnEnter}>
        <label>
          <Named words="What happens" name="kind" />
          <Select
            label="What happens"
            describedBy="about-kind"
            value={name}
            options={kinds.map((one) => [one.kind, kindTitle(one.kind)])}
            onSelect={setName}
          />
          <small id="about-kind" class="soft">
            {kind?.description.replaceAll('`', '')}.
          </small>
        </label>
        {Object.entries(kind?.fields.properties ?? {}).map(([field, schema]) => (
          <SchemaField
            key={field}
            name={field}
            schema={schema}
            isRequired={kind?.fields.required?.includes(field) === true}
            value={draft[field] ?? ''}
            onInput={set(field)}
          />
        ))}
        <label>
          <Named words="To requests for" name="endpoint" />
          <Select
            label="To requests for"
            value={draft['endpoint'] ?? ''}
            options={[
              ['', 'any endpoint'],
              ...toEndpoints(document.value).map(
                ({ path }) => [`GET ${path}`, `GET ${path}`] as const,
              ),
            ]}
            onSelect={set('endpoint')}
          />
        </label>
        <div class="pair">
          <label>
            <Named words="By" name="token" />
            <Select
              label="By"
              value={draft['token'] ?? ''}
              options={[
                ['', 'any token'],
                ...tokens.map((token) => [String(token.id), token.name] as const),
              ]}
              onSelect={set('token')}
            />
          </label>
          <label>
            <Named words="About project" name="project" />
            <input
              class="field"
              aria-label="About project"
              inputMode="numeric"
              placeholder="any"
              value={draft['project'] ?? ''}
              onInput={({ currentTarget }) => set('project')(currentTarget.value)}
            />
          </label>
        </div>
        <label>
          <Named words="Which of them" name="schedule" />
          <Select
            label="Which of them"
            value={String(times)}
            options={SCHEDULES.map(({ title }, index) => [String(index), title])}
            onSelect={(index) => setTimes(Number(index))}
          />
        </label>
        {timing.map((field) => (
          <SchemaField
            key={field}
            name={field}
            schema={schedule.properties[field] ?? {}}
            isRequired={false}
            value={draft[field] ?? ''}
            onInput={set(field)}
          />
        ))}
        <div>
          <Button variant="primary" onPress={armDraft}>
            Arm it
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** What was written, as numbers where it is one. What is left empty is omitted. */
function pick(draft: Draft, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = draft[name]?.trim() ?? ''
      if (text === '') return []
      return [[name, /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text]]
    }),
  )
}
