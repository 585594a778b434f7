import { z } from 'zod'
import { AgencyRecord } from './agency.ts'
import { CountryRecord } from './country.ts'
import { PolicySettings } from './policies.ts'
import { LanguageRecord } from './language.ts'
import { DateTimeInput } from './moments.ts'
import { ProjectFixture } from './project.ts'
import type { RecordSet } from './records.ts'
import { TokenRecord } from './token.ts'
import { UserRecord } from './user.ts'

/** A fixture, version 1: a world as a person writes it. Field names are the wire's. */
const Fixture = z.strictObject({
  version: z.literal(1).optional().describe('The version of the format: 1'),
  now: DateTimeInput.optional().describe('Where the world clock starts'),
  frozen: z.boolean().optional().describe('Whether the world clock stands still'),
  policies: PolicySettings.optional().describe('What to do where the specification is open'),
  progress: z
    .strictObject({ mode: z.literal('manual') })
    .optional()
    .describe('How reports move: `manual` is by commands alone, as without it'),
  agencies: z.array(AgencyRecord).default([]),
  countries: z.array(CountryRecord).default([]),
  languages: z.array(LanguageRecord).default([]),
  users: z.array(UserRecord).default([]),
  tokens: z.array(TokenRecord).default([]),
  projects: z.array(ProjectFixture).default([]),
})

/** A fixture as an object: what YAML says, with every default still to be filled in. */
export type FixtureInput = Omit<z.input<typeof Fixture>, 'version'> & { version: 1 }

/** The sections of a fixture: a list of records each. */
export const SECTIONS = [
  'agencies',
  'countries',
  'languages',
  'users',
  'tokens',
  'projects',
] as const

const Unread = z.array(z.unknown()).default([])

/** The outside of a fixture alone, so that each record can be judged by itself. */
export const FixtureOutline = z.strictObject({
  ...Fixture.shape,
  ...(Object.fromEntries(SECTIONS.map((name) => [name, Unread])) as Record<
    (typeof SECTIONS)[number],
    typeof Unread
  >),
})
export type FixtureOutline = z.infer<typeof FixtureOutline>

/** A project of a fixture with its keywords and reports still to be judged. */
export const ProjectOutline = z.strictObject({
  ...ProjectFixture.shape,
  keywords: Unread,
  reports: Unread,
})

/** The validated start of a world: its settings and records, relative dates still unresolved. */
export interface Seed {
  now?: string | undefined
  frozen?: boolean | undefined
  policies: Record<string, string>
  records: RecordSet
}
