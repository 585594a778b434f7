import { http } from 'msw'
import type { HttpHandler } from 'msw'
import { API_PREFIX, parseUrl } from '../contract/url.ts'
import type { ApiResponse } from '../engine/messages.ts'
import { elapse } from '../sandbox/delivery.ts'
import { fromFetchRequest, toResponse } from '../sandbox/fetch.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { OptionError } from '../world/options/option-error.ts'
import { requireKnown } from '../world/options/require-known.ts'

export interface HandlerOptions {
  /** Base URL of the API, with or without `/api/v1`, or `*` for any host. The origin of the page if omitted. */
  baseUrl?: string
  /** Client address of the requests, for allow-lists; 127.0.0.1 if omitted. */
  clientIp?: string
}

/**
 * Returns handlers for `/api/v1` of a host and all paths below, for `setupServer` and `setupWorker` of msw 2 and 3. Other
 * requests follow msw's strategy for unhandled requests. Requests wait for a sandbox that is still a promise; if it rejects,
 * every response is a 500 with the error message.
 *
 * @throws OptionError if `baseUrl` is not a URL, or is omitted without a page.
 */
export function handlers(
  sandbox: Sandbox | Promise<Sandbox>,
  options: HandlerOptions = {},
): HttpHandler[] {
  for (const name of Object.keys(options)) requireKnown(name, ['baseUrl', 'clientIp'], 'handlers')
  const { baseUrl, clientIp } = options
  const { host, prefix } = baseUrl === '*' ? ANY_HOST : toBase(baseUrl || originOfPage())
  const init = clientIp === undefined ? {} : { clientIp }
  const built = Promise.resolve(sandbox).catch(toFailure)
  return [
    http.all(
      new RegExp(`^${host}${escapeRegExp(prefix + API_PREFIX)}(/|$)`),
      async ({ request }) => {
        const target = await built
        if ('message' in target) return Response.json(target, { status: 500 })
        const { path, ...rest } = fromFetchRequest(request, init)
        const response = target.answer({ ...rest, path: path.slice(prefix.length) })
        const xhr = xhrOf(request)
        return xhr
          ? toWholeResponse(response, { method: request.method, xhr })
          : toResponse(response, request)
      },
    ),
  ]
}

/** The parts of an XMLHttpRequest that affect its response. */
interface Xhr extends EventTarget {
  /** The time limit in milliseconds; 0 for no limit. */
  timeout: number
}

/**
 * Returns the XMLHttpRequest behind a request, which msw 2 keeps with the request under a symbol, in Node with jsdom. Undefined
 * for any other request, in browsers, and with msw 3, which leaves XMLHttpRequest to jsdom and intercepts below it.
 */
function xhrOf(request: Request): Xhr | undefined {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Xhr }
  if (!XMLHttpRequest) return undefined
  const kept = Object.getOwnPropertySymbols(request).map((key) => Reflect.get(request, key))
  return kept.find((value): value is Xhr => value instanceof XMLHttpRequest)
}

/**
 * Returns a response that msw 2 can pass to an XMLHttpRequest: complete, or a network error. The XMLHttpRequest of msw has no
 * time limit, and a body that breaks off would cause an unhandled error.
 */
async function toWholeResponse(
  response: ApiResponse,
  { method, xhr }: { method: string; xhr: Xhr },
): Promise<Response> {
  const [settled, late] = [new AbortController(), new AbortController()]
  if (xhr.timeout > 0) {
    const { followsTimers } = response
    const limit = elapse(xhr.timeout, { signal: settled.signal, followsTimers })
    void limit.then(() => settled.signal.aborted || late.abort())
  }
  try {
    const arrived = await toResponse(response, { method, signal: late.signal })
    const body =
      arrived.type === 'error' ? undefined : await arrived.arrayBuffer().catch(() => undefined)
    if (late.signal.aborted) xhr.dispatchEvent(new Event('timeout'))
    return body ? new Response(body, arrived) : Response.error()
  } finally {
    settled.abort()
  }
}

/** The address of the API: scheme and host as a regular expression, and the path before `/api/v1`. */
interface Base {
  host: string
  prefix: string
}

const ANY_HOST: Base = { host: 'https?://[^/]+', prefix: '' }

const EXAMPLE = 'Write one like https://seo.example.com/api/v1'

/** @throws OptionError unless `baseUrl` is an HTTP URL without query and fragment. */
function toBase(baseUrl: string): Base {
  const url = /^https?:\/\/[^?#]*$/i.test(baseUrl) ? parseUrl(baseUrl) : undefined
  if (!url) {
    throw new OptionError(
      `baseUrl: "${baseUrl}" is not a URL that a path can be appended to. ${EXAMPLE}.`,
    )
  }
  const { origin, pathname } = url
  const path = pathname.replace(/\/+$/, '')
  const prefix = path.endsWith(API_PREFIX) ? path.slice(0, -API_PREFIX.length) : path
  return { host: escapeRegExp(origin), prefix }
}

/** Returns the origin of the page, which relative URLs have. @throws OptionError without a page, as in Node. */
function originOfPage(): string {
  const { location } = globalThis as { location?: { origin: string } }
  if (location?.origin && location.origin !== 'null') return location.origin
  throw new OptionError(
    `baseUrl: It is required where there is no page whose origin relative URLs have. ${EXAMPLE}, or "*" for any host.`,
  )
}

/** Returns the body of every response if the sandbox could not be created. */
function toFailure(error: unknown): { message: string } {
  return { message: error instanceof Error ? error.message : String(error) }
}

/** Escapes a text, so that a regular expression with this source matches the text itself. */
function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
