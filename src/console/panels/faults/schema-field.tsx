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

/** An input for a field of a JSON Schema: a choice where it has options, else a text. */
export function SchemaField(props: SchemaFieldProps) {
  const { name, schema, isRequired, value, onInput } = props
  const { description } = schema
  const label = name.replaceAll('_', ' ')
  const options = Array.isArray(schema.enum) ? schema.enum.map(String) : undefined
  const example = Array.isArray(schema.examples) ? String(schema.examples[0]) : undefined
  const usual = schema.default === undefined ? undefined : JSON.stringify(schema.default)
  return (
    <label>
      {label}
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
