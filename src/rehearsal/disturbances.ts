import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { Random } from '../records/random.ts'
import { statusOf } from '../review/reviewed-request.ts'
import type { FaultInput } from '../world/faults/fault.ts'

/** The disturbance of a run that is not calm. The specification allows every disturbance. */
export interface Disturbance {
  /** The disturbance as a phrase: `the first 2 requests for GET /projects fail with 503`. */
  text: string
  faults: FaultInput[]
  /** True if something cannot be read during the whole run, whatever the client does. */
  isOutage?: true
  /** True if the client is killed while it waits for a response that never comes. */
  isKilled?: true
}

/** The requests that a disturbance can hit, and the runs in which they are sent. */
export interface Place {
  name: string
  /** Alternative endpoints: a client uses one or the other. */
  endpoints: readonly string[]
  /** Maximum number of the request that is hit, counted from 1 for each endpoint. */
  most: number
  /** Required property of the run: a new report, or a second page of projects. */
  needs?: 'report' | 'page'
}

interface DisturbanceContext {
  random: Random
  /** Maximum Retry-After of a response, in seconds; low if pauses take real time. */
  mostWaitS: number
}

/**
 * A kind of disturbance. The plan, the list of situations not rehearsed, and the documentation derive from the table of
 * kinds.
 */
export interface DisturbanceKind {
  id: string
  /** The disturbance as a noun phrase. */
  what: string
  /** Number of consecutive runs that the disturbance lasts. */
  runs: number
  /** Number of times that it occurs in `smoke`. */
  times: number
  /** True to prefer the second half of the rehearsal, when the client has data to lose. */
  isLate?: true
  /** Possible places, the most telling one first. */
  places: readonly Place[]
  create: (place: Place, context: DisturbanceContext) => Disturbance
  /**
   * Returns true if a request shows that the client met the disturbance. If omitted, a fault that has fired shows it.
   */
  isMet?: (request: RecordedRequest) => boolean
}

const CONTENT = 'GET /projects/{project}/reports/{report_number}/content'
const LATEST = [
  'GET /projects/{project}/reports/latest',
  'GET /projects/{project}/reports/last-generated',
] as const
/** The endpoints of the data that a client is interested in. */
export const REPORT_ENDPOINTS = [CONTENT, ...LATEST] as const
export const BROKEN = ['truncated-body', 'malformed-json', 'reset'] as const

const PROJECTS: Place = { name: 'projects', endpoints: ['GET /projects'], most: 1 }
const REPORTS: Place = {
  name: 'the reports of a project',
  endpoints: ['GET /projects/{project}/reports', ...LATEST],
  most: 2,
}
const CONTENTS: Place = { name: 'content', endpoints: [CONTENT], most: 1, needs: 'report' }
const SECOND_PAGE: Place = { ...PROJECTS, name: 'the second page of projects', needs: 'page' }

/** Number of requests for the second page that fail. */
const ATTEMPTS = 8

type Effect = {
  [Kind in FaultInput['kind']]: Omit<Extract<FaultInput, { kind: Kind }>, 'schedule'>
}[FaultInput['kind']]

function faultsAt(
  { endpoints }: Place,
  effect: Effect,
  schedule?: FaultInput['schedule'],
): FaultInput[] {
  return endpoints.map((endpoint): FaultInput => ({
    ...effect,
    endpoint,
    ...(schedule && { schedule }),
  }))
}

/** Words for the target of a fault: a request such as `the first request for projects`, and its response. */
interface Names {
  requests: string
  response: string
  waitS: number
}

/**
 * Returns a function that creates a disturbance: it hits one of the first requests for a place, or the first two or
 * three with `isFirst`. `waits` adds a Retry-After.
 */
function meets(
  effect: Effect,
  say: (names: Names) => string,
  { isFirst = false, waits = false } = {},
): DisturbanceKind['create'] {
  return (place, { random, mostWaitS }) => {
    const count = isFirst ? random.integer(2, 3) : random.integer(1, place.most)
    const waitS = waits ? Math.min(random.integer(5, 60), mostWaitS) : 0
    const which = isFirst ? `the first ${count} requests` : `the ${NTH[count]} request`
    const requests = `${which} for ${place.name}`
    const response =
      place === CONTENTS ? 'the first content that is requested' : `the response to ${requests}`
    const made = waits ? { ...effect, retry_after: waitS } : effect
    return {
      text: say({ requests, response, waitS }),
      faults: faultsAt(place, made, isFirst ? { first: count } : { nth: count }),
    }
  }
}

const NTH = ['', 'first', 'second']

function outageOf(name: string, faults: FaultInput[]): Disturbance {
  return { text: `${name} 503 for the whole run`, faults, isOutage: true }
}

const ONE = { runs: 1, times: 1 } as const

