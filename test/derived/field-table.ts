import { code, table } from './markdown.ts'

/** The keywords of a JSON Schema that the tables show. */
export interface Schema {
  description?: string
  type?: string | string[]
  const?: string | number
  enum?: (string | number | null)[]
  default?: unknown
  $ref?: string
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  $defs?: Record<string, Schema>
}

/** A table of the fields of a schema; required ones are bold. */
export function fieldTable({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties)
  const hasDefaults = fields.some(([, schema]) => schema.default !== undefined)
  const rows = fields.map(([name, schema]) => [
    required.includes(name) ? `**${name}**` : name,
    typeOf(schema),
    ...(hasDefaults
      ? [schema.default === undefined ? '' : code(JSON.stringify(schema.default))]
      : []),
    schema.description ?? '',
  ])
  return table(['field', 'value', ...(hasDefaults ? ['default'] : []), 'description'], rows)
}

/** The values of a field, in a few words. */
function typeOf(schema: Schema): string {
  const { type, anyOf, items, $ref } = schema
  if (schema.const !== undefined) return code(String(schema.const))
  if (schema.enum) return schema.enum.map((value) => code(String(value))).join(', ')
  if ($ref !== undefined) return NAMES[$ref.replace(/^.*\//, '')] ?? 'map'
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (items) return 'list'
  return [type ?? 'any']
    .flat()
    .map((name) => NAMES[name] ?? name)
    .join(' or ')
}

/** The words of the page for types of JSON Schema and for shared schemas. */
const NAMES: Record<string, string> = {
  Id: 'id',
  Date: 'date',
  DateTime: 'date',
  string: 'text',
  integer: 'number',
  object: 'map',
  boolean: 'true or false',
}
