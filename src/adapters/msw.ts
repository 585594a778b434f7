import { http } from 'msw'
import type { HttpHandler } from 'msw'
import { API_PREFIX } from '../contract/conventions.ts'
import { escapeRegExp } from '../contract/regular-expression.ts'
import { OptionError, requireKnown } from '../world/parse-option.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { toApiRequest, toResponse } from '../sandbox/fetch.ts'

export interface HandlerOptions {
  /** Scheme and host of the API, and any path before `/api/v1`; paths are relative where omitted. */
  baseUrl?: string
  /** The client address of the requests, for allow-lists; 127.0.0.1 where omitted. */
  clientIp?: string
}

/**
 * Handlers for `{baseUrl}/api/v1` and below, for `setupServer` and `setupWorker` of msw 2 and 3. Other
 * requests are left to msw's own strategy. Requests wait for a sandbox that is still a promise; if it could
 * not be created, every response is the error message.
 *
 * @throws OptionError when `baseUrl` is not a URL.
 */
export function handlers(
  sandbox: Sandbox | Promise<Sandbox>,
  options: HandlerOptions = {},
): HttpHandler[] {
  for (const name of Object.keys(options)) requireKnown(name, ['baseUrl', 'clientIp'], 'handlers')
  const { baseUrl = '', clientIp } = options
  const base = toBase(baseUrl)
  const prefix = base === undefined ? '' : new URL(base).pathname.replace(/\/$/, '')
  const init = clientIp === undefined ? {} : { clientIp }
  const built = Promise.resolve(sandbox).catch(toFailure)
  return [
    http.all(toPattern(base), async ({ request }) => {
      const target = await built
      if ('message' in target) return Response.json(target, { status: 500 })
      const { path, ...rest } = toApiRequest(request, init)
      const answer = target.answer({ ...rest, path: path.slice(prefix.length) })
      return toResponse(answer, request)
    }),
  ]
}

/** The URL before `/api/v1` in requests; for relative paths the page's origin, where there is a page. */
function toBase(baseUrl: string): string | undefined {
  if (baseUrl === '') {
    return (globalThis as { location?: { origin: string } }).location?.origin
  }
  const isAddress = /^https?:\/\/[^?#]*$/i.test(baseUrl) && URL.canParse(baseUrl)
  if (!isAddress) {
    throw new OptionError(
      `baseUrl: "${baseUrl}" is not a URL that a path can be appended to. Write one like https://seo.example.com.`,
    )
  }
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** A string for a relative path, which MSW completes; else a regular expression, which matches every path below. */
function toPattern(base: string | undefined): string | RegExp {
  if (base === undefined) return `${API_PREFIX}/:path*`
  const literal = escapeRegExp(base)
  return new RegExp(`^${literal}${API_PREFIX}(/|$)`)
}

/** The body of every response when the sandbox could not be created. */
function toFailure(error: unknown): { message: string } {
  return { message: error instanceof Error ? error.message : String(error) }
}
