import { toEndpoint } from '../contract/endpoint.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { howFailed, PROGRESS } from '../review/checks/missing-after-error.ts'
import { isFailed, isRead, statusOf } from '../review/reading.ts'

/** Something that a client asked for in a run and did not get in it. */
export interface Loss {
  request: RecordedRequest
  /** `GET /users, which failed with 503` */
  what: string
}

/** Statuses that another attempt, or another token, may turn into a 200. */
const REFUSED: readonly number[] = [401, 403, 408, 429]

/** What the requests of a run asked for and did not get, in the order in which it was first asked for. */
export function listLosses(requests: readonly RecordedRequest[]): Loss[] {
  const lost = new Map<string, Loss>()
  for (const request of requests) {
    const { operation, project, path } = request.target
    if (operation === undefined || operation === 'getMe') continue
    const key = PROGRESS.includes(operation) ? `reports of ${project}` : `${path}?${request.query}`
    if (isRead(request)) {
      lost.delete(key)
      continue
    }
    const status = statusOf(request)
    if (!isFailed(request) && !REFUSED.includes(status)) {
      // A 404 or 400 is an answer: there is nothing to ask for again.
      lost.delete(key)
      continue
    }
    if (!lost.has(key)) {
      lost.set(key, { request, what: `${toEndpoint(operation)}, which ${howFailed(status)}` })
    }
  }
  return [...lost.values()]
}
