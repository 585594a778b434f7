import { z } from 'zod'
import { DateTime } from '../contract/conventions.ts'
import { describe } from '../contract/text.ts'
import { API_PREFIX } from '../contract/url.ts'
import { SEVERITIES, VERDICTS } from '../contract/verdicts.ts'
import { parseDuration } from './duration.ts'
import type { Duration } from './duration.ts'

/** Size of a stored world, in bytes: its creation, log, snapshot and loaded texts, compressed. */
const StoredBytes = z.int().describe('Size of the world in the store, in bytes')
const MaximumBytes = z
  .int()
  .describe(
    'Maximum size of the world, in bytes; above it the world accepts only requests to the API and changes that delete something',
  )

/** Damage to a stored world. Fields that are then unknown are empty, 0, or the time of the creation. */
const Damaged = z
  .string()
  .optional()
  .describe(
    'The part of the world that the store has lost, so that nobody can use the world; absent if it is intact',
  )

/** An isolated world, as in a list of worlds. */
export const WorldInfo = z.strictObject({
  id: z.string(),
  created_at: DateTime.describe("By the machine's clock, or that of Redis with a store"),
  last_used_at: DateTime.describe(
    'Time of its last request or command, or of the last use of the control API for it',
  ),
  requests: z.int().describe('Number of requests that it has handled'),
  partner: z
    .string()
    .optional()
    .describe('With a store, the name of the partner who owns the world; absent if nobody does'),
  bytes: StoredBytes.optional(),
  maximum_bytes: MaximumBytes.optional(),
  damaged: Damaged,
})
export type WorldInfo = z.infer<typeof WorldInfo>

/** Default lifetime of a partner's world, and default period after its expiry in which it can be renewed. */
export const USUAL_LIFETIME = 'P30D'

const MAXIMUM_MONTHS = 120
const MONTH_MS = 31 * 86_400_000

/** Operators' name for a partner, also used in greetings. */
export const PartnerName = z
  .string()
  .regex(/^\P{Cc}{1,100}$/u, 'A name has 1 to 100 characters, and no control characters.')

/** A lifetime of at most ten years, as an ISO 8601 duration like `P30D`. */
export const Lifetime = z.string().refine((text) => isLifetime(parseDuration(text)), {
  error: ({ input }) =>
    `${describe(input)} is not a lifetime: write an ISO 8601 duration like P30D or PT12H, P10Y at most.`,
})

function isLifetime(duration: Duration | undefined): boolean {
  return duration !== undefined && duration.months + duration.ms / MONTH_MS <= MAXIMUM_MONTHS
}

/** Review of a partner's world, as its servers last stored it. */
export const ReviewSummary = z.strictObject({
  at: DateTime.describe('Time up to which requests have been reviewed'),
  verdict: z.enum(VERDICTS),
  worst: z
    .strictObject({
      check: z.string().describe('The id of the check'),
      severity: z.enum(SEVERITIES),
      message: z.string().describe('The mistake of the client, in a sentence'),
      instead: z.string().describe('The remedy, in a sentence'),
    })
    .nullable()
    .describe('The first finding of the highest severity; null if there are no findings'),
  delivered: z.int().describe('Number of finished reports that were fetched as they should be'),
  finished: z.int().describe('Number of finished reports of the projects that the client has read'),
})
export type ReviewSummary = z.infer<typeof ReviewSummary>

/**
 * A partner as operators see it, without the link and the key, which are shown only once. The id of a partner is that of its world.
 */
export const Partner = z.strictObject({
  id: z.string(),
  name: z.string(),
  world: z.string().describe('The id of the world'),
  created_at: DateTime,
  expires_at: DateTime.describe('Time from which the world answers 401 and refuses its keys'),
  grace: z
    .string()
    .describe('Period for which the world is kept after that, as an ISO 8601 duration'),
  gone_at: DateTime.describe(
    'Time until which the world can be renewed; a renewed world continues as it was',
  ),
  claimed: z.boolean().describe('True if the link was used'),
  requests: z.int().describe('Number of requests that the world has handled'),
  last_used_at: DateTime.describe('Time of its last request or command, or else of its creation'),
  bytes: StoredBytes,
  maximum_bytes: MaximumBytes,
  review: ReviewSummary.nullable().describe(
    'The review of its client, usually written 15 seconds after the last request or change; null until then',
  ),
  damaged: Damaged,
})
export type Partner = z.infer<typeof Partner>

