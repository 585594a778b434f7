import { API_PREFIX } from '../../src/contract/url.ts'
import type { OperationId } from '../../src/contract/routes.ts'

/** The parts of the API's OpenAPI document that the collection needs. */
interface ApiDocument {
  info: { title: string; description: string }
  servers: readonly { variables: { base_url: { default: string } } }[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, { get?: DocumentedGet }>>
}

interface DocumentedGet {
  operationId: OperationId
  tags: readonly string[]
  summary: string
  description: string
  parameters?: readonly {
    name: string
    in: 'path' | 'query'
    description: string
    schema: { default?: string | number }
  }[]
}

export interface PostmanExamples {
  /** A token of the world of the examples. */
  token: string
  /** The values of the parameters of paths. */
  values: Readonly<Record<string, number>>
  /** The response to each operation with these values. */
  responses: Readonly<Record<OperationId, { headers: Record<string, string>; body: unknown }>>
}

/** Identifies the collection when it is imported into Postman again. */
const COLLECTION_ID = '5c1f7a52-8f0e-4d7b-9a43-2d6e0b7c9f10'

const DESCRIPTION =
  'The variable base_url is scheme, host and port of a sandbox or of the service, token one of its tokens: at first those of `npx seo-sandbox` with its default world, which the ids and the saved examples are of.'

/**
 * A collection of Postman, version 2.1, with a folder for each tag of the document and a request with a saved example for
 * each operation.
 */
export function createPostman(document: ApiDocument, examples: PostmanExamples) {
  const { info, servers, tags, paths } = document
  const operations = Object.entries(paths).flatMap(([path, { get }]) =>
    get ? [{ tag: get.tags[0], item: toItem(path, get, examples) }] : [],
  )
  return {
    info: {
      _postman_id: COLLECTION_ID,
      name: info.title,
      description: `${info.description.split('\n\n')[0]}\n\n${DESCRIPTION}`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: servers[0]?.variables.base_url.default, type: 'string' },
      { key: 'token', value: examples.token, type: 'string' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations.filter(({ tag }) => tag === name).map(({ item }) => item),
    })),
  }
}

/** The request of an operation, and its saved example. */
function toItem(path: string, operation: DocumentedGet, { values, responses }: PostmanExamples) {
  const { operationId, summary, description, parameters = [] } = operation
  const steps = `${API_PREFIX}${path}`.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema, description: text }) => ({
      key: name,
      value: String(schema.default ?? ''),
      description: text,
      disabled: true,
    }))
  const variable = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, description: text }) => ({
      key: name,
      value: String(values[name]),
      description: text,
    }))
  const request = {
    method: 'GET',
    header: [{ key: 'Accept', value: 'application/json' }],
    url: {
      raw: `{{base_url}}/${steps}`,
      host: ['{{base_url}}'],
      path: steps.split('/'),
      ...(query.length > 0 && { query }),
      ...(variable.length > 0 && { variable }),
    },
    description,
  }
  const { headers, body } = responses[operationId]
  const example = {
    name: summary,
    originalRequest: request,
    status: 'OK',
    code: 200,
    _postman_previewlanguage: 'json',
    header: Object.entries(headers).map(([key, value]) => ({ key, value })),
    cookie: [],
    body: JSON.stringify(body, null, 2),
  }
  return { id: operationId, name: summary, request, response: [example] }
}
