import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { Random } from '../records/random.ts'
import { statusOf } from '../review/reviewed-request.ts'
import type { FaultInput } from '../world/faults/fault.ts'

/** Faults that disturb a run. The specification allows all of them. */
export interface Disturbance {
  /** The disturbance as a phrase: `the first 2 requests for projects fail with 503`. */
  text: string
  faults: FaultInput[]
  /** True if some data cannot be read during the whole run, whatever the client does. */
  isOutage?: true
  /** True if the client is killed while it waits for a response that never comes. */
  isKilled?: true
}

export interface DisturbanceTarget {
  name: string
  /** Alternative endpoints for the same data. Each gets the same faults, because a client may use any of them. */
  endpoints: readonly string[]
  /** Highest position of the disturbed request among the requests for its endpoint, counted from 1. */
  maximumNth: number
  /** Data that the run must have: a newly completed report, or a second page of projects. */
  needs?: 'report' | 'page'
}

interface DisturbanceContext {
  random: Random
  /** Maximum Retry-After in seconds; low if pauses take real time. */
  maximumRetryAfterS: number
}

export interface DisturbanceKind {
  id: string
  nounPhrase: string
  /** Number of consecutive runs that the disturbance lasts. */
  runs: number
  /** Number of times that a `smoke` rehearsal has the disturbance. */
  times: number
  /** True to prefer the second half of the rehearsal, when the client has data to lose. */
  isLate?: true
  /** Possible targets, the most telling one first. */
  targets: readonly DisturbanceTarget[]
  create: (target: DisturbanceTarget, context: DisturbanceContext) => Disturbance
  /**
   * Returns true if a request shows that the client met the disturbance. If omitted, a fault that affected the request
   * shows it, unless the fault only delayed the response.
   */
  isMet?: (request: RecordedRequest) => boolean
}

const CONTENT = 'GET /projects/{project}/reports/{report_number}/content'
const LATEST = [
  'GET /projects/{project}/reports/latest',
  'GET /projects/{project}/reports/last-generated',
] as const
export const REPORT_ENDPOINTS = [CONTENT, ...LATEST] as const
export const BROKEN_RESPONSES = ['truncated-body', 'malformed-json', 'reset'] as const

const PROJECTS: DisturbanceTarget = {
  name: 'projects',
  endpoints: ['GET /projects'],
  maximumNth: 1,
}
const REPORTS: DisturbanceTarget = {
  name: 'the reports of a project',
  endpoints: ['GET /projects/{project}/reports', ...LATEST],
  maximumNth: 2,
}
const CONTENTS: DisturbanceTarget = {
  name: 'content',
  endpoints: [CONTENT],
  maximumNth: 1,
  needs: 'report',
}
const SECOND_PAGE: DisturbanceTarget = {
  ...PROJECTS,
  name: 'the second page of projects',
  needs: 'page',
}

const FAILED_PAGE_REQUESTS = 8

type Effect = {
  [Kind in FaultInput['kind']]: Omit<Extract<FaultInput, { kind: Kind }>, 'schedule'>
}[FaultInput['kind']]

function faultsAt(
  { endpoints }: DisturbanceTarget,
  effect: Effect,
  schedule?: FaultInput['schedule'],
): FaultInput[] {
  return endpoints.map((endpoint): FaultInput => ({
    ...effect,
    endpoint,
    ...(schedule && { schedule }),
  }))
}

interface FaultPhrases {
  /** The disturbed requests: `the first 2 requests for projects`. */
  requests: string
  /** The response to one request: `the response to the first request for projects`. */
  response: string
  /** Retry-After in seconds; 0 without one. */
  waitS: number
}

/**
 * Returns a `create` function for faults that affect one of the first requests for a target; with `isFirst`, the first
 * two or three. `waits` adds a Retry-After.
 */
function disturbRequests(
  effect: Effect,
  toText: (phrases: FaultPhrases) => string,
  { isFirst = false, waits = false } = {},
): DisturbanceKind['create'] {
  return (target, { random, maximumRetryAfterS }) => {
    const count = isFirst ? random.integer(2, 3) : random.integer(1, target.maximumNth)
    const waitS = waits ? Math.min(random.integer(5, 60), maximumRetryAfterS) : 0
    const which = isFirst ? `the first ${count} requests` : `the ${NTH[count]} request`
    const requests = `${which} for ${target.name}`
    const response =
      target === CONTENTS ? 'the first content that is requested' : `the response to ${requests}`
    const made = waits ? { ...effect, retry_after: waitS } : effect
    return {
      text: toText({ requests, response, waitS }),
      faults: faultsAt(target, made, isFirst ? { first: count } : { nth: count }),
    }
  }
}

const NTH = ['', 'first', 'second']

function outageOf(name: string, faults: FaultInput[]): Disturbance {
  return { text: `${name} 503 for the whole run`, faults, isOutage: true }
}

const ONCE = { runs: 1, times: 1 } as const

