import { Zap } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { kindTitle, sentenceOfFault } from '../../../wording/fault-words.ts'
import { capitalize } from '../../../wording/fit-on-line.ts'
import type { FaultInput } from '../../../world/faults/fault.ts'
import { api } from '../../api/client.ts'
import type { FaultForms } from '../../api/types.ts'
import { Button, Tile } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { Select, TextField } from '../../parts/form-fields.tsx'
import { pressOnEnter } from '../../parts/request-form.tsx'
import type { Token } from '../../state/client-requests.ts'
import { openapi, toEndpoints } from '../../state/openapi.ts'
import { useResource } from '../../state/resource.ts'

const SCHEDULES: readonly { title: string; fields: readonly string[] }[] = [
  { title: 'All of them', fields: [] },
  { title: 'The first few', fields: ['first'] },
  { title: 'Every few', fields: ['every'] },
  { title: 'Only one', fields: ['nth'] },
  { title: 'A share, at random', fields: ['share'] },
  { title: 'For a time', fields: ['from', 'until'] },
]

/** Values of the form's fields as typed, by field name. */
type Draft = Readonly<Record<string, string>>

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
  const form = useRef<HTMLFormElement>(null)
  const document = useResource(openapi, [])
  const kind = kinds.find((each) => each.kind === name) ?? kinds[0]
  const { fields: timing = [] } = SCHEDULES[times] ?? {}
  const set = (field: string) => (value: string) => setDraft({ ...draft, [field]: value })

  const armDraft = async (): Promise<void> => {
    if (form.current?.reportValidity() === false) return
    const kindFields = parseFields(draft, Object.keys(kind?.fields.properties ?? {}))
    const when = parseFields(draft, timing)
    const target = parseFields(draft, ['endpoint', 'token', 'project'])
    const fault = {
      kind: name,
      ...kindFields,
      ...target,
      ...(Object.keys(when).length > 0 && { schedule: when }),
    } as unknown as FaultInput
    await arm(sentenceOfFault(fault, tokens), fault)
  }
  // Either `from` or `until` is enough, so neither is required when the other has a value.
  const isTimingEmpty = Object.keys(parseFields(draft, timing)).length === 0
  return (
    <Section title="Arm a fault of your own">
      <form class="stack form" ref={form} onKeyDown={pressOnEnter}>
        <Labelled words="What happens" name="kind" description={kind?.description}>
          <Select
            label="What happens"
            describedBy="about-kind"
            value={name}
            options={kinds.map((each) => [each.kind, kindTitle(each.kind)])}
            onSelect={setName}
          />
        </Labelled>
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
        <Labelled words="To requests for" name="endpoint">
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
        </Labelled>
        <div class="columns pair">
          <Labelled words="By" name="token">
            <Select
              label="By"
              value={draft['token'] ?? ''}
              options={[
                ['', 'any token'],
                ...tokens.map((token) => [String(token.id), token.name] as const),
              ]}
              onSelect={set('token')}
            />
          </Labelled>
          <Labelled words="About project" name="project">
            <TextField
              name="fault.project"
              aria-label="About project"
              inputMode="numeric"
              placeholder="any"
              value={draft['project'] ?? ''}
              onInput={set('project')}
            />
          </Labelled>
        </div>
        <Labelled words="Which of them" name="schedule">
          <Select
            label="Which of them"
            value={String(times)}
            options={SCHEDULES.map(({ title }, index) => [String(index), title])}
            onSelect={(index) => setTimes(Number(index))}
          />
        </Labelled>
        {timing.map((field) => (
          <SchemaField
            key={field}
            name={field}
            group="fault.schedule"
            schema={schedule.properties[field] ?? {}}
            isRequired={isTimingEmpty}
            value={draft[field] ?? ''}
            onInput={set(field)}
          />
        ))}
        <div>
          <Button variant="primary" onPress={armDraft}>
            Arm this fault
          </Button>
        </div>
      </form>
    </Section>
  )
}

function parseFields(draft: Draft, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = draft[name]?.trim() ?? ''
      return text === '' ? [] : [[name, parseValue(text)]]
    }),
  )
}

