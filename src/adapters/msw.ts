import { http } from 'msw'
import type { HttpHandler } from 'msw'
import type { Sandbox } from '../sandbox.ts'
import { toApiRequest, toResponse } from './fetch.ts'

export interface HandlerOptions {
  /** Scheme and host of the API, and any path before `/api/v1`; paths are relative where it is omitted. */
  baseUrl?: string
  /** The address that requests shall come from, for allow-lists; 127.0.0.1 where it is omitted. */
  clientIp?: string
}

/**
 * Handlers that answer `{baseUrl}/api/v1` and below, for `setupServer` and `setupWorker` of msw 2 and 3.
 * Requests elsewhere are left to msw's own strategy. While the sandbox is still a promise they wait; if
 * it could not be built, every request is answered with the sentence that says why.
 */
export function handlers(
  sandbox: Sandbox | Promise<Sandbox>,
  { baseUrl = '', clientIp }: HandlerOptions = {},
): HttpHandler[] {
  const base = baseUrl.replace(/\/+$/, '')
  const prefix = base === '' ? '' : new URL(base).pathname.replace(/\/$/, '')
  const init = clientIp === undefined ? {} : { clientIp }
  const built = Promise.resolve(sandbox).catch(toFailure)
  return [
    http.all(`${base}/api/v1/:path*`, async ({ request }) => {
      const target = await built
      if ('message' in target) return Response.json(target, { status: 500 })
      const { path, ...rest } = toApiRequest(request, init)
      return toResponse(target.answer({ ...rest, path: path.slice(prefix.length) }), rest.method)
    }),
  ]
}

/** What a sandbox that could not be built answers to everything. */
function toFailure(error: unknown): { message: string } {
  return { message: error instanceof Error ? error.message : String(error) }
}
