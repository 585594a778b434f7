import { API_PREFIX } from '../contract/url.ts'
import type { Policies, PolicyName, ReadPolicy } from '../contract/policies.ts'
import { toDateTime } from '../contract/time.ts'
import { ROUTES } from '../contract/routes.ts'
import type { OperationId } from '../contract/routes.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { ProjectRecord } from '../contract/project.ts'
import type { RecordReader } from '../contract/records.ts'
import type { TokenRecord } from '../contract/token.ts'
import { HANDLERS } from './handlers/index.ts'
import { identifyToken, hasAbility, missingTokenProblem, tokenProblem } from './authenticator.ts'
import { createCaches, DerivedLists } from './caches.ts'
import type { EngineCaches } from './caches.ts'
import type { Clocks, EngineOptions, SharedEngineParts, EngineState } from './engine-options.ts'
import { parseId, knownParameters, refuseUnknownParameters } from './parameters.ts'
import { hasReadMethod, refuse } from './messages.ts'
import type {
  OperationContext,
  ApiRequest,
  ApiResponse,
  OperationResult,
  Refusal,
  Shown,
} from './messages.ts'
import type { Explanation } from '../contract/explanation.ts'
import { explain } from './explain.ts'
import type { ExplanationInput } from './explain.ts'
import { PolicyUsage } from './policy-usage.ts'
import type { PolicyChanges } from './policy-usage.ts'
import { RateLimiter } from './rate-limiter.ts'
import type { Verdict } from './rate-limiter.ts'
import { ResponseHeaders } from './response-headers.ts'
import { isJsonAccepted, JSON_TYPE, jsonContent, problemContent } from './responses.ts'
import type { Content } from './responses.ts'
import { hasReports, route } from './router.ts'
import type { Route } from './router.ts'
import { createSubstring, findMatches } from './search.ts'
import { REFRESH_INTERVAL_MS, StaleView, toRefreshInterval } from './stale-view.ts'
import type { LiveRecords } from './stale-view.ts'

/** In characters. Bodies of requests with longer keys are not cached: such requests are rare, and not worth the memory. */
const MAXIMUM_KEY_LENGTH = 500

export interface RequestContext {
  /** Undefined if no operation has the requested path. */
  route: Route | undefined
  /** Undefined if the token is missing or unknown. */
  token: TokenRecord | undefined
  /** The Authorization header; undefined if it was not sent. */
  authorization: string | undefined
  /** Policies that the identification of the token depends on. */
  policies: readonly PolicyName[]
}

interface Entry {
  route: Route
  token: TokenRecord
}

/**
 * The API of one world: plain requests in, plain responses out. It is synchronous, so no other request is handled between the check
 * of a rate window and its count.
 */
export class Engine {
  readonly #options: EngineOptions
  readonly #records: LiveRecords
  readonly #clock: Clocks
  readonly #policies: Policies
  readonly #usage: PolicyUsage
  readonly #policy: ReadPolicy
  readonly #limiter: RateLimiter
  readonly #headers: ResponseHeaders
  readonly #caches: EngineCaches
  readonly #lists: DerivedLists
  readonly #onRead: (project: number) => boolean
  readonly staleView: StaleView

  constructor(options: EngineOptions, shared?: SharedEngineParts) {
    const { records, clock, policies, rateLimits, isCopied = false, onRead, state } = options
    this.#options = options
    this.#records = records
    this.#onRead = onRead ?? (() => false)
    this.#clock = clock
    this.#policies = policies
    this.#usage = new PolicyUsage(policies, shared?.changes)
    this.#policy = this.#usage.read
    this.#caches = shared?.caches ?? createCaches()
    this.#lists = new DerivedLists(this.#usage, this.#caches.lists)
    this.staleView =
      shared?.staleView ??
      new StaleView({
        records,
        worldMs: () => clock.worldMs(),
        policy: (name) => policies[name],
        triesPolicies: isCopied,
      })
    this.#limiter = new RateLimiter(() => clock.rateMs(), rateLimits, this.#policy)
    this.#headers = new ResponseHeaders(this.#policy)
    if (state) {
      this.#limiter.resume(state.windows)
      this.staleView.restore(state.worldMs, state.staleView)
    } else {
      for (const token of records.all('tokens')) {
        if (token.spent) this.#limiter.spend(token, token.spent)
      }
    }
  }

