import { z } from 'zod'
import { DateTime } from '../contract/conventions.ts'
import { describe } from '../contract/describe.ts'
import { Damaged, MaximumBytes, StoredBytes } from './world-info.ts'
import { parseDuration } from './duration.ts'
import type { Duration } from './duration.ts'

/** How long the world of a partner lasts by default, and for how long after that it can be renewed. */
export const USUAL_LIFETIME = 'P30D'

const LONGEST_MONTHS = 120
const MONTH_MS = 31 * 86_400_000

/** What operators call a partner; nobody else sees it. */
export const PartnerName = z
  .string()
  .regex(/^\P{Cc}{1,100}$/u, 'A name has 1 to 100 characters, and no control characters.')

/** How long something lasts, as an ISO 8601 duration like `P30D`. */
export const Lifetime = z.string().refine((text) => isLifetime(parseDuration(text)), {
  error: ({ input }) =>
    `${describe(input)} is not how long it lasts: write an ISO 8601 duration like P30D or PT12H, P10Y at most.`,
})

function isLifetime(duration: Duration | undefined): boolean {
  return duration !== undefined && duration.months + duration.ms / MONTH_MS <= LONGEST_MONTHS
}

/** A partner as operators see it, without what was shown once. Its id is that of its world. */
export const Partner = z.strictObject({
  id: z.string(),
  name: z.string(),
  world: z.string().describe('The id of the world'),
  created_at: DateTime,
  expires_at: DateTime.describe('From then on the world answers 401, and its keys are refused'),
  grace: z.string().describe('How long it is kept after that, as an ISO 8601 duration'),
  gone_at: DateTime.describe('Until then it can be renewed, and continues as it was'),
  claimed: z.boolean().describe('Whether the link was used'),
  requests: z.int().describe('How many requests the world has handled'),
  last_used_at: DateTime.describe('When it last had a request or a command, or else was created'),
  bytes: StoredBytes,
  maximum_bytes: MaximumBytes,
  damaged: Damaged,
})
export type Partner = z.infer<typeof Partner>

/** A key of a partner's world, without what was shown once. */
export const PartnerKey = z.strictObject({
  id: z.string().describe('What the key is called; it does not show what the key is'),
  created_at: DateTime,
  last_used_at: DateTime.nullable().describe('To the minute; null for one that was never used'),
})
export type PartnerKey = z.infer<typeof PartnerKey>

/** What a partner is given. Key and link are shown this once. */
export const Invitation = z.strictObject({
  id: z.string(),
  name: z.string(),
  world: z.string().describe('The id of the world'),
  tokens: z
    .record(z.string(), z.string())
    .describe('Each bearer value of the fixture, and the one that the world has for it'),
  key: z.string().describe('The key of the world, which opens the control API for it alone'),
  link: z.string().describe('Opens the console on the world; it can be claimed once'),
  expires_at: DateTime,
})
export type Invitation = z.infer<typeof Invitation>

/** How long a partner has a world, from now on. */
export interface PartnerTerm {
  expires: string
  /** How long it is kept after that; as before where omitted. */
  grace?: string | undefined
}
