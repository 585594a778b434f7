import { jsonPieces } from '../contract/json-pieces.ts'
import { INTERNAL_ERROR } from '../control-api/control-error.ts'
import { eventText } from '../control-api/event-feed.ts'
import type { EventFeed } from '../control-api/event-feed.ts'
import { API_DOCUMENT_PATH, CONTROL_PREFIX } from '../control-api/prefix.ts'
import { BodyError } from '../control-api/request-body.ts'
import type { BodyLimit } from '../control-api/request-body.ts'
import { JSON_UTF8_TYPE, respond } from '../control-api/respond.ts'
import type { ControlBackend, ControlTransport } from '../control-api/respond.ts'
import type { ControlResponse } from '../control-api/routes/route.ts'
import { PAGES_PREFIX, pagePath, createPageLinks } from '../report-pages/page-links.ts'
import { fetchFrom } from '../sandbox/fetch.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'

export interface TabOptions {
  /** Id of the tab. Replaces the default world's id in the paths of report pages. */
  id: string
  /** URL of the site, without a trailing slash: `https://demo.example/sandbox`. */
  base: string
  /** OpenAPI documents of the site, with `base` as their server. */
  documents: Readonly<Record<'api' | 'control', () => Promise<object>>>
  onBug: (error: unknown) => void
}

/** Like `fetch`, for a request below the URL of the site. */
export type TabFetch = (request: Request) => Promise<Response>

/**
 * Creates a function that serves a sandbox in a browser tab, at the paths of a server: `/api/v1`, `/_sandbox`, `/reports` and
 * `/openapi.json`. The function rejects if a fault breaks the connection, or if the request is aborted.
 */
export function createTabFetch(
  sandbox: Sandbox,
  { id, base, documents, onBug }: TabOptions,
): TabFetch {
  const { worlds, world: own } = sandbox
  const { control } = worlds
  const show = createPageLinks(pathOf)
  const backend: ControlBackend = {
    world: own,
    worlds: control,
    document: documents.control,
    pagePath: pathOf,
  }
  const depth = new URL(base).pathname.replace(/\/$/, '').length

  return async (request) => {
    const url = new URL(request.url)
    const [path, query] = [url.pathname.slice(depth), url.search.slice(1)]
    switch (/^\/[^/]*/.exec(path)?.[0]) {
      case CONTROL_PREFIX:
        return answerControl(request, path.slice(CONTROL_PREFIX.length) || '/', query)
      case PAGES_PREFIX:
        return answerPage(request, path)
      case API_DOCUMENT_PATH:
        if (path === API_DOCUMENT_PATH) return Response.json(await documents.api())
    }
    return answerApi(request, `${path}${url.search}`)
  }

  function answerApi(request: Request, target: string): Promise<Response> {
    const { method, headers, signal } = request
    const answer: Sandbox['answer'] = (message) => {
      const sent = { ...message, origin: base }
      const world = control.worldOf(sent)
      return show(world.handle(sent), sent, world)
    }
    return fetchFrom(answer, target, { method, headers, signal })
  }

  async function answerControl(request: Request, path: string, query: string): Promise<Response> {
    const { method, headers, signal } = request
    const transport: ControlTransport = {
      // Anyone who has the page open may use its sandbox.
      admit: async () => ({}),
      receive: (limit) => receive(request, limit),
      takeCostly: (_place, handle) => handle(),
      changed: () => undefined,
    }
    const message = {
      method,
      path,
      query,
      contentType: headers.get('content-type') ?? undefined,
      lastEventId: headers.get('last-event-id') ?? undefined,
      origin: base,
    }
    try {
      const { response } = await respond(backend, message, transport)
      return toResponse(response, signal)
    } catch (error) {
      onBug(error)
      return toResponse(INTERNAL_ERROR, signal)
    }
  }

  async function answerPage({ method, signal }: Request, path: string): Promise<Response> {
    // Loaded on demand, because most visitors open no report page.
    const { respondWithPage } = await import('../report-pages/respond-with-page.ts')
    const page = await respondWithPage(
      { method, path },
      {
        find: (address) => control.find(address.world === id ? DEFAULT_WORLD : address.world),
        admit: (_address, render) => render(),
        hasLeft: () => signal.aborted,
      },
    )
    if (!page) throw signal.reason
    const { status, headers, body } = page
    return new Response(method === 'HEAD' ? null : body, { status, headers })
  }

  /** Returns the path of a report page. For the default world, which every tab has, the path names the tab instead. */
  function pathOf(report: number, world: World): string {
    const path = pagePath(report, world)
    return world === own ? path.replace(`/${DEFAULT_WORLD}/`, `/${id}/`) : path
  }
}

async function receive(request: Request, limit: BodyLimit): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  // Over HTTP, browsers send an empty body (`Content-Length: 0`) only for these methods.
  if (bytes.length === 0 && !['POST', 'PUT'].includes(request.method)) return undefined
  if (bytes.length > limit.bytes) throw new BodyError('body_too_large', limit.message)
  return bytes
}

function toResponse(
  { status, headers, body, text, stream }: ControlResponse,
  signal: AbortSignal,
): Response {
  const init = (type: string) => ({ status, headers: { ...headers, 'Content-Type': type } })
  if (stream) return new Response(toEventStream(stream, signal), init('text/event-stream'))
  if (text) return new Response(text.content as string, init(text.type))
  if (body === undefined) return new Response(null, { status, ...(headers && { headers }) })
  return new Response([...jsonPieces(body)].join(''), init(JSON_UTF8_TYPE))
}

/**
 * Returns a response body of server-sent events. Each read waits for one event. The body ends if it is cancelled, or if the signal
 * aborts.
 */
function toEventStream(
  { next, follow }: EventFeed,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let wake: (() => void) | undefined
  let stop: (() => void) | undefined
  let isOver = false
  const end = (): void => {
    isOver = true
    signal.removeEventListener('abort', end)
    stop?.()
    wake?.()
  }
  return new ReadableStream({
    start: () => {
      stop = follow(() => wake?.())
      if (signal.aborted) end()
      else signal.addEventListener('abort', end)
    },
    pull: async (controller) => {
      for (;;) {
        const event = isOver ? undefined : next()
        if (event) {
          controller.enqueue(encoder.encode(eventText(event)))
          return
        }
        if (isOver) {
          controller.close()
          return
        }
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    cancel: end,
  })
}
