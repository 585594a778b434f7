import { z } from 'zod'
import { Id } from './conventions.ts'
import { ADDRESS_PATTERN, isAddressRange } from './addresses.ts'

/** The identity of a token: the body of `GET /me`, without a wrapper (specification 2.9). */
export const TokenIdentity = z.strictObject({
  id: Id.describe('API client ID'),
  name: z.string().describe('Descriptive name of the token'),
  agency_id: Id.nullable().describe('Agency of the token; null for super-admin tokens'),
  status: z.enum(['active', 'disabled']).meta({
    title: 'token status',
    description: 'State of the token: in force, or disabled',
  }),
  abilities: z.array(z.string()).describe('Scopes; the single entry `*` means full access'),
})
export type TokenIdentity = z.infer<typeof TokenIdentity>

/** Number of requests that a window admits, or no limit (specification 8). */
export const WindowLimit = z.union([z.int().positive(), z.literal('unlimited')], {
  error: 'A limit is a whole number from 1, or unlimited.',
})
export type WindowLimit = z.infer<typeof WindowLimit>

/** A token's own limits. An omitted window has the default (specification 8). */
export const RateLimit = z.union(
  [
    z.literal('unlimited'),
    z.strictObject({
      per_minute: WindowLimit.optional().describe('Requests in a minute, or unlimited'),
      per_hour: WindowLimit.optional().describe('Requests in an hour, or unlimited'),
    }),
  ],
  { error: 'A rate limit is unlimited, or { per_minute: 60, per_hour: 1000 }.' },
)
export type RateLimit = z.infer<typeof RateLimit>

/** A token as a world stores it: its bearer value, scope and limits (specification 5, 8). */
export const TokenRecord = z.strictObject({
  id: TokenIdentity.shape.id,
  name: TokenIdentity.shape.name,
  token: z
    .string()
    .regex(/^[!-~]+$/, 'A bearer value is one or more visible ASCII characters without spaces.')
    .max(4096, 'A bearer value has at most 4096 characters. Write a shorter one.')
    .describe('The bearer value'),
  agency: Id.nullable().default(null).describe('Agency ID; null for super-admin'),
  status: TokenIdentity.shape.status.default('active'),
  abilities: TokenIdentity.shape.abilities.default(['*']),
  allowed_ips: z
    .array(
      z
        .string()
        .refine(isAddressRange, {
          error: ({ input }) =>
            `"${String(input)}" is not an IP address or range. Write one like 203.0.113.7, 203.0.113.0/24, 2001:db8::/32, or * for any.`,
        })
        .meta({ pattern: ADDRESS_PATTERN, examples: ['203.0.113.0/24', '2001:db8::/32', '*'] }),
    )
    .optional()
    .describe('Addresses and CIDR ranges, IPv4 and IPv6; any address if omitted'),
  rate_limit: RateLimit.default({}).describe(
    'Omitted: 60 a minute and 1,000 an hour, unless `--rate-limit` says otherwise',
  ),
  spent: z
    .enum(['minute', 'hour'])
    .meta({ title: 'rate-limit window' })
    .optional()
    .describe('A window that is already open and exhausted after a load or reset'),
})
export type TokenRecord = z.infer<typeof TokenRecord>
