import type { Seed } from '../fixtures/seed.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { Redactor } from '../journal/redactor.ts'
import { toSessionSettings } from '../world/options/session-settings.ts'
import type { WorldOptions } from '../world/world-state.ts'
import { createSessionRedactor } from './session-redactor.ts'
import type { BearerValues } from './session-redactor.ts'
import { toOwnSeed, toStep } from './session-steps.ts'
import type { RecordedCommand } from './session-steps.ts'
import { FORMAT } from './session.ts'
import type { CommandStep, RequestStep, Session, SessionLine, SessionReview } from './session.ts'

/** A session so far. */
export interface RecordedSession {
  /** How the world was when the session started. */
  options: WorldOptions
  /** By the machine's clock, in epoch milliseconds. */
  startedMs: number
  /** How many records of fixtures its commands have loaded. */
  loadedRecords: number
  steps: (RecordedRequest | RecordedCommand)[]
}

/** Writes a session without its bearer values, its steps one after another. */
export class SessionWriter {
  readonly #redactor: Redactor
  /** Whether a text of the world was replaced in the session: responses may show it, so their bodies are not compared. */
  #isAltered = false

  constructor(values: BearerValues) {
    this.#redactor = createSessionRedactor(values)
  }

  write({ steps, ...recorded }: RecordedSession, review: SessionReview): Session {
    const head = this.head(recorded, review)
    const { options } = recorded
    const write = (step: RecordedRequest | RecordedCommand) => this.redact(toStep(step, options))
    return { ...head, steps: steps.map(write) }
  }

  /** All of a session but its steps, to be written ahead of them. */
  head(
    { options, startedMs }: Pick<RecordedSession, 'options' | 'startedMs'>,
    review: SessionReview,
  ): Omit<Session, 'steps'> {
    const { seed, settings, tokenSuffix } = options
    const own = this.#data(toOwnSeed(seed, tokenSuffix))
    const beginning = { at_ms: startedMs, seed: own, ...toSessionSettings(settings) }
    return { ...FORMAT, beginning, review }
  }

  /** The next step without bearer values. */
  redact<Line extends SessionLine>(line: Line): Line
  redact(step: SessionLine): SessionLine {
    if ('request' in step) return this.#requestStep(step)
    return 'command' in step ? this.#commandStep(step) : step
  }

  #commandStep({ command, seed, ...place }: CommandStep): CommandStep {
    return {
      ...place,
      command: this.#data(command),
      ...(seed && { seed: this.#data<Seed>(seed) }),
    }
  }

  #requestStep(step: RequestStep): RequestStep {
    const { authorization, from_console, ...target } = step.request
    const { data, isAltered } = this.#redactor.inTargets<typeof target>(target, encodeURI)
    const others = {
      ...(authorization !== undefined && {
        authorization: this.#redactor.inAuthorization(authorization),
      }),
      ...(from_console && { from_console }),
    }
    const answer = step.answer && this.#isAltered ? { ...step.answer, body: null } : step.answer
    return { ...step, request: { ...data, ...others }, answer: isAltered ? null : answer }
  }

  #data<Data>(plain: Data): Data {
    const { data, isAltered } = this.#redactor.inData(plain)
    this.#isAltered ||= isAltered
    return data
  }
}
