import { http } from 'msw'
import type { HttpHandler } from 'msw'
import { API_PREFIX, parseUrl } from '../contract/url.ts'
import { fromFetchRequest, toResponse } from '../sandbox/fetch.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { OptionError } from '../world/options/option-error.ts'
import { requireKnown } from '../world/options/require-known.ts'

export interface HandlerOptions {
  /**
   * The base URL of the API, with or without its `/api/v1`, or `*` for any host. The origin of the page where
   * omitted.
   */
  baseUrl?: string
  /** The client address of the requests, for allow-lists; 127.0.0.1 where omitted. */
  clientIp?: string
}

/**
 * Handlers for `/api/v1` of a host and everything below, for `setupServer` and `setupWorker` of msw 2 and 3. Other
 * requests are left to msw's own strategy. Requests wait for a sandbox that is still a promise; if it could
 * not be created, every response is the error message.
 *
 * @throws OptionError when `baseUrl` is not a URL, or is omitted where there is no page.
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
        return toResponse(response, request)
      },
    ),
  ]
}

/** Where the API is: scheme and host as a regular expression, and the path before `/api/v1`. */
interface Base {
  host: string
  prefix: string
}

const ANY_HOST: Base = { host: 'https?://[^/]+', prefix: '' }

const EXAMPLE = 'Write one like https://seo.example.com/api/v1'

/** @throws OptionError for anything but an HTTP URL without query and fragment. */
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

/** The origin that relative URLs have. @throws OptionError where there is no page, as in Node. */
function originOfPage(): string {
  const { location } = globalThis as { location?: { origin: string } }
  if (location?.origin && location.origin !== 'null') return location.origin
  throw new OptionError(
    `baseUrl: It is required where there is no page whose origin relative URLs have. ${EXAMPLE}, or "*" for any host.`,
  )
}

/** The body of every response when the sandbox could not be created. */
function toFailure(error: unknown): { message: string } {
  return { message: error instanceof Error ? error.message : String(error) }
}

/** The source of a regular expression that matches a text and nothing else. */
function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
