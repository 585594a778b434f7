import { z } from 'zod'
import { describe } from '../contract/describe.ts'
import { DAY, isMoment } from '../contract/moments.ts'
import type { Reader } from '../contract/read-fields.ts'
import { validate } from '../contract/validate.ts'
import { findUnknown } from '../review/requirements.ts'
import type { Waiver } from '../session/session.ts'
import { toList } from '../world/parse-option.ts'

const What = z.string().refine((what) => findUnknown(what) === undefined, {
  error: ({ input }) => findUnknown(String(input)),
})

const dayError = {
  error: ({ input }: { input?: unknown }) =>
    `${describe(input)} is not a day. Write one that exists, like 2026-12-31.`,
}

const WaiverInput = z.strictObject({
  what: What,
  reason: z.string().trim().min(1),
  until: z.string(dayError).refine((text) => DAY.test(text) && isMoment(text), dayError),
})

/** What a review is required to show, as a list, with commas, or both. */
export const readRequired: Reader<string[], unknown> = (input) =>
  validate(z.array(What), toList(input)?.flatMap((text) => toList(text) ?? text) ?? input)

/** What it waives, until when, and why. */
export const readWaivers: Reader<Waiver[], unknown> = (input) =>
  validate(z.array(WaiverInput), input)
