import type { Policies } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'
import type { RateLimits } from '../contract/limits.ts'
import type { EngineCaches } from './caches.ts'
import type { PolicyChanges } from './policy-usage.ts'
import type { TokenWindows } from './rate-limiter.ts'
import type { LiveRecords, StaleView } from './stale-view.ts'

/** The clocks of a world, both in epoch milliseconds. */
export interface Clocks {
  worldMs: () => number
  rateMs: () => number
}

export interface EngineOptions {
  records: LiveRecords
  clock: Clocks
  policies: Policies
  /** Limits for each window for which a token has no limit of its own, and for requests without a known token. */
  rateLimits: RateLimits
  /** True if other policies are tried on copies of the engine; false if omitted. */
  isCopied?: boolean
  /** Called after a response that shows reports of a project. Returns true if the read has changed any of them. */
  onRead?: (project: number) => boolean
  /** State of a previous engine to continue from; a fresh start if omitted. */
  state?: EngineState
}

/** The state of an engine, apart from the records and the clocks. */
export interface EngineState {
  /** The world clock when the state was saved, in epoch milliseconds. */
  worldMs: number
  windows: readonly TokenWindows[]
  /** Earlier records that responses show until the next refresh (G-058); undefined if they show the current ones. */
  staleView: RecordReader | undefined
}

/** Parts that a copy shares with its engine or with other copies, and the policies changed in the copy. */
export interface SharedEngineParts {
  staleView: StaleView
  caches: EngineCaches
  changes: PolicyChanges
}
