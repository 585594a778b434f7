import { z } from 'zod'
import { Label } from './conventions.ts'

/** A country that a project can target (specification 2.3). */
export const Country = z.strictObject(Label.shape)
export type Country = z.infer<typeof Country>

/** A country as a world stores it. One that is not `applicable` exists but is never served (4.2). */
export const CountryRecord = z.strictObject({
  ...Label.shape,
  applicable: z.boolean().default(true).describe('Whether it applies to SEO projects'),
})
export type CountryRecord = z.infer<typeof CountryRecord>
