import { toEndpoint } from '../contract/routes.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { howFailed, PROGRESS } from '../review/checks/missing-after-error.ts'
import type { CheckResult, ENDINGS } from '../review/review.ts'
import { isFailed, isRead, statusOf } from '../review/reviewed-request.ts'

/** How a run ended. */
export interface RunEnd {
  ended: (typeof ENDINGS)[number]
  /** Why it failed or did not end; undefined if it is done. */
  message: string | undefined
  /** Whether it was killed, as planned. */
  isKilled?: true
  /** The exit code of a command; undefined for a client in this process. */
  exit?: number
  /** The request whose response it still waited for when it was given up. */
  unanswered: RecordedRequest | undefined
}

/** How a run went, as far as the judgement needs it. */
export interface EndedRun extends RunEnd {
  /** Its index in the plan. */
  index: number
  requests: number
  /** The sequence number of the last journal entry before it. */
  after: number
  failedReads: readonly FailedRead[]
  /** The projects of the token when it ended. */
  projects: number
  /** The statuses of its responses. */
  statuses: ReadonlySet<number>
  /** The paths that were requested in it. */
  asked: ReadonlySet<string>
  /** Whether it requested a page of projects after the first. */
  hasTurnedPage: boolean
  /** The paths that were read in it. */
  read: ReadonlySet<string>
  /** Whether one of its requests got no response for as long as it waited. */
  hasWaited: boolean
  /** The checks that found something in it, except for what is only known at the end. */
  found: readonly string[]
}

/** A mistake of the client, and the run that shows it. */
export interface Mistake {
  index: number
  /** In sentences. */
  message: string
  requests: readonly RecordedRequest[]
  /** The indexes of all runs that show the same mistake, where there are several. */
  others?: readonly number[]
  /** The number of reports that it is about. */
  reports?: number
  /** The checks whose mistakes it may follow from, if they found one. */
  because?: readonly CheckResult['id'][]
  /** The index of the first run that it has spoilt, where that is an earlier one. */
  since?: number
}

/** A read that failed, and that the run did not make up for. */
export interface FailedRead {
  request: RecordedRequest
  /** `GET /users, which failed with 503` */
  what: string
}

/** Whether a fault prevented any response. */
export function hasNoResponse({ head }: RecordedRequest): boolean {
  return head.wire?.end === 'silence'
}

/** The end of a run that was killed while this request waited. */
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
    const { operation, project, path } = request.target
    if (operation === undefined || operation === 'getMe') continue
    const key = PROGRESS.includes(operation)
      ? `reports of ${project}`
      : `${path.replace(/\/$/, '')}?${request.query}`
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
      const how =
        isKilled && hasNoResponse(request) ? 'waited when the run was killed' : howFailed(status)
      lost.set(key, { request, what: `${toEndpoint(operation)}, which ${how}` })
    }
  }
  return [...lost.values()]
}
