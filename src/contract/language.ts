import { z } from 'zod'
import { Label } from './conventions.ts'

/** A language of generated content or of report documents (specification 2.3). */
export const Language = z.strictObject(Label.shape)
export type Language = z.infer<typeof Language>

/** A language as a world stores it. */
export const LanguageRecord = z.strictObject(Label.shape)
export type LanguageRecord = z.infer<typeof LanguageRecord>
