import { toRateLimits } from '../../contract/limits.ts'
import { describe } from '../../contract/text.ts'
import { DAY_MS, toDateTime } from '../../contract/time.ts'
import type { RecordedRequest } from '../../journal/recorded-request.ts'
import type { EndedRun, RunEnd } from '../../rehearsal/ended-run.ts'
import type { JudgedRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import type { RehearsalStep } from '../../rehearsal/rehearsal-plan.ts'
import { beginStep, runRehearsal } from '../../rehearsal/run-rehearsal.ts'
import type { Driver, LateError } from '../../rehearsal/run-rehearsal.ts'
import type { Plan } from '../../review/review.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { readOptions, RehearsalError } from './client-options.ts'
import type { KeptRun, RehearsedClient, RehearseOptions } from './client-options.ts'
import { drive } from './drive.ts'
import { runClient } from './run-client.ts'
import { onStage } from './stage.ts'
import type { ClientStage } from './stage.ts'

/** The result of a rehearsal: a review of all runs, the result of each run, and the runs from which to repeat it. */
export type RehearsalReport = JudgedRehearsal & {
  /** Values for `from`: the first runs with findings, at most 20, each with the client's state before it. */
  kept: KeptRun[]
}

const MOST_KEPT = 20
/** Maximum number of runs to remember because they may have findings. */
const MOST_REMEMBERED = 100

/** Saved at import, because a rehearsal replaces the clock. */
const realNow = Date.now

/**
 * Runs a client many times, a day apart unless `every` is set, and judges the client. In the client's world, reports appear and
 * change, and the API fails at times. During the rehearsal, the clock and timers of this process are simulated, so that pauses of
 * the client take no time.
 *
 * @throws OptionError for an invalid option, or if the client resets its world or moves its clocks; RehearsalError if another
 * rehearsal is running, timers are already faked, no token is usable, the client waits for 5 s of real time, or it never stops
 * sending requests; an error of `save` or `load`; the reason of an aborted `signal`.
 */
export async function rehearse(
  client: RehearsedClient,
  options: RehearseOptions = {},
): Promise<RehearsalReport> {
  if (typeof client !== 'function')
    throw new OptionError(
      `client: ${describe(client)} is not a function. Pass an async function that performs one run, such as sync.run.`,
    )
  return onStage(await readOptions(options), (stage) => run(stage, client))
}

/**
 * Returns the plan of a rehearsal with these options.
 *
 * @throws OptionError and RehearsalError as `rehearse` does.
 */
export async function plan(options: RehearseOptions = {}): Promise<Plan> {
  return onStage(await readOptions(options), async (stage) => stage.plan.shown)
}

async function run(stage: ClientStage, client: RehearsedClient): Promise<RehearsalReport> {
  const { sandbox, plan: planned, options, token } = stage
  const { world } = sandbox
  const first = options.from.run - 1
  const { length } = planned.steps
  if (first >= length)
    throw new OptionError(`from: There is no run ${options.from.run}. The last one is ${length}.`)
  const driver = new InProcessDriver(stage, client)
  await driver.catchUp(first)
  const judged = await runRehearsal({
    world,
    plan: planned,
    token,
    first,
    end: Math.min(options.until, length),
    driver,
    expect: options.expect,
    requiredAfter: () => options.require,
    waive: options.waive,
    about: {
      command: client.name || null,
      exit: null,
      world: { seed: world.options.settings.seed },
    },
    limits: toRateLimits(token.rate_limit, world.options.settings.rateLimit),
    realNow,
  })
  return { ...judged, kept: driver.keptOf(judged) }
}

class InProcessDriver implements Driver {
  readonly #stage: ClientStage
  readonly #client: RehearsedClient
  #sent = 0
  #state: unknown
  readonly #remembered: KeptRun[] = []
  /** The client's state when the last run was killed; undefined if that run was not killed. */
  #killed: { state: unknown } | undefined

  constructor(stage: ClientStage, client: RehearsedClient) {
    this.#stage = stage
    this.#client = client
  }

  /**
   * Restores the world, and the client's state if `from` has one, to the start of a run. Skips the earlier runs, because clients
   * change nothing in the world.
   */
  async catchUp(first: number): Promise<void> {
    const { plan: planned, options, sandbox } = this.#stage
    for (const step of planned.steps.slice(0, first)) {
      if (step.commands.length > 0) await beginStep(step, { world: sandbox.world, driver: this })
    }
    if (first === 0) return
    await sandbox.faults.set([])
    await this.moveTo(planned.steps[first]!)
    const { state } = options.from
    if (state === undefined) return
    const late = await this.#drive(() => options.state?.load(state as never))
    if (late) throw late.error
  }

  isStopped(): boolean {
    return false
  }

  onRequest(): void {
    this.#sent += 1
    this.#stage.clock.noteActivity()
  }

  async saveState(): Promise<LateError | undefined> {
    const { state } = this.#stage.options
    if (!state) return undefined
    return this.#drive(async () => {
      // Simulates the process that replaces a killed one, which starts from the saved state.
      if (this.#killed) await state.load(this.#killed.state as never)
      this.#killed = undefined
      this.#state = await state.save()
    })
  }

  async moveTo({ atMs, isRunning }: RehearsalStep): Promise<LateError | undefined> {
    const { clock, sandbox } = this.#stage
    let late: LateError | undefined
    try {
      clock.jumpTo(atMs)
    } catch (error) {
      late = { error }
    }
    // The previous run may have ended after the planned start of this one.
    const now = toDateTime(Math.max(atMs, clock.nowMs))
    await sandbox.world.moveClock([
      { type: 'clock.set', now },
      { type: 'clock.freeze', frozen: !isRunning },
    ])
    return late
  }

  run(
    { isKilled }: RehearsalStep,
    { number, sentRequests }: { number: number; sentRequests: readonly RecordedRequest[] },
  ): Promise<RunEnd> {
    const stage = this.#stage
    const onKill = async () => {
      const { state } = stage.options
      await this.#drive(async () => (this.#killed = { state: await state?.save() }))
    }
    return runClient(this.#client, { stage, number, sentRequests, isKilled, onKill })
  }

  onRun({ index }: EndedRun, mayHaveFindings: boolean): void {
    const hasState = this.#stage.options.state !== undefined
    if (mayHaveFindings && this.#remembered.length < MOST_REMEMBERED)
      this.#remembered.push({ run: index + 1, ...(hasState && { state: this.#state }) })
  }

  keptOf({ runs }: JudgedRehearsal): KeptRun[] {
    const wrong = new Set(
      runs.flatMap(({ number, findings }) => (findings.length > 0 ? [number] : [])),
    )
    return this.#remembered.filter(({ run: number }) => wrong.has(number)).slice(0, MOST_KEPT)
  }

  /**
   * Performs work of the client outside its runs: saving or loading its state. Like a run, such work may wait for
   * requests and timers. Returns the error that a timer threw; undefined if none did.
   *
   * @throws the error of the work; RehearsalError if the work does not end; the reason of an aborted signal
   */
  async #drive(work: () => unknown): Promise<LateError | undefined> {
    const { clock, requests, options } = this.#stage
    const { ending, thrown, failure } = await drive(work, {
      clock,
      requests,
      untilMs: clock.nowMs + DAY_MS,
      countSent: () => this.#sent,
      maximumSent: Infinity,
      workStart: 'its state was saved or loaded',
      signal: options.signal,
    })
    if (failure) throw failure.error
    if (ending === 'crashed') return { error: thrown }
    if (ending !== 'settled')
      throw new RehearsalError(
        'stalled',
        'Saving or loading the state of your client did not end. Find out what it waits for.',
      )
    return undefined
  }
}
