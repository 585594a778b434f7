import type { SentencePage } from '../../report-pages/respond-with-page.ts'
import type { PageQuestion } from '../site.ts'
import { fetchOver } from './port-fetch.ts'

/**
 * The service worker of a static site. It serves the files of one release, so that a page never loads files of another release.
 * Requests that only a server could answer, such as those by code in the browser's console and the links of reports, are passed
 * on to the tab with the sandbox.
 */

declare const self: ServiceWorkerGlobalScope & { SITE: SiteRelease }

/** Written by `seo-sandbox export` before this script, so that the browser notices each new release. */
interface SiteRelease {
  /** Id that no other release has. */
  id: string
  /** Files of the site, relative to its address. */
  files: string[]
}

const { id, files } = self.SITE
const SCOPE = new URL(self.registration.scope)
const CACHES = `seo-sandbox ${SCOPE.pathname} `
const OWN_CACHE = `${CACHES}${id}`

/** Another name of the page; some hosts redirect from it to the scope. */
const PAGE_FILE = new URL('index.html', SCOPE).pathname

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(OWN_CACHE)
      // The browser's cache may hold files of another release.
      .then((cache) => cache.addAll(files.map((file) => new Request(file, { cache: 'no-cache' })))),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith(CACHES) && name !== OWN_CACHE))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  )
})

/**
 * A starting page sends a port, to ask the active worker to hand over to a waiting release. The active worker then tells the
 * waiting one, without a port, to take over.
 */
self.addEventListener('message', (event) => {
  const [port] = event.ports
  event.waitUntil(port ? handOver(port) : self.skipWaiting())
})

/** Lets the next release take over if the asking page is the only tab, and tells the page the result. */
async function handOver(port: MessagePort): Promise<void> {
  const { waiting } = self.registration
  const isAlone = waiting !== null && (await findTabs()).length === 1
  if (isAlone) waiting.postMessage(null, [])
  port.postMessage(isAlone)
}

self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url)
  if (origin !== SCOPE.origin || !pathname.startsWith(SCOPE.pathname)) return
  const path = `/${pathname.slice(SCOPE.pathname.length)}`
  if (/^\/(?:api|_sandbox)\//.test(path)) event.respondWith(askTab(event))
  else if (path.startsWith('/reports/')) event.respondWith(askForPage(event.request, path))
  else if (['/', '/index.html'].includes(path))
    event.respondWith(readFile(event.request, SCOPE.href))
  else event.respondWith(readFile(event.request))
})

async function readFile(request: Request, url = request.url): Promise<Response> {
  const cache = await caches.open(OWN_CACHE)
  return (await cache.match(url, { ignoreSearch: true })) ?? fetch(request)
}

/** Finds the pages of the site that have a sandbox. */
async function findTabs(): Promise<readonly WindowClient[]> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return windows.filter(({ url }) => {
    const { pathname } = new URL(url)
    return [SCOPE.pathname, PAGE_FILE].includes(pathname)
  })
}

/** Passes the request of a page on to its own tab. */
async function askTab({ clientId, request }: FetchEvent): Promise<Response> {
  const tab = (await findTabs()).find((client) => client.id === clientId)
  if (tab) return ask(tab, request, null)
  return respondWith({
    status: 404,
    title: 'No sandbox',
    sentence:
      'This address has no sandbox. The sandbox of this site is in the tab that shows its console, and responds to requests from there.',
  })
}

/** Passes the request for a report page on to the tab with its world. */
async function askForPage(request: Request, path: string): Promise<Response> {
  const [, world = ''] = /^\/reports\/([^/]*)/.exec(path) ?? []
  let refusal: Response | undefined
  for (const tab of await findTabs()) {
    const response = await ask(tab, request, world)
    if (response.status !== 404) return response
    // A tab with another world responds without a body.
    if (response.body) refusal = response
  }
  return (
    refusal ??
    respondWith({
      status: 404,
      title: 'Not here',
      sentence:
        'No open tab has this report. Its world is in the tab that the link is from, and goes with it.',
    })
  )
}

/** Maximum wait for the response of a page, in milliseconds: a page that is still loading never responds. */
const PATIENCE_MS = 10_000

async function ask(tab: WindowClient, request: Request, world: string | null): Promise<Response> {
  const question: PageQuestion = { world }
  const tooLate = new Promise<Response>((resolve) => {
    setTimeout(resolve, PATIENCE_MS, respondWith(NO_RESPONSE))
  })
  const responding = fetchOver(request, (port) => tab.postMessage(question, [port]))
  // A request to the API may wait as long as a fault says.
  return world === null ? responding : Promise.race([responding, tooLate])
}

const NO_RESPONSE: SentencePage = {
  status: 404,
  title: 'No response',
  sentence: 'The tab of this report does not respond. Go to that tab, then open the link again.',
}

function respondWith({ status, title, sentence }: SentencePage): Response {
  const html = `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>${title}</title>\n<h1>${title}</h1>\n<p>${sentence}</p>\n</html>\n`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'",
  }
  return new Response(html, { status, headers })
}
