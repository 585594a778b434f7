import type { Explanation } from '../contract/explanation.ts'
import type { GapStatus } from '../contract/gap-status.ts'
import type { RecordOf } from '../contract/records.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { ClockState } from '../journal/clock-state.ts'
import type { Session } from '../session/session.ts'
import type { FaultInput } from '../world/faults/fault.ts'
import type { FaultStatus } from '../world/faults/fault-status.ts'
import type { IsolatedOptionName, WorldOptionInputs } from '../world/options.ts'
import type { Requests } from '../world/requests.ts'
import type { Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import type { WorldInfo } from '../world/world-info.ts'
import type { Worlds } from '../world/worlds.ts'
import type { SandboxRequestInit } from './fetch.ts'

/** How a sandbox is to be; every option may be omitted. */
export type SandboxOptions = WorldOptionInputs

/** Moves the time of a sandbox. */
export interface SandboxClock {
  /** Re-dates the world clock: a date, a datetime, or relative to it. The rate clock stays. */
  set: (now: string | Date) => Promise<ClockState>
  /** Moves both clocks on by an ISO 8601 duration, or milliseconds. */
  advance: (by: string | number) => Promise<ClockState>
  /** Stops the world clock, or lets it run on. */
  freeze: (frozen?: boolean) => Promise<ClockState>
  /** Both clocks as they stand. */
  read: () => ClockState
}

/** The API in this process, over a world of its own. */
export interface Sandbox {
  /**
   * Answers a request as the API does, without a socket. A WHATWG fetch function: it may be passed to
   * any client that takes one. A path alone will do for the URL.
   */
  fetch: (input: string | URL | Request, init?: SandboxRequestInit) => Promise<Response>
  /** The same in plain data, for adapters. */
  answer: (request: ApiRequest) => ApiResponse
  /** Everything as created: records, both clocks, policies, faults, rate windows, journal. */
  reset: () => Promise<void>
  clock: SandboxClock
  reports: {
    /** Changes fields of the report with that number, in the fixture's form. */
    set: (
      report: { project: number; report_number: number },
      fields: Partial<RecordOf<'reports'>>,
    ) => Promise<RecordOf<'reports'>>
  }
  /**
   * The world as it stands, as plain JSON to keep and to restore: records, both clocks, rate windows, faults,
   * the policies that commands have set, and the commands applied. The bearer values of tokens are in it.
   */
  snapshot: () => Promise<Snapshot>
  /**
   * Makes the world what it was when the snapshot was taken: to any request it has the same answer as
   * then. The world clock goes on from where it stood, and open rate windows with the time that they had
   * left; `Date` and the rate clock stay with the machine's. A reset still goes back to the world as created.
   *
   * @throws CommandError for what is no snapshot, or one of another version; nothing has changed then.
   */
  restore: (snapshot: Snapshot) => Promise<void>
  /**
   * All that was asked and told since the world was made or last made anew, as plain JSON for a bug report:
   * `seo-sandbox replay` plays it again. Bearer values are not in it.
   *
   * @throws CommandError where that is too much to be kept; a reset begins a new one.
   */
  session: () => Promise<Session>
  /**
   * Applies any command; what the others here come down to.
   *
   * @throws CommandError when it is wrong, or what it would come to is; nothing has changed then.
   */
  command: World['command']
  /** What was asked so far: to look at, to hold against what was expected, and to follow. */
  requests: Requests
  /** The faults that befall answers. A reset takes them back to those of the options. */
  faults: SandboxFaults
  /** What is open in the specification, and what this sandbox does there. */
  readonly gaps: GapStatus[]
  /**
   * Why `latest` and `last-generated` of a project answer with the reports that they do, and when that
   * next changes.
   *
   * @throws CommandError for a project that there is not.
   */
  explain: (project: number) => Explanation
  /** Worlds beside this one, for tests that run at the same time: the token of a request chooses its world. */
  worlds: SandboxWorlds
  /** What the control API steers. */
  world: World
}

/** How an isolated world is to be; what is left out is as the sandbox was created. */
export type IsolatedWorldOptions = Pick<SandboxOptions, IsolatedOptionName>

/** A world beside the default one. It has records, clocks, policies, faults, rate windows and a journal of its own. */
export interface IsolatedWorld {
  id: string
  /** Each bearer value of the fixture, and the one that this world has for it. */
  tokens: Record<string, string>
  /** Steers this world, and has every request answered by it. Its `worlds` are those beside the default one, as ever. */
  sandbox: Sandbox
}

/** The isolated worlds of a sandbox. */
export interface SandboxWorlds {
  /**
   * Makes one. Its tokens have the values of the fixture with an ending that nobody can guess, the same for
   * all of them; requests that show one are answered by that world, wherever they arrive. There are a
   * thousand at most: beyond that the one used least recently goes.
   *
   * @throws FixtureError, OptionError, and CommandError for more than 1,000 made-up projects.
   */
  create: (options?: IsolatedWorldOptions) => Promise<IsolatedWorld>
  /** Those there are, the oldest first. */
  list: () => WorldInfo[]
  /** Forgets one: its tokens are unknown from then on. @throws CommandError for one that there is not. */
  drop: (id: string) => void
  /** What the control API steers. */
  control: Worlds
}

/** Arms and disarms faults. */
export interface SandboxFaults {
  /** Arms one. @throws CommandError for an unknown kind, endpoint, token or project. */
  add: (fault: FaultInput) => Promise<FaultStatus>
  /** Arms these in place of all there are. */
  set: (faults: readonly FaultInput[]) => Promise<FaultStatus[]>
  remove: (id: number) => Promise<FaultStatus>
  /** Disarms all of them. */
  clear: () => Promise<void>
  /** Those armed, with how often each has fired and whether it still can. */
  list: () => FaultStatus[]
}
