import type { Seed } from '../contract/fixture.ts'
import { magicValues } from '../world/magic-tokens.ts'
import { invalidCommand } from './command-error.ts'
import { toOwnSnapshot, withOwnTokens } from './own-tokens.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { Placeholders } from './session-placeholders.ts'
import type { BearerValues } from './session-placeholders.ts'
import { createSession } from './session.ts'
import type { CommandStep, RequestStep, Session, SessionAnswer } from './session.ts'
import type { Snapshot } from './snapshots.ts'
import type { WorldOptions } from './world-state.ts'

/** Where something stands in a session. */
interface Place {
  /** Its place among all requests and commands of its world. */
  sequence: number
  /** When it began, by the machine's clock in epoch milliseconds. */
  atMs: number
}

/** A command that was applied, as it was sent. */
export interface RecordedCommand extends Place {
  command: { type: string; fixtures?: unknown; snapshot?: unknown }
  /** What it loaded; undefined for one that loads nothing. */
  seed: Seed | undefined
}

/** Records of fixtures that commands have loaded, over a whole session. */
const MAXIMUM_LOADED_RECORDS = 100_000

/**
 * Takes down what a world is asked and told, so that it can be played again: from when it was made, or made
 * anew by a command. Of a session that grows beyond its bound nothing is kept.
 */
export class SessionRecorder {
  readonly #maximumSteps: number
  #options: WorldOptions
  #atMs: number
  #steps: (RecordedRequest | RecordedCommand)[] = []
  #loadedRecords = 0
  #isWhole = true

  /** `atMs` is when the world was made. */
  constructor(options: WorldOptions, atMs: number) {
    this.#maximumSteps = options.journalSize
    this.#options = options
    this.#atMs = atMs
  }

  /** Begins anew, with what makes all that was before of no account. */
  restart(options: WorldOptions, beginning: RecordedCommand): void {
    this.#options = options
    this.#atMs = beginning.atMs
    this.#steps = []
    this.#loadedRecords = 0
    this.#isWhole = true
    // What the beginning has loaded is no heap that grows.
    this.#add(beginning)
  }

  /** Whether it still keeps what it is given. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  addRequest(request: RecordedRequest): void {
    this.#add(request)
  }

  addCommand(command: RecordedCommand): void {
    this.#loadedRecords += command.seed ? countRecords(command.seed) : 0
    this.#add(command)
  }

  /**
   * What was taken down, with placeholders for bearer values.
   *
   * @param values The bearer values of the world (`owners`), and those that others were given.
   * @throws CommandError where it has grown beyond its bound.
   */
  write({ owners, others }: Pick<BearerValues, 'owners' | 'others'>): Session {
    if (!this.#isWhole) {
      const message = `The session has more than ${this.#maximumSteps} steps, or has loaded more than ${MAXIMUM_LOADED_RECORDS} records of fixtures, and is no longer kept. Reset the world, and do again what the session shall show.`
      throw invalidCommand({ path: [], message })
    }
    const documented = new Set(this.#hasMagicTokens() ? magicValues() : [])
    const writer = new SessionWriter(this.#options, { owners, others, documented })
    return writer.write(this.#atMs, this.#steps)
  }

  /** Whether a world was made up, here or by a step, that was given no tokens. */
  #hasMagicTokens(): boolean {
    const seeds = this.#steps.map((step) => ('command' in step ? step.seed : undefined))
    return [this.#options.seed, ...seeds].some(
      (seed) => seed?.generate !== undefined && seed.records.tokens.length === 0,
    )
  }

  #add(step: RecordedRequest | RecordedCommand): void {
    if (!this.#isWhole) return
    this.#steps.push(step)
    this.#isWhole =
      this.#steps.length <= this.#maximumSteps && this.#loadedRecords <= MAXIMUM_LOADED_RECORDS
    if (!this.#isWhole) this.#steps = []
  }
}

function countRecords({ records }: Seed): number {
  return Object.values(records).reduce((sum, { length }) => sum + length, 0)
}

/** Writes the steps of a session one after the other. */
class SessionWriter {
  readonly #options: WorldOptions
  readonly #placeholders: Placeholders
  /** Whether answers may show a text of the world that is another one in the session. */
  #isAltered = false

  constructor(options: WorldOptions, values: BearerValues) {
    this.#options = options
    this.#placeholders = new Placeholders(values)
  }

  write(atMs: number, steps: readonly (RecordedRequest | RecordedCommand)[]): Session {
    const { seed, randomSeed, now, frozen, policies, rateLimits, faults, showGaps } = this.#options
    return createSession({
      beginning: {
        at_ms: atMs,
        random_seed: randomSeed,
        seed: this.#seed(seed),
        ...(now !== undefined && { now }),
        ...(frozen !== undefined && { frozen }),
        policies,
        rate_limits: rateLimits,
        faults: [...faults],
        show_gaps: showGaps,
      },
      steps: steps.map((step) =>
        'command' in step ? this.#commandStep(step) : this.#requestStep(step),
      ),
    })
  }

  #commandStep({ sequence, atMs, command, seed }: RecordedCommand): CommandStep {
    return {
      sequence,
      at_ms: atMs,
      command: this.#data(this.#asPlayed(command)),
      ...(seed && { seed: this.#seed(seed) }),
    }
  }

  /** A command without fixtures, for which stands what was read of them; a snapshot with the tokens that it got here. */
  #asPlayed(command: RecordedCommand['command']): RecordedCommand['command'] {
    if ('fixtures' in command) return { ...command, fixtures: {} }
    if (!('snapshot' in command)) return command
    const { tokenSuffix } = this.#options
    return { ...command, snapshot: toOwnSnapshot(command.snapshot as Snapshot, tokenSuffix) }
  }

  #seed(seed: Seed): Seed {
    return this.#data({ ...seed, records: withOwnTokens(seed.records, this.#options.tokenSuffix) })
  }

  #requestStep(step: RecordedRequest): RequestStep {
    const { method, clientIp: client_ip, origin, accept, authorization } = step.sender
    const { path } = step.target
    const { query } = step
    const sent = { method, path, query, client_ip, origin, ...(accept !== undefined && { accept }) }
    const { data, isAltered } = this.#placeholders.inRequest(sent)
    const hidden =
      authorization === undefined
        ? {}
        : { authorization: this.#placeholders.inAuthorization(authorization) }
    return {
      sequence: step.sequence,
      at_ms: step.atMs,
      request: { ...data, ...hidden },
      answer: isAltered ? null : this.#answer(step),
    }
  }

  #answer({ head, bodyBytes, bodyDigest }: RecordedRequest): SessionAnswer {
    const { status, headers, wire } = head
    return {
      status,
      // A copy of its own: answers alike share theirs.
      headers: { ...headers },
      body: this.#isAltered ? null : { bytes: bodyBytes, digest: bodyDigest },
      ...(wire && { wire }),
    }
  }

  #data<Data>(plain: Data): Data {
    const { data, isAltered } = this.#placeholders.inData(plain)
    this.#isAltered ||= isAltered
    return data
  }
}
