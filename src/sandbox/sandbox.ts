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
   * Timers for delays, such as `latency`. `real`: the machine's, even if a test has faked the global ones. `timers`: the
   * current global ones, so that a delay ends when the fake timers of Vitest, Jest or Sinon are advanced. `real` if omitted.
   */
  delays?: 'real' | 'timers'
}

/** Controls the time of a sandbox. */
export interface SandboxClock {
  /** Sets the world clock to a date, a datetime, or a time relative to its current one. The rate clock is unaffected. */
  set: (now: string | Date) => Promise<ClockState>
  /** Advances both clocks by an ISO 8601 duration, or by a number of milliseconds. */
  advance: (by: string | number) => Promise<ClockState>
  /** Stops the world clock; resumes it if `frozen` is false. */
  freeze: (frozen?: boolean) => Promise<ClockState>
  /** Returns the current time of both clocks. */
  read: () => ClockState
}

/** The API in this process, with a world of its own. */
export interface Sandbox {
  /**
   * Responds to a request as the API does, without a socket. It is a WHATWG fetch function, for any client that accepts one.
   * The URL may be a path alone.
   */
  fetch: (input: string | URL | Request, init?: SandboxRequestInit) => Promise<Response>
  /** Like `fetch`, but accepts and returns the plain data of the engine; for the adapters of this package. */
  answer: (request: ApiRequest) => ApiResponse
  /**
   * Restores the initial state of the world: records, both clocks, policies, faults, rate windows, journal. If commands have loaded
   * other fixtures, the initial state is that of the fixtures loaded last.
   */
  reset: () => Promise<void>
  clock: SandboxClock
  /** Changes reports: each step of a report's life makes the changes that the service would. */
  reports: SandboxReports
  /**
   * Returns the state of the world, as plain JSON to restore later: records, both clocks, rate windows, faults, the policies
   * that commands have set, and the commands applied. It contains the bearer values of tokens.
   */
  snapshot: () => Promise<Snapshot>
  /**
   * Restores the state of a snapshot, so that every request has the same response as at that time. The world clock continues from
   * its saved time, and open rate windows with the time that they had left. The rate clock, and with it the `Date` header, keeps
   * its saved offset from the machine's clock. A later reset ignores the snapshot.
   *
   * @throws CommandError if the snapshot is invalid, has another version of the format, or exceeds a limit of the world; nothing
   * has changed then.
   */
  restore: (snapshot: Snapshot) => Promise<void>
  /**
   * Returns every request and command since the world was created, reset, or replaced by a scenario or snapshot, as plain JSON
   * for a bug report. `seo-sandbox replay` replays it. It contains no bearer values.
   *
   * @throws CommandError if the session is no longer kept, because it has more steps than the option `journal` allows, or too
   * much data. A reset begins a new session.
   */
  session: () => Promise<Session>
  /**
   * Applies a command. The other methods that change the world are shortcuts for this one.
   *
   * @throws CommandError for a command that is invalid or cannot be applied, FixtureError for invalid fixtures; nothing has changed
   * then.
   */
  command: World['command']
  /** The requests so far, for reading, verifying and following them. */
  requests: Requests
  /** The faults that affect responses. A reset removes all except the delay of the option `latency`, which it restores. */
  faults: SandboxFaults
  /** The gaps of the specification, with the behaviour of this sandbox for each. */
  readonly gaps: GapStatus[]
  /**
   * Explains why `latest` and `last-generated` of a project select their reports, and lists the next changes. With `at`, does so
   * for that time of the world clock, provided that nothing but the time changes until then.
   *
   * @throws CommandError if the project is unknown, or `at` or `changes` is invalid.
   */
  explain: (
    project: number,
    options?: {
      /** A date, a datetime, or a time relative to the world clock; now if omitted. */
      at?: string | Date
      /** Maximum number of next changes to list, up to 500; 10 if omitted. */
      changes?: number
    },
  ) => Explanation
  /**
   * Reviews the client since the world was created, reset, or replaced by a scenario or snapshot: its strengths and mistakes,
   * and a ledger of the finished reports, with the times at which the client fetched them. The review is as of the last request
   * or command.
   */
  review: (options?: {
    /**
     * `start` also reviews the sessions before a reset, a scenario or a restored snapshot, each separately. Anything that such
     * a command cut short is unsettled.
     */
    since?: 'start'
    /** Ids of the projects in the ledger; if omitted, the projects that the client has read. */
    projects?: readonly number[]
  }) => Review
  /** Isolated worlds, for tests that run at the same time: the token of a request chooses its world. */
  worlds: SandboxWorlds
  /** The world behind this interface, for the control API. */
  world: World
}

/**
 * The options of an isolated world. Omitted settings are those with which the sandbox was created. If `fixtures`, `demo`,
 * `scenario`, `generate` and `locale` are all omitted, the world starts with the records that a reset of the default world
 * restores.
 */
