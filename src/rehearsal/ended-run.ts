import { toEndpoint } from '../contract/routes.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { describeFailure, PROGRESS_ENDPOINTS } from '../review/checks/missing-after-error.ts'
import type { CheckResult, ENDINGS } from '../review/review.ts'
import { isFailed, isRead, resourceOf, statusOf } from '../review/reviewed-request.ts'

export interface RunEnd {
  ended: (typeof ENDINGS)[number]
  /** Reason why the run failed or timed out; undefined if it ended well. */
  message: string | undefined
  /** True if the client was killed, as planned. */
  isKilled?: true
  /** Exit code of a command; omitted for a client in this process. */
  exit?: number
  /** Request that still waited for a response when the run was given up; undefined if none did. */
  unanswered: RecordedRequest | undefined
}

export interface EndedRun extends RunEnd {
  index: number
  requests: number
  /** Sequence number of the last journal entry before the run. */
  afterSequence: number
  failedReads: readonly FailedRead[]
  /** Number of projects that the token can see, at the end of the run. */
  projects: number
  statuses: ReadonlySet<number>
  requestedPaths: ReadonlySet<string>
  hasTurnedPage: boolean
  /**
   * Ids of the projects beyond the first page of the client's list, by its smallest page size; empty if it requested no
   * list.
   */
  pastPage: readonly number[]
  readPaths: ReadonlySet<string>
  hasUnansweredRequest: boolean
  /** Ids of the checks with findings in the run, except checks that are decided at the end of the rehearsal. */
  found: readonly string[]
}

export interface Mistake {
  index: number
  message: string
  requests: readonly RecordedRequest[]
  /** Indexes of all runs that show the same mistake, if there are several. */
  indexes?: readonly number[]
  reports?: number
  possibleCauses?: readonly CheckResult['id'][]
  /** Index of the first run that the mistake spoilt, if earlier than `index`. */
  spoiltFrom?: number
}

/** A failed read that no later response in the same run made up for. */
export interface FailedRead {
  request: RecordedRequest
  /** The endpoint and its failure: `GET /users, which failed with 503`. */
  description: string
}

export function hasNoResponse({ head }: RecordedRequest): boolean {
  return head.wire?.end === 'silence'
}

export function endKilled({ sequence }: RecordedRequest): RunEnd {
  const message = `It was killed, as planned, while request ${sequence} waited for its response.`
  return { ended: 'failed', message, isKilled: true, unanswered: undefined }
}

/** 4xx statuses that may become a 200 with another attempt or another token. */
const RETRYABLE_STATUSES: readonly number[] = [401, 403, 408, 429]

/** Lists the failed reads that no later response in the same run made up for, in the order of their first failure. */
export function listFailedReads(
  requests: readonly RecordedRequest[],
  { isKilled }: Pick<RunEnd, 'isKilled'> = {},
): FailedRead[] {
  const missing = new Map<string, FailedRead>()
  for (const request of requests) {
    const { query } = request
    const { operation, project, path } = request.target
    if (operation === undefined || operation === 'getMe') continue
    const key = PROGRESS_ENDPOINTS.includes(operation)
      ? `reports of ${project}`
      : resourceOf({ operation, path, query })
    if (isRead(request)) {
      missing.delete(key)
      continue
    }
    const status = statusOf(request)
    if (!isFailed(request) && !RETRYABLE_STATUSES.includes(status)) {
      // Any other response, such as a 404, is final: there is nothing to repeat.
      missing.delete(key)
      continue
    }
    if (!missing.has(key)) {
      const how =
        isKilled && hasNoResponse(request)
          ? 'waited when the run was killed'
          : describeFailure(status)
      missing.set(key, { request, description: `${toEndpoint(operation)}, which ${how}` })
    }
  }
  return [...missing.values()]
}
