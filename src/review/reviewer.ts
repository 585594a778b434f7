import { OPERATION_IDS } from '../contract/routes.ts'
import type { OperationId } from '../contract/routes.ts'
import { MINUTE_MS, parseHttpDate } from '../contract/time.ts'
import { listedBy } from '../contract/report-facts.ts'
import type { Head, RecordedRequest } from '../journal/recorded-request.ts'
import type { CommandEvent } from '../world/world-subscriber.ts'
import type { World } from '../world/world.ts'
import { remember } from './check.ts'
import type { Check, CheckReporter } from './check.ts'
import { listCauses } from './causes.ts'
import { CHECKS } from './checks/index.ts'
import { DeliveryLedger } from './ledger.ts'
import type { LedgerState } from './ledger.ts'
import {
  addFindings,
  MAXIMUM_FINDINGS,
  MAXIMUM_REQUESTS_OF_FINDING,
  NO_FINDINGS,
  toResult,
  worstOf,
} from './check-findings.ts'
import type { CheckProgress, CheckFindings } from './check-findings.ts'
import type { LedgerEntry, Review } from './review.ts'
import {
  isFailed,
  isOfClient,
  isRead,
  statusOf,
  hasNoFailure,
  ReviewedRequest,
  LastRequests,
} from './reviewed-request.ts'
import type { LastRequest } from './reviewed-request.ts'
import { toVerdict } from './verdict.ts'

const MAXIMUM_ENDED_ROWS = 2000
const WHOLE_BODY_RANGE = 'bytes=0-'

/** Indexes of the checks for each endpoint. `unknown` is a path without an endpoint. */
const CHECKS_OF = Object.fromEntries(
  [...OPERATION_IDS, 'unknown' as const].map((operation) => [
    operation,
    indexesOf(({ sees }) => sees === 'all' || (Array.isArray(sees) && sees.includes(operation))),
  ]),
) as Record<OperationId | 'unknown', number[]>
const CHECKS_OF_QUERIES = indexesOf(({ sees }) => sees === 'queries')
const CHECKS_OF_ERRORS = indexesOf(({ sees }) => sees === 'errors')

/** The moment at which a review began. */
export interface ReviewPlace {
  /** Sequence of the last request or command before the review. */
  sequence: number
  /** Time in epoch milliseconds, by the clock of the machine or, with a store, of the store. */
  at_ms: number
}

/** Totals of the sessions that commands have ended, except sessions without requests. */
interface EndedSessions {
  began: ReviewPlace | null
  sessions: number
  requests: number
  hasRead: boolean
  outcomes: CheckFindings[]
  ledger: LedgerEntry[]
}

/** The complete state of a reviewer, as plain data and maps. Stored reviews have these field names. */
export interface ReviewState {
  ended: EndedSessions
  /** The moment at which the review began; null if it began with the session. */
  began: ReviewPlace | null
  requests: number
  /** True if a GET in the session got a 200 with a whole, readable body. */
  hasRead: boolean
  /** Number of commands in the session, except those that only move the clock. */
  changes: number
  /** The world clock when the review began, in epoch milliseconds. */
  startMs: number
  /** The world clock at the last request or command, in epoch milliseconds. */
  lastMs: number
  visits: Map<string, LastRequest>
  /** By caller: the highest number of connections open at once when the caller sent a request. */
  overlaps: Map<string, number>
  judged: CheckProgress[]
  ledger: LedgerState
}

/** The effects of a command that matter to a review. */
export interface WorldChange {
  sequence: number
  /** World clock after the command, in epoch milliseconds. */
  worldMs: number
  movesTime: boolean
  /** The id of the report that the command finished; null if it finished none. */
  finished: number | null
}

export function toChange(
  { sequence, definition, command, result }: CommandEvent,
  worldMs: number,
): WorldChange {
  const { movesTime = false, completes } = definition
  const finished = completes?.(command as never, result as never)?.id ?? null
  return { sequence, worldMs, movesTime, finished }
}

export interface ReviewOptions {
  /** `start` to review all sessions; if omitted, only the current one. */
  since?: 'start' | undefined
  /** Ids of the projects in the ledger; if omitted, the projects that were read. */
  projects?: readonly number[] | undefined
}

/**
 * A review of a world's client, in bounded memory. A command that starts a new session, such as a reset, also starts a
 * new review; the findings of earlier sessions are kept.
 */
export class Reviewer {
  /**
   * Must be raised with every change to the state or findings of a check: a review by another version cannot be
   * resumed.
   */
  static readonly version: number = 2
  readonly #world: World
  #state: ReviewState
  #lastRequests: LastRequests
  #ledger: DeliveryLedger
  readonly #reports: CheckReporter[]
  /** Reused for every request. */
  readonly #request: ReviewedRequest
  #sender: RecordedRequest['sender'] | undefined
  #caller = ''
  /** Totals of all sessions, set while a command is about to end the current one; otherwise undefined. */
  #ended: EndedSessions | undefined

