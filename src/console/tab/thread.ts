import { fetchOver } from '../../tab/page/port-fetch.ts'
import type { TabCalls, TabReply } from '../../tab/site.ts'
import { ApiError } from '../api/api-error.ts'

/** The worker of the page, which runs the sandbox of the tab. */
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

  /** Sends a request to the sandbox. Call this only after the sandbox has started. */
  fetch(request: Request): Promise<Response> {
    return fetchOver(request, (port) => this.serve(port))
  }

  /** Lets the worker respond to the request that arrives through a port. */
  serve(port: MessagePort): void {
    this.#worker.postMessage(null, [port])
  }
}

/** The worker and the id of the tab, and the address of its site without a trailing slash. */
export interface OpenTab {
  thread: TabThread
  id: string
  base: string
}

/** Session storage key for the id of the tab. */
const STORED = 'seo-sandbox.tab'

/** Form of a tab's id. The id takes the place of the world's id in the paths of report pages. */
const TAB_ID = /^t[0-9a-z]{12}$/

export function isTabId(text: string): boolean {
  return TAB_ID.test(text)
}

/**
 * Claims and returns the id of this tab; with `isNew`, always a new id. A duplicated tab finds the stored id claimed by the
 * original tab, so it gets a new id and a sandbox of its own.
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

/** Maximum time that a reloaded page waits for its predecessor to release the id, in milliseconds. */
const RELOADING_MS = 2000

/** Claims an id for this tab. Resolves to false if another tab has it. */
async function isFree(id: string): Promise<boolean> {
  // Browsers have locks only on localhost and over HTTPS.
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
