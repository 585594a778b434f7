import { OPERATION_IDS } from '../contract/endpoint.ts'
import { MemoryUse } from '../contract/memory-use.ts'
import { MINUTE_MS, toDateTime } from '../contract/moments.ts'
import type { OperationId } from '../contract/routes.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { CommandEvent, WorldSubscriber } from '../world/world-subscriber.ts'
import type { World } from '../world/world.ts'
import { noteArrival, startArrivals } from './arrivals.ts'
import type { Arrivals } from './arrivals.ts'
import type { Check, Found, Report } from './check.ts'
import { CHECKS } from './checks/index.ts'
import type { CheckId } from './checks/index.ts'
import { DeliveryLedger } from './ledger.ts'
import type { LedgerState } from './ledger.ts'
import type { CheckResult, Finding, Review } from './review.ts'
import { isPlain, ReviewedRequest, shorten } from './reviewed-request.ts'
import type { Visit } from './reviewed-request.ts'
import { Visits } from './visits.ts'

/** How many findings of a check are kept. */
const MAXIMUM_FINDINGS = 20
/** How many requests a finding names. */
const MAXIMUM_REQUESTS = 10
const OWN_BYTES = 12_000
/** The range of a request for a whole body. */
const WHOLE = 'bytes=0-'

/** The indexes of the checks that read every request for an endpoint, or for an unknown path. */
const CHECKS_OF = Object.fromEntries(
  [...OPERATION_IDS, 'unknown' as const].map((operation) => [
    operation,
    indexesOf(({ sees }) => sees === 'all' || (Array.isArray(sees) && sees.includes(operation))),
  ]),
) as Record<OperationId | 'unknown', number[]>
const CHECKS_OF_QUERIES = indexesOf(({ sees }) => sees === 'queries')
const CHECKS_OF_ERRORS = indexesOf(({ sees }) => sees === 'errors')

/** What a check has found so far. */
interface Judged {
  isMet: boolean
  failures: number
  findings: Found[]
  /** What the check remembers. */
  own: unknown
}

/** A request or command, and its time by the machine's clock in epoch milliseconds. */
export interface ReviewPlace {
  sequence: number
  at_ms: number
}

/** All that a reviewer knows: plain data and maps. */
export interface ReviewState {
  /** The last entry before it, where it does not begin with the session. */
  began: ReviewPlace | null
  requests: number
  /** Whether any of them was read. */
  hasRead: boolean
  /** How many commands have changed the world. */
  changes: number
  /** The world clock at the start and at the last request or command, in epoch milliseconds. */
  startMs: number
  lastMs: number
  visits: Map<string, Visit>
  arrivals: Arrivals
  judged: Judged[]
  ledger: LedgerState
}

/**
 * Judges the client of a world, request by request, in bounded memory. Whatever starts a new session, like a reset, starts
 * a new review.
 */
export class Reviewer implements WorldSubscriber {
  /** To be raised with every change of what a check remembers or finds: a review stored by another version is not continued. */
  static readonly version: number = 1
  /** An estimate of what it takes. */
  readonly memory = new MemoryUse()
  readonly #world: World
  #state: ReviewState
  #visits: Visits
  #ledger: DeliveryLedger
  readonly #reports: Report[]
  /** Reused for every request. */
  readonly #request: ReviewedRequest
  #sender: RecordedRequest['sender'] | undefined
  #caller = ''

  constructor(world: World, state = startReview(world)) {
    this.#world = world
    this.#state = state
    this.#request = new ReviewedRequest((text) => world.journal.redact(text))
    this.memory.add(OWN_BYTES)
    this.#visits = new Visits(state.visits, this.memory)
    this.#ledger = new DeliveryLedger(state.ledger, this.memory)
    this.#reports = CHECKS.map((_, index) => this.#reportOf(index))
  }

  /** What it knows, to be stored. */
  get state(): Readonly<ReviewState> {
    return this.#state
  }

