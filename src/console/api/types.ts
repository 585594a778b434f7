import type { CollectionName } from '../../contract/collection-facts.ts'
import type { RecordOf } from '../../contract/records.ts'
import type { Explanation } from '../../contract/explanation.ts'
import type { GapStatus, RateLimitStatus } from '../../contract/control-status.ts'
import type { HostError, OwnPartner, Partner, WorldInfo } from '../../world/hosted-worlds.ts'
import type { AppliedCommand, ClockState } from '../../journal/applied-command.ts'
import type { JournalRequest } from '../../journal/journal-request.ts'
import type { RequestDetail } from '../../journal/journal-schemas.ts'
import type { FaultForms } from '../../world/faults/fault-forms.ts'
import type { FaultStatus } from '../../world/faults/fault-status.ts'
import type { Snapshot } from '../../world/snapshot.ts'
import type { Review } from '../../review/review.ts'
import type { Overview } from '../../world/overview.ts'
import type { RecordState } from '../../world/commands/record-restore.ts'
import type { WorldOrigin } from '../../world/world-origin.ts'

export type { CollectionName } from '../../contract/collection-facts.ts'
export type {
  GapStatus,
  RateGauge,
  RateLimitStatus,
  TokenGauges,
} from '../../contract/control-status.ts'
export type { Explanation } from '../../contract/explanation.ts'
export type { RecordOf, RecordPage } from '../../contract/records.ts'
export type { AppliedCommand, ClockState } from '../../journal/applied-command.ts'
export type { JournalEntry } from '../../journal/journal.ts'
export type { JournalRequest } from '../../journal/journal-request.ts'
export type { RequestDetail } from '../../journal/journal-schemas.ts'
export type { Review } from '../../review/review.ts'
export type { Command, CommandResults, CommandType } from '../../world/commands/index.ts'
export type { RecordState } from '../../world/commands/record-restore.ts'
export type { NamedDemo } from '../../world/demo-fixture.ts'
export type { FaultForms } from '../../world/faults/fault-forms.ts'
export type { FaultStatus } from '../../world/faults/fault-status.ts'
export type {
  HostError,
  Invitation,
  OwnPartner,
  Partner,
  PartnerKey,
  SentLink,
} from '../../world/hosted-worlds.ts'
export type { Overview } from '../../world/overview.ts'
export type { Snapshot } from '../../world/snapshot.ts'
export type { WorldOrigin } from '../../world/world-origin.ts'

/** A page of a list, with at most the query's `limit` items. `next` is the cursor of the next page; null on the last page. */
type Page<Name extends string, Item> = Readonly<Record<Name, Item[]>> & {
  total: number
  next: string | null
}

/** Response to a GET of the control API, by path below `/_sandbox`: only the paths and fields that the console reads. */
export interface Responses extends ResponsesOfRecords {
  '/clock': ClockState
  '/commands': AppliedCommand[]
  '/errors': HostError[]
  '/faults': FaultStatus[]
  '/faults/kinds': FaultForms
  /** Needs no key. `store` and `default_world` are omitted if the server has no store. */
  '/health': {
    store?: 'reached' | 'unreachable'
    default_world?: 'open' | 'closed'
    problems?: string[]
  }
  '/limits': Record<string, number>
  '/origin': WorldOrigin
  '/partner': OwnPartner
  '/partners': Page<'partners', Partner>
  '/policies': GapStatus[]
  '/rate-limits': RateLimitStatus
  '/requests': JournalRequest[]
  '/review': Review
  '/scenarios': { name: string; purpose: string }[]
  '/showcase': { project: number; shows: string }[]
  '/snapshots': Snapshot
  '/worlds': Page<'worlds', WorldInfo>
  [path: `/requests/${number}`]: RequestDetail
  [path: `/agencies/${number}/overview`]: Overview
  [path: `/explain/projects/${number}`]: Explanation
  [path: `/projects/${number}/positions`]: PositionHistory
  [path: `/reports/${number}/links`]: Pick<RecordOf<'reports'>, 'pdf_link' | 'web_link'>
}

/** Search positions of a project's keywords by month. */
export interface PositionHistory {
  project: number
  /** Months such as `2026-03`, the earliest first. */
  months: string[]
  keywords: {
    id: number
    keyword: string
    create_date: string
    active: boolean
    /** Position in each of `months`, from 1; null if the keyword does not rank or its position is unknown. */
    positions: (number | null)[]
  }[]
}

type ResponsesOfRecords = {
  [Name in CollectionName as `/records/${Name}`]: RecordOf<Name>[]
} & {
  [Name in CollectionName as `/records/${Name}/${number}`]: RecordOf<Name>
} & {
  [Name in CollectionName as `/records/${Name}/${number}/state`]: RecordState
}

export interface ClientRequest {
  method?: string
  /** Path from the root of the server, with the query: `/api/v1/projects?page=2`. */
  path: string
  /** Bearer value; no Authorization header is sent if omitted. */
  token?: string | undefined
  headers?: Record<string, string>
}

export interface ErrorBody {
  error: { code: string; message: string; problems: { path: string; message: string }[] }
}
