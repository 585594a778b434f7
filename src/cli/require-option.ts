import { z } from 'zod'
import { describe } from '../contract/text.ts'
import { DAY, isMoment } from '../contract/time.ts'
import type { Reader } from '../contract/read-fields.ts'
import { validate } from '../contract/validate.ts'
import type { Validated } from '../contract/validation.ts'
import { findUnknown } from '../review/requirements.ts'
import type { Waiver } from '../session/session.ts'
import { toTextList } from '../world/options/parse-option.ts'

const requirementSchema = (isRehearsal: boolean) =>
  z.string().refine((what) => findUnknown(what, { isRehearsal }) === undefined, {
    error: ({ input }) => findUnknown(String(input), { isRehearsal }),
  })
const ReviewRequirement = requirementSchema(false)
/** A requirement of a review or a rehearsal. A rehearsal has more checks. */
const AnyRequirement = requirementSchema(true)

/** True for a requirement of reviews; false for one that only rehearsals have. */
export function isOfReview(what: string): boolean {
  return findUnknown(what) === undefined
}

const dayError = {
  error: ({ input }: { input?: unknown }) =>
    `${describe(input)} is not a day. Write one that exists, like 2026-12-31.`,
}

const WaiverInput = z.strictObject({
  what: AnyRequirement,
  reason: z.string().trim().min(1),
  until: z.string(dayError).refine((text) => DAY.test(text) && isMoment(text), dayError),
})

/**
 * Reads requirements from a comma-separated string, or from a list of such strings. `isRehearsal` also allows requirements
 * that only rehearsals have.
 */
export function readRequired(
  input: unknown,
  { isRehearsal }: { isRehearsal: boolean },
): Validated<string[]> {
  const list = toTextList(input)?.flatMap((text) => toTextList(text) ?? text) ?? input
  return validate(z.array(isRehearsal ? AnyRequirement : ReviewRequirement), list)
}

export const readWaivers: Reader<Waiver[], unknown> = (input) =>
  validate(z.array(WaiverInput), input)
