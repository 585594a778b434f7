import type { RateLimits } from '../contract/limits.ts'
import { listChanged } from '../contract/policies.ts'
import { describe } from '../contract/text.ts'
import { toDateTime } from '../contract/time.ts'
import type { TokenRecord, WindowLimit } from '../contract/token.ts'
import { VERSION } from '../contract/version.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { clocksBetween } from '../review/judge.ts'
import type { Demands, RunContext } from '../review/judge.ts'
import { countFailures, reviewOf } from '../review/record-review.ts'
import type { Budget, ExpectedReports, Expected, Plan } from '../review/review.ts'
import { isOfClient, isRead, pageSizeOf, pageUrlOf, statusOf } from '../review/reviewed-request.ts'
import type { CommandDefinition } from '../world/commands/command.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { World } from '../world/world.ts'
import { hasNoResponse, listFailedReads } from './ended-run.ts'
import type { EndedRun, RunEnd } from './ended-run.ts'
import { judgeRehearsal } from './judge-rehearsal.ts'
import type { JudgedRehearsal } from './judge-rehearsal.ts'
import type { RehearsalPlan, RehearsalStep } from './rehearsal-plan.ts'
import { Deliveries } from './report-deliveries.ts'
import { explainUnmet, noteRequested } from './storm.ts'
import type { Requested } from './storm.ts'

/** An error thrown by work that an earlier run left unfinished. */
export interface LateError {
  error: unknown
}

export interface Driver {
  /**
   * Moves the world clock, and the client's own clock if it has one, to the start of a run. Returns the error of work
   * that an earlier run left unfinished; undefined if there is none.
   */
  moveTo: (step: RehearsalStep) => Promise<LateError | undefined>
  /** Saves the state from which a run can be repeated. Returns an error as `moveTo` does. */
  saveState?: (number: number) => Promise<LateError | undefined>
  /** Performs one run of the client. `sentRequests` grows while the client sends requests. */
  run: (
    step: RehearsalStep,
    run: { number: number; sentRequests: readonly RecordedRequest[] },
  ) => Promise<RunEnd>
  /** Called after a run. Unless `mayHaveFindings`, the state saved before the run is no longer needed. */
  onRun: (run: EndedRun, mayHaveFindings: boolean) => Promise<void> | void
  isStopped: () => boolean
  onRequest?: (recorded: RecordedRequest) => void
}

interface RehearsalOptions extends Pick<Demands, 'waive'> {
  world: World
  plan: RehearsalPlan
  token: TokenRecord
  /** Index of the first run to perform. */
  first: number
  /** Exclusive end of the indexes of the runs to perform. */
  end: number
  driver: Driver
  /** The reports that the client must fetch; undefined if its first run decides. */
  expect: ExpectedReports | undefined
  /** Returns the requirements for a rehearsal of this many runs: fewer than planned if it was stopped early. */
  requiredAfter: (runs: number) => readonly string[]
  about: Pick<RunContext, 'command' | 'exit' | 'world'>
  limits: RateLimits
  /** Returns the time by the machine's clock, in epoch milliseconds. */
  realNow: () => number
}

/**
 * Runs a client through the planned runs from `first` up to, but not including, `end`, and judges the client. The world
 * must have the state before the run `first`.
 *
 * @throws OptionError if the client reset its world or moved its clocks; the error of a {@link LateError} if no run has ended yet;
 * the errors of planned commands and of the driver
 */
export async function runRehearsal(options: RehearsalOptions): Promise<JudgedRehearsal> {
  const { world, driver } = options
  const requested = noteRequested(world)
  const rehearsal = new Rehearsal(options)
  const unsubscribe = world.subscribe({
    keepsRequests: true,
    onRequest: (recorded) => {
      if (isOfClient(recorded)) rehearsal.sentRequests.push(recorded)
      driver.onRequest?.(recorded)
    },
    onCommand: ({ definition }) => rehearsal.onCommand(definition),
  })
  try {
    return await rehearsal.run(requested)
  } finally {
    requested.stop()
    unsubscribe()
  }
}

/**
 * Moves the clocks to the start of a run, and applies the run's commands and faults. Returns the error of work that an
 * earlier run left unfinished; undefined if there is none.
 */
export async function beginStep(
  step: RehearsalStep,
  { world, driver }: Pick<RehearsalOptions, 'world' | 'driver'>,
): Promise<LateError | undefined> {
  const late = await driver.moveTo(step)
  for (const command of step.commands) await world.command(command)
  await setFaults(world, step.faults)
  return late
}

/** Replaces all armed faults with those of a run, but keeps the latency in the options of the world. */
async function setFaults(world: World, faults: RehearsalStep['faults']): Promise<void> {
  const { latency } = world.options.settings
  await world.command({ type: 'fault.set', faults: [...(latency ? [latency] : []), ...faults] })
}

