import { unreachable } from '../api/api-error.ts'
import { transport } from '../api/transport.ts'

/** Schema of the OpenAPI document, with only the fields that the page reads. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  default?: unknown
  format?: string
  minimum?: number
  maximum?: number
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  description: string
  schema: Schema
}

export interface ResponseDefinition {
  $ref?: string
  description: string
  content?: Record<
    string,
    { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
  >
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters: Parameter[]
  responses: Record<string, ResponseDefinition>
}

export interface OpenapiDocument {
  tags: { name: string }[]
  paths: Record<string, { get: Operation }>
  components: { schemas: Record<string, Schema>; responses: Record<string, ResponseDefinition> }
}

export interface EndpointDefinition extends Operation {
  path: string
}

let read: Promise<OpenapiDocument> | undefined

/** Reads the OpenAPI document. Later calls share a successful read, because the document does not change. */
export function openapi(): Promise<OpenapiDocument> {
  read ??= transport()
    .fetch('/openapi.json')
    .then((response) => response.json() as Promise<OpenapiDocument>)
    .catch(() => {
      read = undefined
      throw unreachable()
    })
  return read
}

export function toEndpoints(document: OpenapiDocument | undefined): EndpointDefinition[] {
  return Object.entries(document?.paths ?? {}).map(([path, { get }]) => ({ ...get, path }))
}
