import { z } from 'zod'
import { AgencyRecord } from './agency.ts'
import { CountryRecord } from './country.ts'
import { Generate } from './generate.ts'
import { PolicySettings } from './policies.ts'
import { LanguageRecord } from './language.ts'
import { DateTimeInput } from './moments.ts'
import { Progress } from './progress.ts'
import { ProjectFixture } from './project.ts'
import type { RecordSet } from './records.ts'
import { TokenRecord } from './token.ts'
import { UserRecord } from './user.ts'

/** A fixture, version 1: a world as a person writes it. Field names are the wire's. */
export const Fixture = z.strictObject({
  version: z
    .literal(1)
    .optional()
    .describe('The version of the format: 1. One of the files that are merged states it'),
  now: DateTimeInput.optional().describe('Where the world clock starts'),
  frozen: z.boolean().optional().describe('Whether the world clock stands still'),
  policies: PolicySettings.optional().describe('What to do where the specification is open'),
  generate: Generate.optional().describe('What is to be made up beside what is written'),
  progress: Progress.optional().describe(
    'How reports move: by commands alone where it is omitted, with time where projects are generated',
  ),
  agencies: z.array(AgencyRecord).default([]).describe('Who owns projects, users and tokens'),
  countries: z.array(CountryRecord).default([]).describe('What `country` of a project refers to'),
  languages: z
    .array(LanguageRecord)
    .default([])
    .describe('What `text_language` and `report_language` of a project refer to'),
  users: z
    .array(UserRecord)
    .default([])
    .describe('Who manages and creates projects, and approves and manages reports'),
  tokens: z.array(TokenRecord).default([]).describe('What clients may send as a bearer token'),
  projects: z
    .array(ProjectFixture)
    .default([])
    .describe('The projects, their keywords and reports inside'),
  $schema: z
    .string()
    .optional()
    .describe('Where an editor finds the schema of the format; for JSON, which has no comments'),
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
  /** What is to be made up beside the records. */
  generate?: Generate | undefined
  progress?: Progress | undefined
  records: RecordSet
}