function hasMet({ kind }: RehearsalStep, requests: readonly RecordedRequest[]): boolean {
  // A delay alone is no disturbance.
  const isMet = kind?.isMet ?? (({ head }) => head.faults.length > (head.delays?.length ?? 0))
  return requests.some(isMet)
}

const NOT_MET = 'No request of the client met it.'

/** True if the client saw completed reports in a list or in `latest`, but requested no content. */
function hasSkippedCompleted(requests: readonly RecordedRequest[]): boolean {
  const hasSeen = requests.some((request) => {
    const { target, shown } = request
    const isLook = target.operation === 'listReports' || target.operation === 'getLatestReport'
    return isLook && isRead(request) && shown?.reports?.some(({ status }) => status === 'completed')
  })
  return hasSeen && requests.every(({ target }) => target.operation !== 'getReportContent')
}

const REPORT_OPERATIONS = [
  'listReports',
  'getLatestReport',
  'getLastGeneratedReport',
  'getReportContent',
] as const

class Rehearsal {
  /** Requests of the client since the end of the previous run. */
  sentRequests: RecordedRequest[] = []
  /** True while the client runs: commands then come from the client. */
  #isRunning = false
  /** Phrase for the client's command that invalidated the plan; undefined if there was none. */
  #forbiddenCommand: string | undefined
  readonly #options: RehearsalOptions
  readonly #runs: EndedRun[] = []
  #failures: ReadonlyMap<string, number> = new Map()
  readonly #metKinds = new Set<string>()
  #expected: Expected = { what: 'all', by: 'option', known: 0 }

  constructor(options: RehearsalOptions) {
    this.#options = options
  }

