import { z } from 'zod'
import { MAXIMUM_KEYWORDS } from '../../contract/limits.ts'
import { describe } from '../../contract/text.ts'

/** Situations of projects at the start of a world, in the order of their indexes in a showcase. */
export const SITUATION_NAMES = ['late', 'failing', 'finished', 'paused', 'new'] as const
export type SituationName = (typeof SITUATION_NAMES)[number]

/** Creates a schema for a string of 1 to `maximum` characters on one line, without blanks around it. */
function line(noun: string, maximum: number) {
  const pattern = new RegExp(`^(?=\\S)(?!.*\\s$)[^\\p{Cc}\\p{Zl}\\p{Zp}]{1,${maximum}}$`, 'u')
  return z.string().regex(pattern, {
    error: ({ input }) =>
      `${describe(input)} is not ${noun}. Write one line without blanks around it, of at most ${maximum} characters.`,
  })
}

const LABEL = '[A-Za-z0-9À-ÖØ-öø-ÿ](?:[A-Za-z0-9À-ÖØ-öø-ÿ-]{0,61}[A-Za-z0-9À-ÖØ-öø-ÿ])?'
const HOST = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`)

/** The agency of a generated world, as a fixture names it. */
export const FixtureAgency = z.strictObject({ name: line('a name', 100).describe('Agency name') })
export type FixtureAgency = z.infer<typeof FixtureAgency>

/** Value of `trade` in a fixture for a company that has none of the locale's trades. */
export const NO_TRADE = 'none'

/** A company that a fixture names in a generated world. */
export const FixtureCompany = z.strictObject({
  name: line('a name', 100).describe('Company name, also in texts and keywords'),
  domain: z
    .string()
    .regex(HOST, {
      error: ({ input }) =>
        `${describe(input)} is not a host name. Write one like lake-dental.example, without https:// and without a path.`,
    })
    .optional()
    .describe(
      'The host of its website; if omitted, its name below `.example`, the domain of its e-mail addresses in any case',
    ),
  city: line('a city', 60)
    .optional()
    .describe('Its city; if omitted, the one in its name, or else any'),
  trade: z
    .string()
    .optional()
    .describe(
      'Its trade, by the name that the locale has for it, or `none` for texts that fit any business; if omitted, it is recognised by its keywords and its name, or else `none`',
    ),
  keywords: z
    .array(line('a keyword', 200))
    .max(MAXIMUM_KEYWORDS)
    .optional()
    .describe('Its first keywords, verbatim; generated ones are added up to the usual number'),
  situation: z
    .enum([...SITUATION_NAMES, 'none'])
    .meta({ title: 'situation' })
    .optional()
    .describe('The situation of its project at the start; `none` for a healthy project'),
})
export type FixtureCompany = z.infer<typeof FixtureCompany>