/** The plan, the list of situations that were not rehearsed, and the documentation derive from this list. */
export const DISTURBANCE_KINDS: readonly DisturbanceKind[] = [
  {
    id: 'three-run-outage',
    nounPhrase: 'an outage of three runs',
    runs: 3,
    times: 1,
    targets: [{ name: 'everything', endpoints: [], maximumNth: 1 }],
    create: () => ({
      text: 'everything 503 for three runs',
      faults: [{ kind: 'status', status: 503 }],
      isOutage: true,
    }),
  },
  {
    ...ONCE,
    id: 'page',
    nounPhrase: 'a page of projects that fails',
    targets: [SECOND_PAGE],
    create: ({ endpoints: [endpoint = ''] }) =>
      ({
        text: 'the second page of projects fails with 503, whenever it is requested',
        faults: Array.from({ length: FAILED_PAGE_REQUESTS }, (_, index) => ({
          kind: 'status',
          status: 503,
          endpoint,
          schedule: { nth: index + 2 },
        })),
        isOutage: true,
      }) satisfies Disturbance,
  },
  {
    ...ONCE,
    id: 'content-outage',
    nounPhrase: 'an outage of contents',
    targets: [CONTENTS],
    create: (target) => outageOf('content', faultsAt(target, { kind: 'status', status: 503 })),
  },
  {
    ...ONCE,
    id: 'truncated-body',
    nounPhrase: 'a body that is cut off',
    targets: [CONTENTS, REPORTS, PROJECTS],
    create: disturbRequests({ kind: 'truncated-body' }, ({ response }) => `${response} is cut off`),
  },
  {
    ...ONCE,
    id: 'malformed-json',
    nounPhrase: 'broken JSON',
    targets: [CONTENTS, REPORTS, PROJECTS],
    create: disturbRequests(
      { kind: 'malformed-json' },
      ({ response }) => `${response} is broken JSON`,
    ),
  },
  {
    ...ONCE,
    id: 'reset',
    nounPhrase: 'a lost connection',
    targets: [REPORTS, PROJECTS, CONTENTS],
    create: disturbRequests(
      { kind: 'reset' },
      ({ response }) => `${response} is lost with its connection`,
    ),
  },
  {
    ...ONCE,
    id: 'no-answer',
    nounPhrase: 'a response that never comes',
    targets: [REPORTS, PROJECTS, CONTENTS],
    create: disturbRequests(
      { kind: 'no-answer' },
      ({ requests }) => `${requests} never gets a response`,
    ),
  },
  {
    ...ONCE,
    id: 'html',
    nounPhrase: 'the page of a proxy instead of JSON',
    targets: [PROJECTS, REPORTS, CONTENTS],
    create: disturbRequests(
      { kind: 'html', status: 502 },
      ({ requests }) => `${requests} gets the 502 page of a proxy`,
    ),
  },
  {
    ...ONCE,
    id: '503',
    nounPhrase: 'a 503 without Retry-After',
    targets: [REPORTS, PROJECTS, CONTENTS],
    create: disturbRequests(
      { kind: 'status', status: 503 },
      ({ requests }) => `${requests} fail with 503`,
      {
        isFirst: true,
      },
    ),
  },
  {
    ...ONCE,
    id: '503-retry-after',
    nounPhrase: 'a 503 with Retry-After',
    targets: [REPORTS, PROJECTS, CONTENTS],
    create: disturbRequests(
      { kind: 'status', status: 503 },
      ({ requests, waitS }) => `${requests} fails with 503, to be repeated after ${waitS} s`,
      { waits: true },
    ),
  },
  {
    ...ONCE,
    id: '429',
    nounPhrase: 'a 429',
    targets: [PROJECTS, REPORTS, CONTENTS],
    create: disturbRequests(
      { kind: 'status', status: 429 },
      ({ requests, waitS }) => `${requests} get a 429, to be repeated after ${waitS} s`,
      { isFirst: true, waits: true },
    ),
  },
  {
    ...ONCE,
    id: 'projects-outage',
    nounPhrase: 'an outage of /projects',
    targets: [PROJECTS],
    create: (target) => outageOf('/projects', faultsAt(target, { kind: 'status', status: 503 })),
  },
  {
    runs: 1,
    times: 3,
    isLate: true,
    id: 'killed',
    nounPhrase: 'a client that is killed in the middle of a run',
    targets: [CONTENTS, REPORTS, PROJECTS],
    create: (target, context) => ({
      ...disturbRequests(
        { kind: 'no-answer' },
        ({ requests }) => `it is killed while ${requests} waits for its response`,
      )(target, context),
      isKilled: true,
    }),
  },
]

/** Disturbances of the client's token. The plan causes them by commands, so they need no targets. */
export const TOKEN_DISTURBANCES: Record<
  'refused' | 'tight',
  Pick<DisturbanceKind, 'id' | 'nounPhrase'> & Required<Pick<DisturbanceKind, 'isMet'>>
> = {
  refused: {
    id: 'refused',
    nounPhrase: 'a token that is disabled',
    isMet: (request) => statusOf(request) === 401,
  },
  tight: {
    id: 'tight',
    nounPhrase: 'a token with 30 requests an hour',
    isMet: ({ head }) => head.exhausted.includes('hour'),
  },
}
