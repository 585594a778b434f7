import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { shorten } from '../../contract/text.ts'
import { toDateTime } from '../../contract/time.ts'
import { endKilled, hasNoResponse } from '../../rehearsal/ended-run.ts'
import type { EndedRun, RunEnd } from '../../rehearsal/ended-run.ts'
import type { RehearsalStep } from '../../rehearsal/rehearsal-plan.ts'
import { maximumRequestsOf } from '../../rehearsal/run-rehearsal.ts'
import type { Driver } from '../../rehearsal/run-rehearsal.ts'
import type { RecordedRequest } from '../../journal/recorded-request.ts'
import { isRead } from '../../review/reviewed-request.ts'
import { clocksBetween } from '../../review/judge.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { SessionRun } from '../../session/session.ts'
import { REHEARSAL_VARIABLES } from '../exec/exec-options.ts'
import { describeLeft, toExitCode, runCommand } from '../exec/run-command.ts'
import type { ForwardedSignals, CommandEnd, StartedCommand } from '../exec/run-command.ts'
import { SessionSpool } from '../exec/session-spool.ts'
import { StartError } from '../exec/start-command.ts'
import { sayDuration } from '../print.ts'
import type { CommandClock } from './command-stage.ts'
import type { RunOutput } from './run-folder.ts'

interface DriverOptions {
  line: readonly string[]
  env: NodeJS.ProcessEnv
  timeoutMs: number
  sandbox: Sandbox
  clock: CommandClock
  signals: ForwardedSignals
  hasNpmEnded: (() => boolean) | undefined
  outputOf: (number: number) => RunOutput
  sessions: MonthlySessions
  onRun: (run: EndedRun) => void
}

export interface FailedRun {
  run: EndedRun
  output: RunOutput
}

export class CommandDriver implements Driver {
  readonly #options: DriverOptions
  /** Reason not to start another run: the command cannot be started, or npm has ended. Undefined if there is none. */
  stop: StartError | 'npm-ended' | undefined
  /** The latest runs that failed or timed out, at most `MOST_FAILED`. */
  readonly failed: FailedRun[] = []
  #output: RunOutput | undefined
  #command: StartedCommand | undefined
  /** Paths, with their queries, that the current run has read. */
  readonly #read = new Set<string>()
  #sent = 0
  #isToBeKilled = false
  /** The unanswered request at which the current run was killed; undefined until then. */
  #killedAt: RecordedRequest | undefined

  constructor(options: DriverOptions) {
    this.#options = options
  }

  isStopped(): boolean {
    return this.stop !== undefined || this.#options.signals.received.size > 0
  }

  async moveTo(step: RehearsalStep): Promise<undefined> {
    const { clock, sessions } = this.#options
    await clock.moveTo(step)
    await sessions.moveTo(step.atMs)
  }

