import { listChanged } from '../../contract/list-gaps.ts'
import { describe } from '../../contract/describe.ts'
import { DAY_MS, dayOfMonth, HOUR_MS, toDateTime } from '../../contract/moments.ts'
import type { TokenRecord } from '../../contract/token.ts'
import { VERSION } from '../../contract/version.ts'
import type { RecordedRequest } from '../../journal/recorded-request.ts'
import { Deliveries } from '../../rehearsal/deliveries.ts'
import type { EndedRun } from '../../rehearsal/ended-run.ts'
import { judgeRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import type { RehearsalReport as Judged } from '../../rehearsal/judge-rehearsal.ts'
import { listLosses } from '../../rehearsal/losses.ts'
import { planRehearsal } from '../../rehearsal/plan.ts'
import type { RehearsalPlan } from '../../rehearsal/plan.ts'
import { explainUnmet, noteRequested } from '../../rehearsal/storm.ts'
import type { Requested } from '../../rehearsal/storm.ts'
import { isRead } from '../../review/reading.ts'
import { countFailures } from '../../review/record-review.ts'
import type { Plan } from '../../review/rehearsal.ts'
import { createSandbox } from '../../sandbox/create-sandbox.ts'
import { timeDelaysBy } from '../../sandbox/delivery.ts'
import { fetchFrom } from '../../sandbox/fetch.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { OptionError } from '../../world/option-error.ts'
import { findUsableToken } from '../../world/usable-token.ts'
import { ClientClock } from './client-clock.ts'
import { ConnectionPool } from './connection-pool.ts'
import { drive } from './drive.ts'
import type { Ending } from './drive.ts'
import { readOptions } from './options.ts'
import type { KeptRun, ReadOptions, RehearsedClient, RehearseOptions } from './options.ts'
import { RehearsalError } from './rehearsal-error.ts'
import { RequestsUnderWay } from './requests-under-way.ts'

/** What a rehearsal returns: a review of all runs, what each was, and where to begin again. */
export type RehearsalReport = Judged & {
  /** For `from`: the first runs in which something was found, with the client's state before each. */
  kept: KeptRun[]
}

/** A run that takes longer, by its own clock, is given up. */
const LONGEST_RUN_MS = DAY_MS
const MOST_KEPT = 20

/** The machine's clock, taken at import. */
const realNow = Date.now

let isRunning = false

/**
 * Runs a client once a day for a year, or as often as `every` and `for` say, in a world whose reports come and change meanwhile
 * and an API that fails at times, and judges it. The time of this process is the rehearsal's until it is over: a pause of the
 * client takes none.
 *
 * @throws OptionError for an option that is wrong; RehearsalError where another rehearsal is running, timers are faked
 *   already, no token can be used, or the client does something for 5 s that is neither a request nor a timer.
 */
export async function rehearse(
  client: RehearsedClient,
  options: RehearseOptions = {},
): Promise<RehearsalReport> {
  if (typeof client !== 'function')
    throw new OptionError(
      `client: ${describe(client)} is not a function. Give an async function that is one run, such as sync.run.`,
    )
  const read = await readOptions(options)
  return withClock(read, async (clock) => {
    const stage = await setStage(read, clock)
    try {
      return await new Rehearsal(stage, client).run()
    } finally {
      if (read.sandbox) await read.sandbox.reset()
    }
  })
}

/**
 * What a rehearsal with these options would put a client through.
 *
 * @throws OptionError and RehearsalError as `rehearse` does.
 */
export async function plan(options: RehearseOptions = {}): Promise<Plan> {
  const read = await readOptions(options)
  return withClock(read, async (clock) => {
    const stage = await setStage(read, clock)
    if (read.sandbox) await read.sandbox.reset()
    return stage.plan.shown
  })
}

/** Does something while the time of this process is that of a rehearsal, and restores it whatever happens. */
async function withClock<Result>(
  { startMs, seed }: ReadOptions,
  use: (clock: ClientClock) => Promise<Result>,
): Promise<Result> {
  if (isRunning)
    throw new RehearsalError(
      'already_running',
      'Another rehearsal is running in this process, whose time it has. Await it before.',
    )
  if (ClientClock.isTaken)
    throw new RehearsalError(
      'timers_faked',
      'The timers of this process are faked already. Leave out vi.useFakeTimers(), jest.useFakeTimers() or mock.timers here: a rehearsal has its own.',
    )
  isRunning = true
  const clock = new ClientClock({ startMs: startMs ?? firstOfMonth(Date.now()), seed })
  timeDelaysBy(clock.timers)
  try {
    return await use(clock)
  } finally {
    timeDelaysBy()
    clock.restore()
    isRunning = false
  }
}

const RUN_HOUR_MS = 6 * HOUR_MS

function firstOfMonth(ms: number): number {
  return dayOfMonth(ms, 0, 1) + RUN_HOUR_MS
}

/** A world that is ready for the first run, and what will be done in it. */
interface Stage {
  read: ReadOptions
  clock: ClientClock
  sandbox: Sandbox
  token: TokenRecord
  plan: RehearsalPlan
}

async function setStage(read: ReadOptions, clock: ClientClock): Promise<Stage> {
  const { seed, profile, every, for: length, texts } = read
  const sandbox = read.sandbox ?? (await createSandbox({ demo: true, seed }))
  await sandbox.reset()
  const loadedMs = Date.parse(sandbox.clock.read().now)
  // A world with a time of its own begins there, as its reports do.
  const startMs = read.startMs ?? Math.max(firstOfMonth(loadedMs), loadedMs)
  const { records } = sandbox.world
  const value = findUsableToken(records.all('tokens'))
  const token = records.all('tokens').find((one) => one.token === value)
  if (!token)
    throw new RehearsalError(
      'no_token',
      'The world has no token that this machine may use. Add an active one to its fixture.',
    )
  const planned = { seed, profile, startMs, every, for: length, texts, records, token }
  return { read, clock, sandbox, token, plan: planRehearsal(planned) }
}

/** The runs of a client, one after the other. */
class Rehearsal {
  readonly #stage: Stage
  readonly #client: RehearsedClient
  readonly #requests = new RequestsUnderWay()
  /** The requests of the current run. */
  #sent: RecordedRequest[] = []
  readonly #runs: EndedRun[] = []
  /** The client's state before each run. */
  readonly #kept: KeptRun[] = []
  #failures: ReadonlyMap<string, number> = new Map()

  constructor(stage: Stage, client: RehearsedClient) {
    this.#stage = stage
    this.#client = client
  }

  async run(): Promise<RehearsalReport> {
    const { sandbox, plan: planned, read, token } = this.#stage
    const requested = noteRequested(sandbox.world)
    const unsubscribe = sandbox.world.subscribe({
      keepsRequests: true,
      onRequest: (recorded) => {
        const { method, fromConsole } = recorded.sender
        if (method !== 'OPTIONS' && !fromConsole) this.#sent.push(recorded)
      },
    })
    this.#requests.start()
    try {
      const first = read.from.run - 1
      if (first >= planned.steps.length) throw noSuchRun(read.from.run, planned.steps.length)
      await this.#catchUp(first)
      const deliveries = new Deliveries({
        records: sandbox.world.records,
        agency: token.agency,
        // What was completed since the run before is new to the client.
        startMs: planned.steps[Math.max(0, first - 1)]!.atMs,
        includesEarlier: first === 0,
      })
      const began = sandbox.clock.read()
      this.#failures = countFailures(sandbox.world)
      const last = Math.min(read.until, planned.steps.length)
      for (let index = first; index < last; index += 1) await this.#runOnce(index, deliveries)
      const judged = this.#judge(deliveries, { began, requested })
      const wrong = new Set(
        judged.runs.flatMap(({ number, findings }) => (findings.length > 0 ? [number] : [])),
      )
      const kept = this.#kept.filter(({ run }) => wrong.has(run)).slice(0, MOST_KEPT)
      return { ...judged, kept }
    } finally {
      this.#requests.stop()
      unsubscribe()
    }
  }

  /** Brings the world to where it is before a run, as nothing that a client reads changes it. */
  async #catchUp(first: number): Promise<void> {
    const { plan: planned, read } = this.#stage
    for (const step of planned.steps.slice(0, first)) {
      if (step.commands.length > 0) await this.#enter(step)
    }
    if (first > 0 && read.from.state !== undefined) await read.state?.load(read.from.state as never)
    await this.#enter(planned.steps[first]!, { isAgain: true })
  }

  /** Moves all clocks to a run, and does what is to be done before it. */
  async #enter(step: RehearsalPlan['steps'][number], { isAgain = false } = {}): Promise<void> {
    const { clock, sandbox } = this.#stage
    // A run may have taken until after the next one should have begun.
    clock.jumpTo(step.atMs)
    await sandbox.world.moveClock([
      { type: 'clock.set', now: toDateTime(step.atMs) },
      { type: 'clock.freeze', frozen: !step.isRunning },
    ])
    if (isAgain) return
    for (const command of step.commands) await sandbox.command(command)
    await sandbox.faults.set(step.faults)
  }

  async #runOnce(index: number, deliveries: Deliveries): Promise<void> {
    const { clock, sandbox, token, plan: planned, read } = this.#stage
    const step = planned.steps[index]!
    const after = sandbox.world.journal.sequence
    await this.#enter(step)
    this.#kept.push({ run: index + 1, ...(read.state && { state: await read.state.save() }) })
    this.#sent = []
    deliveries.beginRun(index, step.atMs)
    const number = index + 1
    const gate = { isOpen: true }
    const context = {
      url: read.url,
      fetch: this.#fetchWhile(gate),
      token: token.token,
      now: new Date(step.atMs),
      run: number,
    }
    const outcome: { isFailed: boolean; message?: string } = { isFailed: false }
    const work = async (): Promise<void> => {
      try {
        await this.#client(context)
      } catch (error) {
        Object.assign(outcome, { isFailed: true, message: messageOf(error) })
      }
    }
    let ending: Ending
    try {
      ending = await drive(work, {
        clock,
        requests: this.#requests,
        untilMs: clock.nowMs + LONGEST_RUN_MS,
        since: `run ${number}`,
      })
    } catch (error) {
      if (error instanceof RehearsalError) throw error
      // Thrown by a timer of the client, which ends a process.
      ending = 'settled'
      Object.assign(outcome, { isFailed: true, message: messageOf(error) })
    }
    gate.isOpen = false
    if (ending !== 'settled') clock.discardTimers()
    const sent = this.#sent
    for (const recorded of sent) deliveries.read(recorded)
    deliveries.advanceTo(Date.parse(sandbox.clock.read().now))
    deliveries.endRun(step)
    const unanswered = ending === 'unanswered' ? sent.findLast(hasNoResponse) : undefined
    const found = this.#countNew()
    const message = endingMessage(ending, unanswered) ?? outcome.message
    const ended = ending === 'settled' ? (outcome.isFailed ? 'failed' : 'done') : 'timeout'
    const losses = listLosses(sent)
    this.#runs.push({
      index,
      ended,
      message: message === undefined ? undefined : sandbox.world.journal.redact(message),
      requests: sent.length,
      after,
      losses,
      read: new Set(sent.filter(isRead).map(({ target }) => target.path)),
      unanswered,
      found,
    })
  }

  /** The checks that have found something since the last run. */
  #countNew(): string[] {
    const before = this.#failures
    this.#failures = countFailures(this.#stage.sandbox.world)
    return [...this.#failures].flatMap(([id, count]) => (count > (before.get(id) ?? 0) ? [id] : []))
  }

  /** The sandbox's, for one run: a client that goes on after it is given up gets no response any more. */
  #fetchWhile(gate: { isOpen: boolean }): Sandbox['fetch'] {
    const { sandbox } = this.#stage
    const pool = new ConnectionPool()
    return (input, init) => {
      if (!gate.isOpen) return new Promise<Response>(() => {})
      return pool.use((connection, openConnections) =>
        fetchFrom(
          (request) => sandbox.answer({ ...request, connection, openConnections }),
          input,
          init,
        ),
      )
    }
  }

  #judge(
    deliveries: Deliveries,
    { began, requested }: { began: ReturnType<Sandbox['clock']['read']>; requested: Requested },
  ): Judged {
    const { sandbox, plan: planned, read } = this.#stage
    const { world } = sandbox
    const { now, rate_clock } = sandbox.clock.read()
    return judgeRehearsal({
      plan: planned,
      runs: this.#runs,
      review: sandbox.review(),
      deliveries,
      require: read.require,
      waive: read.waive,
      records: world.records,
      redact: (text) => world.journal.redact(text),
      explainUnmet: (id) => explainUnmet(id, requested),
      context: {
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
      },
    })
  }
}

function noSuchRun(run: number, runs: number): OptionError {
  return new OptionError(`from: There is no run ${run}. The last one is ${runs}.`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function hasNoResponse({ head }: RecordedRequest): boolean {
  return head.wire?.end === 'silence'
}

function endingMessage(
  ending: Ending,
  unanswered: RecordedRequest | undefined,
): string | undefined {
  if (ending === 'overdue') return 'The run had not ended after a day.'
  if (ending === 'settled') return undefined
  const request = unanswered ? ` to request ${unanswered.sequence}` : ''
  return `The run waited for the response${request}, which never came, without a time limit.`
}
