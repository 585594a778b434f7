import { z } from 'zod'
import { DateTime, Id } from '../contract/conventions.ts'
import { DateTimeInput, LATEST_MS } from '../contract/moments.ts'
import { PolicySettings } from '../contract/policies.ts'
import { mapCollections, RecordSet } from '../contract/records.ts'
import type { TokenWindows } from '../engine/rate-limiter.ts'
import { AppliedCommand } from '../journal/applied-command.ts'
import { Generate } from '../records/generation/generate.ts'
import { withNamespacedTokens } from '../records/namespaced-tokens.ts'
import { Progress } from '../records/progress.ts'
import { SavedFaults } from './faults/faults.ts'

/** Grows with every change of the format that an older release could not read. */
export const SNAPSHOT_VERSION = 2

const Moment = DateTime.pipe(DateTimeInput)

const CountedRequests = z.array(
  z.strictObject({
    age_ms: z.number().min(-LATEST_MS).max(LATEST_MS),
    requests: z.number().nonnegative().max(1e9),
  }),
)

/** What the rate windows of a token have counted. */
export const CountedWindows: z.ZodType<TokenWindows> = z.strictObject({
  token: Id,
  minute: CountedRequests,
  hour: CountedRequests,
})

const Ids = z.array(Id)

/** What a world holds beside its records. */
const HeldIds = {
  removed: z
    .strictObject({ projects: Ids, keywords: Ids, reports: Ids })
    .describe('The ids of generated records that were removed'),
  stated: Ids.describe('The ids of reports that a command has set, so that they do not progress'),
}

/** What a generated world was generated from, apart from the seed and the time of its load. */
const Generation = z.strictObject({
  options: Generate,
  agencies: z.array(z.strictObject({ id: Id, users: Ids })).min(1),
  country: Id.nullable(),
  language: Id.nullable(),
})

const Origin = z.strictObject({
  seed: z.string().min(1),
  loaded_at: Moment,
  progress: Progress,
  reads: z.array(z.tuple([Id, z.int().nonnegative()])),
  generation: Generation.nullable(),
})

/** The records that a stale view shows, described by how they differ from those of the world. */
export const StaleRecords = z.strictObject({
  changed: RecordSet.describe('Records as they were before a change'),
  added: z
    .strictObject(mapCollections(() => Ids))
    .describe('The ids of records that did not exist yet'),
  ...HeldIds,
})
export type StaleRecords = z.output<typeof StaleRecords>

/**
 * A world as it stood at one moment, as plain JSON. It contains the bearer values of the tokens, which are
 * part of their records: keep it as secret as those are. How the sandbox was created (its own policies and
 * limits, the fixtures that a reset goes back to) is not part of it; what commands have set is.
 */
export const Snapshot = z.strictObject({
  version: z.literal(SNAPSHOT_VERSION).describe('The version of this format'),
  taken_at: Moment.describe("When it was taken, by the machine's clock"),
  clock: z.strictObject({
    now: Moment.describe('Where the world clock stood'),
    frozen: z.boolean(),
    rate_offset_ms: z
      .number()
      .nonnegative()
      .max(LATEST_MS)
      .describe("How far the rate clock was ahead of the machine's, in milliseconds"),
  }),
  rate_windows: z
    .array(CountedWindows)
    .describe(
      'What the rate windows of each token have counted; tokens with no count are left out',
    ),
  origin: Origin.describe('What progresses by itself, or is generated, is computed from this'),
  /** The policies that commands have set, by name. */
  policies: PolicySettings,
  faults: SavedFaults.describe('The faults that are armed, and how often each has fired'),
  records: RecordSet.describe(
    "Every record in the fixture's form, keywords and reports with their `project`, dates absolute; of generated records those that were changed",
  ),
  ...HeldIds,
  published: StaleRecords.nullable().describe(
    'The records that responses still showed, where policy has data go stale (G-058); null where those were the records of the world',
  ),
  sequence: z.int().nonnegative().describe('How many requests and commands there were'),
  commands: z
    .array(AppliedCommand)
    .describe('The commands applied, the oldest first, without bearer values'),
})
export type Snapshot = z.output<typeof Snapshot>

/**
 * A snapshot of any world with the bearer values of the world that has that suffix. A snapshot of that world
 * itself has them already, also those that commands set.
 */
export function withNamespacedSnapshot(snapshot: Snapshot, suffix: string): Snapshot {
  const { records, published } = snapshot
  const isOwn = suffix !== '' && records.tokens.some(({ token }) => token.endsWith(suffix))
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
