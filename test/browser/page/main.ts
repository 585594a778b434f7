import { http } from 'msw'
import { setupWorker } from 'msw/browser'
import { createSandbox } from 'seo-sandbox'
import type { SandboxOptions } from 'seo-sandbox'
import { handlers } from 'seo-sandbox/msw'
import type { HandlerOptions } from 'seo-sandbox/msw'

/** Options of the interception; the defaults are those of the README. */
export interface PageSetup {
  sandbox?: SandboxOptions
  handlers?: HandlerOptions
  /** A path for which the page has its own handler, which responds with 418. */
  ownPath?: string
  /** Passes unhandled requests through, without msw's warning. */
  bypass?: boolean
}

/** A response of the page's `fetch`. */
export interface Reading {
  status: number
  type: string | null
  bytes: number[]
}

/** The option in msw 2 and in msw 3. */
const BYPASS = { onUnhandledRequest: 'bypass', onUnhandledFrame: 'bypass' }

declare global {
  /** Starts to intercept. */
  var intercept: (setup: PageSetup) => Promise<void>
  /** Fetches a path of the page's own origin. */
  var read: (path: string, token?: string) => Promise<Reading>
}

globalThis.intercept = async ({ sandbox, handlers: options, ownPath, bypass = false }) => {
  const own = ownPath === undefined ? [] : [http.get(ownPath, () => teapot())]
  const worker = setupWorker(...own, ...handlers(createSandbox(sandbox), options))
  await worker.start(bypass ? (BYPASS as object) : {})
}

globalThis.read = async (path, token) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(path, { headers })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    bytes: [...new Uint8Array(await response.arrayBuffer())],
  }
}

function teapot(): Response {
  return new Response('a handler of its own', { status: 418 })
}