  /**
   * Returns a copy of this engine in its current state, with changed policies and, if `windows` is set, other rate windows.
   * Requests to the copy do not affect this engine. Copies that read the same records may share `caches`.
   */
  copyWith(changes: PolicyChanges, caches: EngineCaches, windows?: EngineState['windows']): Engine {
    const counted = { windows: windows ?? this.#limiter.save(), staleView: undefined }
    const state = { worldMs: this.#clock.worldMs(), ...counted }
    const options = { ...this.#options, state, onRead: () => false }
    return new Engine(options, { staleView: this.staleView, caches, changes })
  }

  /** Finds the route and the token of a request, without checking them. */
  identify(request: ApiRequest): RequestContext {
    this.#usage.begin()
    const authorization = request.header('authorization')
    const token = identifyToken(authorization, this.#records, this.#policy)
    return { route: route(request.path), token, authorization, policies: this.#usage.used }
  }

  /** Answers a request. The checks are in the order of G-011. */
  answer(request: ApiRequest, context = this.identify(request)): ApiResponse {
    const entry = this.#enter(request, context)
    if ('problem' in entry) return this.reject(request, context, entry.problem)

    const verdict = this.#limiter.take(entry.token)
    const result = verdict.allowed
      ? this.#answerAdmitted(request, entry)
      : refuse('rate_limit_exceeded')
    if (!('problem' in result)) {
      if (this.#notifyRead(entry.route)) this.#caches.bodies.clear()
      const { rule } = result
      return this.#toResponse({ status: 200, content: result, rule, context, verdict })
    }
    return this.#refuse(result, request, context, verdict)
  }

  /**
   * Returns the response for a problem that was found before the rate limit (G-021, G-022), or that a fault demands. Does not
   * count the request.
   */
  reject(request: ApiRequest, context: RequestContext, problem: ProblemCode): ApiResponse {
    const showsLimits = this.#policy('headers-before-admission') === 'sent'
    const verdict = showsLimits ? this.#limiter.peek(context.token) : undefined
    return this.#refuse({ problem }, request, context, verdict)
  }

  /** Explains the selections of `latest` and `last-generated` for a project at `atMs`; undefined for an unknown project. */
  explain(
    project: number,
    { atMs, changes }: Pick<ExplanationInput, 'atMs' | 'changes'>,
  ): Explanation | undefined {
    return explain({
      project,
      nowMs: this.#clock.worldMs(),
      atMs,
      refreshMs: (toRefreshInterval(atMs) + 1) * REFRESH_INTERVAL_MS,
      changes,
      // Reads policies without recording their use, because another response may be in progress.
      policy: (name) => this.#policies[name],
      recordsAt: (ms) => this.#visibleRecords('getLatestReport', toRefreshInterval(ms)),
    })
  }

  clearRateWindows(): void {
    this.#limiter.clear()
  }

  /** Returns the usage of a token's rate windows, without counting a request. */
  gaugesOf(token: TokenRecord): ReturnType<RateLimiter['gaugesOf']> {
    return this.#limiter.gaugesOf(token)
  }

  /**
   * Returns the projects whose name or domain contains `text`, ignoring case, by ascending id. No policy applies, because this is
   * not a response.
   */
  findProjects(text: string): readonly ProjectRecord[] {
    return findMatches(this.#records.all('projects'), createSubstring(text))
  }

  /** Returns the state, for another engine to continue from. `worldMs` is the world clock, in epoch milliseconds. */
  saveState(worldMs: number): EngineState {
    const staleView = this.staleView.save(worldMs)
    return { worldMs, windows: this.#limiter.save(), staleView }
  }

  /** Performs the checks before the rate limit: route, method, token, status of the token, IP address of the client. */
  #enter(request: ApiRequest, { route: found, token }: RequestContext): Entry | Refusal {
    const policy = this.#policy
    if (!found) return refuse('route_not_found')
    if (!hasReadMethod(request)) {
      return refuse(policy('other-methods') === '405' ? 'method_not_allowed' : 'route_not_found')
    }
    if (!token) return refuse(missingTokenProblem(this.#acceptsJson(request), policy))
    const problem = tokenProblem(token, found.operation, request.clientIp, policy)
    return problem ? refuse(problem) : { route: found, token }
  }

  #answerAdmitted(request: ApiRequest, entry: Entry): Content | Refusal {
    const { token } = entry
    const { operation, params } = entry.route
    if (!hasAbility(token, ROUTES[operation].path, this.#policy)) {
      return refuse('ability_missing')
    }
    const nowMs = this.#clock.worldMs()
    const interval = toRefreshInterval(nowMs)
    const records = this.#visibleRecords(operation, interval)
    const bodies = this.#caches.bodies.at(records.revision, interval)
    // The key includes the agency, because a token can move to another agency while stale records stay the same. It excludes the
    // origin, because clients choose it and could fill the cache with copies.
    const key = `${token.id} ${token.agency} ${request.path}?${request.query}`
    const cached = this.#usage.find(bodies, key)
    if (cached && (cached.origin === undefined || cached.origin === request.origin)) {
      return { type: JSON_TYPE, ...cached }
    }
    let origin: string | undefined
    const context: OperationContext = {
      params,
      query: new URLSearchParams(request.query),
      knownParameters: knownParameters(operation),
      path: `${API_PREFIX}${request.path.slice(API_PREFIX.length).replace(/\/$/, '')}`,
      origin: () => (origin = request.origin),
      token,
      records,
      nowMs,
      refreshedAt: toDateTime(interval * REFRESH_INTERVAL_MS),
      policy: this.#policy,
      derive: (name, compute) => this.#lists.get(name, records.revision, compute),
    }
    const { value: result, used } = this.#usage.during(() => this.#handle(operation, context))
    if ('problem' in result) return result
    const { rule, shown = NOTHING } = result
    const content = jsonContent(result.body)
    if (key.length <= MAXIMUM_KEY_LENGTH)
      this.#usage.keep(bodies, key, { bytes: content.bytes, used, origin, rule, shown })
    return { ...content, rule, shown }
  }

  #handle(operation: OperationId, context: OperationContext): OperationResult {
    const result = HANDLERS[operation](context)
    if ('problem' in result) return result
    const unknown = refuseUnknownParameters(context)
    return unknown && this.#policy('unknown-parameters-elsewhere') === '400' ? unknown : result
  }

  /** Notifies the world if the response shows reports. Returns true if this read has changed any of them. */
  #notifyRead({ operation, params }: Route): boolean {
    if (!hasReports(operation)) return false
    const project = parseId(params[0] ?? '', this.#policy)
    return typeof project === 'number' && this.#onRead(project)
  }

  #visibleRecords(operation: OperationId, interval: number): RecordReader {
    return ROUTES[operation].isRefreshed
      ? this.staleView.recordsIn(interval, this.#policy)
      : this.#records
  }

  #acceptsJson(request: ApiRequest): boolean {
    return isJsonAccepted(request.header('accept'))
  }

  #refuse(
    refusal: Refusal,
    request: ApiRequest,
    context: RequestContext,
    verdict: Verdict | undefined,
  ): ApiResponse {
    const { problem, rule } = refusal
    const content = problemContent(refusal, () => this.#acceptsJson(request), this.#policy)
    const { status } = PROBLEMS[problem]
    return this.#toResponse({ status, content, rule, context, verdict, problem })
  }

  #toResponse({ status, content, context, verdict, problem, rule }: ResponseParts): ApiResponse {
    const { type, bytes, shown } = content
    const rateMs = this.#clock.rateMs()
    const { headers, waitSeconds } = this.#headers.write({ type, verdict, problem, rateMs })
    return {
      status,
      headers,
      body: bytes,
      caller: context.token?.name,
      problem,
      rule,
      shown,
      waitSeconds,
      exhausted: verdict?.exhausted ?? NONE,
      policies: this.#usage.used,
    }
  }
}

interface ResponseParts {
  status: number
  content: Content
  context: RequestContext
  verdict: Verdict | undefined
  problem?: ProblemCode
  rule: string | undefined
}

const NONE: readonly never[] = []
const NOTHING: Shown = {}
