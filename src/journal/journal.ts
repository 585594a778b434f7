import { withoutControls } from '../contract/describe.ts'
import { MemoryUse } from '../contract/memory-use.ts'
import { bytesOf } from '../contract/plain-size.ts'
import { POLICIES } from '../contract/gaps.ts'
import { lowest } from '../contract/binary-search.ts'
import { LazyList } from '../contract/lazy-list.ts'
import { toDateTime } from '../contract/moments.ts'
import type { PolicyName } from '../contract/policies.ts'
import type { AppliedCommand } from './applied-command.ts'
import type { ClockState } from './clock-state.ts'
import type { JournalRequest } from './journal-request.ts'
import { toEndpoint } from '../contract/endpoint.ts'
import { notify } from './subscribers.ts'
import { RecordedRequest } from './recorded-request.ts'
import type { Answered } from './recorded-request.ts'
import { schemeOf } from './redactor.ts'
import type { Redactor } from './redactor.ts'

/** A recorded request or command. */
export type JournalEntry =
  | ({ kind: 'request' } & JournalRequest)
  | ({ kind: 'command' } & AppliedCommand)

/** A request as the journal shows it, with the additional data of an HTTP archive. */
export interface RequestWithHeaders {
  request: JournalRequest
  /** Scheme and host as the client named them. */
  origin: string
  /** The Accept header. */
  accept: string | undefined
  responseHeaders: Record<string, string>
}

/** What is needed to show entries: the id of their world, and what hides its bearer values. */
interface View {
  world: string
  redactor: Redactor
}

const MAXIMUM_COMMANDS = 10_000

/** Precedes the first request. */
const NO_REQUEST = new RecordedRequest()

/** The latest requests and commands of a world, in one sequence. */
export class Journal {
  /** What its requests and commands take. */
  readonly memory = new MemoryUse()
  readonly #world: string
  readonly #maximumRequests: number
  readonly #redactor: () => Redactor
  /** A ring buffer: once it is full, the oldest is at `#next`. */
  #requests: RecordedRequest[] = []
  #next = 0
  #commands: AppliedCommand[] = []
  #sequence = 0
  readonly #subscribers = new Set<(entry: JournalEntry) => void>()

  /** `world` is the id of the world, and `redactor` hides its bearer values. */
  constructor(options: { world: string; maximumRequests: number; redactor: () => Redactor }) {
    this.#world = options.world
    this.#maximumRequests = options.maximumRequests
    this.#redactor = options.redactor
  }

  /** How many requests and commands have been recorded. */
  get sequence(): number {
    return this.#sequence
  }

  /** The latest commands, the oldest first. */
  get commands(): readonly AppliedCommand[] {
    return this.#commands
  }

  /** The requests that are kept, the oldest first, each formatted when it is read. */
  requests(): LazyList<JournalRequest> {
    return this.#list(toRequest)
  }

  /** The same with their headers. */
  requestsWithHeaders(): LazyList<RequestWithHeaders> {
    return this.#list(toRequestWithHeaders)
  }

  /** The requests and commands after a sequence, in order. */
  entries({ since }: { since: number }): JournalEntry[] {
    const view = this.#view()
    const isLater = ({ sequence }: { sequence: number }): boolean => sequence > since
    const entries: JournalEntry[] = [
      ...this.#inOrder()
        .filter(isLater)
        .map((recorded) => ({ kind: 'request' as const, ...toRequest(recorded, view) })),
      ...this.#commands
        .filter(isLater)
        .map((applied) => ({ kind: 'command' as const, ...applied })),
    ]
    return entries.toSorted((one, other) => one.sequence - other.sequence)
  }

