import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { ENDINGS } from '../review/rehearsal.ts'
import type { Loss } from './losses.ts'

/** How a run ended. */
export interface Outcome {
  ended: (typeof ENDINGS)[number]
  /** Why it failed or did not end; undefined if it is done. */
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
  /** The sequence number of the last journal entry before it. */
  after: number
  losses: readonly Loss[]
  /** The projects of the token when it ended. */
  projects: number
  /** The paths that were read in it. */
  read: ReadonlySet<string>
  /** Whether one of its requests got no response for as long as it waited. */
  hasWaited: boolean
  /** The checks that found something in it, except for what is only known at the end. */
  found: readonly string[]
}

/** A mistake of the client, and the run that shows it. */
export interface Mistake {
  index: number
  /** In sentences. */
  message: string
  requests: readonly RecordedRequest[]
  /** The indexes of other runs that show the same mistake. */
  others?: readonly number[]
}
