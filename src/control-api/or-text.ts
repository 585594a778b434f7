import { z } from 'zod'
import { toNumber } from '../contract/read-fields.ts'

/** A number that may be sent as text, as in query parameters. */
export function orText(schema: z.ZodType<number>): z.ZodType<number, number | `${number}`> {
  return z.preprocess(toNumber, schema) as z.ZodType<number, number | `${number}`>
}
