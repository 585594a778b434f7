import type { ComponentType } from 'preact'
import { signal } from '@preact/signals'

/** Connection of the page to the sandbox, which runs in a server or in a web worker of the page. */
export interface Transport {
  /** URL of the server or static site, without a trailing slash. The paths of the API are appended to it. */
  base: string
  /** True for a server, which other pages and clients can reach; false for a sandbox inside this tab. */
  isShared: boolean
  /** Like the global `fetch`, for a path below `base`. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** Buttons at the end of the world bar; none if omitted. */
  Bar?: ComponentType
}

let current: Readonly<Transport> = {
  base: location.origin,
  isShared: true,
  // Without an origin, a path that begins with two slashes would name another host.
  fetch: (path, init) => fetch(`${location.origin}${path}`, init),
}

export function transport(): Readonly<Transport> {
  return current
}

/** Must be called before the first request. */
export function setTransport(other: Transport): void {
  current = other
}

/** State of the connection: `connecting` until the first response, `lost` while the server does not respond. */
export const connection = signal<'connecting' | 'open' | 'lost'>('connecting')

/**
 * Version of the shown world's data. `outdate` increments it whenever the data may have changed; hooks such as `useResource` then
 * read the data again.
 */
export const revision = signal(0)

export function outdate(): void {
  revision.value += 1
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 4000

let polling: Promise<void> | undefined

/**
 * Checks the connection after a failed request. If the server does not respond, shows the connection as lost. Resolves when the
 * server responds; all data is then read again.
 */
export function loseConnection(): Promise<void> {
  polling ??= pollHealth().finally(() => (polling = undefined))
  return polling
}

async function pollHealth(): Promise<void> {
  for (let wait = FIRST_WAIT_MS; !(await isHealthy()); wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    connection.value = 'lost'
    await sleep(wait)
  }
  regainConnection()
}

/** Shows the connection as open, and has all data read again. */
export function regainConnection(): void {
  connection.value = 'open'
  outdate()
}

async function isHealthy(): Promise<boolean> {
  try {
    return (await transport().fetch('/_sandbox/health', { cache: 'no-store' })).ok
  } catch {
    return false
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
