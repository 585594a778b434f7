import { request as sendHttp } from 'node:http'
import { setupServer } from 'msw/node'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { startServer } from '../../src/server.ts'

/** A request to the API, the path below `/api/v1`. */
export interface TestRequest {
  path: string
  /** The bearer value; none is sent where it is omitted. */
  token?: string | undefined
  query?: Record<string, string> | string | undefined
  method?: string
  headers?: Record<string, string>
}

export interface TestResponse {
  status: number
  /** By lower-case name. */
  headers: Record<string, string>
  text: string
  /** The body as JSON; undefined where it is none. */
  body: any
}

/** A sandbox as a client reaches it. */
export interface Client extends AsyncDisposable {
  sandbox: Sandbox
  send: (request: TestRequest) => Promise<TestResponse>
}

/** The ways to reach a sandbox; a suite that runs over all of them proves that none has rules of its own. */
export const transports: { name: string; open: (options?: SandboxOptions) => Promise<Client> }[] = [
  { name: 'sandbox.fetch', open: openFetch },
  { name: 'HTTP', open: openHttp },
  { name: 'MSW', open: openMsw },
]

export async function openFetch(options: SandboxOptions = {}): Promise<Client> {
  const sandbox = await createSandbox(options)
  return {
    sandbox,
    send: async (request) => {
      const init = { method: request.method ?? 'GET', headers: toHeaders(request) }
      return toTestResponse(await sandbox.fetch(`http://localhost${toTarget(request)}`, init))
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

export async function openHttp(options: SandboxOptions = {}): Promise<Client> {
  const server = await startServer({ ...options, port: 0 })
  return {
    sandbox: server.sandbox,
    send: (request) =>
      sendRaw(server.port, {
        target: toTarget(request),
        method: request.method ?? 'GET',
        headers: toHeaders(request),
      }),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** The address that MSW stands in for. */
const MSW_BASE = 'https://seo.example.com'

async function openMsw(options: SandboxOptions = {}): Promise<Client> {
  const sandbox = await createSandbox(options)
  const server = setupServer(...handlers(sandbox, { baseUrl: MSW_BASE }))
  server.listen({ onUnhandledRequest: 'error' })
  return {
    sandbox,
    send: async (request) => {
      const init = { method: request.method ?? 'GET', headers: toHeaders(request) }
      return toTestResponse(await fetch(`${MSW_BASE}${toTarget(request)}`, init))
    },
    [Symbol.asyncDispose]: async () => server.close(),
  }
}

async function toTestResponse(response: Response): Promise<TestResponse> {
  const text = await response.text()
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, text, body: parseJson(text) }
}

/** Sends a request target as it stands, so that nothing is normalised on the way. */
export function sendRaw(
  port: number,
  {
    target,
    ...options
  }: { target: string; method?: string; headers?: Record<string, string>; body?: string },
): Promise<TestResponse> {
  const { body, ...rest } = options
  return new Promise((resolve, reject) => {
    const request = sendHttp({ host: '127.0.0.1', port, path: target, agent: false, ...rest })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const headers = Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        )
        resolve({ status: response.statusCode ?? 0, headers, text, body: parseJson(text) })
      })
    })
    request.end(body)
  })
}

function toTarget({ path, query }: TestRequest): string {
  if (query === undefined) return `/api/v1${path}`
  const search = typeof query === 'string' ? query : new URLSearchParams(query).toString()
  return `/api/v1${path}?${search}`
}

function toHeaders({ token, headers = {} }: TestRequest): Record<string, string> {
  return token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
