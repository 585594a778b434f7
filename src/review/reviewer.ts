import { MemoryUse } from '../contract/memory-use.ts'
import { digestOfText } from '../journal/digest.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { CommandEvent, WorldSubscriber } from '../world/world-subscriber.ts'
import type { World } from '../world/world.ts'
import type { AnyCheck, Found, Report } from './check.ts'
import { CHECKS } from './checks/index.ts'
import { DeliveryLedger } from './ledger.ts'
import type { LedgerState } from './ledger.ts'
import type { CheckResult, Review } from './review.ts'
import type { ReviewedRequest, Visit } from './reviewed-request.ts'

/** How many findings of a check are kept. */
const MAXIMUM_FINDINGS = 20
/** How many URLs, each by caller, are remembered. */
const MAXIMUM_VISITS = 5000
/** The longest URL that is remembered as it is. */
const MAXIMUM_KEY = 200
/** Within this time a request for the same URL is a retry. */
const RETRY_MS = 60_000
const VISIT_BYTES = 300
const OWN_BYTES = 20_000

/** What a check has found so far. */
interface Judged {
  isMet: boolean
  failures: number
  findings: Found[]
  /** What the check remembers. */
  own: unknown
}

/** All that a reviewer knows: plain data and maps. */
export interface ReviewState {
  requests: number
  /** How many commands have changed the world. */
  changes: number
  /** The world clock at the start, and at the last request or command, in epoch milliseconds. */
  startMs: number
  lastMs: number
  visits: Map<string, Visit>
  judged: Judged[]
  ledger: LedgerState
}

/** Judges the client of a world, request by request, in bounded memory; it starts anew with the session of the world. */
export class Reviewer implements WorldSubscriber {
  /** What it takes, by estimate. */
  readonly memory = new MemoryUse()
  readonly #world: World
  #state: ReviewState
  #ledger: DeliveryLedger
  readonly #reports: Report[]
  /** Reused for every request. */
  readonly #request = {} as ReviewedRequest
  #sender: RecordedRequest['sender'] | undefined
  #caller = ''

  constructor(world: World, state = startReview(world)) {
    this.#world = world
    this.#state = state
    this.#ledger = new DeliveryLedger(state.ledger, this.memory)
    this.#reports = CHECKS.map((_, index) => this.#reportOf(index))
    this.#countVisits()
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
    state.lastMs = request.worldMs
    for (let index = 0; index < CHECKS.length; index += 1) {
      const [check, judged, report] = [CHECKS[index], state.judged[index], this.#reports[index]]
      check!.read(judged!.own as never, request, report!, this.#world)
    }
    if (request.isRead && request.project !== null) this.#ledger.read(request)
    this.#visit(request)
  }

  onSent(recorded: RecordedRequest): void {
    const { key } = this.#read(recorded)
    const visit = this.#state.visits.get(key)
    if (visit?.sequence === recorded.sequence) visit.sent = recorded.sent
  }

  onCommand(event: CommandEvent): void {
    const { definition } = event
    if (definition.startsSession === true) {
      this.memory.add(-this.memory.bytes)
      this.#state = startReview(this.#world)
      this.#ledger = new DeliveryLedger(this.#state.ledger, this.memory)
      this.#countVisits()
      return
    }
    const state = this.#state
    state.lastMs = Date.parse(this.#world.clock.now)
    if (!definition.type.startsWith('clock.')) state.changes += 1
    this.#ledger.change(event, state.lastMs)
  }

  /** The review so far, as of the last request or command. @param projects Those of the ledger; the projects read where omitted. */
  review(projects?: readonly number[]): Review {
    const { requests, judged, lastMs, startMs } = this.#state
    const checks = CHECKS.map((check, index) => toResult(check, judged[index]!))
    const hasFailed = checks.some(
      ({ severity, result }) => severity === 'error' && result === 'failed',
    )
    const verdict = requests === 0 ? 'nothing-asked' : hasFailed ? 'failed' : 'passed'
    const { records } = this.#world
    const ledger = this.#ledger.list({ records, lastMs, startMs, projects })
    return this.#redacted({ version: 1, verdict, requests, checks, ledger })
  }

  /** Texts may name what the client sent, such as a parameter. */
  #redacted(review: Review): Review {
    const { journal } = this.#world
    for (const { findings } of review.checks) {
      for (const finding of findings) finding.message = journal.redact(finding.message)
    }
    return review
  }

  #read(recorded: RecordedRequest): ReviewedRequest {
    const { sender, target, head, query, sequence, shown } = recorded
    const { changes, visits } = this.#state
    const { status } = head
    const request = this.#request
    const isGet = sender.method === 'GET'
    if (sender !== this.#sender) {
      this.#sender = sender
      const { token, authorization } = sender
      this.#caller =
        token?.id.toString() ?? `?${authorization === undefined ? '' : digestOfText(authorization)}`
    }
    request.sequence = sequence
    request.rateMs = recorded.atMs + recorded.rateOffsetMs
    request.worldMs = recorded.atMs + recorded.worldOffsetMs
    request.method = sender.method
    request.path = target.path
    request.query = query
    request.operation = target.operation
    request.project = target.project
    request.caller = this.#caller
    request.token = sender.token?.id
    request.key = toKey(this.#caller, target.path, query, isGet ? '' : sender.method)
    request.isAuthorized = sender.authorization !== undefined
    request.accept = sender.accept
    request.pageOrigin = sender.pageOrigin
    request.status = status
    request.problem = head.problem
    request.isHourExhausted = head.exhausted.length > 0 && head.exhausted.includes('hour')
    const isCut = head.wire?.end !== undefined
    const isUnreadable = status === 200 && shown === undefined
    request.isFailure = status === 0 || status >= 500 || isCut || isUnreadable
    request.isRead = status === 200 && isGet && !isCut && !isUnreadable
    request.shown = shown
    request.isSeenCompleted = this.#ledger.hasSeenCompleted(request)
    request.contentDigest = recorded.contentDigest
    request.retryAfterMs = status === 200 ? null : retryAfterMs(head.headers['Retry-After'])
    request.changes = changes
    request.bodyBytes = recorded.bodyBytes
    request.sent = recorded.sent
    const before = visits.get(request.key)
    request.before = before
    request.isUnderWay = before !== undefined && isUnderWay(before, sequence)
    request.isRetry =
      before !== undefined &&
      !request.isUnderWay &&
      before.changes === changes &&
      request.rateMs - (before.sent?.rateMs ?? before.rateMs) <= RETRY_MS
    return request
  }

  #visit(request: ReviewedRequest): void {
    const { visits } = this.#state
    const before = request.before
    if (before) {
      copyVisit(request, before)
      return
    }
    if (visits.size >= MAXIMUM_VISITS) {
      const [oldest = ''] = visits.keys()
      visits.delete(oldest)
      this.memory.add(-bytesOfVisit(oldest))
    }
    visits.set(request.key, copyVisit(request, {} as Visit))
    this.memory.add(bytesOfVisit(request.key))
  }

  #reportOf(index: number): Report {
    return {
      meet: () => {
        this.#state.judged[index]!.isMet = true
      },
      fail: (found) => {
        const judged = this.#state.judged[index]!
        judged.isMet = true
        judged.failures += 1
        if (judged.findings.length < MAXIMUM_FINDINGS) judged.findings.push(found)
      },
    }
  }

