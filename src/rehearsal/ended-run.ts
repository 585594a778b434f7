import { toEndpoint } from '../contract/routes.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { howFailed, PROGRESS } from '../review/checks/missing-after-error.ts'
import { resourceOf } from '../review/checks/retry-after.ts'
import type { CheckResult, ENDINGS } from '../review/review.ts'
import { isFailed, isRead, statusOf } from '../review/reviewed-request.ts'

/** The end of a run. */
export interface RunEnd {
  ended: (typeof ENDINGS)[number]
  /** The reason why it failed or did not end; undefined for a finished run. */
  message: string | undefined
  /** True if the run was killed, as planned. */
  isKilled?: true
  /** The exit code of a command; undefined for a client in this process. */
  exit?: number
  /** The request that was still waiting for a response when the run was given up; undefined if none was. */
  unanswered: RecordedRequest | undefined
}

/** The facts of a run on which the judgement depends. */
export interface EndedRun extends RunEnd {
  /** Index in the plan. */
  index: number
  requests: number
  /** The sequence of the last journal entry before the run. */
  after: number
  failedReads: readonly FailedRead[]
  /** Number of projects of the token at the end of the run. */
  projects: number
  /** Statuses of the responses. */
  statuses: ReadonlySet<number>
  /** Requested paths. */
  asked: ReadonlySet<string>
  /** True if it requested a page of projects after the first. */
  hasTurnedPage: boolean
  /** The projects for which the first page of its list had no room. */
  pastPage: readonly number[]
  /** Paths that were read. */
  read: ReadonlySet<string>
  /** True if a request got no response for as long as the run waited. */
  hasWaited: boolean
  /** The checks that found something in the run, without those that are only decided at the end of the rehearsal. */
  found: readonly string[]
}

/** A mistake of the client, and the run that shows it. */
export interface Mistake {
  index: number
  /** One or more sentences. */
  message: string
  requests: readonly RecordedRequest[]
  /** Indexes of all runs that show the same mistake, if there are several. */
  others?: readonly number[]
  /** Number of affected reports. */
  reports?: number
  /** The checks whose mistakes may have caused this one, if they found any. */
  because?: readonly CheckResult['id'][]
  /** Index of the first run that the mistake spoilt, if that is an earlier one. */
  since?: number
}

/** A failed read that the run did not make up for. */
export interface FailedRead {
  request: RecordedRequest
  /** `GET /users, which failed with 503` */
  what: string
}

/** True if a fault prevented any response. */
export function hasNoResponse({ head }: RecordedRequest): boolean {
  return head.wire?.end === 'silence'
}

/** Returns the end of a run that was killed while this request waited. */
export function endKilled({ sequence }: RecordedRequest): RunEnd {
  const message = `It was killed, as planned, while request ${sequence} waited for its response.`
  return { ended: 'failed', message, isKilled: true, unanswered: undefined }
}

/** Statuses that another attempt, or another token, may turn into a 200. */
const REFUSED: readonly number[] = [401, 403, 408, 429]

/** Lists the failed reads that a run did not make up for, in the order of their first failures. */
export function listFailedReads(
  requests: readonly RecordedRequest[],
  { isKilled }: Pick<RunEnd, 'isKilled'> = {},
): FailedRead[] {
  const lost = new Map<string, FailedRead>()
  for (const request of requests) {
    const { query } = request
    const { operation, project, path } = request.target
    if (operation === undefined || operation === 'getMe') continue
    const key = PROGRESS.includes(operation)
      ? `reports of ${project}`
      : resourceOf({ operation, path, query })
    if (isRead(request)) {
      lost.delete(key)
      continue
    }
    const status = statusOf(request)
    if (!isFailed(request) && !REFUSED.includes(status)) {
      // A 404 or 400 is an answer, so there is nothing to request again.
      lost.delete(key)
      continue
    }
    if (!lost.has(key)) {
      const how =
        isKilled && hasNoResponse(request) ? 'waited when the run was killed' : howFailed(status)
      lost.set(key, { request, what: `${toEndpoint(operation)}, which ${how}` })
    }
  }
  return [...lost.values()]
}
