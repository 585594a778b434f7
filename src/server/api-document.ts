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
  loaded ??= readDocument(API).then((document) => Buffer.from(JSON.stringify(document)))
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
  return readDocument(CONTROL)
}

interface OpenApiDocument {
  servers: [{ variables: { base_url: { default: string } } }]
  /** Where the document of the API is, in that of the control API. */
  externalDocs?: { url: string }
}

/** A document of the package; its server is the one that sends it, in place of the default address. */
async function readDocument(part: URL): Promise<OpenApiDocument> {
  const document = JSON.parse((await readPart(part)).toString()) as OpenApiDocument
  const { servers, externalDocs } = document
  const { base_url } = servers[0].variables
  if (externalDocs) externalDocs.url = externalDocs.url.replace(base_url.default, '')
  base_url.default = ''
  return document
}
