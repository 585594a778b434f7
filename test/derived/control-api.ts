import { z } from 'zod'
import { CONTROL_GROUPS } from '../../src/control-api/control-routes.ts'
import { CONTROL_PREFIX } from '../../src/control-api/prefix.ts'
import type { ControlRole, ControlRoute } from '../../src/control-api/routes/route.ts'
import { RequestFilterSchema } from '../../src/journal/journal-schemas.ts'
import { COMMAND_DEFINITIONS } from '../../src/world/commands/index.ts'
import { FAULT_KINDS } from '../../src/world/faults/index.ts'
import { code, table } from './markdown.ts'

const COLUMNS = ['name', 'fields', 'effect']

/** The commands that change a world. */
export function commandTable(): string {
  const rows = COMMAND_DEFINITIONS.map(({ type, description, schema }) => {
    const { type: _type, ...fields } = schema.shape
    return [code(type), listFields(fields), description]
  })
  return table(COLUMNS, rows)
}

export function faultTable(): string {
  const rows = FAULT_KINDS.map(({ kind, description, fields }) => [
    code(kind),
    listFields(fields),
    description,
  ])
  return table(COLUMNS, rows)
}

/** The fields of a filter of requests. */
export function filterTable(): string {
  const rows = Object.entries(RequestFilterSchema.shape).map(([name, schema]) => [
    code(name),
    z.globalRegistry.get(schema)?.description ?? schema.unwrap().description ?? '',
  ])
  return table(['field', 'selects'], rows)
}

/** A section for each group of routes. */
export function routeSections(): string {
  const sections = CONTROL_GROUPS.map(({ tag, description, routes }) =>
    [
      `## ${tag}`,
      `${description}.`,
      table(['route', 'key', 'does', 'takes'], routes.map(describe)),
    ].join('\n\n'),
  )
  return sections.join('\n\n')
}

/** The key that opens a route. */
const KEYS: Record<ControlRole, string> = {
  public: 'none',
  invited: 'none',
  shared: 'any',
  world: 'world',
  admin: 'admin',
}

function describe(route: ControlRoute): string[] {
  const { method, path, role, summary, description, query, body } = route
  const url = `${CONTROL_PREFIX}${path.replaceAll(/:(\w+)/g, '{$1}')}`
  const parameters = Object.keys(query?.shape ?? {}).map((name) => `?${name}`)
  const takes = parameters.length > 6 ? ['a filter in the query'] : parameters.map(code)
  const fields = body instanceof z.ZodPrefault ? body.unwrap() : body
  if (fields instanceof z.ZodObject) takes.push(listFields(fields.shape))
  else if (fields) takes.push('a JSON body')
  return [
    `${method.toUpperCase()} ${code(url)}`,
    KEYS[role],
    `${summary}. ${description}`,
    takes.join(', '),
  ]
}

/** The names of fields, optional ones in brackets. */
function listFields(fields: Readonly<Record<string, z.core.$ZodType>>): string {
  const names = Object.entries(fields).map(([name, schema]) =>
    z.safeParse(schema, undefined).success ? `[${code(name)}]` : code(name),
  )
  return names.join(', ')
}
