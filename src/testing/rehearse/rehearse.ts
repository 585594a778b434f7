import { describe } from '../../contract/describe.ts'
import { listChanged } from '../../contract/list-gaps.ts'
import { DAY_MS, toDateTime } from '../../contract/moments.ts'
import { VERSION } from '../../contract/version.ts'
import type { RecordedRequest } from '../../journal/recorded-request.ts'
import { Deliveries } from '../../rehearsal/deliveries.ts'
import type { EndedRun } from '../../rehearsal/ended-run.ts'
import { judgeRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import type { JudgedRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import { listLosses } from '../../rehearsal/losses.ts'
import type { RehearsalPlan } from '../../rehearsal/plan.ts'
import { explainUnmet, noteRequested } from '../../rehearsal/storm.ts'
import { isRead } from '../../review/reading.ts'
import { countFailures } from '../../review/record-review.ts'
import type { Plan } from '../../review/rehearsal.ts'
import type { ClockState } from '../../journal/clock-state.ts'
import { OptionError } from '../../world/option-error.ts'
import { drive } from './drive.ts'
import { readOptions } from './options.ts'
import type { KeptRun, RehearsedClient, RehearseOptions } from './options.ts'
import { RehearsalError } from './rehearsal-error.ts'
import { hasNoResponse, messageOf, runClient } from './run-client.ts'
import { onStage } from './stage.ts'
import type { Stage } from './stage.ts'

/** What a rehearsal returns: a review of all runs, what each was, and where to begin again. */
export type RehearsalReport = JudgedRehearsal & {
  /** For `from`: the first runs in which something was found, with the client's state before each. */
  kept: KeptRun[]
}

const MOST_KEPT = 20
/** For how many runs that may turn out to have a finding the state is remembered. */
const MOST_REMEMBERED = 100

/** The machine's clock, taken at import. */
const realNow = Date.now

/**
 * Runs a client once a day for a year, or as often as `every` and `for` say, in a world whose reports come and change meanwhile
 * and an API that fails at times, and judges it. The time of this process is the rehearsal's until it is over: a pause of the
 * client takes none.
 *
 * @throws OptionError for an option that is wrong; RehearsalError where another rehearsal is running, timers are faked
 *   already, no token can be used, the client does something for 5 s that is neither a request nor a timer, or it sends
 *   requests for ever.
 */
export async function rehearse(
  client: RehearsedClient,
  options: RehearseOptions = {},
): Promise<RehearsalReport> {
  if (typeof client !== 'function')
    throw new OptionError(
      `client: ${describe(client)} is not a function. Give an async function that is one run, such as sync.run.`,
    )
  return onStage(await readOptions(options), (stage) => new Rehearsal(stage, client).run())
}

/**
 * What a rehearsal with these options would put a client through.
 *
 * @throws OptionError and RehearsalError as `rehearse` does.
 */
export async function plan(options: RehearseOptions = {}): Promise<Plan> {
  return onStage(await readOptions(options), async (stage) => stage.plan.shown)
}

/** The runs of a client, one after the other. */
class Rehearsal {
  readonly #stage: Stage
  readonly #client: RehearsedClient
  /** What was sent since the last run ended. */
  #sent: RecordedRequest[] = []
  readonly #runs: EndedRun[] = []
  /** The client's state before runs in which something may be found. */
  readonly #remembered: KeptRun[] = []
  #failures: ReadonlyMap<string, number> = new Map()

  constructor(stage: Stage, client: RehearsedClient) {
    this.#stage = stage
    this.#client = client
  }

  async run(): Promise<RehearsalReport> {
    const { sandbox, plan: planned, read, token } = this.#stage
    const { world } = sandbox
    const first = read.from.run - 1
    if (first >= planned.steps.length)
      throw new OptionError(
        `from: There is no run ${read.from.run}. The last one is ${planned.steps.length}.`,
      )
    const requested = noteRequested(world)
    const unsubscribe = world.subscribe({
      keepsRequests: true,
      onRequest: (recorded) => {
        const { method, fromConsole } = recorded.sender
        if (method !== 'OPTIONS' && !fromConsole) this.#sent.push(recorded)
        this.#stage.clock.rest()
      },
    })
    try {
      await this.#catchUp(first)
      const deliveries = new Deliveries({
        records: world.records,
        agency: token.agency,
        // What was completed since the run before is new to the client.
        startMs: planned.steps[Math.max(0, first - 1)]!.atMs,
        includesEarlier: first === 0,
      })
      const began = sandbox.clock.read()
      this.#failures = countFailures(world)
      const last = Math.min(read.until, planned.steps.length)
      for (let index = first; index < last; index += 1) await this.#runOnce(index, deliveries)
      const judged = judgeRehearsal({
        plan: planned,
        runs: this.#runs,
        // Its ledger is replaced by the deliveries.
        review: sandbox.review({ projects: [] }),
        deliveries,
        require: read.require,
        waive: read.waive,
        records: world.records,
        agency: token.agency ?? undefined,
        redact: (text) => world.journal.redact(text),
        explainUnmet: (id) => explainUnmet(id, requested),
        context: this.#describe(began),
      })
      return { ...judged, kept: this.#keptOf(judged) }
    } finally {
      requested.stop()
      unsubscribe()
    }
  }

  /** Brings the world to where it is before a run, as nothing that a client reads changes it. */
  async #catchUp(first: number): Promise<void> {
    const { plan: planned, read } = this.#stage
    for (const step of planned.steps.slice(0, first)) {
      if (step.commands.length > 0) await this.#enter(step)
    }
    if (first === 0) return
    await this.#stage.sandbox.faults.set([])
    await this.#moveTo(planned.steps[first]!)
    const { state } = read.from
    if (state !== undefined) await this.#drive(() => read.state?.load(state as never))
  }

  async #runOnce(index: number, deliveries: Deliveries): Promise<void> {
    const { sandbox, plan: planned, read } = this.#stage
    const step = planned.steps[index]!
    const after = sandbox.world.journal.sequence
    let state: unknown
    if (read.state) await this.#drive(async () => (state = await read.state?.save()))
    await this.#enter(step)
    deliveries.beginRun(index, Date.parse(sandbox.clock.read().now))
    const sent = this.#sent
    const outcome = await runClient(this.#client, {
      stage: this.#stage,
      number: index + 1,
      sent,
    })
    this.#sent = []
    await sandbox.faults.set([])
    for (const recorded of sent) deliveries.read(recorded)
    deliveries.advanceTo(Date.parse(sandbox.clock.read().now))
    const hasMissed = deliveries.endRun(index, step)
    const message =
      outcome.message === undefined ? undefined : sandbox.world.journal.redact(outcome.message)
    const losses = listLosses(sent)
    const found = this.#countNew()
    this.#runs.push({
      ...outcome,
      index,
      message,
      requests: sent.length,
      after,
      losses,
      hasWaited: sent.some(hasNoResponse),
      read: new Set(sent.filter(isRead).map(({ target }) => target.path)),
      found,
    })
    const mayBeFound =
      hasMissed || found.length > 0 || losses.length > 0 || outcome.ended !== 'done'
    if (mayBeFound && this.#remembered.length < MOST_REMEMBERED)
      this.#remembered.push({ run: index + 1, ...(read.state && { state }) })
  }

  /** Moves all clocks to a run, and does what is to be done before it. */
  async #enter(step: RehearsalPlan['steps'][number]): Promise<void> {
    const { sandbox } = this.#stage
    await this.#moveTo(step)
    for (const command of step.commands) await sandbox.command(command)
    await sandbox.faults.set(step.faults)
  }

  async #moveTo({ atMs, isRunning }: RehearsalPlan['steps'][number]): Promise<void> {
    const { clock, sandbox } = this.#stage
    try {
      clock.jumpTo(atMs)
    } catch (error) {
      this.#blameLast(error)
    }
    // A run may have taken until after the next one should have begun.
    const now = toDateTime(Math.max(atMs, clock.nowMs))
    await sandbox.world.moveClock([
      { type: 'clock.set', now },
      { type: 'clock.freeze', frozen: !isRunning },
    ])
  }

  /** An error from a timer that a run left behind would have ended its process: the run before is taken for it. */
  #blameLast(error: unknown): void {
    const last = this.#runs.pop()
    if (!last) throw error
    const message = last.message ?? this.#stage.sandbox.world.journal.redact(messageOf(error))
    this.#runs.push({ ...last, ended: last.ended === 'done' ? 'failed' : last.ended, message })
  }

  /** Does work of the client beside its runs, which may wait as they do. @throws what it throws */
  async #drive(work: () => unknown): Promise<void> {
    const { clock, requests } = this.#stage
    let failure: { error: unknown } | undefined
    const { ending, thrown } = await drive(
      async () => {
        try {
          await work()
        } catch (error) {
          failure = { error }
        }
      },
      {
        clock,
        requests,
        untilMs: clock.nowMs + DAY_MS,
        countSent: () => this.#sent.length,
        mostSent: Infinity,
        since: 'its state was saved or loaded',
      },
    )
    if (failure) throw failure.error
    if (ending === 'crashed') this.#blameLast(thrown)
    else if (ending !== 'settled')
      throw new RehearsalError(
        'stalled',
        'Saving or loading the state of your client did not end. See what its state waits for.',
      )
  }

  /** The checks that have found something since the last run. */
  #countNew(): string[] {
    const before = this.#failures
    this.#failures = countFailures(this.#stage.sandbox.world)
    return [...this.#failures].flatMap(([id, count]) => (count > (before.get(id) ?? 0) ? [id] : []))
  }

  #keptOf({ runs }: JudgedRehearsal): KeptRun[] {
    const wrong = new Set(
      runs.flatMap(({ number, findings }) => (findings.length > 0 ? [number] : [])),
    )
    return this.#remembered.filter(({ run }) => wrong.has(run)).slice(0, MOST_KEPT)
  }

  #describe(began: ClockState): JudgedRehearsal['context'] {
    const { clock, world } = this.#stage.sandbox
    const { now, rate_clock } = clock.read()
    return {
      command: this.#client.name || null,
      exit: null,
      version: VERSION,
      date: toDateTime(realNow()),
      world: { seed: world.options.settings.seed },
      policies: listChanged(world.policies),
      clocks: {
        world: { from: began.now, to: now },
        rate: { from: began.rate_clock, to: rate_clock },
      },
    }
  }
}