  constructor(world: World, state = startReview(world)) {
    this.#world = world
    this.#state = state
    this.#request = new ReviewedRequest((text) => world.journal.redact(text))
    this.#lastRequests = new LastRequests(state.visits)
    this.#ledger = new DeliveryLedger(state.ledger)
    this.#reports = CHECKS.map((_, index) => this.#reportOf(index))
  }

  get state(): Readonly<ReviewState> {
    return this.#state
  }

  onRequest(recorded: RecordedRequest): void {
    if (!isOfClient(recorded)) return
    const state = this.#state
    const request = this.#read(recorded)
    state.requests += 1
    state.hasRead ||= request.isRead
    state.lastMs = request.worldMs
    for (const index of CHECKS_OF[request.operation ?? 'unknown']) this.#check(index)
    if (request.query !== '') for (const index of CHECKS_OF_QUERIES) this.#check(index)
    if (!hasNoFailure(request)) for (const index of CHECKS_OF_ERRORS) this.#check(index)
    if (request.isRead && request.project !== null) this.#ledger.read(request)
    if (!request.isForRest) this.#lastRequests.add(request)
  }

  onResponseEnd(recorded: RecordedRequest): void {
    const caller = this.#callerOf(recorded.sender)
    const last = this.#lastRequests.get(this.#lastRequests.keyOf(recorded, caller))
    if (last?.sequence === recorded.sequence) last.responseEnd = recorded.responseEnd
  }

  onSessionEnd(): void {
    this.#ended = this.#endedWithCurrent()
  }

  /** Starts a new review. Call `onSessionEnd` first. */
  startSession(): void {
    this.#begin(null, this.#ended)
  }

  onChange({ worldMs, movesTime, finished }: WorldChange): void {
    const state = this.#state
    state.lastMs = worldMs
    if (!movesTime) state.changes += 1
    if (finished !== null) this.#ledger.finish(finished, worldMs)
  }

  /** Discards the review, and begins a new one after the last request or command. */
  beginHere(): void {
    const { journal, options } = this.#world
    this.#begin({ sequence: journal.sequence, at_ms: options.realNow() })
  }

  review({ since, projects }: ReviewOptions = {}): Review {
    const current = this.#state
    const before = since === 'start' ? current.ended : NONE_ENDED
    const requests = before.requests + current.requests
    const isOver = current.requests === 0 && before.sessions > 0
    const session = before.sessions + 1
    const outcomes = this.#outcomes(before, { isEnded: false })
    const checks = CHECKS.map((check, index) => toResult(check, outcomes[index]!))
    const answered = before.hasRead || current.hasRead
    const earlier = before.ledger.filter(({ project }) => projects?.includes(project) ?? true)
    const own = isOver ? [] : this.#list(session, projects)
    const began = before.began ?? current.began
    const notice = began && {
      notice: `Only requests after #${began.sequence} are reviewed. Another release, with other checks, reviewed the earlier ones.`,
    }
    return {
      version: 1,
      verdict: toVerdict({ requests, answered, checks }),
      requests,
      answered,
      sessions: isOver ? before.sessions : session,
      ...notice,
      checks,
      causes: listCauses(checks),
      ledger: [...earlier, ...own],
    }
  }

