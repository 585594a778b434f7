import { z } from 'zod'
import { AgencyRecord } from './agency.ts'
import { Id } from './conventions.ts'
import { CountryRecord } from './country.ts'
import { Fixture } from './fixture.ts'
import { POLICIES } from './gaps.ts'
import type { PolicyGap } from './gaps.ts'
import { LanguageRecord } from './language.ts'
import { CalendarDateInput, DateTimeInput } from './moments.ts'
import { PolicySettings } from './policies.ts'
import { NESTED, ProjectFixture } from './project.ts'
import { TokenRecord } from './token.ts'
import { UserRecord } from './user.ts'

/** What has a name of its own in the schema, and is written there once. */
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
 * The format of fixtures as a JSON Schema, with which editors complete and check a file while it is
 * written. What lies between records (references, duplicates) is for `seo-sandbox validate` to find.
 */
export function createFixtureSchema() {
  const registry = z.registry<{ id: string }>()
  registry.add(Fixture, { id: 'Fixture' })
  for (const [id, schema] of Object.entries(DEFINITIONS)) registry.add(schema, { id })

  const { schemas } = z.toJSONSchema(registry, { uri: toReference, io: 'input' })
  const definitions = Object.keys(DEFINITIONS).map((name) => [name, toDefinition(schemas[name])])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: 'Written from src/contract by npm run generate.',
    title: 'Fixture of seo-sandbox',
    description:
      'A world for seo-sandbox to serve. Field names are those of the API, references are ids.',
    ...toDefinition(schemas['Fixture']),
    $defs: {
      ...Object.fromEntries(definitions),
      Policies: describePolicies(toReference('Policies')),
    },
  }
}

function toReference(name: string): string {
  return `#/$defs/${name}`
}

/** A schema as a part of another, which says for all of them what their dialect is and where they are. */
function toDefinition({
  $schema: _dialect,
  $id: _place,
  ...schema
}: z.core.JSONSchema.BaseSchema = {}) {
  return schema
}

/** Policies by name, as an editor should offer them, or by id, which is taken as well; `place` is where this stands. */
export function describePolicies(place: string) {
  const byName = POLICIES.map((gap): [string, object] => [gap.policy, describePolicy(gap)])
  const byId = POLICIES.map(({ id, policy }): [string, object] => [
    `^[Gg]-?0*${Number(id.slice(2))}$`,
    { $ref: `${place}/properties/${policy}` },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(byName),
    patternProperties: Object.fromEntries(byId),
    additionalProperties: false,
  }
}

function describePolicy({ id, section, question, options, accepts, ...gap }: PolicyGap) {
  const meanings = Object.entries(options).map(([option, meaning]) => `\`${option}\`: ${meaning}`)
  if (accepts) meanings.push(accepts.description)
  const values = Object.keys(options).flatMap(toValues)
  return {
    description: `${question} (${id}, specification ${section}). ${meanings.join('; ')}`,
    default: toValues(gap.default)[0],
    ...(accepts ? { type: 'string', examples: values } : { enum: values }),
  }
}

/** An option as YAML reads it without quotes, and as a text. */
function toValues(option: string): unknown[] {
  if (option === 'null') return [null, option]
  return /^-?\d+$/.test(option) ? [Number(option), option] : [option]
}
