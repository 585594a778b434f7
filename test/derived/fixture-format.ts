import { createFixtureSchema } from './fixture-schema.ts'
import { code, table } from './markdown.ts'

/** What is read of a JSON Schema here. */
interface Schema {
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

/** The kinds of records that have fields of their own, by the section of a fixture that has them. */
const KINDS = {
  agencies: 'Agency',
  countries: 'Country',
  languages: 'Language',
  users: 'User',
  tokens: 'Token',
  projects: 'Project',
  'keywords of a project': 'Keyword',
  'reports of a project': 'Report',
}

/** A table of fields for the top of a fixture, and for each kind of record. */
export function fixtureTables(): string {
  const { $defs = {}, ...top } = createFixtureSchema() as Schema
  const { generate, progress } = top.properties ?? {}
  const sections: [title: string, schema: Schema | undefined][] = [
    ['top level', top],
    ['generate', generate],
    ['agency of generate', generate?.properties?.['agency']],
    ['companies of generate', generate?.properties?.['companies']?.items],
    ['progress', progress],
    ...Object.entries(KINDS).map(([title, name]): [string, Schema | undefined] => [
      title,
      $defs[name],
    ]),
  ]
  return sections
    .map(([title, schema]) => {
      if (schema === undefined) throw new Error(`The schema of fixtures has no ${title}.`)
      return `### Fields: ${title}\n\n${fieldTable(schema)}`
    })
    .join('\n\n')
}

function fieldTable({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, schema]) => [
    required.includes(name) ? `**${name}**` : name,
    typeOf(schema),
    schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    schema.description ?? '',
  ])
  return table(['field', 'value', 'default', 'description'], rows)
}

/** What may be written, in a few words. */
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