  /** The first request or command after a sequence; undefined where there is none yet. */
  after(sequence: number): JournalEntry | undefined {
    const requests = this.#requests
    const start = requests.length < this.#maximumRequests ? 0 : this.#next
    const requestAt = (index: number) => requests[(start + index) % requests.length]
    const recorded = requestAt(countUpTo(sequence, requests.length, requestAt))
    const isLater = recorded !== undefined && recorded.sequence > sequence
    const applied =
      this.#commands[countUpTo(sequence, this.#commands.length, (index) => this.#commands[index])]
    if (isLater && (applied === undefined || recorded.sequence < applied.sequence)) {
      return { kind: 'request', ...toRequest(recorded, this.#view()) }
    }
    return applied && { kind: 'command', ...applied }
  }

  /** A text as the journal would show it: without bearer values. */
  redact(text: string): string {
    return shownTarget(text, this.#redactor())
  }

  /** Records a request and returns the record; `isKept` says whether a session keeps that object. */
  addRequest(answered: Answered, isKept: boolean): RecordedRequest {
    this.#sequence += 1
    const before = this.#requests.at(this.#next - 1) ?? NO_REQUEST
    const oldest = this.#requests[this.#next]
    const oldestBytes = oldest?.bytes ?? 0
    const recorded = (isKept ? undefined : oldest) ?? new RecordedRequest()
    recorded.write(answered, { sequence: this.#sequence, before, isKept })
    this.memory.add(recorded.bytes - oldestBytes)
    this.#requests[this.#next] = recorded
    this.#next = this.#next + 1 === this.#maximumRequests ? 0 : this.#next + 1
    if (this.#subscribers.size > 0) {
      this.#notify({ kind: 'request', ...toRequest(recorded, this.#view()) })
    }
    return recorded
  }

  addCommand(command: unknown, clock: ClockState): void {
    this.#sequence += 1
    const applied = { sequence: this.#sequence, command, clock }
    this.#commands.push(applied)
    this.memory.add(bytesOfCommand(applied))
    if (this.#commands.length > MAXIMUM_COMMANDS)
      this.memory.add(-bytesOfCommand(this.#commands.shift()))
    this.#notify({ kind: 'command', ...applied })
  }

  /** Starts again; a restored world continues from the commands and the sequence of its snapshot. */
  restart(before?: { commands: readonly AppliedCommand[]; sequence: number }): void {
    this.free()
    this.#commands = [...(before?.commands ?? [])]
    for (const applied of this.#commands) this.memory.add(bytesOfCommand(applied))
    this.#sequence = before?.sequence ?? 0
  }

  /** Clears the requests. */
  clear(): void {
    this.memory.add(-this.#requests.reduce((sum, { bytes }) => sum + bytes, 0))
    this.#requests = []
    this.#next = 0
  }

  /** Frees the memory of all requests and commands; the sequence continues. */
  free(): void {
    this.#requests = []
    this.#next = 0
    this.#commands = []
    this.memory.add(-this.memory.bytes)
  }

  /** Notifies a subscriber of every entry; returns the function that unsubscribes it. */
  subscribe(subscriber: (entry: JournalEntry) => void): () => void {
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  #view(): View {
    return { world: this.#world, redactor: this.#redactor() }
  }

  #list<Shown>(show: (recorded: RecordedRequest, view: View) => Shown): LazyList<Shown> {
    const view = this.#view()
    // The journal reuses its records.
    const kept = this.#inOrder().map((recorded) => recorded.copy())
    return LazyList.of(kept).map((recorded) => show(recorded, view))
  }

  #inOrder(): RecordedRequest[] {
    if (this.#requests.length < this.#maximumRequests) return this.#requests
    return [...this.#requests.slice(this.#next), ...this.#requests.slice(0, this.#next)]
  }

  #notify(entry: JournalEntry): void {
    notify(this.#subscribers, entry)
  }
}

/** How many of so many entries in ascending order have a sequence up to this one. */
function countUpTo(
  sequence: number,
  count: number,
  at: (index: number) => { sequence: number } | undefined,
): number {
  return lowest(count, (index) => (at(index)?.sequence ?? Infinity) > sequence)
}

const COMMAND_BYTES = 300

function bytesOfCommand(applied: AppliedCommand | undefined): number {
  return COMMAND_BYTES + bytesOf(applied)
}

function toRequest(recorded: RecordedRequest, { world, redactor }: View): JournalRequest {
  const { sequence, atMs, target, sender, head, policies } = recorded
  const { token, authorization } = sender
  return {
    sequence,
    world,
    clock: {
      now: toDateTime(atMs + recorded.worldOffsetMs),
      rate_clock: toDateTime(atMs + recorded.rateOffsetMs),
    },
    method: redactor.inText(sender.method),
    path: shownTarget(target.path, redactor),
    query: shownTarget(recorded.query, redactor),
    route: target.operation ? toEndpoint(target.operation) : null,
    project: target.project,
    token: token ? redactor.inText(token.name) : null,
    token_id: token?.id ?? null,
    scheme: authorization === undefined ? null : schemeOf(authorization),
    client_ip: redactor.inText(sender.clientIp),
    status: head.status,
    decided_by: decisionOf(head),
    gaps: policies.map((name) => GAP_IDS.get(name) ?? name).toSorted(),
    faults: [...head.faults],
    body_bytes: recorded.bodyBytes,
    duration_ms: recorded.durationMicros / 1000,
  }
}

function toRequestWithHeaders(recorded: RecordedRequest, view: View): RequestWithHeaders {
  const { redactor } = view
  const { origin, accept } = recorded.sender
  const responseHeaders = Object.entries(recorded.head.headers).map(
    ([name, value]) => [name, shownTarget(value, redactor)] as const,
  )
  return {
    request: toRequest(recorded, view),
    origin: shownTarget(origin, redactor),
    accept: accept === undefined ? undefined : shownTarget(accept, redactor),
    responseHeaders: Object.fromEntries(responseHeaders),
  }
}

/** A request target, or a header's value, as it is shown. */
function shownTarget(text: string, redactor: Redactor): string {
  return withoutControls(redactor.inTarget(text))
}

const GAP_IDS = new Map<PolicyName, string>(POLICIES.map(({ policy, id }) => [policy, id]))

function decisionOf({ faults, exhausted, problem }: RecordedRequest['head']): string {
  const [fault] = faults
  if (fault !== undefined && problem === undefined) return `fault ${fault}`
  if (exhausted.length > 0) return `${exhausted.join(' and ')} window`
  return problem ?? 'resource'
}
