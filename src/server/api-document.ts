import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'

interface DocumentResponse {
  status: number
  body: Buffer
}

let loaded: Promise<DocumentResponse> | undefined

/** Sends the OpenAPI document of the API in response to a GET or HEAD. */
export async function sendApiDocument(
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  loaded ??= readDocument('openapi.json').then(
    (document) => toDocumentResponse(document),
    toFailure,
  )
  const { status, body } = await loaded
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': body.byteLength,
    'Cache-Control': 'no-cache',
  })
  response.end(method === 'HEAD' ? undefined : body)
}

/** The OpenAPI document of the control API. */
export function readControlDocument(): Promise<object> {
  return readDocument('control-openapi.json')
}

interface OpenApiDocument {
  servers: [{ variables: { base_url: { default: string } } }]
  /** In the document of the control API: where that of the API is. */
  externalDocs?: { url: string }
}

/** A document of the package; its server is the one that sends it, in place of the default address. */
async function readDocument(name: string): Promise<OpenApiDocument> {
  const file = createRequire(import.meta.url).resolve(`seo-sandbox/${name}`)
  const document = JSON.parse(await readFile(file, 'utf8')) as OpenApiDocument
  const { servers, externalDocs } = document
  const { base_url } = servers[0].variables
  if (externalDocs) externalDocs.url = externalDocs.url.replace(base_url.default, '')
  base_url.default = ''
  return document
}

function toDocumentResponse(body: object, status = 200): DocumentResponse {
  return { status, body: Buffer.from(JSON.stringify(body)) }
}

/** Only a package that is incomplete, such as a bundle of it, has no document. */
function toFailure({ message }: Error): DocumentResponse {
  return toDocumentResponse({ message: `The document is not there: ${message}.` }, 500)
}