  onRequest(recorded: RecordedRequest): void {
    if (recorded.sender.method === 'OPTIONS') return
    const state = this.#state
    const request = this.#read(recorded)
    state.requests += 1
    state.hasRead ||= request.isRead
    state.lastMs = request.worldMs
    for (const index of CHECKS_OF[request.operation ?? 'unknown']) this.#check(index)
    if (request.query !== '') for (const index of CHECKS_OF_QUERIES) this.#check(index)
    if (!isPlain(request)) for (const index of CHECKS_OF_ERRORS) this.#check(index)
    if (request.isRead && request.project !== null) this.#ledger.read(request)
    if (!request.isForRest) this.#visits.add(request)
  }

  onResponseEnd(recorded: RecordedRequest): void {
    const caller = this.#callerOf(recorded.sender)
    const visit = this.#visits.get(this.#visits.keyOf(recorded, caller))
    if (visit?.sequence === recorded.sequence) visit.responseEnd = recorded.responseEnd
  }

  onCommand(event: CommandEvent): void {
    const { definition } = event
    if (definition.startsSession === true) {
      this.#begin(null)
      return
    }
    const state = this.#state
    state.lastMs = Date.parse(this.#world.clock.now)
    if (definition.movesTime !== true) state.changes += 1
    this.#ledger.change(event, state.lastMs)
  }

  /** Begins again after the last request or command. */
  beginHere(): void {
    const { journal, options } = this.#world
    this.#begin({ sequence: journal.sequence, at_ms: options.realNow() })
  }

  /** The review so far, as of the last request or command. @param projects Those of the ledger; the projects read where omitted. */
  review(projects?: readonly number[]): Review {
    const { requests, hasRead, judged, lastMs, startMs, began } = this.#state
    const redact = (text: string) => this.#world.journal.redact(text)
    const checks = CHECKS.map((check, index) => toResult(check, judged[index]!, redact))
    const hasFailed = checks.some(
      ({ severity, result }) => severity === 'error' && result === 'failed',
    )
    const unfailed = requests === 0 ? 'nothing-asked' : hasRead ? 'passed' : 'nothing-read'
    const verdict = hasFailed ? 'failed' : unfailed
    const { records } = this.#world
    const ledger = this.#ledger.list({ records, lastMs, startMs, projects })
    const notice = began && {
      notice: `Only what came after #${began.sequence} is reviewed. Another release, with other checks, reviewed what came before.`,
    }
    return {
      version: 1,
      verdict,
      requests,
      answered: hasRead,
      sessions: 1,
      ...notice,
      checks,
      ledger,
    }
  }

  #begin(began: ReviewPlace | null): void {
    this.memory.add(OWN_BYTES - this.memory.bytes)
    this.#state = { ...startReview(this.#world), began }
    this.#visits = new Visits(this.#state.visits, this.memory)
    this.#ledger = new DeliveryLedger(this.#state.ledger, this.memory)
  }

