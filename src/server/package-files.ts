import type { IncomingMessage, ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import { errorCodeOf } from './file-errors.ts'

const API = new URL('../../build/openapi.json', import.meta.url)
const CONTROL = new URL('../../build/control-openapi.json', import.meta.url)

let loaded: Promise<Buffer> | undefined

/** Sends the OpenAPI document of the API as the response to a GET or HEAD request. */
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

export function readControlDocument(): Promise<object> {
  return readDocument(CONTROL, '')
}

/** Returns both OpenAPI documents for a site. `base` is the URL of the site, which may be relative. */
export async function readDocuments(base: string): Promise<Record<'api' | 'control', object>> {
  return { api: await readDocument(API, base), control: await readDocument(CONTROL, base) }
}

interface OpenApiDocument {
  servers: [{ variables: { base_url: { default: string } } }]
  /** Link to the API's document; only in the document of the control API. */
  externalDocs?: { url: string }
}

/** Returns a document with `base` in place of its default URL. An empty `base` means the server that sends the document. */
async function readDocument(part: URL, base: string): Promise<OpenApiDocument> {
  const document = JSON.parse((await readPart(part)).toString()) as OpenApiDocument
  const { servers, externalDocs } = document
  const { base_url } = servers[0].variables
  if (externalDocs) externalDocs.url = externalDocs.url.replace(base_url.default, base)
  base_url.default = base
  return document
}

const POSTMAN = new URL('../../build/postman.json', import.meta.url)

export async function readPostman(): Promise<{ item: { item: unknown[] }[] }> {
  return JSON.parse((await readPart(POSTMAN)).toString()) as { item: { item: unknown[] }[] }
}

/** List of a static site's files, written by the build. */
const LIST = new URL('../../build/shared/site-files.json', import.meta.url)

interface SiteParts {
  html: string
  /** The scripts and styles of the console, and the workers that contain the sandbox, by their names in the site. */
  files: Map<string, Uint8Array>
}

/** Reads the files that every static site has. */
export async function readSiteFiles(): Promise<SiteParts> {
  const list = JSON.parse((await readPart(LIST)).toString()) as { html: string; files: string[] }
  const files = await Promise.all(
    list.files.map(
      async (name) =>
        [name.replace(/^console\/console\//, 'console/'), await readPart(partOf(name))] as const,
    ),
  )
  return { html: list.html, files: new Map(files) }
}

/** Returns the URL of a file. Names in `LIST` are relative to the parent of its folder. */
function partOf(name: string): URL {
  return new URL(`../${name}`, LIST)
}

/**
 * Reads a file of the package. `part` is the path to which the build writes the file; the bundler replaces it with a path that
 * includes a hash of the content (`scripts/bundle.js`).
 *
 * @throws An error with the code `ERR_MODULE_NOT_FOUND` if the file does not exist.
 */
export async function readPart(part: URL): Promise<Buffer> {
  try {
    return await readFile(part)
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error
    const missing = new Error(`Cannot find ${part.pathname}`, { cause: error })
    throw Object.assign(missing, { code: 'ERR_MODULE_NOT_FOUND' })
  }
}
