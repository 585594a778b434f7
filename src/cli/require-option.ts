import { z } from 'zod'
import { describe } from '../contract/text.ts'
import { DAY, isMoment } from '../contract/time.ts'
import type { Reader } from '../contract/read-fields.ts'
import { validate } from '../contract/validate.ts'
import type { Validated } from '../contract/validation.ts'
import { findUnknown } from '../review/requirements.ts'
import type { Waiver } from '../session/session.ts'
import { toTextList } from '../world/options/parse-option.ts'

const whatOf = (isRehearsal: boolean) =>
  z.string().refine((what) => findUnknown(what, { isRehearsal }) === undefined, {
    error: ({ input }) => findUnknown(String(input), { isRehearsal }),
  })
const What = whatOf(false)
/** What a review or a rehearsal can be required to show; a rehearsal has more checks. */
const AnyWhat = whatOf(true)

/** Whether it is about what any review has, and not only a rehearsal. */
export function isOfReview(what: string): boolean {
  return findUnknown(what) === undefined
}

const dayError = {
  error: ({ input }: { input?: unknown }) =>
    `${describe(input)} is not a day. Write one that exists, like 2026-12-31.`,
}

const WaiverInput = z.strictObject({
  what: AnyWhat,
  reason: z.string().trim().min(1),
  until: z.string(dayError).refine((text) => DAY.test(text) && isMoment(text), dayError),
})

/** What a review is required to show, as a list, with commas, or both; `isRehearsal` for what only a rehearsal can show, too. */
export function readRequired(
  input: unknown,
  { isRehearsal }: { isRehearsal: boolean },
): Validated<string[]> {
  const list = toTextList(input)?.flatMap((text) => toTextList(text) ?? text) ?? input
  return validate(z.array(isRehearsal ? AnyWhat : What), list)
}

/** What it waives, until when, and why. */
export const readWaivers: Reader<Waiver[], unknown> = (input) =>
  validate(z.array(WaiverInput), input)