  #countVisits(): void {
    this.memory.add(OWN_BYTES)
    for (const key of this.#state.visits.keys()) this.memory.add(bytesOfVisit(key))
  }
}

function startReview(world: World): ReviewState {
  const nowMs = Date.parse(world.clock.now)
  return {
    requests: 0,
    changes: 0,
    startMs: nowMs,
    lastMs: nowMs,
    visits: new Map(),
    judged: CHECKS.map(({ start }) => ({ isMet: false, failures: 0, findings: [], own: start() })),
    ledger: { projects: new Map(), finished: new Map() },
  }
}

function toResult(check: AnyCheck, judged: Judged): CheckResult {
  const { id, category, severity, section, instead, pending } = check
  const open = pending?.(judged.own as never) ?? []
  const failures = judged.failures + open.length
  const kept = [...judged.findings, ...open].slice(0, MAXIMUM_FINDINGS)
  const findings = kept.map(({ requests, message }, index) => {
    const isLast = index === MAXIMUM_FINDINGS - 1 && failures > MAXIMUM_FINDINGS
    const more = isLast
      ? ` There were ${failures} of these in all; the first ${MAXIMUM_FINDINGS} are listed.`
      : ''
    return { requests: [...requests], message: message + more, instead }
  })
  const result = failures > 0 ? 'failed' : judged.isMet ? 'passed' : 'not-exercised'
  return { id, category, severity, section, result, findings }
}

function isUnderWay({ sent }: Visit, sequence: number): boolean {
  return sent === null || (sent !== undefined && sequence <= sent.after)
}

function copyVisit(from: Visit, to: Visit): Visit {
  to.sequence = from.sequence
  to.rateMs = from.rateMs
  to.worldMs = from.worldMs
  to.status = from.status
  to.isFailure = from.isFailure
  to.sent = from.sent
  to.retryAfterMs = from.retryAfterMs
  to.changes = from.changes
  to.bodyBytes = from.bodyBytes
  return to
}

function retryAfterMs(header: string | undefined): number | null {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) * 1000 : null
}

/** The caller and the URL, shortened where it is long. */
function toKey(caller: string, path: string, query: string, method: string): string {
  const key = `${caller} ${method}${path}?${query}`
  if (key.length <= MAXIMUM_KEY) return key
  return `${key.slice(0, MAXIMUM_KEY)} ${key.length} ${digestOfText(key)}`
}

function bytesOfVisit(key: string): number {
  return VISIT_BYTES + key.length
}
