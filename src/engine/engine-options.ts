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
  /** Limits of tokens without limits of their own. */
  rateLimits: RateLimits
  /** True if copies of the engine with other policies are made. */
  isCopied?: boolean
  /** Called when the reports of a project were read, after the response was made; returns whether this moved them. */
  onRead?: (project: number) => boolean
  /** The state of a previous engine to continue from; omitted for a fresh start. */
  state?: EngineState
}

/** The state of an engine, apart from the records and the clocks. */
export interface EngineState {
  /** The world clock at that time, in epoch milliseconds. */
  worldMs: number
  windows: readonly TokenWindows[]
  /** Records that are still shown instead of the current ones, until the next refresh (G-058). */
  staleView: RecordReader | undefined
}

/** Parts that a copy of an engine shares with it, and the policies in which it differs. */
export interface SharedEngineParts {
  staleView: StaleView
  caches: EngineCaches
  changes: PolicyChanges
}
