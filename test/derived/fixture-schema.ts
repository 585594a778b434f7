import { z } from 'zod'
import {
  AgencyRecord,
  CountryRecord,
  LanguageRecord,
  UserRecord,
} from '../../src/contract/reference-data.ts'
import { Id, CalendarDateInput, DateTimeInput } from '../../src/contract/conventions.ts'
import { PolicySettings } from '../../src/contract/policy-settings.ts'
import { NESTED, ProjectFixture } from '../../src/contract/project.ts'
import { TokenRecord } from '../../src/contract/token.ts'
import { Fixture } from '../../src/fixtures/fixture.ts'
import { describePolicies } from '../../scripts/openapi/policy-schema.ts'

/** Schemas with a name, which are written once. */
const DEFINITIONS = {
  Agency: AgencyRecord,
  Country: CountryRecord,
  Language: LanguageRecord,
  User: UserRecord,
  Token: TokenRecord,
  Project: ProjectFixture,
  Keyword: NESTED.keywords,
  Report: NESTED.reports,
  Policies: PolicySettings,
  Id,
  DateTime: DateTimeInput,
  Date: CalendarDateInput,
} as const

/**
 * The format of fixtures as a JSON Schema, for completion and checks in editors. Rules between records
 * (references, duplicates) are left to `seo-sandbox validate`.
 */
export function createFixtureSchema() {
  const registry = z.registry<{ id: string }>()
  registry.add(Fixture, { id: 'Fixture' })
  for (const [id, schema] of Object.entries(DEFINITIONS)) registry.add(schema, { id })

  const { schemas } = z.toJSONSchema(registry, {
    uri: toReference,
    io: 'input',
    // Policies are code, and described below.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.pattern === undefined) return
      Object.assign(jsonSchema, { patternErrorMessage: explainPattern(zodSchema) })
    },
  })
  const definitions = Object.keys(DEFINITIONS).map((name) => [name, toDefinition(schemas[name])])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: 'Written from src/fixtures by npm run generate.',
    title: 'Fixture of seo-sandbox',
    description:
      'A world for seo-sandbox to serve. Field names are those of the API, references are ids.',
    ...toDefinition(schemas['Fixture']),
    patternProperties: { '^x-': { description: 'Parts with anchors, for aliases elsewhere' } },
    $defs: {
      ...Object.fromEntries(definitions),
      Policies: describePolicies(toReference('Policies')),
    },
  }
}

/** The message of editors for a text that does not match, in place of the pattern: the sentence of the validator. */
function explainPattern(schema: z.core.$ZodType): string | undefined {
  const error = z.safeParse(schema, '').error
  return error?.issues[0]?.message.replace(/^"" is not/, 'This is not')
}

function toReference(name: string): string {
  return `#/$defs/${name}`
}

/** A schema without its dialect and id, which the whole schema states for all of them. */
function toDefinition({
  $schema: _dialect,
  $id: _place,
  ...schema
}: z.core.JSONSchema.BaseSchema = {}) {
  return schema
}
