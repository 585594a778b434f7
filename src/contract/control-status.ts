import { z } from 'zod'
import { DateTime, Id } from './conventions.ts'

export const RateGauge = z.strictObject({
  limit: z.int().positive(),
  remaining: z.int().min(0).describe('Number of requests that it would still admit now'),
  resets_at: DateTime.nullable().describe(
    'Time of the rate clock at which it next admits a request; null while it admits one',
  ),
  refilled_at: DateTime.nullable().describe(
    'Time of the rate clock at which it admits its whole limit again, without further requests; null if it does already',
  ),
})
export type RateGauge = z.infer<typeof RateGauge>

export const TokenGauges = z.strictObject({
  token_id: Id,
  token: z.string().describe('The name of the token'),
  minute: RateGauge.nullable().describe('null if requests per minute are unlimited'),
  hour: RateGauge.nullable().describe('null if requests per hour are unlimited'),
})
export type TokenGauges = z.infer<typeof TokenGauges>

export const RateLimitStatus = z.strictObject({
  rate_clock: DateTime,
  rate_window: z.string().describe('The policy in force for the begin and end of windows (G-019)'),
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
    .describe('The name of the policy that sets it; null if the behaviour is fixed'),
  options: z
    .record(z.string(), z.string())
    .describe('The effect of each option of the policy; empty without a policy'),
  accepts: z
    .string()
    .nullable()
    .describe('A description of further values that cannot be listed; null if there are none'),
  default: z.string().nullable().describe('The default option; null without a policy'),
  value: z.string().nullable().describe('The option in force; null without a policy'),
  seen: z
    .string()
    .nullable()
    .describe(
      'The day on which a comparison observed this option in the service; null for any other option',
    ),
  behaviour: z.string().describe('The present behaviour of the sandbox, in words'),
})
export type GapStatus = z.infer<typeof GapStatus>
