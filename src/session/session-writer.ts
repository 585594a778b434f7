import type { Seed } from '../fixtures/seed.ts'
import type { BearerSearch } from '../journal/bearer-finder.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { Redactor } from '../journal/secrets.ts'
import { withoutSuffix } from '../records/bearer-tokens.ts'
import { magicTokens } from '../records/magic-tokens.ts'
import { toSessionSettings } from '../world/options/session-settings.ts'
import type { WorldOptions } from '../world/world-state.ts'
import { toOwnSeed, toStep } from './session-steps.ts'
import type { RecordedCommand } from './session-steps.ts'
import { FORMAT } from './session.ts'
import type { CommandStep, RequestStep, Session, SessionLine, SessionReview } from './session.ts'

/** A recorded session that is not written yet, with bearer values. */
export interface RecordedSession {
  /** Options of the world at the start of the session. */
  options: WorldOptions
  /** Start of the session, by the machine's clock in epoch milliseconds. */
  startedMs: number
  /** Number of fixture records that commands have loaded, except the command that started the session. */
  loadedRecords: number
  steps: (RecordedRequest | RecordedCommand)[]
}

/** Writes a session step by step, without bearer values. */
export class SessionWriter {
  readonly #redactor: Redactor
  /**
   * True if a bearer value was replaced in a seed or a command, other than in a field `token`. Later responses may show that value,
   * so their bodies are not compared.
   */
  #isAltered = false

  constructor(values: SessionBearerValues) {
    this.#redactor = createSessionRedactor(values)
  }

  write({ steps, ...recorded }: RecordedSession, review: SessionReview): Session {
    const head = this.head(recorded, review)
    const { options } = recorded
    const write = (step: RecordedRequest | RecordedCommand) => this.redact(toStep(step, options))
    return { ...head, steps: steps.map(write) }
  }

  /**
   * Returns the session without its steps. Must be called before `redact`, because a bearer value replaced in the seed affects the
   * lines that follow.
   */
  head(
    { options, startedMs }: Pick<RecordedSession, 'options' | 'startedMs'>,
    review: SessionReview,
  ): Omit<Session, 'steps'> {
    const { seed, settings, tokenSuffix } = options
    const own = this.#data(toOwnSeed(seed, tokenSuffix))
    const beginning = { at_ms: startedMs, seed: own, ...toSessionSettings(settings) }
    return { ...FORMAT, beginning, review }
  }

  /** Returns the next line without bearer values. */
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

export interface SessionBearerValues {
  /** Bearer values of the world, each with the id of its token. */
  owners: ReadonlyMap<string, number>
  /** Finds bearer values that commands gave to isolated worlds, and the admin key; omitted if there are none. */
  others?: BearerSearch | undefined
  /** True if the world may have the documented bearer values. These are not replaced, because a replay generates them again. */
  hasMagicTokens: boolean
}

/**
 * Returns a redactor for a session. It replaces bearer values with placeholders that are themselves valid bearer values. A
 * documented value loses only its suffix. All other values of token 1 become `token-1`, `token-1-2` and so on. Values of other
 * worlds, and the admin key, become `unknown`.
 */
export function createSessionRedactor({
  owners,
  others,
  hasMagicTokens,
}: SessionBearerValues): Redactor {
  const documented = new Set(hasMagicTokens ? magicTokens(null).map(({ token }) => token) : [])
  const placeholders = new Map<string, string>()
  const counts = new Map<number, number>()
  for (const [value, id] of owners) {
    if (documented.has(withoutSuffix(value))) {
      placeholders.set(value, withoutSuffix(value))
      continue
    }
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    placeholders.set(value, count === 1 ? `token-${id}` : `token-${id}-${count}`)
  }
  return new Redactor({ placeholders, others, foreign: 'unknown' })
}
