import type { Random } from '../records/random.ts'
import type { FaultInput } from '../world/faults/fault.ts'

/** What a client meets in a run that is not calm: everything in it is allowed by the specification. */
export interface Trouble {
  /** As a phrase: `the first 2 requests fail with 503`. */
  text: string
  faults: FaultInput[]
  /** Whether something cannot be read in the whole run, whatever the client does. */
  isOutage?: true
}

/** What limits a trouble if the client's pauses take real time. */
export interface TroubleLimits {
  /** The longest wait that a response asks for, in seconds. */
  mostWaitS: number
  /** The only project whose reports cannot be listed in an outage of that endpoint; undefined for all. */
  project: number | undefined
}

/** A kind of trouble, and how many runs in a row it lasts. */
export interface TroubleKind {
  create: (random: Random, limits: TroubleLimits) => Trouble
  runs: number
  /** Whether it is about the content of a report, so that it only occurs in a run with a new one. */
  needsFinish?: true
}

/** The endpoints with the data that a client is there for. */
export const REPORT_ENDPOINTS = [
  'GET /projects/{project}/reports/{report_number}/content',
  'GET /projects/{project}/reports/latest',
  'GET /projects/{project}/reports/last-generated',
] as const
export const BROKEN = ['truncated-body', 'malformed-json', 'reset'] as const

const [CONTENT] = REPORT_ENDPOINTS

const BROKEN_TEXTS: Record<(typeof BROKEN)[number], string> = {
  'truncated-body': 'is cut off',
  'malformed-json': 'is broken JSON',
  reset: 'is lost with its connection',
}

const LIST = 'GET /projects/{project}/reports'
/** The other endpoints that may fail for a whole run. */
const PARTS: readonly string[] = [LIST, 'GET /projects', 'GET /users']

function partOutage(endpoint: string, project?: number): Trouble {
  const of = project === undefined ? '' : ` of project ${project}`
  return {
    text: `${endpoint.slice('GET '.length)}${of} 503 for the whole run`,
    faults: [{ kind: 'status', status: 503, endpoint, ...(project !== undefined && { project }) }],
    isOutage: true,
  }
}

/** One run in which one of the first requests meets something. */
function atOneOf(most: number, create: (nth: number) => Trouble): TroubleKind {
  return { runs: 1, create: (random) => create(random.integer(1, most)) }
}

/** Runs in a row in which nothing can be read. */
function wholeOutage(runs: number, time: string): TroubleKind {
  const text = `everything 503 for ${time}`
  const create = (): Trouble => ({
    text,
    faults: [{ kind: 'status', status: 503 }],
    isOutage: true,
  })
  return { runs, create }
}

export const TROUBLE_KINDS: readonly TroubleKind[] = [
  ...BROKEN.map((kind): TroubleKind => ({
    runs: 1,
    needsFinish: true,
    create: () => ({
      text: `the first content that is requested ${BROKEN_TEXTS[kind]}`,
      faults: [{ kind, endpoint: CONTENT, schedule: { nth: 1 } }],
    }),
  })),
  {
    runs: 1,
    create: (random) => {
      const first = random.integer(1, 3)
      return {
        text: `${first === 1 ? 'the first request fails' : `the first ${first} requests fail`} with 503`,
        faults: [{ kind: 'status', status: 503, schedule: { first } }],
      }
    },
  },
  {
    runs: 1,
    create: (random, { mostWaitS }) => {
      const nth = random.integer(1, 4)
      const retry_after = Math.min(random.integer(5, 60), mostWaitS)
      return {
        text: `request ${nth} fails with 503, to be repeated after ${retry_after} s`,
        faults: [{ kind: 'status', status: 503, retry_after, schedule: { nth } }],
      }
    },
  },
  {
    runs: 1,
    create: (random, { mostWaitS }) => {
      const retry_after = Math.min(random.integer(10, 60), mostWaitS)
      return {
        text: `the first 3 requests get a 429, to be repeated after ${retry_after} s`,
        faults: [{ kind: 'status', status: 429, retry_after, schedule: { first: 3 } }],
      }
    },
  },
  ...BROKEN.map((kind) =>
    atOneOf(5, (nth) => ({
      text: `the response to request ${nth} ${BROKEN_TEXTS[kind]}`,
      faults: [{ kind, schedule: { nth } }],
    })),
  ),
  atOneOf(4, (nth) => ({
    text: `request ${nth} gets the 502 page of a proxy`,
    faults: [{ kind: 'html', status: 502, schedule: { nth } }],
  })),
  atOneOf(4, (nth) => ({
    text: `request ${nth} never gets a response`,
    faults: [{ kind: 'no-answer', schedule: { nth } }],
  })),
  { runs: 1, needsFinish: true, create: () => partOutage(CONTENT) },
  {
    runs: 1,
    create: (random, { project }) => {
      const part = random.pick(PARTS)
      return partOutage(part, part === LIST ? project : undefined)
    },
  },
  wholeOutage(1, 'the whole run'),
  wholeOutage(3, 'three runs'),
]