/** A partner as anyone with a key of its world sees it. */
export const OwnPartner = Partner.pick({ name: true, world: true, expires_at: true })
export type OwnPartner = z.infer<typeof OwnPartner>

/** A key of a partner's world, without its secret, which is shown only when the key is made. */
export const PartnerKey = z.strictObject({
  id: z.string().describe('Id of the key, which does not reveal the key'),
  created_at: DateTime.describe('For the key of the invitation, the time of the invitation'),
  last_used_at: DateTime.nullable().describe(
    'Time of the last use, to the minute; null if never used',
  ),
})
export type PartnerKey = z.infer<typeof PartnerKey>

/** A link for a partner, and the message to send with it. The link is shown only once. */
export const SentLink = z.strictObject({
  link: z.string().describe('Opens the console on the world; it can be claimed once'),
  base_url: z.string().describe('The base URL of the API for the partner’s client'),
  expires_at: DateTime,
  text: z.string().describe('A message to send, with the link, the base URL and the date'),
})
export type SentLink = z.infer<typeof SentLink>

/** Credentials of a new partner. Link and key are shown only once. */
export const Invitation = SentLink.extend({
  id: z.string(),
  name: z.string(),
  world: z.string().describe('The id of the world'),
  tokens: z
    .record(z.string(), z.string())
    .describe('Bearer values of the world, by those of the fixture'),
  key: z.string().describe('The key of the world, which opens the control API for it alone'),
})
export type Invitation = z.infer<typeof Invitation>

/**
 * Creates the message to a partner.
 *
 * @param origin The origin of the server's URL.
 * @param code The code of the link. It is in the fragment, which browsers never send to a server, so that no log has it.
 * @param isAnother True if the link replaces an earlier one.
 */
export function toSentLink(
  { name, expires_at }: Pick<Partner, 'name' | 'expires_at'>,
  { origin, code, isAnother = false }: { origin: string; code: string; isAnother?: boolean },
): SentLink {
  const link = `${origin}/#claim=${code}`
  const baseUrl = `${origin}${API_PREFIX}`
  const service = 'Search Content and Reporting Service'
  const until = toDay(expires_at)
  const opening = isAnother
    ? `Here is a new link to your sandbox of the ${service}. It replaces the last one. The sandbox is yours until ${until}.`
    : `You are invited to try the ${service}. You have a sandbox of your own until ${until}.`
  const text = `Hello ${name},

${opening}

Open this link and press “Open my world”. The link works once:
${link}

The page then shows your tokens, and a key to come back with. The base URL for your client is
${baseUrl}
`
  return { link, base_url: baseUrl, expires_at, text }
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** Formats the UTC day of a datetime as `23 Dec 2026`. */
function toDay(datetime: string): string {
  return DAY.format(new Date(datetime))
}

export interface PartnerFilter extends ListRange {
  /** Text that the name contains, ignoring case; the list then has a single page. */
  search?: string | undefined
  /** True to list only the partners whose client fails its review. */
  failed?: boolean | undefined
}

/** Term of a partner's world, as ISO 8601 durations. */
export interface PartnerTerm {
  /** Lifetime of the world, counted from now. */
  expires: string
  /** Period for which the world is kept after it expires; unchanged if omitted. */
  grace?: string | undefined
}

/** An error that a server with a store reports to its operator. */
export const HostError = z.strictObject({
  at: DateTime.describe("Time of the last occurrence, by the machine's clock"),
  world: z.string().nullable().describe('The id of the world; null for all worlds'),
  message: z.string(),
  times: z.int().describe('Number of occurrences since it was first listed'),
})
export type HostError = z.infer<typeof HostError>

/** Range of a list that is sorted by age. */
export interface ListRange {
  /** Maximum number of items; all if omitted. */
  limit?: number | undefined
  /** `next` of the previous page; the first page if omitted. */
  after?: string | undefined
}

export interface ListPage<Item> {
  items: Item[]
  /** Number of items in the whole list. */
  total: number
  /** The `after` of the next page; null on the last page. */
  next: string | null
}
