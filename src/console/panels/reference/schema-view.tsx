import type { JSX } from 'preact'
import type { OpenapiDocument, Schema } from '../../state/openapi.ts'
import { withCode } from '../../parts/marked-text.tsx'

interface SchemaViewProps {
  schema: Schema
  document: OpenapiDocument
  /** Names of the enclosing schemas, which are not expanded again inside themselves. */
  within?: readonly string[]
}

export function SchemaView({ schema, document, within = [] }: SchemaViewProps): JSX.Element | null {
  const { fields, names } = fieldsOf(schema, document, within)
  if (fields.length === 0) return null
  return (
    <ul class="schema lines">
      {fields.map(([name, field, isRequired]) => (
        <li key={name}>
          <div>
            <code>{name}</code>
            <span class="soft">
              {schemaTypeOf(field, document)}
              {isRequired ? '' : ', optional'}
            </span>
            <Description text={descriptionOf(field, document)} />
          </div>
          <SchemaView schema={field} document={document} within={names} />
        </li>
      ))}
    </ul>
  )
}

export function Description({ text }: { text: string | undefined }): JSX.Element | null {
  if (text === undefined || text === '') return null
  return <p>{withCode(text)}</p>
}

type Field = [name: string, schema: Schema, isRequired: boolean]

function fieldsOf(
  schema: Schema,
  document: OpenapiDocument,
  within: readonly string[],
): { fields: Field[]; names: readonly string[] } {
  const name = nameOf(schema)
  const nested = { fields: [] as Field[], names: name === undefined ? within : [...within, name] }
  if (name !== undefined && within.includes(name)) return nested
  const { properties, required = [], items, anyOf } = resolve(schema, document)
  if (properties) {
    nested.fields = Object.entries(properties).map(([key, field]) => [
      key,
      field,
      required.includes(key),
    ])
    return nested
  }
  for (const inner of items ? [items] : (anyOf ?? [])) {
    const found = fieldsOf(inner, document, nested.names)
    if (found.fields.length > 0) return found
  }
  return nested
}

/** Returns the last segment of `$ref`: `Keyword`. Undefined without a `$ref`. */
export function nameOf({ $ref }: Pick<Schema, '$ref'>): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1)
}

function resolve(schema: Schema, { components }: OpenapiDocument): Schema {
  const name = nameOf(schema)
  return name === undefined ? schema : (components.schemas[name] ?? {})
}

function descriptionOf(schema: Schema, document: OpenapiDocument): string | undefined {
  return schema.description ?? resolve(schema, document).description
}

/** Describes the type of a schema: `list of Keyword`, `text or null`, `whole number, 1 to 26`, or the allowed values. */
export function schemaTypeOf(schema: Schema, document: OpenapiDocument): string {
  const name = nameOf(schema)
  const { type, anyOf, items, format, properties, ...rest } = resolve(schema, document)
  if (rest.enum) return rest.enum.map(String).join(', ')
  if (anyOf) return [...new Set(anyOf.map((each) => schemaTypeOf(each, document)))].join(' or ')
  if (items) return `list of ${schemaTypeOf(items, document)}`.replace('number', 'numbers')
  if (properties) return name ?? 'object'
  if (format === 'date-time') return 'time'
  if (format === 'date') return 'date'
  const words = [type ?? name ?? 'anything'].flat().map((each) => TYPES[each] ?? each)
  return `${words.join(' or ')}${rangeOf(rest)}`
}

const TYPES: Record<string, string> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
}

function rangeOf({ minimum, maximum, default: usual }: Schema): string {
  const range =
    minimum !== undefined && maximum !== undefined
      ? `, ${minimum} to ${maximum}`
      : minimum !== undefined && minimum > 0
        ? ` from ${minimum}`
        : ''
  return usual === undefined ? range : `${range}, default ${JSON.stringify(usual)}`
}
