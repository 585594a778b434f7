import { OPERATIONS } from '../contract/operations.ts'
import type { OperationId } from '../contract/operations.ts'
import type { PolicyName } from '../contract/policies.ts'
import { PLAIN_PROBLEMS, PROBLEMS } from '../contract/problems.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { ApiResponse } from '../engine/messages.ts'
import { htmlContent } from '../engine/responses.ts'
import type { Random } from '../world/random.ts'
import type { ArmedFault } from './fault.ts'

/** A fault that befalls a request, with the random numbers of the two. */
export interface FiredFault {
  id: number
  fault: ArmedFault
  random: Random
}

/** The request that faults befall, and what the API would say to it. */
export interface BefallenRequest {
  operation: OperationId | undefined
  /** The rate clock, in epoch milliseconds. */
  rateMs: number
  /** The policies by which its token was identified. */
  identifiedBy: readonly PolicyName[]
  /** The API's own answer, which counts the request. */
  answer: () => ApiResponse
  /** The API's answer where it refuses a request before it counts. */
  reject: (problem: ProblemCode) => ApiResponse
}

/** What stands in front of the API, so that the request does not reach it. */
const IN_FRONT = ['status', 'html', 'reset', 'no-answer'] as const
type FaultInFront = Extract<ArmedFault, { kind: (typeof IN_FRONT)[number] }>

const WITHOUT_BODY: readonly ArmedFault['kind'][] = ['reset', 'no-answer']
const OF_BODY: readonly ArmedFault['kind'][] = ['slow-body', 'truncated-body', 'malformed-json']

/** Those that show where all of these are due: the first in front of the API, and what spoils its answer. */
export function withEffect(due: readonly FiredFault[]): FiredFault[] {
  const front = due.find(({ fault }) => isInFront(fault))
  const hasBody = front === undefined || !WITHOUT_BODY.includes(front.fault.kind)
  return due.filter((fired) => {
    if (isInFront(fired.fault)) return fired === front
    return hasBody || !OF_BODY.includes(fired.fault.kind)
  })
}

/** The answer to a request as the faults that befall it leave it. Of several delays it has the sum. */
export function applyFaults(fired: readonly FiredFault[], request: BefallenRequest): ApiResponse {
  if (fired.length === 0) return request.answer()
  const front = fired.map(({ fault }) => fault).find(isInFront)
  const response = front
    ? { ...answerInFront(front, request), problem: undefined }
    : request.answer()
  return { ...fired.reduce(spoil, response), faults: fired.map(({ id }) => id) }
}

function isInFront(fault: ArmedFault): fault is FaultInFront {
  return IN_FRONT.some((kind) => kind === fault.kind)
}

function answerInFront(fault: FaultInFront, request: BefallenRequest): ApiResponse {
  switch (fault.kind) {
    case 'status':
      return errorAnswer(fault, request)
    case 'html':
      return pageAnswer(fault, request)
    case 'reset':
      return noAnswer('reset', request)
    case 'no-answer':
      return noAnswer('silence', request)
  }
}

const LEAST_RETRY_AFTER = 1

/** An error as the API itself would answer it. A 429 says when to come again, as every one does (specification 8). */
function errorAnswer(
  { status, retry_after }: Extract<FaultInFront, { kind: 'status' }>,
  { operation, rateMs, reject }: BefallenRequest,
): ApiResponse {
  const response = reject(problemOf(status, operation))
  const waitSeconds = retry_after ?? (status === 429 ? LEAST_RETRY_AFTER : undefined)
  if (waitSeconds === undefined) return response
  const headers = { ...response.headers, 'Retry-After': String(waitSeconds) }
  if (status !== 429) return { ...response, headers }
  const reset = Math.ceil(rateMs / 1000) + waitSeconds
  return { ...response, headers: { ...headers, 'X-RateLimit-Reset': String(reset) } }
}

/** The error page of a proxy, which knows nothing of rate limits. */
function pageAnswer(
  { status, token }: Extract<FaultInFront, { kind: 'html' }>,
  { reject, identifiedBy }: BefallenRequest,
): ApiResponse {
  const problem = problemOf(status, undefined)
  const { type, bytes } = htmlContent(`${status} ${PROBLEMS[problem].message}`)
  const { headers, ...response } = reject(problem)
  const shared = ['Cache-Control', 'Date'].map((name) => [name, headers[name]])
  return {
    ...response,
    headers: { 'Content-Type': type, ...Object.fromEntries(shared) },
    body: bytes,
    policies: token === undefined ? [] : identifiedBy,
  }
}

function noAnswer(end: 'reset' | 'silence', { reject }: BefallenRequest): ApiResponse {
  const { caller } = reject('gateway_timeout')
  return { status: 0, headers: {}, body: new Uint8Array(), caller, wire: { end } }
}

/** The problem of a status. What a 404 misses is told by the endpoint, where it can miss something. */
function problemOf(status: number, operation: OperationId | undefined): ProblemCode {
  const own = status === 404 && operation ? OPERATIONS[operation].problems : []
  const found = [...own, ...PLAIN_PROBLEMS].find((code) => PROBLEMS[code].status === status)
  return found ?? 'server_error'
}

/** What a fault does to an answer that there is, whoever gave it. */
function spoil(response: ApiResponse, { fault, random }: FiredFault): ApiResponse {
  const { wire = {} } = response
  switch (fault.kind) {
    case 'latency': {
      const { min_ms = 0, max_ms = 0, ms = random.integer(min_ms, max_ms) } = fault
      return { ...response, wire: { ...wire, delayMs: (wire.delayMs ?? 0) + ms } }
    }
    case 'slow-body':
      return { ...response, wire: { ...wire, bodyMs: (wire.bodyMs ?? 0) + fault.ms } }
    case 'truncated-body':
      return { ...response, wire: { ...wire, end: 'truncated' } }
    case 'malformed-json':
      return { ...response, body: response.body.subarray(0, -1) }
    default:
      return response
  }
}
