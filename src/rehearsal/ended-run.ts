import { toEndpoint } from '../contract/routes.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { howFailed, PROGRESS } from '../review/checks/missing-after-error.ts'
import type { CheckResult, ENDINGS } from '../review/review.ts'
import { isFailed, isRead, resourceOf, statusOf } from '../review/reviewed-request.ts'

export interface RunEnd {
  ended: (typeof ENDINGS)[number]
  /** The reason why the run failed or did not end; undefined for a finished run. */
  message: string | undefined
  /** True if the run was killed, as planned. */
  isKilled?: true
  /** The exit code of a command; undefined for a client in this process. */
  exit?: number
  /** The request that still waited for a response when the run was given up; undefined if none did. */
  unanswered: RecordedRequest | undefined
}

/** The facts about a run that its judgement needs. */
export interface EndedRun extends RunEnd {
  /** Index of the run in the plan. */
  index: number
  requests: number
  /** The sequence of the last journal entry before the run. */
  after: number
  failedReads: readonly FailedRead[]
  /** Number of projects of the token at the end of the run. */
  projects: number
  /** Statuses of all responses of the run. */
  statuses: ReadonlySet<number>
  asked: ReadonlySet<string>
  /** True if the run requested a page of projects after the first. */
  hasTurnedPage: boolean
  /** Ids of the projects beyond the first page of the client's list. */
  pastPage: readonly number[]
  /** Paths that were read successfully. */
  read: ReadonlySet<string>
  /** True if a request of the run got no response at all. */
  hasWaited: boolean
  /** The checks that found something in the run, except those decided only at the end of the rehearsal. */
  found: readonly string[]
}

/** A mistake of the client, and the run that shows it. */
export interface Mistake {
  index: number
  /** The mistake, in one or more sentences. */
  message: string
  requests: readonly RecordedRequest[]
  /** Indexes of all runs that show the same mistake, if there are several. */
  indexes?: readonly number[]
  /** Number of affected reports. */
  reports?: number
  /** The checks whose mistakes may have caused this one, if they found any. */
  because?: readonly CheckResult['id'][]
  /** Index of the first run that the mistake spoilt, if earlier than `index`. */
  since?: number
}

/** A failed read that the run did not make up for. */
export interface FailedRead {
  request: RecordedRequest
  /** The endpoint and the failure: `GET /users, which failed with 503`. */
  what: string
}

/** True if a fault prevented a response. */
export function hasNoResponse({ head }: RecordedRequest): boolean {
  return head.wire?.end === 'silence'
}

/** Returns the end of a run that was killed, as planned, while this request waited for its response. */
export function endKilled({ sequence }: RecordedRequest): RunEnd {
  const message = `It was killed, as planned, while request ${sequence} waited for its response.`
  return { ended: 'failed', message, isKilled: true, unanswered: undefined }
}

/** Statuses that may become a 200 with another attempt or another token. */
const REFUSED: readonly number[] = [401, 403, 408, 429]

/** Lists the failed reads that a run did not make up for, in the order of their first failure. */
export function listFailedReads(
  requests: readonly RecordedRequest[],
  { isKilled }: Pick<RunEnd, 'isKilled'> = {},
): FailedRead[] {
  const missing = new Map<string, FailedRead>()
  for (const request of requests) {
    const { query } = request
    const { operation, project, path } = request.target
    if (operation === undefined || operation === 'getMe') continue
    const key = PROGRESS.includes(operation)
      ? `reports of ${project}`
      : resourceOf({ operation, path, query })
    if (isRead(request)) {
      missing.delete(key)
      continue
    }
    const status = statusOf(request)
    if (!isFailed(request) && !REFUSED.includes(status)) {
      // A 404 or 400 is an answer, so there is nothing to repeat.
      missing.delete(key)
      continue
    }
    if (!missing.has(key)) {
      const how =
        isKilled && hasNoResponse(request) ? 'waited when the run was killed' : howFailed(status)
      missing.set(key, { request, what: `${toEndpoint(operation)}, which ${how}` })
    }
  }
  return [...missing.values()]
}
