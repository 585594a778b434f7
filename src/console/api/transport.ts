import type { ComponentType } from 'preact'
import { signal } from '@preact/signals'

/** How the page reaches the sandbox: over HTTP, or in the page itself. */
export interface Transport {
  /** The address of the site, which the URLs of the API begin with, without a slash at its end. */
  base: string
  /** Whether other pages of this browser show the same worlds. */
  isShared: boolean
  /** Like the global `fetch`, for a path below that address. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** What else the header shows; nothing where omitted. */
  Bar?: ComponentType
}

const HTTP: Transport = {
  base: location.origin,
  isShared: true,
  // A path may begin with two slashes, which alone would name another host.
  fetch: (path, init) => fetch(`${location.origin}${path}`, init),
}

let used = HTTP

export function transport(): Readonly<Transport> {
  return used
}

/** Uses another transport, before the first request. */
export function useTransport(other: Transport): void {
  used = other
}

/** State of the connection to the server; `lost` while it does not respond. */
export const connection = signal<'connecting' | 'open' | 'lost'>('connecting')

/**
 * Counts what makes everything that was read outdated: a command of anybody, a reconnection, another world. Whatever
 * shows data of the world reads it again when this changes (`useResource` does).
 */
export const revision = signal(0)

export function outdate(): void {
  revision.value += 1
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 4000

let polling: Promise<void> | undefined

/**
 * Called where a connection has failed. Resolves when the server responds, and everything is to be read again; until
 * then the page says that it does not.
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

/** Called where the server is known to respond again: everything is read again. */
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
