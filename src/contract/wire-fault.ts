import { z } from 'zod'

/** Changes to a response on its way to the client; adapters apply them. */
export const WireFault = z.strictObject({
  delayMs: z
    .number()
    .exactOptional()
    .describe('The delay before anything is sent, the head included, in milliseconds'),
  bodyMs: z
    .number()
    .exactOptional()
    .describe('The duration of the body, which is sent in chunks, in milliseconds'),
  bodyShare: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe(
      'The share of the body that is sent, from 0 to 1. If omitted, 1, or 0.5 for `truncated`',
    ),
  end: z
    .enum(['reset', 'silence', 'truncated'])
    .exactOptional()
    .describe(
      'The way in which the response is cut off: `reset` closes the connection instead of responding, `truncated` closes it after `bodyShare`, and `silence` leaves it open, after `bodyShare` if given, else without a response',
    ),
})
export type WireFault = z.output<typeof WireFault>
