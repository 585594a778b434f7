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
  /** Base URL of the API, with or without `/api/v1`; `*` for any host. If omitted, the origin of the page. */
  baseUrl?: string
  /** Client address of the requests, for allow-lists; 127.0.0.1 if omitted. */
  clientIp?: string
}

/**
 * Returns handlers for `/api/v1` and all paths below it, for `setupServer` and `setupWorker` of msw 2 and 3. For other
 * requests, msw's strategy for unhandled requests applies. If `sandbox` is a promise, requests wait until it resolves. If the
 * promise rejects, every response is a 500 with the error message.
 *
 * @throws OptionError for an unknown option; if `baseUrl` is not an HTTP URL without query and fragment; or if it is omitted
 * and there is no page.
 */
export function handlers(
  sandbox: Sandbox | Promise<Sandbox>,
  options: HandlerOptions = {},
): HttpHandler[] {
  for (const name of Object.keys(options)) requireKnown(name, ['baseUrl', 'clientIp'], 'handlers')
  const { baseUrl, clientIp } = options
  const { host, prefix } = baseUrl === '*' ? ANY_HOST : toBase(baseUrl || originOfPage())
  const init = clientIp === undefined ? {} : { clientIp }
  const built = Promise.resolve(sandbox).catch(toErrorBody)
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

interface Xhr extends EventTarget {
  /** In milliseconds; 0 for no limit. */
  timeout: number
}

/**
 * Returns the XMLHttpRequest that sent a request through msw 2 in Node with jsdom. msw 2 stores it on the request, under a
 * symbol. Undefined for any other request, in browsers, and with msw 3, which intercepts requests below XMLHttpRequest.
 */
function xhrOf(request: Request): Xhr | undefined {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Xhr }
  if (!XMLHttpRequest) return undefined
  const stored = Object.getOwnPropertySymbols(request).map((key) => Reflect.get(request, key))
  return stored.find((value): value is Xhr => value instanceof XMLHttpRequest)
}

/**
 * Waits for the whole body, because a body that breaks off causes an unhandled error in the XMLHttpRequest of msw 2. Returns a
 * network error for such a body. Applies the `timeout` of the XMLHttpRequest, which msw 2 ignores.
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

interface Base {
  /** Source of a regular expression that matches the scheme and host. */
  host: string
  /** Path before `/api/v1`. */
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

function originOfPage(): string {
  const { location } = globalThis as { location?: { origin: string } }
  if (location?.origin && location.origin !== 'null') return location.origin
  throw new OptionError(
    `baseUrl: It is required where there is no page whose origin relative URLs have. ${EXAMPLE}, or "*" for any host.`,
  )
}

function toErrorBody(error: unknown): { message: string } {
  return { message: error instanceof Error ? error.message : String(error) }
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
