import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

export interface SchemaOptions {
  /** What has a name of its own in the document, so that a client's generated types have it too. */
  named: Readonly<Record<string, z.ZodType>>
  /** What the document uses: those with a name, and others, which are written out where they stand. */
  used: readonly z.ZodType[]
  /** Whether what is sent is described, or what becomes of it; the latter where omitted. */
  io?: 'input' | 'output'
  /** What stands for schemas that are code, of which nothing could be told. */
  stated?: ReadonlyMap<z.core.$ZodType, object>
}

export interface ConvertedSchemas {
  /** The components of the document, by name. */
  schemas: Record<string, JsonSchema>
  /** Any of those used as it stands in its place. */
  toSchema: (schema: z.ZodType) => JsonSchema
}

/** What is registered beside the named schemas, with all those used in it. */
const USES = '#'

/** Schemas of Zod as those of an OpenAPI document. */
export function convertSchemas({
  named,
  used,
  io = 'output',
  stated = new Map(),
}: SchemaOptions): ConvertedSchemas {
  const indexes = new Map([...new Set(used)].map((schema, index) => [schema, String(index)]))
  const uses = z.object(Object.fromEntries([...indexes].map(([schema, index]) => [index, schema])))
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries({ ...named, [USES]: uses }))
    registry.add(schema, { id })

  const { schemas } = z.toJSONSchema(registry, {
    uri: (name) => refTo('schemas', name).$ref,
    io,
    unrepresentable: stated.size > 0 ? 'any' : 'throw',
    override: ({ zodSchema, jsonSchema }) => {
      dropSafeIntegerBounds({ jsonSchema })
      Object.assign(jsonSchema, stated.get(zodSchema))
    },
  })
  const { properties = {} } = schemas[USES] ?? {}
  return {
    schemas: Object.fromEntries(
      Object.keys(named).map((name) => [name, withoutIdentity(schemas[name] ?? {})]),
    ),
    toSchema: (schema) => properties[indexes.get(schema) ?? ''] as JsonSchema,
  }
}

export function refTo(section: string, name: string) {
  return { $ref: `#/components/${section}/${name}` }
}

/** Zod's integers end where JavaScript's do, of which the specification says nothing. */
export function dropSafeIntegerBounds({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}

/** A schema as part of a document, which says for all of them what their dialect is and where they are. */
export function withoutIdentity({ $schema: _dialect, $id: _place, ...schema }: JsonSchema) {
  return schema
}
