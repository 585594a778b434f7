import { charactersOf } from '../contract/limits.ts'
import { lowerBound, LazyList } from '../contract/lists.ts'
import type { AppliedCommand, ClockState } from './applied-command.ts'
import type { JournalRequest } from './journal-request.ts'
import type { RequestDetail } from './journal-schemas.ts'
import { RecordedRequest } from './recorded-request.ts'
import type { AnsweredRequest } from './recorded-request.ts'
import type { Redactor } from './secrets.ts'
import { shownTarget, toDetail, toRequest } from './show-request.ts'
import type { JournalView } from './show-request.ts'
import { notify } from './subscribers.ts'
import type { SubscriberErrors } from './subscribers.ts'

/** A recorded request or command. */
export type JournalEntry =
  | ({ kind: 'request' } & JournalRequest)
  | ({ kind: 'command' } & AppliedCommand)

export interface JournalOptions {
  /** The id of the world. */
  world: string
  maximumRequests: number
  /** Returns the redactor that currently hides the bearer values of the world. */
  redactor: () => Redactor
  errors?: SubscriberErrors
}

const MAXIMUM_COMMANDS = 10_000
/** Maximum length of all kept commands per request in `maximumRequests`, in characters. */
const COMMAND_CHARACTERS = 2000
/** Number of requests by which smaller journals multiply `COMMAND_CHARACTERS`. */
const MINIMUM_REQUESTS = 1000

const NO_REQUEST = new RecordedRequest()

/** The latest requests and commands of a world, numbered in one sequence. */
export class Journal {
  readonly #world: string
  readonly #maximumRequests: number
  readonly #redactor: () => Redactor
  readonly #errors: SubscriberErrors | undefined
  readonly #bodies = new ResponseBodies()
  /** A ring buffer. When it is full, the oldest record is at `#next`. */
  #requests: RecordedRequest[] = []
  #next = 0
  #commands: AppliedCommand[] = []
  #commandCharacters = 0
  #sequence = 0
  #starts = 0
  readonly #subscribers = new Set<(entry: JournalEntry) => void>()

  constructor(options: JournalOptions) {
    this.#world = options.world
    this.#maximumRequests = options.maximumRequests
    this.#redactor = options.redactor
    this.#errors = options.errors
  }

  /** Number of requests and commands recorded since the start. In a restored world, the count continues from its snapshot. */
  get sequence(): number {
    return this.#sequence
  }

  /** Number of restarts of the world. */
  get starts(): number {
    return this.#starts
  }

  /** The latest commands, oldest first. */
  get commands(): readonly AppliedCommand[] {
    return this.#commands
  }

  /** Returns the kept requests, oldest first. Each request is formatted when it is read. */
  requests(): LazyList<JournalRequest> {
    return this.#list(toRequest)
  }

  /** Returns the kept requests, oldest first, with all details except their bodies. */
  details(): LazyList<RequestDetail> {
    return this.#list(toDetail)
  }

