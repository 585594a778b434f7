import { Select } from '../../parts/select.tsx'

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
  schema: FieldSchema
  isRequired: boolean
  value: string
  onInput: (value: string) => void
}

/** What fields are called in words. */
const WORDS: Record<string, string> = {
  retry_after: 'Seconds to wait',
  ms: 'Milliseconds',
  min_ms: 'At least, in milliseconds',
  max_ms: 'At most, in milliseconds',
  first: 'How many',
  every: 'At each multiple of',
  nth: 'Its number',
}

function toWords(name: string): string {
  return WORDS[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

/** A label in words, with the field's own name beside it. */
export function Named({ words, name }: { words: string; name: string }) {
  return (
    <span>
      {words} <code class="soft">{name}</code>
    </span>
  )
}

/** An input for a field of a JSON Schema: a choice where it has options, else a text. */
export function SchemaField(props: SchemaFieldProps) {
  const { name, schema, isRequired, value, onInput } = props
  const { description } = schema
  const label = toWords(name)
  const options = Array.isArray(schema.enum) ? schema.enum.map(String) : undefined
  const example = Array.isArray(schema.examples) ? String(schema.examples[0]) : undefined
  const usual = schema.default === undefined ? undefined : JSON.stringify(schema.default)
  return (
    <label>
      <Named words={label} name={name} />
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
        <input
          class="field"
          aria-label={label}
          aria-describedby={`about-${name}`}
          inputMode={schema.type === 'integer' ? 'numeric' : 'text'}
          required={isRequired}
          placeholder={usual ?? example}
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
      {description !== undefined && (
        <small id={`about-${name}`} class="soft">
          {description.replaceAll('`', '')}.
        </small>
      )}
    </label>
  )
}