  onCommand({ type, startsSession, movesTime }: CommandDefinition): void {
    if (!this.#isRunning) return
    if (startsSession) this.#forbiddenCommand = `started the world again (${type})`
    else if (movesTime) this.#forbiddenCommand ??= `moved the clocks of the world (${type})`
  }

  async run(requested: Requested): Promise<JudgedRehearsal> {
    const { world, plan, token, first, end, driver, requiredAfter, waive } = this.#options
    const { expect, about, limits, realNow } = this.#options
    const deliveries = new Deliveries({
      records: world.records,
      agency: token.agency,
      // In a rehearsal that begins with a later run, reports completed since the start of the previous run are new to
      // the client.
      startMs: plan.steps[Math.max(0, first - 1)]!.atMs,
      includesEarlier: first === 0 && expect !== 'new',
    })
    this.#expected = {
      what: first === 0 ? (expect ?? 'all') : 'new',
      by: first === 0 && expect === undefined ? 'first-run' : 'option',
      known: deliveries.known,
    }
    const began = world.clock
    this.#failures = countFailures(world)
    for (let index = first; index < end && !driver.isStopped(); index += 1)
      await this.#runOnce(index, deliveries)
    const ended = world.clock
    const ran = this.#runs.length
    const required = requiredAfter(ran)
    const judged = judgeRehearsal({
      plan,
      runs: this.#runs,
      // The ledger comes from `deliveries`, so the review needs no projects.
      review: reviewOf(world, { projects: [] }),
      deliveries,
      expect: this.#expected,
      notRehearsed: [...plan.shown.lacks, ...this.#listUnmet()],
      require: required,
      waive,
      records: world.records,
      agency: token.agency ?? undefined,
      redact: (text) => world.journal.redact(text),
      wantsReports:
        REPORT_OPERATIONS.some((id) => requested.endpoints.has(id)) ||
        (requested.endpoints.size > 0 && required.some((what) => what.startsWith('delivered'))),
      explainUnmet: (id) => explainUnmet(id, requested),
      context: {
        command: about.command,
        exit: about.exit,
        version: VERSION,
        date: toDateTime(realNow()),
        world: about.world,
        policies: listChanged(world.policies),
        clocks: clocksBetween(began, ended),
      },
    })
    if (ran === end - first) {
      const budget = judged.verdict === 'passed' ? planBudget(this.#runs, limits) : undefined
      return { ...judged, ...(budget && { budget }) }
    }
    const verdict = judged.verdict === 'passed' ? 'failed' : judged.verdict
    const notice = `It was stopped after ${ran} of ${end - first} runs.`
    return { ...judged, verdict, notice, stopped: true }
  }

  async #runOnce(index: number, deliveries: Deliveries): Promise<void> {
    const { world, plan, token, driver } = this.#options
    const step = plan.steps[index]!
    const number = index + 1
    const afterSequence = world.journal.sequence
    this.#failLastRun(await driver.saveState?.(number))
    this.#failLastRun(await beginStep(step, this.#options))
    deliveries.beginRun(index, Date.parse(world.clock.now))
    const { sentRequests } = this
    this.#isRunning = true
    const end = await driver.run(step, { number, sentRequests })
    this.#isRunning = false
    this.sentRequests = []
    if (this.#forbiddenCommand !== undefined)
      throw new OptionError(
        `Run ${number} has ${this.#forbiddenCommand}, so that the plan no longer holds. In a rehearsal, your client must not change the world through the control API.`,
      )
    await setFaults(world, [])
    for (const recorded of sentRequests) deliveries.read(recorded)
    deliveries.advanceTo(Date.parse(world.clock.now))
    if (
      index === 0 &&
      this.#expected.by === 'first-run' &&
      end.ended === 'done' &&
      hasSkippedCompleted(sentRequests)
    ) {
      deliveries.forgetEarlier()
      this.#expected.what = 'new'
    }
    const hasMissed = deliveries.endRun(index, step, end.ended === 'done')
    if (step.kind && hasMet(step, sentRequests)) this.#metKinds.add(step.kind.id)
    const message = end.message === undefined ? undefined : world.journal.redact(end.message)
    const failedReads = listFailedReads(sentRequests, end)
    const found = this.#listNewFailures()
    const lists = sentRequests.filter(({ target }) => target.operation === 'listProjects')
    const pageSize = Math.min(...lists.map(({ query }) => pageSizeOf(query)))
    const projects = world.records.projectsOf({
      agency: token.agency ?? undefined,
      status: undefined,
    })
    const run: EndedRun = {
      ...end,
      index,
      message,
      requests: sentRequests.length,
      afterSequence,
      failedReads,
      hasUnansweredRequest: sentRequests.some(hasNoResponse),
      statuses: new Set(sentRequests.map(statusOf)),
      requestedPaths: new Set(sentRequests.map(({ target }) => target.path)),
      hasTurnedPage: lists.some(({ query }) => pageUrlOf(query).page > 1),
      pastPage: projects.slice(pageSize).map(({ id }) => id),
      readPaths: new Set(sentRequests.filter(isRead).map(({ target }) => target.path)),
      found,
      projects: projects.length,
    }
    this.#runs.push(run)
    const mayHaveFindings =
      hasMissed || found.length > 0 || failedReads.length > 0 || end.ended !== 'done'
    await driver.onRun(run, mayHaveFindings)
  }

  #listUnmet(): Plan['lacks'] {
    const planned = this.#runs.flatMap(({ index }) => this.#options.plan.steps[index]!.kind ?? [])
    const unmet = planned
      .filter(({ id }) => !this.#metKinds.has(id))
      .map(({ nounPhrase }) => nounPhrase)
    return [...new Set(unmet)].map((event) => ({ event, reason: NOT_MET }))
  }

  /**
   * Marks the previous run as failed if work that it left unfinished threw an error. In production, such an error would
   * have ended the process.
   *
   * @throws the error if no run has ended yet
   */
  #failLastRun(late: LateError | undefined): void {
    if (!late) return
    const last = this.#runs.pop()
    if (!last) throw late.error
    const message = last.message ?? this.#options.world.journal.redact(errorMessageOf(late.error))
    this.#runs.push({ ...last, ended: last.ended === 'done' ? 'failed' : last.ended, message })
  }

  #listNewFailures(): string[] {
    const before = this.#failures
    this.#failures = countFailures(this.#options.world)
    return [...this.#failures].flatMap(([id, count]) => (count > (before.get(id) ?? 0) ? [id] : []))
  }
}

const MINIMUM_REQUEST_LIMIT = 20_000
/** More requests than it takes to fetch the contents of all reports of a project. */
const REQUESTS_PER_PROJECT = 100

/** Returns the maximum number of requests in a run. A driver gives up a run that exceeds it. */
export function maximumRequestsOf({ records }: Pick<World, 'records'>): number {
  return Math.max(MINIMUM_REQUEST_LIMIT, REQUESTS_PER_PROJECT * records.all('projects').length)
}

export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : `It threw ${describe(error)}.`
}

type RunSize = Pick<EndedRun, 'requests' | 'projects'>

/**
 * Estimates the number of projects that fit into the rate limits, in proportion to the run with the most requests.
 * Undefined if neither limit applies to that run, or if the runs do not show the requests per project: all sent equally
 * many, or that run had at most one project, or fewer requests than projects.
 */
export function planBudget(runs: readonly RunSize[], limits: RateLimits): Budget | undefined {
  const [most] = runs.toSorted((one, other) => other.requests - one.requests)
  if (!most || runs.every(({ requests }) => requests === most.requests)) return undefined
  const { requests, projects } = most
  if (projects <= 1 || requests < projects) return undefined
  const fitsOf = (limit: WindowLimit) =>
    limit === 'unlimited' ? null : Math.floor((limit * projects) / requests)
  const { per_minute: perMinute, per_hour: perHour } = limits
  // A run with more requests than the limit per minute waits for further minutes anyway, so this limit does not bound
  // its number of projects.
  const isOfAMinute = perMinute !== 'unlimited' && requests <= perMinute
  const fits = { per_hour: fitsOf(perHour), per_minute: isOfAMinute ? fitsOf(perMinute) : null }
  if (fits.per_hour === null && fits.per_minute === null) return undefined
  return { requests, projects, limits, fits }
}
