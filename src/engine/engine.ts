import { API_PREFIX } from '../contract/conventions.ts'
import type { Policies, PolicyName, ReadPolicy } from '../contract/policies.ts'
import { MINUTE_MS, toDateTime } from '../contract/moments.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { OperationId } from '../contract/operations.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { RecordReader } from '../contract/records.ts'
import type { RateLimits, TokenRecord } from '../contract/token.ts'
import { ANSWERS } from './answers/index.ts'
import { hasAbility, missingTokenProblem, TokenFinder, tokenProblem } from './authenticator.ts'
import { BodyCache } from './body-cache.ts'
import type { Clock } from './clock.ts'
import { DerivedLists } from './derived-lists.ts'
import type { Exchange } from './exchange.ts'
import { explain } from './explanation.ts'
import type { Explanation } from './explanation.ts'
import { refuse } from './messages.ts'
import type { ApiRequest, ApiResponse, Outcome, Refusal } from './messages.ts'
import { PolicyTrail } from './policy-trail.ts'
import { knownParameters, refuseUnknownParameters } from './query.ts'
import { RateLimiter } from './rate-limiter.ts'
import type { TokenWindows, Verdict } from './rate-limiter.ts'
import { ResponseHeaders } from './response-headers.ts'
import { isJsonAccepted, JSON_TYPE, jsonContent, problemContent } from './responses.ts'
import type { Content } from './responses.ts'
import { route } from './router.ts'
import type { Route } from './router.ts'

/** How often the API refreshes its cache: `cache_refreshed_at` is the world clock floored to it (G-058). */
const REFRESH_INTERVAL_MS = MINUTE_MS

const CACHE_BYTES = 16 * 1024 * 1024

/** A world's records, which can also be kept as they are now while the world goes on. */
export interface LiveRecords extends RecordReader {
  snapshot: () => RecordReader
}

export interface EngineOptions {
  records: LiveRecords
  clock: Clock
  policies: Policies
  /** The limits of tokens that have none of their own. */
  rateLimits: RateLimits
  /** Called when the reports of a project were read, after the answer was made; gives whether they have moved by it. */
  onRead?: (project: number) => boolean
  /** What an engine before this one remembered, to go on from; this one starts afresh where omitted. */
  memory?: EngineMemory
}

/** What an engine remembers beside the records and the clocks. */
export interface EngineMemory {
  /** Where the world clock stood then, in epoch milliseconds. */
  worldMs: number
  windows: readonly TokenWindows[]
  /** Records that are still shown in place of those there are, until the next refresh (G-058). */
  published: RecordReader | undefined
}

/** What a request is about, and who sends it. */
export interface Visit {
  /** undefined for a path that no operation has. */
  route: Route | undefined
  /** undefined for a token that is unknown, or none. */
  token: TokenRecord | undefined
  /** The header that the token was told by; undefined where it was not sent. */
  authorization: string | undefined
  /** The policies by which it was told. */
  policies: readonly PolicyName[]
}

/** A request that may go on to the rate limit. */
interface Entry {
  route: Route
  token: TokenRecord
}

/** The API over one world: plain requests in, plain answers out. */
export class Engine {
  readonly #records: LiveRecords
  readonly #clock: Clock
  readonly #policies: Policies
  readonly #trail: PolicyTrail
  readonly #policy: ReadPolicy
  readonly #tokens: TokenFinder
  readonly #limiter: RateLimiter
  readonly #headers: ResponseHeaders
  readonly #bodies = new BodyCache(CACHE_BYTES)
  readonly #lists: DerivedLists
  readonly #onRead: (project: number) => boolean
  /** The refresh in which commands last changed the records, and what it shows in their place, if anything. */
  #published: { interval: number; records: RecordReader | undefined } | undefined