export const DISTURBANCE_KINDS: readonly DisturbanceKind[] = [
  {
    id: 'three-run-outage',
    what: 'an outage of three runs',
    runs: 3,
    times: 1,
    places: [{ name: 'everything', endpoints: [], most: 1 }],
    create: () => ({
      text: 'everything 503 for three runs',
      faults: [{ kind: 'status', status: 503 }],
      isOutage: true,
    }),
  },
  {
    ...ONE,
    id: 'page',
    what: 'a page of projects that fails',
    places: [SECOND_PAGE],
    create: ({ endpoints: [endpoint = ''] }) =>
      ({
        text: 'the second page of projects fails with 503, whenever it is requested',
        faults: Array.from({ length: ATTEMPTS }, (_, index) => ({
          kind: 'status',
          status: 503,
          endpoint,
          schedule: { nth: index + 2 },
        })),
        isOutage: true,
      }) satisfies Disturbance,
  },
  {
    ...ONE,
    id: 'content-outage',
    what: 'an outage of contents',
    places: [CONTENTS],
    create: (place) => outageOf('content', faultsAt(place, { kind: 'status', status: 503 })),
  },
  {
    ...ONE,
    id: 'truncated-body',
    what: 'a body that is cut off',
    places: [CONTENTS, REPORTS, PROJECTS],
    create: meets({ kind: 'truncated-body' }, ({ response }) => `${response} is cut off`),
  },
  {
    ...ONE,
    id: 'malformed-json',
    what: 'broken JSON',
    places: [CONTENTS, REPORTS, PROJECTS],
    create: meets({ kind: 'malformed-json' }, ({ response }) => `${response} is broken JSON`),
  },
  {
    ...ONE,
    id: 'reset',
    what: 'a lost connection',
    places: [REPORTS, PROJECTS, CONTENTS],
    create: meets({ kind: 'reset' }, ({ response }) => `${response} is lost with its connection`),
  },
  {
    ...ONE,
    id: 'no-answer',
    what: 'a response that never comes',
    places: [REPORTS, PROJECTS, CONTENTS],
    create: meets({ kind: 'no-answer' }, ({ requests }) => `${requests} never gets a response`),
  },
  {
    ...ONE,
    id: 'html',
    what: 'the page of a proxy instead of JSON',
    places: [PROJECTS, REPORTS, CONTENTS],
    create: meets(
      { kind: 'html', status: 502 },
      ({ requests }) => `${requests} gets the 502 page of a proxy`,
    ),
  },
  {
    ...ONE,
    id: '503',
    what: 'a 503 without Retry-After',
    places: [REPORTS, PROJECTS, CONTENTS],
    create: meets({ kind: 'status', status: 503 }, ({ requests }) => `${requests} fail with 503`, {
      isFirst: true,
    }),
  },
  {
    ...ONE,
    id: '503-retry-after',
    what: 'a 503 with Retry-After',
    places: [REPORTS, PROJECTS, CONTENTS],
    create: meets(
      { kind: 'status', status: 503 },
      ({ requests, waitS }) => `${requests} fails with 503, to be repeated after ${waitS} s`,
      { waits: true },
    ),
  },
  {
    ...ONE,
    id: '429',
    what: 'a 429',
    places: [PROJECTS, REPORTS, CONTENTS],
    create: meets(
      { kind: 'status', status: 429 },
      ({ requests, waitS }) => `${requests} get a 429, to be repeated after ${waitS} s`,
      { isFirst: true, waits: true },
    ),
  },
  {
    ...ONE,
    id: 'projects-outage',
    what: 'an outage of /projects',
    places: [PROJECTS],
    create: (place) => outageOf('/projects', faultsAt(place, { kind: 'status', status: 503 })),
  },
  {
    runs: 1,
    times: 3,
    isLate: true,
    id: 'killed',
    what: 'a client that is killed in the middle of a run',
    places: [CONTENTS, REPORTS, PROJECTS],
    create: (place, context) => ({
      ...meets(
        { kind: 'no-answer' },
        ({ requests }) => `it is killed while ${requests} waits for its response`,
      )(place, context),
      isKilled: true,
    }),
  },
]

/**
 * Disturbances of the client's token, which the plan makes by commands. Unlike `DISTURBANCE_KINDS`, these need no places.
 */
export const TOKEN_DISTURBANCES: Record<
  'refused' | 'tight',
  Pick<DisturbanceKind, 'id' | 'what'> & Required<Pick<DisturbanceKind, 'isMet'>>
> = {
  refused: {
    id: 'refused',
    what: 'a token that is disabled',
    isMet: (request) => statusOf(request) === 401,
  },
  tight: {
    id: 'tight',
    what: 'a token with 30 requests an hour',
    isMet: ({ head }) => head.exhausted.includes('hour'),
  },
}
