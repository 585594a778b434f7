import { getResponse, http } from 'msw'
import type { RequestHandler } from 'msw'
import { setupServer } from 'msw/node'
import { handlers } from '../../src/msw.ts'

/** A major version of msw, and our handlers for it. The types are those of msw 2; msw 3 has the same members. */
export interface Msw {
  name: string
  http: typeof http
  getResponse: typeof getResponse
  handlers: typeof handlers
  /** Intercepts with these handlers until closed. Unhandled requests fail, or go to the network. */
  intercept: (list: RequestHandler[], unhandled?: 'error' | 'bypass') => Server
}

type Server = ReturnType<typeof setupServer>

const MSW_2: Msw = {
  name: 'MSW 2',
  http,
  getResponse,
  handlers,
  intercept: (list, unhandled = 'error') => {
    const server = setupServer(...list)
    server.listen({ onUnhandledRequest: unhandled })
    return server
  },
}

/** The major versions of msw in this run, the newest last; vitest.config.ts locates msw 3. */
export const MSWS: readonly [Msw, ...Msw[]] =
  process.env['MSW_3'] === undefined ? [MSW_2] : [MSW_2, await loadMsw3()]

async function loadMsw3(): Promise<Msw> {
  const msw = (await load('msw-3')) as typeof import('msw')
  const node = (await load('msw-3/node')) as typeof import('msw/node')
  const own = (await load('../../src/adapters/msw.ts?msw-3')) as typeof import('../../src/msw.ts')
  return {
    name: 'MSW 3',
    http: msw.http,
    getResponse: msw.getResponse,
    handlers: own.handlers,
    intercept: (list, unhandled = 'error') => {
      const server = node.setupServer(...list)
      server.listen({ onUnhandledFrame: unhandled } as object)
      return server
    },
  }
}

/** Imports a module that only vitest.config.ts can resolve, hidden from other tools. */
function load(specifier: string): Promise<unknown> {
  return import(specifier) as Promise<unknown>
}
