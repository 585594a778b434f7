import { fetchOver, serveOver } from '../../tab/page/port-fetch.ts'
import type { PageQuestion, TabStart, TabStarted } from '../../tab/site.ts'
import type { Transport } from './transport.ts'

/** Where a tab keeps the id of its sandbox, as long as it is open. */
const STORED = 'seo-sandbox.tab'

/** The ids of tabs, which the paths of their report pages begin with. */
const TAB_ID = /^t[0-9a-z]{12}$/

/** Shows a sentence; an error stays. */
type Notify = (text: string, how?: { isError?: boolean }) => void

/** The transport of a static site: the sandbox is in a worker of this page, at this address. */
export async function openTab(worker: string, notify: Notify): Promise<Transport> {
  const base = new URL('.', location.href).href.replace(/\/$/, '')
  const id = await takeId()
  const thread = new Worker(new URL(worker, `${base}/`), { type: 'module' })
  const started = start(thread, { id, base }, notify)
  answerOthers(thread, id)
  const fetchInTab = async (request: Request): Promise<Response> => {
    await started
    return fetchOver(request, (port) => thread.postMessage(undefined, [port]))
  }
  // What it stores for later is less urgent than the sandbox.
  void started.then(() => listenElsewhere(base, { fetchInTab, notify }))
  return {
    base,
    isShared: false,
    fetch: (path, init) => fetchInTab(new Request(`${base}${path}`, init)),
  }
}

/** The id of this tab's sandbox. A duplicate of a tab has its session storage too, and begins with a sandbox of its own. */
async function takeId(): Promise<string> {
  const stored = sessionStorage.getItem(STORED)
  if (stored !== null && TAB_ID.test(stored) && (await isFree(stored))) return stored
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  const id = `t${Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')}`
  sessionStorage.setItem(STORED, id)
  await isFree(id)
  return id
}

/** Whether no other tab has this id; this one has it from then on. */
async function isFree(id: string): Promise<boolean> {
  // Only pages of this machine and of HTTPS have locks.
  if (!('locks' in navigator)) return true
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`seo-sandbox ${id}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null)
        // As long as the page is there.
        return lock && new Promise(() => {})
      })
      .catch(reject)
  })
}

/** Resolves when the sandbox is there; where it does not start that is said, and nothing is answered. */
function start(thread: Worker, message: TabStart, notify: Notify): Promise<void> {
  return new Promise((resolve) => {
    const fail = (text: string): void => notify(text, { isError: true })
    thread.addEventListener('message', ({ data }: MessageEvent<TabStarted>) => {
      if (data.type === 'ready') resolve()
      else fail(`The sandbox of this site does not start: ${data.message}`)
    })
    thread.addEventListener('error', () =>
      fail('The sandbox of this site could not be loaded. Reload the page.'),
    )
    thread.postMessage(message)
  })
}

/** Responds to what a server would, where the service worker asks this page. */
function answerOthers(thread: Worker, id: string): void {
  navigator.serviceWorker?.addEventListener('message', ({ data, ports: [port] }) => {
    if (!port) return
    const { world } = data as PageQuestion
    const isOfOther = world !== null && TAB_ID.test(world) && world !== id
    if (isOfOther) serveOver(port, async () => new Response(null, { status: 404 }))
    else thread.postMessage(undefined, [port])
  })
}

/**
 * Lets code in the console of the browser, and links, reach the sandbox. Where the browser has no service workers, on a host that
 * is neither this machine nor HTTPS, code of this page alone reaches it.
 */
function listenElsewhere(
  base: string,
  { fetchInTab, notify }: { fetchInTab: (request: Request) => Promise<Response>; notify: Notify },
): void {
  const register = async (): Promise<void> => {
    await navigator.serviceWorker.register(`${base}/service-worker.js`)
  }
  register().catch(() => {
    const fetchElsewhere = globalThis.fetch
    globalThis.fetch = (input, init) => {
      const request = new Request(input, init)
      const isOwn = [`${base}/api/`, `${base}/_sandbox/`].some((start) =>
        request.url.startsWith(start),
      )
      return isOwn ? fetchInTab(request) : fetchElsewhere(input, init)
    }
    notify('This browser has no service workers here: links to report pages lead nowhere.')
  })
}
