import { signal } from '@preact/signals'
import { transport } from '../api/transport.ts'

/** Whether the server responds. */
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
    await pause(wait)
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

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
