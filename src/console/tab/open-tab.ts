import { serveOver } from '../../tab/page/port-fetch.ts'
import type { PageQuestion, SharedText, TabPlace } from '../../tab/site.ts'
import { ApiError } from '../api/api-error.ts'
import { useTransport } from '../api/transport.ts'
import { navigate } from '../state/location.ts'
import { showNotice, notifyOf, ask } from '../state/notices.ts'
import { showDropped, takeDropped } from '../state/page.ts'
import { createTabBar } from './tab-bar.tsx'
import { isTabId, takeTabId, TabThread } from './thread.ts'
import type { OpenTab } from './thread.ts'

/** Connects the console of a static site to the sandbox in a worker of its page. `worker` is the address of its script. */
export async function openTab(worker: string): Promise<void> {
  document.querySelector('.unserved')?.remove()
  await takeNextRelease()
  const base = new URL('.', location.href).href.replace(/\/$/, '')
  const given = sharedInAddress()
  const id = await takeTabId({ isNew: given !== undefined })
  const tab = { thread: new TabThread(new URL(worker, `${base}/`)), id, base }
  const started = start(tab, given)
  answerOthers(tab)
  fetchHere(tab, started)
  useTransport({
    base,
    isShared: false,
    fetch: async (path, init) => {
      await started
      return tab.thread.fetch(new Request(`${base}${path}`, init))
    },
    Bar: createTabBar(tab),
  })
  // Storing files for later is less urgent than the sandbox.
  void started.then(() => listenElsewhere(tab))
  takeDropped((file) => void openDropped(tab, file).catch(notifyOf))
  // A link opened in the same tab changes only the fragment of the address, which loads nothing.
  addEventListener('hashchange', () => {
    if (linkInAddress() !== undefined) location.reload()
  })
}

/** Fragment of a shared link. */
const LINK = /^#(s\d+\..*)/

function linkInAddress(): string | undefined {
  return LINK.exec(location.hash)?.[1]
}

/** Returns the shared content in the address: a link itself, or the name of a session file of this site. */
function sharedInAddress(): { link: string } | { name: string } | undefined {
  const link = linkInAddress()
  if (link !== undefined) return { link }
  const name = new URLSearchParams(location.search).get('session')
  return name === null ? undefined : { name }
}

/** Starts the sandbox, with the shared content if there is any. If that is refused, shows the reason and starts a fresh one. */
async function start(tab: OpenTab, given: ReturnType<typeof sharedInAddress>): Promise<void> {
  if (given) {
    try {
      const shared: SharedText =
        'link' in given ? given : { file: await fetchSession(given.name, tab.base) }
      const { difference } = await tab.thread.call('read', { ...placeOf(tab), shared })
      if (difference === null || (await isWanted(difference))) await tab.thread.call('take', {})
    } catch (error) {
      notifyOf(error)
    }
    // Shared content is opened once: later actions belong to this tab.
    navigate({ session: undefined }, { replace: true })
  }
  try {
    const { screen, refusal } = await tab.thread.call('start', placeOf(tab))
    if (refusal !== null) showNotice(refusal, { isError: true })
    if (screen) showScreen(screen)
  } catch (error) {
    notifyOf(error)
    // Never resolves, so that nothing is sent to a sandbox that does not exist.
    await new Promise(() => {})
  }
}

function placeOf({ id, base }: OpenTab): TabPlace {
  return { id, base }
}

function showScreen(screen: string): void {
  navigate(Object.fromEntries(new URLSearchParams(screen)), { replace: true })
}

function isWanted(difference: string): Promise<boolean> {
  return ask({
    title: 'Made elsewhere',
    text: difference,
    button: 'Open it',
    keep: 'Begin anew',
  })
}

/**
 * Reads a session file of this site.
 *
 * @throws ApiError
 */
