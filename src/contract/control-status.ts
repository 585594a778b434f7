import { z } from 'zod'
import { DateTime, Id } from './conventions.ts'

/** State of one rate window of a token. */
export const RateGauge = z.strictObject({
  limit: z.int().positive(),
  remaining: z.int().min(0).describe('How many requests it would still admit now'),
  resets_at: DateTime.nullable().describe(
    'When it next admits a request, on the rate clock; null while it admits one',
  ),
  refilled_at: DateTime.nullable().describe(
    'When it admits all of its limit again if nothing more is requested, on the rate clock; null where it does',
  ),
})
export type RateGauge = z.infer<typeof RateGauge>

/** Both rate windows of a token. */
export const TokenGauges = z.strictObject({
  token_id: Id,
  token: z.string().describe('The name of the token'),
  minute: RateGauge.nullable().describe('null where the minute is unlimited'),
  hour: RateGauge.nullable().describe('null where the hour is unlimited'),
})
export type TokenGauges = z.infer<typeof TokenGauges>

/** The rate windows of all tokens. */
export const RateLimitStatus = z.strictObject({
  rate_clock: DateTime,
  rate_window: z.string().describe('The policy in force for when windows begin and end (G-019)'),
  tokens: z.array(TokenGauges),
})
export type RateLimitStatus = z.infer<typeof RateLimitStatus>

/** A point that the specification leaves open, and the sandbox's behaviour. */
export const GapStatus = z.strictObject({
  id: z.string().describe('`G-031`'),
  section: z.string().describe('The section of the specification that is silent or ambiguous'),
  question: z.string(),
  policy: z
    .string()
    .nullable()
    .describe('The name of the policy that sets it; null where the behaviour is fixed'),
  options: z
    .record(z.string(), z.string())
    .describe('What each option of the policy does; empty without one'),
  accepts: z
    .string()
    .nullable()
    .describe('Further values that cannot be listed, described; null where there are none'),
  default: z
    .string()
    .nullable()
    .describe('The option where nothing sets it; null without a policy'),
  value: z.string().nullable().describe('The option in force; null without a policy'),
  seen: z
    .string()
    .nullable()
    .describe(
      'The day on which a comparison saw the service have this option; null for any other option',
    ),
  behaviour: z.string().describe('What the sandbox does now, in words'),
})
export type GapStatus = z.infer<typeof GapStatus>
