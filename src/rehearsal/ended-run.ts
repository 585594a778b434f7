import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { ENDINGS } from '../review/rehearsal.ts'
import type { Loss } from './losses.ts'
import type { RunLoad } from './run-load.ts'

/** How a run ended. */
export interface Outcome {
  ended: (typeof ENDINGS)[number]
  /** Why it failed or did not end; undefined where it is done. */
  message: string | undefined
  /** The exit code of a command; undefined for a client in this process. */
  exit?: number
  /** The request whose response it still waited for when it was given up. */
  unanswered: RecordedRequest | undefined
}

/** How a run went, as far as the judgement needs it. */
export interface EndedRun extends Outcome {
  /** Its index in the plan. */
  index: number
  requests: number
  /** The number in the journal of the last entry before it. */
  after: number
  losses: readonly Loss[]
  load: RunLoad
  /** The paths of what was read in it. */
  read: ReadonlySet<string>
  /** Whether one of its requests got no response for as long as it waited. */
  hasWaited: boolean
  /** The checks that found something in it, besides what is only known at the end. */
  found: readonly string[]
}

/** What a client did wrong, in the run in which it shows. */
export interface Mistake {
  index: number
  /** In sentences. */
  message: string
  requests: readonly RecordedRequest[]
  /** The indexes of other runs in which the same shows. */
  others?: readonly number[]
}
