import { createServer, request as sendHttp } from 'node:http'
import type { Agent, RequestListener } from 'node:http'
import { request as sendHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createMiddleware } from '@mswjs/http-middleware'
import express from 'express'
import type { RequestHandler as ExpressMiddleware } from 'express'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import type { HandlerOptions } from '../../src/msw.ts'
import { startServer } from '../../src/server.ts'
import { MSWS } from './msw.ts'
import type { Msw } from './msw.ts'

/** A request to the API, the path below `/api/v1`. */
export interface TestRequest {
  path: string
  /** The bearer value; none is sent if omitted. */
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
  /** The body as JSON; undefined if it is not JSON. */
  body: any
}

/** A sandbox from a client's view. */
export interface Client extends AsyncDisposable {
  sandbox: Sandbox
  send: (request: TestRequest) => Promise<TestResponse>
}

/** A way to reach a sandbox. */
export interface Transport {
  name: string
  open: (options?: SandboxOptions) => Promise<Client>
}

/** Each major version of msw in this run. */
const MSW_TRANSPORTS: Transport[] = MSWS.map((msw) => ({
  name: msw.name,
  open: (options) => openMsw(msw, options),
}))

/**
 * The transports that suites run over, to prove that they all behave alike. Of the major versions of msw, only the newest
 * in this run.
 */
export const transports: readonly Transport[] = [
  { name: 'sandbox.fetch', open: openFetch },
  { name: 'HTTP', open: openHttp },
  { name: 'MSW', open: (options) => openMsw(MSWS.at(-1) ?? MSWS[0], options) },
]

/** All transports, for tests that are worth the time: each major version of msw, and http-middleware too. */
export const allTransports: readonly Transport[] = [
  { name: 'sandbox.fetch', open: openFetch },
  { name: 'HTTP', open: openHttp },
  { name: 'HTTPS', open: openHttps },
  ...MSW_TRANSPORTS,
  { name: 'http-middleware', open: openHttpMiddleware },
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
    send: overPort(server.port),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

async function openHttps(options: SandboxOptions = {}): Promise<Client> {
  const server = await startServer({ ...options, port: 0, https: true })
  return {
    sandbox: server.sandbox,
    send: overPort(server.port, server.ca),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** The base URL that MSW intercepts. */
const MSW_BASE = 'https://seo.example.com'

async function openMsw(msw: Msw, options: SandboxOptions = {}): Promise<Client> {
  const sandbox = await createSandbox(options)
  const server = msw.intercept(msw.handlers(sandbox, { baseUrl: MSW_BASE }))
  return {
    sandbox,
    send: async (request) => {
      const init = { method: request.method ?? 'GET', headers: toHeaders(request) }
      return toTestResponse(await fetch(`${MSW_BASE}${toTarget(request)}`, init))
    },
    [Symbol.asyncDispose]: async () => server.close(),
  }
}

/** The handlers, for any host, as Express middleware. Its declarations use the CommonJS types of msw, which differ. */
function mountHandlers(
  sandbox: Parameters<typeof handlers>[0],
  options?: HandlerOptions,
): ExpressMiddleware {
  const list: unknown[] = handlers(sandbox, { baseUrl: '*', ...options })
  return createMiddleware(...(list as Parameters<typeof createMiddleware>))
}

async function openHttpMiddleware(options: SandboxOptions = {}): Promise<Client> {
  const sandbox = await createSandbox(options)
  const server = await serve(express().use(mountHandlers(sandbox)))
  return {
    sandbox,
    send: overPort(server.port),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Listens on a free port of the loopback address. */
export async function serve(
  listener: RequestListener,
): Promise<AsyncDisposable & { port: number }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export async function toTestResponse(response: Response): Promise<TestResponse> {
  const text = await response.text()
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, text, body: parseJson(text) }
}

function overPort(port: number, ca?: string): Client['send'] {
  return (request) =>
    sendRaw(port, {
      ...(ca !== undefined && { ca }),
      target: toTarget(request),
      method: request.method ?? 'GET',
      headers: toHeaders(request),
    })
}

/** Sends a request target unchanged, without the normalisation of fetch. */
export function sendRaw(
  port: number,
  {
    target,
    ...options
  }: {
    target: string
    method?: string
    headers?: Record<string, string>
    body?: string
    agent?: Agent
    /** The certificate of the authority by which to trust a server with HTTPS. */
    ca?: string
  },
): Promise<TestResponse> {
  const { body, ...rest } = options
  return new Promise((resolve, reject) => {
    const send = rest.ca === undefined ? sendHttp : sendHttps
    const request = send({ host: '127.0.0.1', port, path: target, agent: false, ...rest })
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
