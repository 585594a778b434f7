import { z } from 'zod'
import { DateTime, Id, DateTimeInput } from '../contract/conventions.ts'
import { LATEST_MS } from '../contract/time.ts'
import { PolicySettings } from '../contract/policy-settings.ts'
import { mapCollections } from '../contract/collection-facts.ts'
import { RecordSet } from '../contract/records.ts'
import type { TokenWindows } from '../engine/rate-limiter.ts'
import { AppliedCommand } from '../journal/applied-command.ts'
import { Generate } from '../records/generation/generate.ts'
import { withNamespacedTokens } from '../records/bearer-tokens.ts'
import { Progress } from '../records/progress.ts'
import { SavedFaults } from './faults/fault-status.ts'

/** Version of the format of snapshots. After the first release, it increases with every change of the format or its meaning. */
export const SNAPSHOT_VERSION = 1

const Moment = DateTime.pipe(DateTimeInput)

const CountedRequests = z.array(
  z.strictObject({
    age_ms: z.number().min(-LATEST_MS).max(LATEST_MS),
    requests: z.number().nonnegative().max(1e9),
  }),
)

/** Requests that the rate windows of a token have counted, by age. */
export const CountedWindows: z.ZodType<TokenWindows> = z.strictObject({
  token: Id,
  minute: CountedRequests,
  hour: CountedRequests,
})

const Ids = z.array(Id)

/** Ids that a world stores besides its records. */
const StoredIds = {
  removed: z
    .strictObject({ projects: Ids, keywords: Ids, reports: Ids })
    .describe('Ids of removed records: of all reports, and of generated projects and keywords'),
  stated: Ids.describe(
    'Ids of reports that a command has set; they no longer progress by themselves',
  ),
  moving: z
    .array(z.tuple([Id, Moment]))
    .describe(
      'Reports that a step of their life has moved: each id, with the time from which it progresses',
    ),
}

/** Input that a world was generated from, apart from the seed and the time of its load. */
const Generation = z.strictObject({
  options: Generate,
  agencies: z.array(z.strictObject({ id: Id, users: Ids })).min(1),
  markets: z
    .array(z.strictObject({ country: Id.nullable(), language: Id.nullable() }))
    .min(1)
    .describe('Country and language of the projects of each locale'),
})

const Origin = z.strictObject({
  seed: z.string().min(1),
  loaded_at: Moment,
  progress: Progress,
  reads: z
    .array(z.tuple([Id, z.int().nonnegative(), Moment]))
    .describe(
      'If reads move reports: for each project its id, the number of reads, and the time that its reports have reached',
    ),
  generation: Generation.nullable(),
})

/** The records of a stale view, as the difference from the records of the world. */
export const StaleRecords = z.strictObject({
  changed: RecordSet.describe('Changed records, as they were before'),
  added: z
    .strictObject(mapCollections(() => Ids))
    .describe('Ids of records that did not exist yet'),
  ...StoredIds,
})
export type StaleRecords = z.output<typeof StaleRecords>

/**
 * The state of a world at one moment, as plain JSON. It contains the bearer values of the tokens: keep it as secret as they
 * are. It contains the values that commands have set, but not the options that the sandbox was created with: its own policies
 * and limits, and the fixtures that a reset returns to.
 */
export const Snapshot = z.strictObject({
  version: z.literal(SNAPSHOT_VERSION).describe('Version of this format'),
  taken_at: Moment.describe("The moment of the snapshot, by the machine's clock"),
  clock: z.strictObject({
    now: Moment.describe('The time of the world clock'),
    frozen: z.boolean(),
    rate_offset_ms: z
      .number()
      .nonnegative()
      .max(LATEST_MS)
      .describe("Lead of the rate clock over the machine's, in milliseconds"),
  }),
  rate_windows: z
    .array(CountedWindows)
    .describe('Requests in the rate windows of each token; tokens without any are omitted'),
  origin: Origin.describe('Input of progress and of generated records'),
  /** Policies that commands have set, by name. */
  policies: PolicySettings,
  faults: SavedFaults.describe('Armed faults, and the number of times that each has fired'),
  records: RecordSet.describe(
    "Every record in the fixture's form, keywords and reports with their `project`, dates absolute; of generated records only the changed ones",
  ),
  ...StoredIds,
  published: StaleRecords.nullable().describe(
    'Stale records that responses still showed (policy `data-refresh`, G-058); null if there were none',
  ),
  sequence: z.int().nonnegative().describe('Number of requests and commands recorded by then'),
  commands: z
    .array(AppliedCommand)
    .describe('Applied commands, the oldest first, without bearer values'),
})
export interface Snapshot extends z.output<typeof Snapshot> {}

/**
 * Returns a snapshot whose tokens all have the suffix of this world, `tokenSuffix`, in place of any other. A snapshot of the same
 * isolated world is returned unchanged, because commands may have set tokens without the suffix. With `suffixesAll`, no token
 * may lack the suffix, so a snapshot of the same world is treated like any other.
 */
export function withNamespacedSnapshot(
  snapshot: Snapshot,
  { tokenSuffix: suffix, suffixesAll = false }: { tokenSuffix: string; suffixesAll?: boolean },
): Snapshot {
  const { records, published } = snapshot
  const isOwn =
    !suffixesAll && suffix !== '' && records.tokens.some(({ token }) => token.endsWith(suffix))
  if (isOwn) return snapshot
  return {
    ...snapshot,
    records: withNamespacedTokens(records, suffix),
    published: published && {
      ...published,
      changed: withNamespacedTokens(published.changed, suffix),
    },
  }
}