  constructor({ records, clock, policies, rateLimits, onRead, memory }: EngineOptions) {
    this.#records = records
    this.#onRead = onRead ?? (() => false)
    this.#clock = clock
    this.#policies = policies
    this.#trail = new PolicyTrail(policies)
    this.#policy = this.#trail.read
    this.#lists = new DerivedLists(this.#trail)
    this.#tokens = new TokenFinder(records, this.#policy)
    this.#limiter = new RateLimiter({
      nowMs: () => clock.rateMs(),
      defaults: rateLimits,
      policy: this.#policy,
    })
    this.#headers = new ResponseHeaders(this.#policy)
    if (memory) this.#resume(memory)
    else this.#spend()
  }

  /** What a request is about and who sends it: the beginning of its answer. */
  identify(request: ApiRequest): Visit {
    this.#trail.begin()
    const authorization = request.header('authorization')
    const token = this.#tokens.find(authorization)
    return { route: route(request.path), token, authorization, policies: this.#trail.asked }
  }

  /** Answers a request, in the order of G-011: route, method, token, rate limit, resource, parameters. */
  answer(request: ApiRequest, visit = this.identify(request)): ApiResponse {
    const entry = this.#enter(request, visit)
    if ('problem' in entry) return this.reject(request, visit, entry.problem)

    const verdict = this.#limiter.take(entry.token)
    const outcome = verdict.allowed
      ? this.#answerAdmitted(request, entry)
      : refuse('rate_limit_exceeded')
    if (!('problem' in outcome)) {
      if (this.#wasMovedBy(entry.route)) this.#bodies.clear()
      return this.#respond({ status: 200, content: outcome, visit, verdict })
    }

    const { problem } = outcome
    const content = problemContent(outcome, this.#acceptsJson(request), this.#policy)
    const { status } = PROBLEMS[problem]
    return this.#respond({ status, content, visit, verdict, problem })
  }

  /** Answers a request with a problem from before the rate limit: nothing is counted (G-021, G-022). */
  reject(request: ApiRequest, visit: Visit, problem: ProblemCode): ApiResponse {
    const isCounted = this.#policy('headers-before-admission') === 'sent'
    const verdict = isCounted ? this.#limiter.peek(visit.token) : undefined
    const content = problemContent({ problem }, this.#acceptsJson(request), this.#policy)
    const { status } = PROBLEMS[problem]
    return this.#respond({ status, content, visit, verdict, problem })
  }

  /** Why `latest` and `last-generated` answer as they do for a project; undefined where there is none. */
  explain(project: number): Explanation | undefined {
    const nowMs = this.#clock.worldMs()
    return explain({
      project,
      nowMs,
      refreshMs: (toInterval(nowMs) + 1) * REFRESH_INTERVAL_MS,
      // Not by the trail: it may be in the middle of another answer.
      policy: (name) => this.#policies[name],
      recordsAt: (ms) => this.#visibleRecords('getLatestReport', toInterval(ms)),
    })
  }

  /** What it remembers at that time of the world clock, for another engine to go on from. */
  memoryAt(worldMs: number): EngineMemory {
    const isShown = this.#published?.interval === toInterval(worldMs)
    return {
      worldMs,
      windows: this.#limiter.save(),
      published: isShown ? this.#published?.records : undefined,
    }
  }

  /** What is shown now in place of the records there are, to be gone back to. */
  saveShown(): () => void {
    const published = this.#published
    return () => {
      this.#published = published
    }
  }

  /** Shows what there is, as after a refresh; for a clock that is re-dated. */
  refresh(): void {
    this.#published = undefined
  }

  /** Keeps what is visible now until the next refresh, where policy has data go stale (G-058). */
  publish(): void {
    const interval = toInterval(this.#clock.worldMs())
    if (this.#published?.interval === interval) return
    this.#published = { interval, records: this.#goesStale ? this.#records.snapshot() : undefined }
  }

  get #goesStale(): boolean {
    return this.#policy('data-refresh') === 'stale'
  }

  #spend(): void {
    for (const token of this.#records.all('tokens')) {
      if (token.spent) this.#limiter.spend(token, token.spent)
    }
  }

  #resume({ worldMs, windows, published }: EngineMemory): void {
    this.#limiter.resume(windows)
    if (!published || !this.#goesStale) return
    this.#published = { interval: toInterval(worldMs), records: published }
  }

  /** The checks before the rate limit: route, method, token, status, address. */
  #enter(request: ApiRequest, { route: found, token }: Visit): Entry | Refusal {
    const policy = this.#policy
    if (!found) return refuse('route_not_found')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refuse(policy('other-methods') === '405' ? 'method_not_allowed' : 'route_not_found')
    }
    if (!token) return refuse(missingTokenProblem(this.#acceptsJson(request), policy))
    const problem = tokenProblem(token, found.operation, request.clientIp, policy)
    return problem ? refuse(problem) : { route: found, token }
  }

  #answerAdmitted(request: ApiRequest, entry: Entry): Content | Refusal {
    const { token } = entry
    const { operation, params } = entry.route
    if (!hasAbility(token, OPERATIONS[operation].path, this.#policy)) {
      return refuse('ability_missing')
    }
    const nowMs = this.#clock.worldMs()
    const interval = toInterval(nowMs)
    const records = this.#visibleRecords(operation, interval)
    const generation = { revision: records.revision, interval }
    const key = `${token.id} ${request.origin}${request.path}?${request.query}`
    const cached = this.#bodies.get(key, generation)
    if (cached) {
      this.#trail.add(cached.asked)
      return { type: JSON_TYPE, bytes: cached.bytes }
    }
    const exchange: Exchange = {
      params,
      query: new URLSearchParams(request.query),
      knownParameters: knownParameters(operation),
      path: `${API_PREFIX}${request.path.slice(API_PREFIX.length).replace(/\/$/, '')}`,
      origin: request.origin,
      token,
      records,
      nowMs,
      refreshedAt: toDateTime(interval * REFRESH_INTERVAL_MS),
      policy: this.#policy,
      derive: (name, compute) => this.#lists.get(name, records.revision, compute),
    }
    const { value: outcome, asked } = this.#trail.during(() => this.#ask(operation, exchange))
    if ('problem' in outcome) return outcome
    const content = jsonContent(outcome.body)
    this.#bodies.set(key, generation, { bytes: content.bytes, asked })
    return content
  }

  #ask(operation: OperationId, exchange: Exchange): Outcome {
    const outcome = ANSWERS[operation](exchange)
    if ('problem' in outcome) return outcome
    const unknown = refuseUnknownParameters(exchange)
    return unknown && this.#policy('unknown-parameters-elsewhere') === '400' ? unknown : outcome
  }

  /** Whether reports have moved by being read. */
  #wasMovedBy({ operation, params }: Route): boolean {
    return hasReports(operation) && this.#onRead(Number(params[0]))
  }

  #visibleRecords(operation: OperationId, interval: number): RecordReader {
    const isRefreshed = 'cache_refreshed_at' in OPERATIONS[operation].answer.shape
    if (!isRefreshed || this.#published?.interval !== interval) return this.#records
    // Asked only here: without a change, fresh data and stale data are the same.
    return (this.#goesStale && this.#published.records) || this.#records
  }

  #acceptsJson(request: ApiRequest): boolean {
    return isJsonAccepted(request.header('accept'))
  }

  #respond({ status, content, visit, verdict, problem }: Answered): ApiResponse {
    const { type, bytes } = content
    const rateMs = this.#clock.rateMs()
    return {
      status,
      headers: this.#headers.write({ type, verdict, problem, rateMs }),
      body: bytes,
      caller: visit.token?.name,
      problem,
      exhausted: verdict?.exhausted ?? NONE,
      policies: this.#trail.asked,
    }
  }
}

interface Answered {
  status: number
  content: Content
  visit: Visit
  /** How it stands against the limits of its token; undefined where headers do not tell. */
  verdict: Verdict | undefined
  problem?: ProblemCode
}

const NONE: readonly never[] = []

/** Whether an operation shows reports of the project that its path names. */
function hasReports(operation: OperationId): boolean {
  return OPERATIONS[operation].path.startsWith('/projects/{project}/reports')
}

/** The refresh that a time of the world clock falls in, counted from the epoch. */
function toInterval(worldMs: number): number {
  return Math.floor(worldMs / REFRESH_INTERVAL_MS)
}
