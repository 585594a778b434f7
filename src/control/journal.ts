import { POLICIES } from '../contract/gaps.ts'
import { toDateTime } from '../contract/moments.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { PolicyName } from '../contract/policies.ts'
import type { Visit } from '../engine/engine.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { Route } from '../engine/router.ts'
import { toEndpoint } from './fault.ts'
import { redactTarget } from './redaction.ts'
import type { Secret } from './redaction.ts'

/** Both clocks as they stand, as datetimes of the wire. */
export interface ClockState {
  /** The world clock. */
  now: string
  frozen: boolean
  /** The clock of rate windows and of `Date`. */
  rate_clock: string
}

/** A command that was applied, with the clocks after it. */
export interface AppliedCommand {
  /** Its place among all requests and commands of its world. */
  sequence: number
  /** As it was sent, bearer values left out. */
  command: unknown
  clock: ClockState
}

/** A request that was answered, as the journal shows it. */
export interface JournalRequest {
  /** Its place among all requests and commands of its world. */
  sequence: number
  /** Both clocks when it came. */
  clock: Omit<ClockState, 'frozen'>
  method: string
  /** As sent, bearer values left out. */
  path: string
  /** As sent, without the question mark, bearer values left out. */
  query: string
  /** The endpoint, like `GET /projects/{project}`; null for a path that none has. */
  route: string | null
  /** The id of the project in the path; null where the endpoint is about none, or it is no number. */
  project: number | null
  /** The name of the token; null where it is unknown. */
  token: string | null
  token_id: number | null
  /** The scheme of the Authorization header; null without one. */
  scheme: string | null
  client_ip: string
  /** 0 where no answer arrived. */
  status: number
  /**
   * The rule that decided: `fault 3`, `minute window`, `hour window`, `minute and hour window`, the code
   * of a problem like `project_not_found`, or `resource`.
   */
  decided_by: string
  /** The ids of the gaps that the answer rested on, such as `G-031`. */
  gaps: string[]
  /** The ids of the faults that had a part in it. */
  faults: number[]
  /** Bytes of the body, before any fault of the wire. */
  body_bytes: number
  /** How long the answer took to make, delays of faults left out. */
  duration_ms: number
}

/** What is written down of a request when it is answered; what it reads like is worked out when it is read. */
interface Recorded {
  sequence: number
  worldMs: number
  rateMs: number
  request: Pick<ApiRequest, 'method' | 'path' | 'query' | 'clientIp' | 'origin'>
  headers: RecordedHeaders
  visit: Visit
  response: Omit<ApiResponse, 'body' | 'wire'>
  bodyBytes: number
  durationMs: number
}

/** The headers of a request that an answer can depend on. */
interface RecordedHeaders {
  authorization: string | undefined
  accept: string | undefined
}

/** What a journal is told of a request. */
export interface Answered {
  request: ApiRequest
  visit: Visit
  response: ApiResponse
  worldMs: number
  rateMs: number
  durationMs: number
}

/** Something that a journal took down: the request or the command. */
export type JournalEntry =
  | ({ kind: 'request' } & JournalRequest)
  | ({ kind: 'command' } & AppliedCommand)

const MAXIMUM_COMMANDS = 10_000

/** What a world was asked and told, in one sequence: the last of the requests, and the commands. */
export class Journal {
  readonly #maximumRequests: number
  readonly #secrets: () => readonly Secret[]
  /** A ring: the oldest is at `#next` once it is full. */
  #requests: Recorded[] = []
  #next = 0
  #commands: AppliedCommand[] = []
  #sequence = 0
  readonly #followers = new Set<(entry: JournalEntry) => void>()

  /** `secrets` are the bearer values that must not be seen. */
  constructor(options: { maximumRequests: number; secrets: () => readonly Secret[] }) {
    this.#maximumRequests = options.maximumRequests
    this.#secrets = options.secrets
  }

  /** How many requests and commands were taken down. */
  get sequence(): number {
    return this.#sequence
  }

