import { z } from 'zod'
import { Id } from './conventions.ts'

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
