import type { GapStatus } from '../contract/control-status.ts'
import type { Explanation } from '../contract/explanation.ts'
import type { RecordOf } from '../contract/records.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { ClockState } from '../journal/applied-command.ts'
import type { Review } from '../review/review.ts'
import type { Session } from '../session/session.ts'
import type { ReportName } from '../world/change.ts'
import type { FaultStatus } from '../world/faults/fault-status.ts'
import type { FaultInput } from '../world/faults/fault.ts'
import type { WorldInfo } from '../world/hosted-worlds.ts'
import type { IsolatedOptionName, WorldOptionInputs } from '../world/options/table.ts'
import type { Requests } from '../world/requests.ts'
import type { Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import type { Worlds } from '../world/worlds.ts'
import type { SandboxRequestInit } from './fetch.ts'

/** The options of a sandbox; all are optional. */
export interface SandboxOptions extends WorldOptionInputs {
  /**
   * The timers of delays, such as `latency`: `real` ones, whatever a test has faked, or the global `timers` of that moment, so
   * that a delay ends when the fake timers of Vitest, Jest or Sinon are advanced. `real` if omitted.
   */
  delays?: 'real' | 'timers'
}

/** Controls the time of a sandbox. */
export interface SandboxClock {
  /** Sets the world clock, to a date, a datetime, or a time relative to it. The rate clock stays. */
  set: (now: string | Date) => Promise<ClockState>
  /** Advances both clocks by an ISO 8601 duration, or milliseconds. */
  advance: (by: string | number) => Promise<ClockState>
  /** Stops the world clock, or resumes it. */
  freeze: (frozen?: boolean) => Promise<ClockState>
  /** The current time of both clocks. */
  read: () => ClockState
}

/** The API in this process, over a world of its own. */
export interface Sandbox {
  /**
   * Responds to a request as the API does, without a socket. It is a WHATWG fetch function, for any client
   * that takes one. The URL may be a path alone.
   */
  fetch: (input: string | URL | Request, init?: SandboxRequestInit) => Promise<Response>
  /** Same as `fetch`, with the plain data of the engine, for the adapters of this package. */
  answer: (request: ApiRequest) => ApiResponse
  /** Restores everything as created: records, both clocks, policies, faults, rate windows, journal. */
  reset: () => Promise<void>
  clock: SandboxClock
  /** The life of the reports: each step makes the changes that the service would. */
  reports: SandboxReports
  /**
   * The state of the world, as plain JSON to restore later: records, both clocks, rate windows, faults, the
   * policies that commands have set, and the commands applied. It contains the bearer values of tokens.
   */
  snapshot: () => Promise<Snapshot>
  /**
   * Restores the state of a snapshot, so that any request has the same response as then. The world clock
   * continues from its saved time, and open rate windows with the time that they had left; `Date` and the rate
   * clock stay with the machine's. A reset still returns to the world as created.
   *
   * @throws CommandError if the snapshot is invalid or comes from a newer release; nothing has changed
   *   then.
   */
  restore: (snapshot: Snapshot) => Promise<void>
  /**
   * Returns every request and command since the world was created, reset, or replaced by a scenario or snapshot, as plain JSON
   * for a bug report, which `seo-sandbox replay` replays. It contains no bearer values.
   *
   * @throws CommandError if there were too many to keep; a reset begins a new session.
   */
  session: () => Promise<Session>
  /**
   * Applies any command; the other methods that change the world are shortcuts for it.
   *
   * @throws CommandError if the command or its result would be invalid; nothing has changed then.
   */
  command: World['command']
  /** The requests so far, to read, to verify, and to follow. */
  requests: Requests
  /** The faults that affect responses. A reset removes all except the delay set with `latency`, which it restores. */
  faults: SandboxFaults
  /** The gaps of the specification, and the behaviour of this sandbox for each. */
  readonly gaps: GapStatus[]
  /**
   * Explains the reports with which `latest` and `last-generated` of a project respond, and lists the next changes: now, or at
   * a time of the world clock if nothing else happens.
   *
   * @throws CommandError for an unknown project, and for an invalid time.
   */
  explain: (
    project: number,
    options?: {
      /** A date, a datetime, or a time relative to the world clock; now if omitted. */
      at?: string | Date
      /** Maximum number of next changes of the project to list, up to 500; 10 if omitted. */
      changes?: number
    },
  ) => Explanation
  /**
   * Strengths and mistakes of the client since the world was created or reset, and its delivery ledger: the finished reports,
   * and the times at which the client fetched them. The review is as of the last request or command.
   */
  review: (options?: {
    /**
     * `start` also reviews the sessions before a reset, a scenario or a restored snapshot, each by itself; anything that such a
     * command cut short is unsettled.
     */
    since?: 'start'
    /** The ids of the projects of the ledger; if omitted, the projects that the client has read. */
    projects?: readonly number[]
  }) => Review
  /** Isolated worlds, for tests that run at the same time: the token of a request chooses its world. */
  worlds: SandboxWorlds
  /** The world behind this interface, for the control API. */
  world: World
}

/**
 * The options of an isolated world. Omitted settings are those that the sandbox was created with, even if the default world has
 * changed since.
 */
export type IsolatedWorldOptions = Pick<SandboxOptions, IsolatedOptionName>

/** An isolated world, with its own records, clocks, policies, faults, rate windows and journal. */
export interface IsolatedWorld {
  id: string
  /** The namespaced token for each bearer value of the fixture. */
  tokens: Record<string, string>
  /** Controls this world, which handles all its requests. Its `worlds` are the same as the default world's. */
  sandbox: Sandbox
}

/** The isolated worlds of a sandbox. */
export interface SandboxWorlds {
  /**
   * Creates an isolated world. Its tokens are namespaced: the fixture's values with one unguessable suffix. The world handles
   * every request with one of them, wherever it arrives. At most a thousand worlds can exist, and together they may use half of
   * the heap. Beyond that, the least recently used one is dropped, unless it was used within the last minute.
   *
   * @throws FixtureError, OptionError, and CommandError for more than 1,000 generated projects, or if every world is in use.
   */
  create: (options?: IsolatedWorldOptions) => Promise<IsolatedWorld>
  /** The existing isolated worlds, the oldest first. */
  list: () => WorldInfo[]
  /** Drops a world: its tokens are unknown from then on. @throws CommandError for an unknown id. */
  drop: (id: string) => void
  /** The worlds behind this interface, for the control API. */
  control: Worlds
}

/** Arms and disarms faults. */
export interface SandboxFaults {
  /** Arms a fault. @throws CommandError for an unknown kind, endpoint, token or project. */
  add: (fault: FaultInput) => Promise<FaultStatus>
  /** Replaces all armed faults. */
  set: (faults: readonly FaultInput[]) => Promise<FaultStatus[]>
  remove: (id: number) => Promise<FaultStatus>
  /** Disarms all faults. */
  clear: () => Promise<void>
  /** The armed faults, each with the number of times it has fired, and whether it can fire again. */
  list: () => FaultStatus[]
}

/** Fields of a report, in the fixture's form. */
export type ReportFields = Partial<RecordOf<'reports'>>

/** A step of a report's life. Returns the report after it, in the fixture's form. */
type Step = (report: ReportName, fields?: ReportFields) => Promise<RecordOf<'reports'>>

/**
 * Changes reports. All methods but `set` are the steps of a report's life, each of which sets the fields that the service
 * would. A `Step` takes the report as `{ project, report_number }`, and fields that replace those that it sets; it returns the
 * report after the step, in the fixture's form. In a world whose reports move by themselves, the report continues from that
 * moment.
 *
 * @throws CommandError for a step that cannot follow; it names the steps that can.
 */
export interface SandboxReports {
  /**
   * Creates the next report of a project: pending, with the number after its last one, due a month after the latest due date of
   * its reports, or a month from now if none has one.
   *
   * @throws CommandError after report 26.
   */
  create: (
    project: Pick<ReportName, 'project'>,
    fields?: ReportFields,
  ) => Promise<RecordOf<'reports'>>
  /** Starts a pending report. */
  start: Step
  /**
   * Completes a pending or running report, with content for up to eight active keywords in the project's language, the content
   * scheme and links. Fields that are already filled stay unchanged.
   */
  complete: Step
  /** Fails a pending or running report, which then stays failed until `retry`. */
  fail: Step
  /** Starts a failed report again. */
  retry: Step
  /** Approves a completed report, by the managing user of its project unless `approved_by` is given. */
  approve: Step
  /** Withdraws the approval of a completed report; `approved_status` is null unless it is given. */
  reject: Step
  /** Manages a completed report, by the managing user of its project unless `managed_by` is given. */
  manage: Step
  /** Sends a completed report to the client; `date_to_send_to_client` is today if it was null. */
  send: Step
  /**
   * Replaces a report that is not pending by a new row with its number and an id of its own, created now: completed if reports
   * move by commands alone, otherwise running.
   */
  regenerate: Step
  /** Sets the given fields of a report, and nothing else; it no longer moves by itself. */
  set: (report: ReportName, fields: ReportFields) => Promise<RecordOf<'reports'>>
}