  /** Returns the totals of all sessions, as if the current one had ended. */
  #endedWithCurrent(): EndedSessions {
    const { ended, requests, hasRead, began } = this.#state
    if (requests === 0) return { ...ended, began: ended.began ?? began }
    const session = ended.sessions + 1
    const outcomes = this.#outcomes(ended, { isEnded: true })
    const rows = this.#list(session).map((row) => {
      return row.state === 'missing' ? { ...row, state: 'unsettled' as const } : row
    })
    return {
      began: ended.began ?? began,
      sessions: session,
      requests: ended.requests + requests,
      hasRead: ended.hasRead || hasRead,
      outcomes,
      ledger: [...ended.ledger, ...rows].slice(0, MAXIMUM_ENDED_ROWS),
    }
  }

  #outcomes(
    { sessions, outcomes }: EndedSessions,
    { isEnded }: { isEnded: boolean },
  ): CheckFindings[] {
    const redact = (text: string) => this.#world.journal.redact(text)
    return CHECKS.map((check, index) => {
      const before = outcomes[index]!
      const context = { session: sessions + 1, isEnded, before, redact }
      return addFindings(check, this.#state.judged[index]!, context)
    })
  }

  #list(session: number, projects?: readonly number[]): LedgerEntry[] {
    const { lastMs, startMs } = this.#state
    const { records, policies } = this.#world
    const isShown = listedBy(policies['reports-list-levels'])
    return this.#ledger.list({ session, records, lastMs, startMs, projects, isShown })
  }

  #begin(began: ReviewPlace | null, ended = NONE_ENDED): void {
    this.#state = { ...startReview(this.#world), began, ended }
    this.#ended = undefined
    this.#lastRequests = new LastRequests(this.#state.visits)
    this.#ledger = new DeliveryLedger(this.#state.ledger)
  }

  #read(recorded: RecordedRequest): ReviewedRequest {
    const { sender, target, head, query, sequence, shown } = recorded
    const { changes } = this.#state
    const status = statusOf(recorded)
    const request = this.#request
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
    request.key = this.#lastRequests.keyOf(recorded, caller)
    request.overlap = this.#noteOverlap(caller, recorded)
    request.status = status
    request.isFailure = isFailed(recorded)
    request.isRead = isRead(recorded)
    request.shown = shown
    request.isForRest = sender.range !== undefined && sender.range !== WHOLE_BODY_RANGE
    request.isSeenCompleted = this.#ledger.hasSeenCompleted(request)
    request.contentDigest = recorded.contentDigest
    request.retryAfterMs =
      status === 0 || head.waitSeconds === undefined ? null : head.waitSeconds * 1000
    request.retryDateMs = status === 503 ? retryDateOf(head, request.rateMs) : null
    request.changes = changes
    request.bodyBytes = recorded.bodyBytes
    request.responseEnd = recorded.responseEnd
    const before = this.#lastRequests.get(request.key)
    request.before = before
    request.isUnderWay = before !== undefined && isUnderWay(before, sequence)
    request.waitedMs = before
      ? request.rateMs - (before.responseEnd?.rateMs ?? before.rateMs)
      : Infinity
    request.isRetry =
      request.waitedMs <= MINUTE_MS && !request.isUnderWay && before?.changes === changes
    return request
  }

  #noteOverlap(
    caller: string,
    { connection, openConnections }: RecordedRequest,
  ): number | undefined {
    if (connection === undefined) return undefined
    const { overlaps } = this.#state
    const overlap = Math.max(openConnections, overlaps.get(caller) ?? 0)
    remember(overlaps, caller, overlap)
    return overlap
  }

  #callerOf(sender: RecordedRequest['sender']): string {
    if (sender === this.#sender) return this.#caller
    this.#sender = sender
    // Unknown tokens are one caller, because a saved session does not tell them apart.
    const stranger = sender.authorization === undefined ? 'nobody' : 'unknown'
    this.#caller = sender.token?.id.toString() ?? stranger
    return this.#caller
  }

  #check(index: number): void {
    const { own } = this.#state.judged[index]!
    CHECKS[index]!.read(this.#request, this.#reports[index]!, own as never, this.#world)
  }

  #reportOf(index: number): CheckReporter {
    return {
      meet: () => {
        this.#state.judged[index]!.isMet = true
      },
      fail: (describe, requests = () => [this.#request.toNamed()], more = {}) => {
        const judged = this.#state.judged[index]!
        judged.failures += 1
        judged.worst = worstOf([judged.worst, more.severity ?? CHECKS[index]!.severity])
        if (judged.findings.length === MAXIMUM_FINDINGS) return
        judged.findings.push({
          requests: requests().slice(0, MAXIMUM_REQUESTS_OF_FINDING),
          message: describe(),
          ...more,
        })
      },
    }
  }
}

const NONE_ENDED: EndedSessions = {
  began: null,
  sessions: 0,
  requests: 0,
  hasRead: false,
  outcomes: CHECKS.map(() => NO_FINDINGS),
  ledger: [],
}

function startReview(world: World): ReviewState {
  const nowMs = Date.parse(world.clock.now)
  return {
    ended: NONE_ENDED,
    began: null,
    requests: 0,
    hasRead: false,
    changes: 0,
    startMs: nowMs,
    lastMs: nowMs,
    visits: new Map(),
    overlaps: new Map(),
    judged: CHECKS.map(({ start }) => ({
      isMet: false,
      failures: 0,
      worst: null,
      findings: [],
      own: start?.() ?? null,
    })),
    ledger: { projects: new Map(), finished: new Map() },
  }
}

/** Returns the date in a Retry-After, in epoch milliseconds; null unless the header has a date in the future. */
function retryDateOf({ headers }: Head, rateMs: number): number | null {
  const dateMs = parseHttpDate(headers['Retry-After'] ?? '') ?? 0
  return dateMs > rateMs ? dateMs : null
}

function isUnderWay({ responseEnd }: LastRequest, sequence: number): boolean {
  return responseEnd === null || (responseEnd !== undefined && sequence <= responseEnd.after)
}

function indexesOf(isWanted: (check: Check) => boolean): number[] {
  return CHECKS.flatMap((check, index) => (isWanted(check) ? [index] : []))
}