  /** The latest commands, the oldest first. */
  get commands(): readonly AppliedCommand[] {
    return this.#commands
  }

  /** Those requests that are kept, the oldest first. */
  requests(): JournalRequest[] {
    const secrets = this.#secrets()
    return this.#inOrder().map((recorded) => toRequest(recorded, secrets))
  }

  addRequest({ request, response, ...rest }: Answered): void {
    this.#sequence += 1
    const { method, path, query, clientIp, origin } = request
    const { body, wire: _, ...answer } = response
    const recorded: Recorded = {
      sequence: this.#sequence,
      ...rest,
      request: { method, path, query, clientIp, origin },
      headers: { authorization: request.header('authorization'), accept: request.header('accept') },
      response: answer,
      bodyBytes: body.byteLength,
    }
    this.#requests[this.#next] = recorded
    this.#next = (this.#next + 1) % this.#maximumRequests
    if (this.#followers.size === 0) return
    this.#tell({ kind: 'request', ...toRequest(recorded, this.#secrets()) })
  }

  addCommand(command: unknown, clock: ClockState): void {
    this.#sequence += 1
    const applied = { sequence: this.#sequence, command, clock }
    this.#commands.push(applied)
    if (this.#commands.length > MAXIMUM_COMMANDS) this.#commands.shift()
    this.#tell({ kind: 'command', ...applied })
  }

  /** Begins anew; with the commands that have led here, where another world is gone on from. */
  restart(before?: { commands: readonly AppliedCommand[]; sequence: number }): void {
    this.clear()
    this.#commands = [...(before?.commands ?? [])]
    this.#sequence = before?.sequence ?? 0
  }

  /** Forgets the requests. */
  clear(): void {
    this.#requests = []
    this.#next = 0
  }

  /** Calls back with whatever is taken down, until what this returns is called. */
  follow(follower: (entry: JournalEntry) => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  #inOrder(): Recorded[] {
    if (this.#requests.length < this.#maximumRequests) return this.#requests
    return [...this.#requests.slice(this.#next), ...this.#requests.slice(0, this.#next)]
  }

  #tell(entry: JournalEntry): void {
    for (const follower of this.#followers) follower(entry)
  }
}

function toRequest(recorded: Recorded, secrets: readonly Secret[]): JournalRequest {
  const { sequence, worldMs, rateMs, request, headers, visit, response } = recorded
  const { route, token } = visit
  const { policies = [], faults = [] } = response
  return {
    sequence,
    clock: { now: toDateTime(worldMs), rate_clock: toDateTime(rateMs) },
    method: request.method,
    path: redactTarget(request.path, secrets),
    query: redactTarget(request.query, secrets),
    route: route ? toEndpoint(route.operation) : null,
    project: route ? projectOf(route) : null,
    token: token?.name ?? null,
    token_id: token?.id ?? null,
    scheme: /^[^ ]+/.exec(headers.authorization ?? '')?.[0] ?? null,
    client_ip: request.clientIp,
    status: response.status,
    decided_by: decisionOf(response),
    gaps: policies.map((name) => GAP_IDS.get(name) ?? name).toSorted(),
    faults: [...faults],
    body_bytes: recorded.bodyBytes,
    duration_ms: recorded.durationMs,
  }
}

const GAP_IDS = new Map<PolicyName, string>(POLICIES.map(({ policy, id }) => [policy, id]))

/** The project that a path names; null where it names none. */
export function projectOf({ operation, params }: Route): number | null {
  const isOfProject = OPERATIONS[operation].path.startsWith('/projects/{project}')
  const id = isOfProject ? params[0] : undefined
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : null
}

function decisionOf({ faults = [], exhausted = [], problem }: Recorded['response']): string {
  const [fault] = faults
  if (fault !== undefined && problem === undefined) return `fault ${fault}`
  if (exhausted.length > 0) return `${exhausted.join(' and ')} window`
  return problem ?? 'resource'
}
