import { z } from 'zod'
import { toNumber } from '../contract/read-fields.ts'

/** A number that may be sent as text, as in query parameters. */
export function orText(schema: z.ZodType<number>): z.ZodType<number, number | `${number}`> {
  return z.preprocess(toNumber, schema) as z.ZodType<number, number | `${number}`>
}

/** A switch of a query: its name alone will do. */
export const Flag = z.preprocess(
  (input) => (input === '' || input === 'true' ? true : input === 'false' ? false : input),
  z.boolean(),
)
