import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import { createTabFetch } from '../../src/tab/tab-fetch.ts'
import { sendRaw, toTestResponse } from './transports.ts'
import type { TestResponse } from './transports.ts'

interface TargetRequest {
  /** Path below the root of a server or of a site: `/_sandbox/clock`, `/api/v1/me`. */
  target: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** A sandbox with its control API. */
export interface ControlClient extends AsyncDisposable {
  sandbox: Sandbox
  send: (request: TargetRequest) => Promise<TestResponse>
}

/** A site below the root of its host. */
const SITE = 'https://demo.example/a/sandbox'

/** The control API of a server. */
export async function openServer(options: SandboxOptions = {}): Promise<ControlClient> {
  const server = await startServer({ ...options, port: 0 })
  return {
    sandbox: server.sandbox,
    send: (request) => sendRaw(server.port, request),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** The control API in a page that has the sandbox in it. */
export async function openTab(options: SandboxOptions = {}): Promise<ControlClient> {
  const sandbox = await createSandbox(options)
  const fetchInTab = createTabFetch(sandbox, {
    id: 'tab1',
    base: SITE,
    documents: { api: async () => ({}), control: async () => ({}) },
    onBug: (error) => {
      throw error
    },
  })
  return {
    sandbox,
    send: async ({ target, ...init }) =>
      toTestResponse(await fetchInTab(new Request(`${SITE}${target}`, init))),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
