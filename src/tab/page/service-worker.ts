import type { SentencePage } from '../../report-pages/respond-with-page.ts'
import type { PageQuestion } from '../site.ts'
import { fetchOver } from './port-fetch.ts'

/**
 * The service worker of a static site. It serves the files of a single release, so that a page never mixes two releases. Requests
 * for the API, the control API and report pages are passed on to the tab with the sandbox.
 */

declare const self: ServiceWorkerGlobalScope & { SITE: SiteRelease }

/**
 * A release of the site. `seo-sandbox export` writes it at the start of this script, so that the script differs in each release,
 * and browsers install the new one.
 */
interface SiteRelease {
  id: string
  /** Paths of the site's files, relative to its URL. */
  files: string[]
}

const { id, files } = self.SITE
const SCOPE = new URL(self.registration.scope)
const CACHES = `seo-sandbox ${SCOPE.pathname} `
const OWN_CACHE = `${CACHES}${id}`

/** Alternative path of the page, which some hosts redirect to the scope. */
const PAGE_FILE = new URL('index.html', SCOPE).pathname

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(OWN_CACHE)
      // The HTTP cache may contain files of another release.
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
 * A message with a port comes from a page at its start, and asks the active worker to hand over to a waiting release. A message
 * without a port comes from the active worker, and tells the waiting worker to take over.
 */
self.addEventListener('message', (event) => {
  const [port] = event.ports
  event.waitUntil(port ? handOver(port) : self.skipWaiting())
})

/** Lets the waiting release take over if only one tab is open. Sends true through the port if it takes over, otherwise false. */
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

/** Returns the open pages of the site that have a sandbox: those at the URL of the site itself. */
async function findTabs(): Promise<readonly WindowClient[]> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return windows.filter(({ url }) => {
    const { pathname } = new URL(url)
    return [SCOPE.pathname, PAGE_FILE].includes(pathname)
  })
}

/** Passes the request of a page on to the sandbox of the same page. Responds with a 404 if that page has no sandbox. */
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

/** Passes a request for a report page on to the tab that has the world of the report. Responds with a 404 if no open tab has it. */
async function askForPage(request: Request, path: string): Promise<Response> {
  const [, world = ''] = /^\/reports\/([^/]*)/.exec(path) ?? []
  let refusal: Response | undefined
  for (const tab of await findTabs()) {
    const response = await ask(tab, request, world)
    if (response.status !== 404) return response
    // A 404 without a body comes from a tab that does not have the world.
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

/** Maximum time to wait for a tab's response to a request for a report page. A tab that is still loading never responds. */
const PAGE_TIMEOUT_MS = 10_000

async function ask(tab: WindowClient, request: Request, world: string | null): Promise<Response> {
  const question: PageQuestion = { world }
  const tooLate = new Promise<Response>((resolve) => {
    setTimeout(resolve, PAGE_TIMEOUT_MS, respondWith(NO_RESPONSE))
  })
  const responding = fetchOver(request, (port) => tab.postMessage(question, [port]))
  // A request to the API has no timeout, because a fault may delay it for longer.
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
