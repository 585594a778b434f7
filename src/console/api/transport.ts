import type { ComponentType } from 'preact'
import { signal } from '@preact/signals'

/** Connection of the page to the sandbox: over HTTP, or within the page itself. */
export interface Transport {
  /** Address of the server or static site, without a trailing slash. All URLs of the API begin with this address. */
  base: string
  /** True if other pages of this browser may show the same worlds. */
  isShared: boolean
  /** Like the global `fetch`, for a path below `base`. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** Buttons beside the choice of world; none if omitted. */
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

/** Replaces the transport. Call this before the first request. */
export function setTransport(other: Transport): void {
  current = other
}

/** State of the connection to the server; `lost` while it does not respond. */
export const connection = signal<'connecting' | 'open' | 'lost'>('connecting')

/**
 * Version of the shown world's data. Grows with each command from any source, each reconnection and each switch to another world.
 * Components then read their data again, as `useResource` does.
 */
export const revision = signal(0)

export function outdate(): void {
  revision.value += 1
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 4000

let polling: Promise<void> | undefined

/**
 * Reports a broken connection, and shows the connection as lost until the server responds. Resolves once the server responds; all
 * data is then read again.
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

/** Reports that the server responds again. All data is then read again. */
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
