import type { IncomingMessage, ServerResponse } from 'node:http'
import { readPart } from './read-part.ts'

const API = new URL('../../build/openapi.json', import.meta.url)
const CONTROL = new URL('../../build/control-openapi.json', import.meta.url)

let loaded: Promise<Buffer> | undefined

/** Sends the OpenAPI document of the API in response to a GET or HEAD. */
export async function sendApiDocument(
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  loaded ??= readDocument(API, '').then((document) => Buffer.from(JSON.stringify(document)))
  const body = await loaded
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': body.byteLength,
    'Cache-Control': 'no-cache',
  })
  response.end(method === 'HEAD' ? undefined : body)
}

/** The OpenAPI document of the control API. */
export function readControlDocument(): Promise<object> {
  return readDocument(CONTROL, '')
}

/** Both documents, for a site at this address. */
export async function readDocuments(base: string): Promise<Record<'api' | 'control', object>> {
  return { api: await readDocument(API, base), control: await readDocument(CONTROL, base) }
}

interface OpenApiDocument {
  servers: [{ variables: { base_url: { default: string } } }]
  /** In the document of the control API: where the document of the API is. */
  externalDocs?: { url: string }
}

/** A document of the package with an address in place of the default one; empty for the server that sends it. */
async function readDocument(part: URL, base: string): Promise<OpenApiDocument> {
  const document = JSON.parse((await readPart(part)).toString()) as OpenApiDocument
  const { servers, externalDocs } = document
  const { base_url } = servers[0].variables
  if (externalDocs) externalDocs.url = externalDocs.url.replace(base_url.default, base)
  base_url.default = base
  return document
}
