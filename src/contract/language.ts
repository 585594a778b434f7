import { z } from 'zod'
import { Label } from './conventions.ts'

/** A language of generated content or of report documents (specification 2.3). */
export const Language = Label
export type Language = Label

/** A language as the world holds it. */
export const LanguageRecord = z.strictObject(Label.shape)
export type LanguageRecord = z.infer<typeof LanguageRecord>