export type IsolatedWorldOptions = Pick<SandboxOptions, IsolatedOptionName>

/** An isolated world, with its own records, clocks, policies, faults, rate windows and journal. */
export interface IsolatedWorld {
  id: string
  /** The namespaced token for each bearer value of the fixture. */
  tokens: Record<string, string>
  /**
   * The interface to this world. Its `fetch` and `answer` pass every request to this world, whatever token the request has. Its
   * `worlds` are the same as those of the default world.
   */
  sandbox: Sandbox
}

/** The isolated worlds of a sandbox. */
export interface SandboxWorlds {
  /**
   * Creates an isolated world. Its tokens are namespaced: the fixture's values with an unguessable suffix. It handles every request
   * with one of these tokens, by any transport. There are at most a thousand isolated worlds, and at most one for every 2 MB of the
   * maximum heap. Beyond that, the least recently used world is dropped, unless it was used within the last minute.
   *
   * @throws FixtureError or OptionError for invalid options; CommandError for more than 1,000 generated projects, for bearer values
   * of more than 1,000,000 characters in total, or if every world was used within the last minute.
   */
  create: (options?: IsolatedWorldOptions) => Promise<IsolatedWorld>
  /** Returns the isolated worlds, oldest first. */
  list: () => WorldInfo[]
  /** Drops a world. Its tokens are unknown from then on. @throws CommandError for an unknown id, and for the default world. */
  drop: (id: string) => void
  /** The worlds behind this interface, for the control API. */
  control: Worlds
}

/** Arms and disarms faults. */
export interface SandboxFaults {
  /** Arms a fault. @throws CommandError for an invalid fault, such as one for an unknown endpoint, token or project. */
  add: (fault: FaultInput) => Promise<FaultStatus>
  /** Replaces all armed faults. @throws CommandError for an invalid fault, or for more than 1,000. */
  set: (faults: readonly FaultInput[]) => Promise<FaultStatus[]>
  /** Disarms a fault, and returns its final counts. @throws CommandError for an unknown id. */
  remove: (id: number) => Promise<FaultStatus>
  /** Disarms all faults. */
  clear: () => Promise<void>
  /** Returns the armed faults. `fired` counts the affected requests, and `exhausted` is true if a fault can affect no more. */
  list: () => FaultStatus[]
}

/** Fields of a report, in the format of fixtures. */
export type ReportFields = Partial<RecordOf<'reports'>>

/**
 * A step of a report's life. Sets `fields` in place of the values that the step would set. Returns the changed report, in the
 * format of fixtures.
 */
type Step = (report: ReportName, fields?: ReportFields) => Promise<RecordOf<'reports'>>

/**
 * Changes reports. All methods except `set` are steps of a report's life, each of which sets the fields that the service would. A
 * `Step` accepts the report as `{ project, report_number }`, and fields that override those of the step. It returns the changed
 * report, in the format of fixtures. In a world whose reports move by themselves, the report continues from that moment; after
 * `reject` and `set` it stays as it is.
 *
 * @throws CommandError for an unknown report or invalid fields, and for a step that cannot follow. The error for a step names the
 * steps that can.
 */
export interface SandboxReports {
  /**
   * Creates the next report of a project: pending, and numbered after the last report. It is due a month after the latest due date
   * of the project's reports, or a month from now if they have none.
   *
   * @throws CommandError after report 26, for an unknown project, and for invalid fields.
   */
  create: (
    project: Pick<ReportName, 'project'>,
    fields?: ReportFields,
  ) => Promise<RecordOf<'reports'>>
  /** Starts a pending report. */
  start: Step
  /**
   * Completes a pending or running report: fills in its links, its content scheme, and content in the project's language for up
   * to eight active keywords. Content of another scheme than `h3_text_blocks`, and fields with a value, stay unchanged.
   */
  complete: Step
  /** Fails a pending or running report, which then stays failed until `retry` or `regenerate`. */
  fail: Step
  /** Starts a failed report again. */
  retry: Step
  /**
   * Approves a completed report. If `approved_by` is null, it becomes the project's managing user, or else the first user of the
   * agency.
   */
  approve: Step
  /** Withdraws the approval of a completed report: `approved_status` and `approved_by` become null. */
  reject: Step
  /** Marks a completed report as managed. If `managed_by` is null, it becomes the same user as in `approve`. */
  manage: Step
  /**
   * Sends a completed report to the customer. If `date_to_send_to_client` is null, it becomes the current UTC day of the world
   * clock.
   */
  send: Step
  /**
   * Replaces a report that is not pending with a new row, created now, with the same number and a new id. The new row is completed
   * if only commands move reports, otherwise running.
   */
  regenerate: Step
  /** Sets these fields of a report, and nothing else. The report then no longer moves by itself. */
  set: (report: ReportName, fields: ReportFields) => Promise<RecordOf<'reports'>>
}
