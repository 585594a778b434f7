import { z } from 'zod'
import { Label, Id } from './conventions.ts'

/** A country that a project can target (specification 2.3). */
export const Country = z.strictObject(Label.shape)
export type Country = z.infer<typeof Country>

/**
 * A country as a world stores it. The country endpoints leave out a country that is not `applicable` (specification 4.2, 4.9).
 */
export const CountryRecord = z.strictObject({
  ...Label.shape,
  applicable: z.boolean().default(true).describe('True if it applies to SEO projects'),
})
export type CountryRecord = z.infer<typeof CountryRecord>

/** A language of generated content or of report documents (specification 2.3). */
export const Language = z.strictObject(Label.shape)
export type Language = z.infer<typeof Language>

/** A language as a world stores it. */
export const LanguageRecord = z.strictObject(Label.shape)
export type LanguageRecord = z.infer<typeof LanguageRecord>

/** An agency as a world stores it. No endpoint returns agencies, but tokens, users and projects contain some of their fields. */
export const AgencyRecord = z.strictObject({
  id: Id.describe('Agency ID'),
  name: z.string().describe('Agency name'),
  report_cc_email: z
    .string()
    .nullable()
    .default(null)
    .describe('CC address of every report e-mail: the `cc_email` of all its projects'),
})
export type AgencyRecord = z.infer<typeof AgencyRecord>

/** A user, as `/users` lists it and other objects embed it (specification 2.2). */
export const User = z.strictObject({
  id: Id.describe('User ID'),
  name: z.string().describe('Full name'),
  role: z.string().nullable().describe('Role display name'),
  agency: z
    .strictObject({ id: Id, name: z.string() })
    .nullable()
    .describe('null when the user has no agency'),
})
export type User = z.infer<typeof User>

/** A user as a world stores it. */
export const UserRecord = z.strictObject({
  ...User.shape,
  role: User.shape.role.default(null),
  agency: Id.nullable().default(null).describe('Agency ID; null when the user has no agency'),
})
export type UserRecord = z.infer<typeof UserRecord>