async function fetchSession(name: string, base: string): Promise<string> {
  const url = new URL(name, `${base}/`)
  if (!url.href.startsWith(`${base}/`)) {
    throw new ApiError(0, 'session', 'A session is opened from a file of this site alone.')
  }
  const response = await fetch(url).catch(() => undefined)
  if (response?.ok !== true) {
    throw new ApiError(0, 'session', `This site has no session file ${name}.`)
  }
  return response.text()
}

/** Opens a session file in place of the world of this tab, if the user agrees; shows any other file. */
async function openDropped(tab: OpenTab, file: File): Promise<void> {
  if (/\.har$/i.test(file.name)) {
    showDropped(file)
    return
  }
  const shared = { file: await file.text() }
  const { difference } = await tab.thread.call('read', { ...placeOf(tab), shared })
  const isSure = await ask({
    title: 'Open this session?',
    text: `${difference === null ? '' : `${difference} `}It is replayed in this tab, whose own world is lost.`,
    button: 'Open it',
  })
  if (!isSure) return
  await tab.thread.call('take', {})
  location.assign(location.pathname)
}

/** Answers the requests that the service worker passes to this page, as a server would. */
function answerOthers({ thread, id }: OpenTab): void {
  navigator.serviceWorker?.addEventListener('message', ({ data, ports: [port] }) => {
    if (!port) return
    const { world } = data as PageQuestion
    const isOfOther = world !== null && isTabId(world) && world !== id
    if (isOfOther) serveOver(port, async () => new Response(null, { status: 404 }))
    else thread.serve(port)
  })
}

/**
 * Lets code of this page reach the sandbox, such as input in the browser's console. It covers addresses below the site, and
 * links between pages, which begin at the root of the host.
 */
function fetchHere({ base, thread }: OpenTab, started: Promise<void>): void {
  const fetchElsewhere = globalThis.fetch
  const root = `${location.origin}/api/v1/`
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { url } = request
    const isLink = url.startsWith(root)
    const isOwn = ['api', '_sandbox'].some((name) => url.startsWith(`${base}/${name}/`))
    // Not `input`: its body has moved into the request.
    if (!isOwn && !isLink) return fetchElsewhere(request)
    await started
    if (isOwn) return thread.fetch(request)
    return thread.fetch(new Request(base + url.slice(location.origin.length), request))
  }
}

/** Lets links reach the sandbox, if the browser has service workers: on this machine, and over HTTPS. */
async function listenElsewhere({ base }: OpenTab): Promise<void> {
  try {
    const { serviceWorker } = navigator
    const { installing, active } = await serviceWorker.register(`${base}/service-worker.js`)
    if (active || !installing || (await isInstalled(installing))) return
    showNotice('This browser could not store the site, so links to report pages lead nowhere.')
  } catch {
    showNotice('This browser has no service workers here, so links to report pages lead nowhere.')
  }
}

/** Resolves to true once the service worker has stored all files of the site; to false if that fails. */
function isInstalled(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (worker.state !== 'installing') resolve(worker.state !== 'redundant')
    }
    worker.addEventListener('statechange', look)
    look()
  })
}

/** Maximum wait for the next release, in milliseconds. If it comes later, the page is loaded again all the same. */
const PATIENCE_MS = 2000

/**
 * Reloads the page if the next release of the site waits and no other tab has this one open. Only a page can tell: the service
 * worker knows the open pages, but not the one that is about to be replaced.
 */
async function takeNextRelease(): Promise<void> {
  const { serviceWorker } = navigator
  const current = serviceWorker?.controller
  if (!current || !(await serviceWorker.getRegistration())?.waiting) return
  serviceWorker.addEventListener('controllerchange', () => location.reload())
  const { port1: port, port2: other } = new MessageChannel()
  await new Promise<void>((resolve) => {
    setTimeout(resolve, PATIENCE_MS)
    port.addEventListener('message', ({ data }: MessageEvent<boolean>) => {
      if (!data) resolve()
    })
    port.start()
    current.postMessage(null, [other])
  })
}
