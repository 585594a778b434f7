import { serveOver } from '../../tab/page/port-fetch.ts'
import type { PageQuestion, SharedText, TabPlace } from '../../tab/site.ts'
import { ApiError } from '../api/api-error.ts'
import { setTransport } from '../api/transport.ts'
import { navigate } from '../state/location.ts'
import { showNotice, notifyOf, ask } from '../state/notices.ts'
import { showDropped, setDropHandler } from '../state/page.ts'
import { createTabBar } from './tab-bar.tsx'
import { isTabId, claimTabId, TabThread } from './thread.ts'
import type { OpenTab } from './thread.ts'

/**
 * Connects the console of a static site to a sandbox in a web worker. `worker` is the URL of the worker's script, relative to the
 * site.
 */
export async function openTab(worker: string): Promise<void> {
  document.querySelector('.unserved')?.remove()
  await takeNextRelease()
  const base = new URL('.', location.href).href.replace(/\/$/, '')
  const source = sharedInUrl()
  const id = await claimTabId({ isNew: source !== undefined })
  const tab = { thread: new TabThread(new URL(worker, `${base}/`)), id, base }
  const started = startTab(tab, source)
  answerServiceWorker(tab)
  replaceFetch(tab, started)
  setTransport({
    base,
    isShared: false,
    fetch: async (path, init) => {
      await started
      return tab.thread.fetch(new Request(`${base}${path}`, init))
    },
    Bar: createTabBar(tab),
  })
  // The service worker stores all files of the site, which is less urgent than starting the sandbox.
  void started.then(() => registerServiceWorker(tab))
  setDropHandler((file) => void openDropped(tab, file).catch(notifyOf))
  // Opening a shared link in the same tab changes only the fragment of the URL, which does not reload the page.
  addEventListener('hashchange', () => {
    if (linkInUrl() !== undefined) location.reload()
  })
}

const LINK = /^#(s\d+\..*)/

function linkInUrl(): string | undefined {
  return LINK.exec(location.hash)?.[1]
}

/**
 * Returns the fragment of a shared link, or the name of a session file of this site; undefined if the URL of the page has
 * neither.
 */
function sharedInUrl(): { link: string } | { name: string } | undefined {
  const link = linkInUrl()
  if (link !== undefined) return { link }
  const name = new URLSearchParams(location.search).get('session')
  return name === null ? undefined : { name }
}

/**
 * Starts the sandbox, with the shared session if the URL names one and the user accepts it. If the session is refused, shows the
 * reason and starts without the session. Never resolves if the sandbox cannot start.
 */
async function startTab(tab: OpenTab, source: ReturnType<typeof sharedInUrl>): Promise<void> {
  if (source) {
    try {
      const shared: SharedText =
        'link' in source ? source : { file: await fetchSession(source.name, tab.base) }
      const { difference } = await tab.thread.call('read', { ...placeOf(tab), shared })
      if (difference === null || (await isWanted(difference))) await tab.thread.call('take', {})
    } catch (error) {
      notifyOf(error)
    }
    // A reload then continues this tab instead of opening the session again.
    navigate({ session: undefined }, { replace: true })
  }
  try {
    const { screen, refusal } = await tab.thread.call('start', placeOf(tab))
    if (refusal !== null) showNotice(refusal, { isError: true })
    if (screen) showScreen(screen)
  } catch (error) {
    notifyOf(error)
    // Keeps requests waiting, because there is no sandbox to send them to.
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

/** @throws ApiError if the file is outside this site or cannot be read */
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

/** Opens a dropped HAR file in the traffic panel. Opens any other file as a session in place of the tab's world, after asking. */
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

/**
 * Answers requests forwarded by the service worker. The response to a request for a report page of another tab is a 404 without a
 * body, after which the service worker asks the next tab.
 */
function answerServiceWorker({ thread, id }: OpenTab): void {
  navigator.serviceWorker?.addEventListener('message', ({ data, ports: [port] }) => {
    if (!port) return
    const { world } = data as PageQuestion
    const isOfOtherTab = world !== null && isTabId(world) && world !== id
    if (isOfOtherTab) serveOver(port, async () => new Response(null, { status: 404 }))
    else thread.serve(port)
  })
}

/**
 * Replaces the global `fetch`, so that code in the developer tools reaches the sandbox. Requests to the API and the control API
 * below the URL of the site go to the sandbox, and so do pagination links, whose path begins at the root of the host.
 */
function replaceFetch({ base, thread }: OpenTab, started: Promise<void>): void {
  const fetchElsewhere = globalThis.fetch
  const root = `${location.origin}/api/v1/`
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { url } = request
    const isLink = url.startsWith(root)
    const isOwn = ['api', '_sandbox'].some((name) => url.startsWith(`${base}/${name}/`))
    // Not `input`, because creating the request has consumed its body.
    if (!isOwn && !isLink) return fetchElsewhere(request)
    await started
    if (isOwn) return thread.fetch(request)
    return thread.fetch(new Request(base + url.slice(location.origin.length), request))
  }
}

/**
 * Registers the service worker, through which links to report pages reach the sandbox. Browsers have service workers only on
 * localhost and over HTTPS.
 */
async function registerServiceWorker({ base }: OpenTab): Promise<void> {
  try {
    const { serviceWorker } = navigator
    const { installing, active } = await serviceWorker.register(`${base}/service-worker.js`)
    if (active || !installing || (await isInstalled(installing))) return
    showNotice('This browser could not store the site, so links to report pages lead nowhere.')
  } catch {
    showNotice('This browser has no service workers here, so links to report pages lead nowhere.')
  }
}

/**
 * Waits for the end of the installation, during which the service worker stores all files of the site. Resolves to false if that
 * fails.
 */
function isInstalled(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (worker.state !== 'installing') resolve(worker.state !== 'redundant')
    }
    worker.addEventListener('statechange', look)
    look()
  })
}

/** Maximum wait for the next release to take over. A later takeover still reloads the page. */
const TAKEOVER_TIMEOUT_MS = 2000

/**
 * Reloads the page if a new release of the site is waiting and no other tab of the site is open. The page has to ask, because the
 * service worker cannot tell which open page is about to be replaced.
 */
async function takeNextRelease(): Promise<void> {
  const { serviceWorker } = navigator
  const current = serviceWorker?.controller
  if (!current || !(await serviceWorker.getRegistration())?.waiting) return
  serviceWorker.addEventListener('controllerchange', () => location.reload())
  const { port1: port, port2: other } = new MessageChannel()
  await new Promise<void>((resolve) => {
    setTimeout(resolve, TAKEOVER_TIMEOUT_MS)
    port.addEventListener('message', ({ data }: MessageEvent<boolean>) => {
      if (!data) resolve()
    })
    port.start()
    current.postMessage(null, [other])
  })
}