  async run(
    step: RehearsalStep,
    { number, sentRequests }: Parameters<Driver['run']>[1],
  ): Promise<RunEnd> {
    const { line, env, clock, timeoutMs, signals, hasNpmEnded, outputOf } = this.#options
    const output = outputOf(number)
    this.#output = output
    this.#read.clear()
    this.#sent = 0
    this.#isToBeKilled = step.isKilled
    this.#killedAt = undefined
    try {
      const end = await runCommand(line, {
        env: { ...env, ...clock.environment(), [REHEARSAL_VARIABLES.number]: String(number) },
        timeoutMs,
        leavesDaemons: false,
        hasNpmEnded,
        output: output.take,
        onStart: (command) => (this.#command = command),
        signals,
      })
      await this.#drainRequests()
      if (end.reason === 'npm-ended') this.stop = 'npm-ended'
      for (const sentence of describeLeft(end)) output.note(sentence)
      return this.#endOf(end, { step, output, sentRequests })
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      this.stop = error
      return {
        ended: 'failed',
        message: error.message,
        exit: error.exitCode,
        unanswered: undefined,
      }
    } finally {
      output.end()
    }
  }

  /**
   * Gives up the run if it exceeds `maximumRequestsOf`. Kills the client at an unanswered request, if that is planned.
   * Restarts the time limit when the client reads something new.
   */
  onRequest(recorded: RecordedRequest): void {
    const { target, query } = recorded
    this.#sent += 1
    if (this.#sent > maximumRequestsOf(this.#options.sandbox.world)) this.#command?.giveUp()
    if (this.#isToBeKilled && !this.#killedAt && hasNoResponse(recorded)) {
      this.#killedAt = recorded
      this.#command?.kill()
    }
    const url = `${target.path}?${query}`
    if (!isRead(recorded) || this.#read.has(url)) return
    this.#read.add(url)
    this.#command?.restartTimeout()
  }

  onRun(run: EndedRun): void {
    const output = this.#output!
    if (run.ended !== 'done') {
      this.failed.push({ run, output })
      if (this.failed.length > MOST_FAILED) this.failed.shift()
    }
    this.#options.onRun(run)
  }

  /**
   * Waits until the server has read the remaining data of the ended process. Requests in the data would otherwise be
   * attributed to the next run.
   */
  async #drainRequests(): Promise<void> {
    let sent = this.#sent
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      await setImmediate()
      if (this.#sent !== sent) quiet = 0
      sent = this.#sent
    }
  }

  #endOf(
    end: CommandEnd,
    {
      step,
      output,
      sentRequests,
    }: { step: RehearsalStep; output: RunOutput } & Pick<
      Parameters<Driver['run']>[1],
      'sentRequests'
    >,
  ): RunEnd {
    const exit = toExitCode(end)
    if (end.received.size > 0 || end.reason === 'npm-ended')
      return { ended: 'failed', message: 'It was interrupted.', exit, unanswered: undefined }
    if (this.#killedAt) return { ...endKilled(this.#killedAt), exit }
    if (end.reason === 'timeout') {
      const limit = `${sayDuration(this.#options.timeoutMs)} (--timeout)`
      const last = sentRequests.at(-1)
      const isWaiting = last !== undefined && hasNoResponse(last)
      const message = isWaiting
        ? `It waited for the response to request ${last.sequence}, which never came, and was ended after ${limit}.`
        : this.#sent > maximumRequestsOf(this.#options.sandbox.world)
          ? `It had sent ${this.#sent} requests without ending.`
          : `It had read nothing new for ${limit}, and was ended.`
      // In an outage, or at its rate limit, a client may reasonably reach the time limit.
      const isExpected = step.isTight || step.isOutage
      const unanswered = isWaiting ? last : undefined
      return { ended: isExpected ? 'failed' : 'timeout', message, exit, unanswered }
    }
    if (exit === 0) return { ended: 'done', message: undefined, exit, unanswered: undefined }
    const how = end.signal === null ? `exit code ${exit}` : end.signal
    const [last] = output.lastLines(1)
    const message = last === undefined ? `It ended with ${how}.` : `It ended with ${how}: ${last}`
    return {
      ended: 'failed',
      message: shorten(message, LONGEST_MESSAGE),
      exit,
      unanswered: undefined,
    }
  }
}

/** Number of consecutive turns of the event loop without a request after which all data is assumed to have been read. */
const QUIET_TURNS = 10
const MOST_FAILED = 5
const LONGEST_MESSAGE = 300

interface SessionsOptions {
  folder: string
  sandbox: Sandbox
  about: Omit<SessionRun, 'clocks' | 'date'>
  /** Called if a session is not recorded in full, or cannot be saved. */
  onError: (error: unknown) => void
}

/** The sessions of a rehearsal, one per month. Each begins with a snapshot of the world. */
export class MonthlySessions {
  readonly #options: SessionsOptions
  #open:
    | { month: string; spool: SessionSpool; began: ReturnType<Sandbox['clock']['read']> }
    | undefined

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** Ends the open session and begins a new one if `atMs`, in epoch milliseconds, is in another month. */
  async moveTo(atMs: number): Promise<void> {
    const month = toDateTime(atMs).slice(0, 7)
    if (month === this.#open?.month) return
    await this.end()
    const { sandbox, onError } = this.#options
    try {
      const spool = await SessionSpool.beginNow(sandbox.world, {
        onCut: (reason) => onError(new Error(reason)),
      })
      this.#open = { month, spool, began: sandbox.clock.read() }
    } catch (error) {
      onError(error)
    }
  }

  async end(): Promise<void> {
    if (!this.#open) return
    const { month, spool, began } = this.#open
    this.#open = undefined
    const { folder, sandbox, about, onError } = this.#options
    spool.stop()
    const clocks = clocksBetween(began, sandbox.clock.read())
    const run: SessionRun = { ...about, date: toDateTime(Date.now()), clocks }
    try {
      const path = join(folder, `${month}.session.jsonl`)
      await spool.save(path, run)
    } catch (error) {
      onError(error)
    } finally {
      spool.close()
    }
  }
}
