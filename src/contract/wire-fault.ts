import { z } from 'zod'

/** What happens to a response between the API and its client; adapters act it out. */
export const WireFault = z.strictObject({
  /** How long nothing is sent, the head included, in milliseconds. */
  delayMs: z.number().exactOptional(),
  /** How long the body takes, which is sent in pieces, in milliseconds. */
  bodyMs: z.number().exactOptional(),
  /** How much of the body is sent, from 0 to 1: all of it where omitted, half of it where it is truncated. */
  bodyShare: z.number().min(0).max(1).exactOptional(),
  /**
   * How it ends other than whole: `reset` closes the connection in place of a response, `truncated` closes it
   * after the part of the body that is sent, and `silence` leaves it open: after that part where `bodyShare`
   * says how much, else in place of a response.
   */
  end: z.enum(['reset', 'silence', 'truncated']).exactOptional(),
})
export type WireFault = z.output<typeof WireFault>