/** Parses a number, or an object with one integer such as `{ date_in: 120 }`. Returns any other string unchanged. */
function parseValue(text: string): unknown {
  const [, field, number] = /^\{ *"?(\w+)"?: *(-?\d+) *\}$/.exec(text) ?? []
  if (field !== undefined) return { [field]: Number(number) }
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

interface FieldSchema {
  description?: string | undefined
  type?: unknown
  enum?: unknown
  minimum?: unknown
  maximum?: unknown
  default?: unknown
  examples?: unknown
}

interface SchemaFieldProps {
  name: string
  /** Path of the field's object in the command; `fault` if omitted. */
  group?: string
  schema: FieldSchema
  isRequired: boolean
  value: string
  onInput: (value: string) => void
}

const LABELS: Record<string, string> = {
  retry_after: 'When to retry',
  ms: 'Milliseconds',
  min_ms: 'At least, in milliseconds',
  max_ms: 'At most, in milliseconds',
  first: 'How many',
  every: 'At each multiple of',
  nth: 'Its number',
}

interface LabelledProps {
  words: string
  name: string
  description?: string | undefined
  children: ComponentChildren
}

function Labelled({ words, name, description, children }: LabelledProps) {
  return (
    <label>
      {words}
      {children}
      <small id={`about-${name}`}>
        <code>{name}</code>
        {description !== undefined && ` · ${description.replaceAll('`', '')}.`}
      </small>
    </label>
  )
}

function SchemaField(props: SchemaFieldProps) {
  const { name, group = 'fault', schema, isRequired, value, onInput } = props
  const { description } = schema
  const label = LABELS[name] ?? capitalize(name)
  const options = Array.isArray(schema.enum) ? schema.enum.map(String) : undefined
  const example = Array.isArray(schema.examples) ? String(schema.examples[0]) : undefined
  const usual = schema.default === undefined ? undefined : JSON.stringify(schema.default)
  return (
    <Labelled words={label} name={name} description={description}>
      {options ? (
        <Select
          label={label}
          describedBy={`about-${name}`}
          value={value === '' ? (usual ?? '') : value}
          options={[
            ...(isRequired || usual !== undefined ? [] : [['', 'any'] as const]),
            ...options.map((option) => [option, option] as const),
          ]}
          onSelect={onInput}
        />
      ) : (
        <TextField
          name={`${group}.${name}`}
          aria-label={label}
          aria-describedby={`about-${name}`}
          inputMode={schema.type === 'integer' ? 'numeric' : 'text'}
          required={isRequired}
          pattern={String.raw`.*\S.*`}
          placeholder={usual ?? example}
          value={value}
          onInput={onInput}
        />
      )}
    </Labelled>
  )
}

const PRESETS: readonly (readonly [title: string, fault: FaultInput])[] = [
  ['Two 503s, then fine', { kind: 'status', status: 503, schedule: { first: 2 } }],
  ['A 429, Retry-After 5', { kind: 'status', status: 429, retry_after: 5, schedule: { first: 1 } }],
  ['Every third request fails', { kind: 'status', status: 500, schedule: { every: 3 } }],
  ['A proxy’s error page', { kind: 'html', status: 502, schedule: { first: 1 } }],
  ['The connection drops', { kind: 'reset', schedule: { first: 1 } }],
  ['Nobody answers', { kind: 'no-answer', schedule: { first: 1 } }],
  ['Some responses are slow', { kind: 'latency', ms: 3000, schedule: { share: 0.2 } }],
  ['A body cut short', { kind: 'truncated-body', schedule: { first: 1 } }],
]

export function Presets() {
  return (
    <Section title="Arm a common fault" class="presets">
      <div class="columns tiles">
        {PRESETS.map(([title, fault]) => (
          <Tile
            key={title}
            icon={Zap}
            action="Arm:"
            title={title}
            onPress={() => arm(title, fault)}
          >
            {sentenceOfFault(fault, [])}.
          </Tile>
        ))}
      </div>
    </Section>
  )
}

async function arm(title: string, fault: FaultInput): Promise<void> {
  await api.command({ type: 'fault.add', fault }, `Armed a fault: ${title}`)
}
