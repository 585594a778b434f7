import { fetchOver } from '../../tab/page/port-fetch.ts'
import type { TabCalls, TabReply } from '../../tab/site.ts'
import { ApiError } from '../api/api-error.ts'

/** The web worker that runs the sandbox of this tab. */
export class TabThread {
  readonly #worker: Worker

  constructor(address: URL) {
    this.#worker = new Worker(address, { type: 'module' })
  }

  /**
   * Calls a function of the worker.
   *
   * @throws ApiError if the worker refuses the call or cannot be loaded
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

  /** Lets the worker answer the request that arrives through a port. */
  serve(port: MessagePort): void {
    this.#worker.postMessage(null, [port])
  }
}

export interface OpenTab {
  thread: TabThread
  id: string
  /** URL of the site, without a trailing slash. */
  base: string
}

const STORAGE_KEY = 'seo-sandbox.tab'

/** Id of a tab. The paths of report pages contain it in place of a world's id. */
const TAB_ID = /^t[0-9a-z]{12}$/

export function isTabId(text: string): boolean {
  return TAB_ID.test(text)
}

/**
 * Claims an id for this tab, and returns it: the id in the session storage, or a new one if `isNew` or if another tab has claimed
 * the stored id. A duplicated tab therefore has its own id and sandbox.
 */
export async function claimTabId({ isNew }: { isNew: boolean }): Promise<string> {
  const stored = isNew ? '' : (sessionStorage.getItem(STORAGE_KEY) ?? '')
  if (isTabId(stored) && (await claimId(stored))) return stored
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  const id = `t${Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')}`
  sessionStorage.setItem(STORAGE_KEY, id)
  await claimId(id)
  return id
}

/** Maximum wait of a reloaded page for its predecessor to release the id. */
const RELEASE_TIMEOUT_MS = 2000

/** Claims an id until the page is closed. Resolves to false if another tab has claimed it. */
async function claimId(id: string): Promise<boolean> {
  // Browsers have locks only on localhost and over HTTPS. Elsewhere, a duplicated tab keeps the id of the original.
  if (!('locks' in navigator)) return true
  const [{ type }] = performance.getEntriesByType('navigation') as [PerformanceNavigationTiming]
  const how =
    type === 'reload' ? { signal: AbortSignal.timeout(RELEASE_TIMEOUT_MS) } : { ifAvailable: true }
  return new Promise((resolve) => {
    navigator.locks
      .request(`seo-sandbox ${id}`, how, (lock) => {
        resolve(lock !== null)
        // The lock lasts while this promise is pending, so until the page is closed.
        return lock && new Promise(() => {})
      })
      .catch(() => resolve(false))
  })
}
