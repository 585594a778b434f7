import { http } from 'msw'
import { setupWorker } from 'msw/browser'
import { createSandbox } from 'seo-sandbox'
import type { SandboxOptions } from 'seo-sandbox'
import { handlers } from 'seo-sandbox/msw'
import type { HandlerOptions } from 'seo-sandbox/msw'

/** How the page intercepts; as the README shows it where nothing is said. */
export interface PageSetup {
  sandbox?: SandboxOptions
  handlers?: HandlerOptions
  /** A path that the page has a handler of its own for, which answers 418. */
  ownPath?: string
  /** Lets requests pass that no handler answers, without msw's warning. */
  bypass?: boolean
}

/** A response as the page's `fetch` gave it. */
export interface Reading {
  status: number
  type: string | null
  bytes: number[]
}

/** As msw 2 and msw 3 call it. */
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
