import { fetchOver } from '../../tab/page/port-fetch.ts'
import type { TabCalls, TabReply } from '../../tab/site.ts'
import { ApiError } from '../api/api-error.ts'

/** The page's worker with the sandbox of the tab. */
export class TabThread {
  readonly #worker: Worker

  constructor(address: URL) {
    this.#worker = new Worker(address, { type: 'module' })
  }

  /**
   * Calls a function of the worker.
   *
   * @throws ApiError with a sentence to show
   */
  async call<Name extends keyof TabCalls>(
    call: Name,
    asked: TabCalls[Name]['ask'],
  ): Promise<TabCalls[Name]['reply']> {
    const replied = new AbortController()
    const { port1: port, port2: other } = new MessageChannel()
    const reply = await new Promise<TabReply<Name>>((resolve) => {
      port.addEventListener('message', ({ data }: MessageEvent<TabReply<Name>>) => resolve(data))
      port.start()
      const refusal = 'The sandbox of this site could not be loaded. Reload the page.'
      this.#worker.addEventListener('error', () => resolve({ refusal }), {
        signal: replied.signal,
      })
      this.#worker.postMessage({ call, ...asked }, [other])
    })
    replied.abort()
    port.close()
    if ('value' in reply) return reply.value
    throw new ApiError(0, call, reply.refusal)
  }

  /** Like the global `fetch`, once the sandbox has started. */
  fetch(request: Request): Promise<Response> {
    return fetchOver(request, (port) => this.serve(port))
  }

  /** Lets the worker respond to the request that arrives through a port. */
  serve(port: MessagePort): void {
    this.#worker.postMessage(null, [port])
  }
}

/** The sandbox of the tab, and the address of its site. */
export interface OpenTab {
  thread: TabThread
  id: string
  base: string
}

/** Session storage key for the id of the tab's sandbox, kept as long as the tab is open. */
const STORED = 'seo-sandbox.tab'

/** Ids of tabs, with which the paths of their report pages begin. */
const TAB_ID = /^t[0-9a-z]{12}$/

export function isTabId(text: string): boolean {
  return TAB_ID.test(text)
}

/**
 * Returns the id of this tab's sandbox; with `isNew`, always a new one. A duplicated tab has the same session storage, so it
 * begins with a sandbox of its own.
 */
export async function takeTabId({ isNew }: { isNew: boolean }): Promise<string> {
  const stored = isNew ? '' : (sessionStorage.getItem(STORED) ?? '')
  if (isTabId(stored) && (await isFree(stored))) return stored
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  const id = `t${Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')}`
  sessionStorage.setItem(STORED, id)
  await isFree(id)
  return id
}

/** Maximum wait of a reloaded page for the page that it replaces, in milliseconds. */
const RELOADING_MS = 2000

/** Claims this id for the tab. Returns true unless another tab has it. */
async function isFree(id: string): Promise<boolean> {
  // Only pages from this machine or over HTTPS have locks.
  if (!('locks' in navigator)) return true
  const [{ type }] = performance.getEntriesByType('navigation') as [PerformanceNavigationTiming]
  const how =
    type === 'reload' ? { signal: AbortSignal.timeout(RELOADING_MS) } : { ifAvailable: true }
  return new Promise((resolve) => {
    navigator.locks
      .request(`seo-sandbox ${id}`, how, (lock) => {
        resolve(lock !== null)
        // Holds the lock for the life of the page.
        return lock && new Promise(() => {})
      })
      .catch(() => resolve(false))
  })
}
