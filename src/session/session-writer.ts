import type { Seed } from '../fixtures/seed.ts'
import { LazyList } from '../contract/lazy-list.ts'
import type { RecordedRequest, ResponseEnd } from '../journal/recorded-request.ts'
import type { Redactor } from '../journal/redactor.ts'
import { withNamespacedTokens } from '../records/namespaced-tokens.ts'
import { toSessionSettings } from '../world/session-settings.ts'
import type { CommandEvent } from '../world/world-subscriber.ts'
import type { WorldOptions } from '../world/world-state.ts'
import { createSessionRedactor } from './session-redactor.ts'
import type { BearerValues } from './session-redactor.ts'
import { createSession } from './session.ts'
import type {
  CommandStep,
  RequestStep,
  Session,
  SessionResponse,
  SessionReview,
} from './session.ts'

/** A command of a session, in its form there. */
export interface RecordedCommand extends Omit<CommandEvent, 'result' | 'loaded'> {
  /** The seed that it loaded; undefined for any other command. */
  seed: Seed | undefined
}

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

/** Writes the steps of a session one after another. */
export class SessionWriter {
  readonly #options: WorldOptions
  readonly #redactor: Redactor
  readonly #isLazy: boolean
  /** Whether the session has replaced a text of the world, which responses may show. */
  #isAltered = false

  /** The lists of a lazy session can be read once, and in order. */
  constructor(
    options: WorldOptions,
    { values, isLazy }: { values: BearerValues; isLazy: boolean },
  ) {
    this.#options = options
    this.#redactor = createSessionRedactor(values)
    this.#isLazy = isLazy
  }

  write({ startedMs, steps }: RecordedSession, review: SessionReview): Session {
    const { seed, settings } = this.#options
    const beginning = { at_ms: startedMs, seed: this.#seed(seed), ...toSessionSettings(settings) }
    const write = (step: RecordedRequest | RecordedCommand) =>
      'command' in step ? this.#commandStep(step) : this.#requestStep(step)
    const written = this.#isLazy ? LazyList.of([...steps]).map(write) : steps.map(write)
    return createSession({ beginning, review, steps: written as Session['steps'] })
  }

  #commandStep({ sequence, atMs, command, definition, seed }: RecordedCommand): CommandStep {
    return {
      sequence,
      at_ms: atMs,
      command: this.#data({ ...command, type: definition.type }),
      ...(seed && { seed: this.#seed(seed) }),
    }
  }

  #seed(seed: Seed): Seed {
    const records = withNamespacedTokens(seed.records, this.#options.tokenSuffix)
    return this.#data({ ...seed, records })
  }

  #requestStep(step: RecordedRequest): RequestStep {
    const {
      method,
      clientIp: client_ip,
      origin,
      accept,
      authorization,
      pageOrigin,
      range,
    } = step.sender
    const { path } = step.target
    const { query } = step
    const target = {
      method,
      path,
      query,
      client_ip,
      origin,
      ...(accept !== undefined && { accept }),
      ...(pageOrigin !== undefined && { page_origin: pageOrigin }),
      ...(range !== undefined && { range }),
    }
    const { data, isAltered } = this.#redactor.inTargets(target, encodeURI)
    const hidden =
      authorization === undefined
        ? {}
        : { authorization: this.#redactor.inAuthorization(authorization) }
    return {
      sequence: step.sequence,
      at_ms: step.atMs,
      request: { ...data, ...hidden },
      ...(step.connection !== undefined && { connection: step.connection }),
      ...(step.openConnections > 0 && { open_connections: step.openConnections }),
      answer: isAltered ? null : this.#responseOf(step),
      ...(step.responseEnd !== undefined && { sent: toStepEnd(step.responseEnd) }),
    }
  }

  #responseOf({ head, bodyBytes, bodyDigest }: RecordedRequest): SessionResponse {
    const { status, headers, wire } = head
    return {
      status,
      // A copy: responses that are alike share their headers.
      headers: { ...headers },
      body: this.#isAltered ? null : { bytes: bodyBytes, digest: bodyDigest },
      ...(wire && { wire }),
    }
  }

  #data<Data>(plain: Data): Data {
    if (this.#isLazy) {
      return this.#redactor.inLazyData(plain, () => (this.#isAltered = true)) as Data
    }
    const { data, isAltered } = this.#redactor.inData(plain)
    this.#isAltered ||= isAltered
    return data
  }
}

function toStepEnd(end: ResponseEnd | null): RequestStep['sent'] {
  if (!end) return null
  const { after, rateMs, isAborted } = end
  return { after, at_ms: rateMs, ...(isAborted === true && { aborted: true }) }
}