  #read(recorded: RecordedRequest): ReviewedRequest {
    const { sender, target, head, query, sequence, shown } = recorded
    const { changes, arrivals } = this.#state
    const { status } = head
    const request = this.#request
    const isGet = sender.method === 'GET'
    const caller = this.#callerOf(sender)
    request.sequence = sequence
    request.rateMs = recorded.atMs + recorded.rateOffsetMs
    request.worldMs = recorded.atMs + recorded.worldOffsetMs
    request.sender = sender
    request.head = head
    request.path = target.path
    request.query = query
    request.operation = target.operation
    request.project = target.project
    request.caller = caller
    request.key = this.#visits.keyOf(recorded, caller)
    request.connection = recorded.connection
    request.arrivals = arrivals
    noteArrival(arrivals, request)
    request.status = status
    const isCut = head.wire?.end !== undefined
    const isUnreadable = status === 200 && shown === undefined
    request.isFailure = status >= 500 || isCut || isUnreadable
    request.isRead = status === 200 && isGet && !isCut && !isUnreadable
    request.shown = shown
    request.isForRest = sender.range !== undefined && sender.range !== WHOLE
    request.isSeenCompleted = this.#ledger.hasSeenCompleted(request)
    request.contentDigest = recorded.contentDigest
    request.retryAfterMs = head.waitSeconds === undefined ? null : head.waitSeconds * 1000
    request.changes = changes
    request.bodyBytes = recorded.bodyBytes
    request.responseEnd = recorded.responseEnd
    const before = this.#visits.get(request.key)
    request.before = before
    request.isUnderWay = before !== undefined && isUnderWay(before, sequence)
    request.waitedMs = before
      ? request.rateMs - (before.responseEnd?.rateMs ?? before.rateMs)
      : Infinity
    request.isRetry =
      request.waitedMs <= MINUTE_MS && !request.isUnderWay && before?.changes === changes
    return request
  }

  #callerOf(sender: RecordedRequest['sender']): string {
    if (sender === this.#sender) return this.#caller
    this.#sender = sender
    // Sessions do not tell unknown tokens apart.
    const stranger = sender.authorization === undefined ? 'nobody' : 'unknown'
    this.#caller = sender.token?.id.toString() ?? stranger
    return this.#caller
  }

  #check(index: number): void {
    const { own } = this.#state.judged[index]!
    CHECKS[index]!.read(this.#request, this.#reports[index]!, own as never, this.#world)
  }

  #reportOf(index: number): Report {
    return {
      meet: () => {
        this.#state.judged[index]!.isMet = true
      },
      fail: (describe, requests = () => [this.#request.toNamed()]) => {
        const judged = this.#state.judged[index]!
        judged.failures += 1
        if (judged.findings.length === MAXIMUM_FINDINGS) return
        judged.findings.push({
          requests: requests().slice(0, MAXIMUM_REQUESTS),
          message: describe(),
        })
      },
    }
  }
}

function startReview(world: World): ReviewState {
  const nowMs = Date.parse(world.clock.now)
  return {
    began: null,
    requests: 0,
    hasRead: false,
    changes: 0,
    startMs: nowMs,
    lastMs: nowMs,
    visits: new Map(),
    arrivals: startArrivals(),
    judged: CHECKS.map(({ start }) => ({
      isMet: false,
      failures: 0,
      findings: [],
      own: start?.() ?? null,
    })),
    ledger: { projects: new Map(), finished: new Map() },
  }
}

/** `redact` hides bearer values: findings have paths, and quote what the client sent, such as a parameter. */
function toResult(
  check: Check<CheckId>,
  judged: Judged,
  redact: (text: string) => string,
): CheckResult {
  const { id, category, severity, section, instead, exercise, pending } = check
  const open = pending?.(judged.own as never) ?? []
  const failures = judged.failures + open.length
  const kept = [...judged.findings, ...open].slice(0, MAXIMUM_FINDINGS)
  const findings = kept.map(({ requests: all, message }, index): Finding => {
    const isLast = index === MAXIMUM_FINDINGS - 1 && failures > MAXIMUM_FINDINGS
    const more = isLast
      ? ` There were ${failures} of these in all; the first ${MAXIMUM_FINDINGS} are listed.`
      : ''
    const shown = all.slice(0, MAXIMUM_REQUESTS)
    const requests = shown.map(({ sequence, method, path, status }) => {
      return { sequence, method: redact(method), path: shorten(redact(path)), status }
    })
    const at = toDateTime(shown.at(-1)!.rateMs)
    return { session: 1, at, requests, message: redact(message) + more, instead }
  })
  const result = failures > 0 ? 'failed' : judged.isMet ? 'passed' : 'not-exercised'
  return { id, category, severity, section, result, exercise, findings }
}

function isUnderWay({ responseEnd }: Visit, sequence: number): boolean {
  return responseEnd === null || (responseEnd !== undefined && sequence <= responseEnd.after)
}

function indexesOf(isWanted: (check: Check) => boolean): number[] {
  return CHECKS.flatMap((check, index) => (isWanted(check) ? [index] : []))
}
