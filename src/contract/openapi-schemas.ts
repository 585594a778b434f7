import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

export interface SchemaOptions {
  /** Schemas with a name in the document, which the generated types of clients then have too. */
  named: Readonly<Record<string, z.ZodType>>
  /** The schemas that the document uses; those without a name are inlined. */
  used: readonly z.ZodType[]
  /** Whether the input of schemas is described or their output, the default. */
  io?: 'input' | 'output'
  /** JSON Schemas for those that cannot be converted because they are code. */
  stated?: ReadonlyMap<z.core.$ZodType, object>
}

export interface ConvertedSchemas {
  /** The components of the document, by name. */
  schemas: Record<string, JsonSchema>
  /** A used schema as it is written where it is used. */
  toSchema: (schema: z.ZodType) => JsonSchema
}

/** The name of a schema that contains all those used. */
const USES = '#'

/** Converts Zod schemas to those of an OpenAPI document. */
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

/** Drops the bounds that Zod gives to every integer; the specification has none. */
export function dropSafeIntegerBounds({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}

/** A schema without its dialect and id, which the document states for all of them. */
export function withoutIdentity({ $schema: _dialect, $id: _place, ...schema }: JsonSchema) {
  return schema
}