  /** Returns the first kept request or command whose sequence is greater than `sequence`; undefined if there is none. */
  after(sequence: number): JournalEntry | undefined {
    const recorded = this.#recordedAfter(sequence)
    const isLater = recorded !== undefined && recorded.sequence > sequence
    const applied =
      this.#commands[countUpTo(sequence, this.#commands.length, (index) => this.#commands[index])]
    if (isLater && (applied === undefined || recorded.sequence < applied.sequence)) {
      return { kind: 'request', ...toRequest(recorded, this.#view()) }
    }
    return applied && { kind: 'command', ...applied }
  }

  /** Returns the record of the request with a sequence; undefined if the request is not kept. */
  recordedAt(sequence: number): RecordedRequest | undefined {
    const recorded = this.#recordedAfter(sequence - 1)
    return recorded?.sequence === sequence ? recorded : undefined
  }

  /** Returns the request with a sequence, with all kept details; undefined if the request is not kept. */
  detail(sequence: number): RequestDetail | undefined {
    const recorded = this.recordedAt(sequence)
    if (!recorded) return undefined
    const view = this.#view()
    const body = this.#bodies.get(sequence)
    return {
      ...toDetail(recorded, view),
      body: body ? view.redactor.inTarget(new TextDecoder().decode(body)) : null,
    }
  }

  /** Keeps the bodies of responses until the returned function is called. */
  keepBodies(): () => void {
    return this.#bodies.watch()
  }

  /** Returns text as the journal shows it, without bearer values and control characters. */
  redact(text: string): string {
    return shownTarget(text, this.#redactor())
  }

  /** Records a request, and returns the record. `isKept` is true if a session keeps the record. */
  addRequest(answered: AnsweredRequest, isKept: boolean): RecordedRequest {
    this.#sequence += 1
    const before = this.#requests.at(this.#next - 1) ?? NO_REQUEST
    const oldest = this.#requests[this.#next]
    // A record is not reused while its response is in progress, because the end of the response is yet to be written into it.
    const isFree = !isKept && oldest?.responseEnd !== null
    const recorded = (isFree ? oldest : undefined) ?? new RecordedRequest()
    recorded.write(answered, { sequence: this.#sequence, before, isKept })
    if (this.#bodies.isKeeping && isBodySent(answered)) {
      this.#bodies.add(this.#sequence, answered.response.body)
    }
    this.#requests[this.#next] = recorded
    this.#next = this.#next + 1 === this.#maximumRequests ? 0 : this.#next + 1
    if (this.#subscribers.size > 0) {
      notify(
        this.#subscribers,
        { kind: 'request', ...toRequest(recorded, this.#view()) },
        this.#errors,
      )
    }
    return recorded
  }

  addCommand(command: unknown, clock: ClockState): void {
    this.#sequence += 1
    const applied = { sequence: this.#sequence, command, clock }
    this.#keep(applied)
    notify(this.#subscribers, { kind: 'command', ...applied }, this.#errors)
  }

  /**
   * Clears the journal, and counts a restart. `before` has the commands and the sequence of a snapshot, from which a restored world
   * continues.
   */
  restart(before?: { commands: readonly AppliedCommand[]; sequence: number }): void {
    this.clear()
    this.#starts += 1
    this.#commands = []
    this.#commandCharacters = 0
    for (const applied of before?.commands ?? []) this.#keep(applied)
    this.#sequence = before?.sequence ?? 0
  }

  /** Continues with the contents of another journal that has the same `maximumRequests`. */
  resume(saved: {
    requests: readonly RecordedRequest[]
    commands: readonly AppliedCommand[]
    sequence: number
  }): void {
    this.restart(saved)
    this.#requests = [...saved.requests]
    this.#next = this.#requests.length % this.#maximumRequests
  }

  clear(): void {
    this.#bodies.clear()
    this.#requests = []
    this.#next = 0
  }

  /** Calls a subscriber for every new entry until the returned function is called. */
  subscribe(subscriber: (entry: JournalEntry) => void): () => void {
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  #keep(applied: AppliedCommand): void {
    this.#commands.push(applied)
    this.#commandCharacters += charactersOf(applied)
    while (this.#areTooMany) this.#commandCharacters -= charactersOf(this.#commands.shift()!)
  }

  get #areTooMany(): boolean {
    const { length } = this.#commands
    if (length > MAXIMUM_COMMANDS) return true
    const most = COMMAND_CHARACTERS * Math.max(MINIMUM_REQUESTS, this.#maximumRequests)
    return length > 1 && this.#commandCharacters > most
  }

  #view(): JournalView {
    return { world: this.#world, redactor: this.#redactor() }
  }

  #list<Shown>(show: (recorded: RecordedRequest, view: JournalView) => Shown): LazyList<Shown> {
    const view = this.#view()
    // Copied, because the journal reuses its records.
    const kept = this.recorded.map((recorded) => recorded.copy())
    return LazyList.of(kept).map((recorded) => show(recorded, view))
  }

  /**
   * Returns the first kept request whose sequence is greater than `sequence`. If there is none, returns the oldest kept request, or
   * undefined.
   */
  #recordedAfter(sequence: number): RecordedRequest | undefined {
    const requests = this.#requests
    const start = requests.length < this.#maximumRequests ? 0 : this.#next
    const requestAt = (index: number) => requests[(start + index) % requests.length]
    return requestAt(countUpTo(sequence, requests.length, requestAt))
  }

  /** The kept records, oldest first. Later requests may reuse them. */
  get recorded(): readonly RecordedRequest[] {
    if (this.#requests.length < this.#maximumRequests) return this.#requests
    return [...this.#requests.slice(this.#next), ...this.#requests.slice(0, this.#next)]
  }
}

/** Returns the number of entries whose sequence is at most `sequence`, among `count` entries in ascending order. */
function countUpTo(
  sequence: number,
  count: number,
  at: (index: number) => { sequence: number } | undefined,
): number {
  return lowerBound(count, (index) => (at(index)?.sequence ?? Infinity) > sequence)
}

function isBodySent({ request, response }: AnsweredRequest): boolean {
  return request.method !== 'HEAD' && response.status !== 0
}

const MAXIMUM_BODIES = 200
const MAXIMUM_BYTES = 8 * 2 ** 20

/** The bodies of the latest responses, by the sequence of their requests. Bodies are kept only while there is a watcher. */
export class ResponseBodies {
  readonly #bodies = new Map<number, Uint8Array>()
  #bytes = 0
  #watchers = 0

  get isKeeping(): boolean {
    return this.#watchers > 0
  }

  /** Keeps bodies until the returned function is called. When the last watcher has called its function, all bodies are dropped. */
  watch(): () => void {
    let isWatching = true
    this.#watchers += 1
    return () => {
      if (!isWatching) return
      isWatching = false
      this.#watchers -= 1
      if (this.#watchers === 0) this.clear()
    }
  }

  add(sequence: number, body: Uint8Array): void {
    if (body.byteLength > MAXIMUM_BYTES) return
    this.#bodies.set(sequence, body)
    this.#bytes += body.byteLength
    for (const [oldest, { byteLength }] of this.#bodies) {
      if (this.#bodies.size <= MAXIMUM_BODIES && this.#bytes <= MAXIMUM_BYTES) return
      this.#bodies.delete(oldest)
      this.#bytes -= byteLength
    }
  }

  get(sequence: number): Uint8Array | undefined {
    return this.#bodies.get(sequence)
  }

  clear(): void {
    this.#bodies.clear()
    this.#bytes = 0
  }
}
