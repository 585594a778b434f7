import { createFixtureSchema } from './fixture-schema.ts'
import { fieldTable } from './field-table.ts'
import type { Schema } from './field-table.ts'

/** The kinds of records that have fields of their own, by the section of a fixture that has them. */
const KINDS = {
  agencies: 'Agency',
  countries: 'Country',
  languages: 'Language',
  users: 'User',
  tokens: 'Token',
  projects: 'Project',
  'keywords of a project': 'Keyword',
  'reports of a project': 'Report',
}

/** A table of fields for the top of a fixture, and for each kind of record. */
export function fixtureTables(): string {
  const { $defs = {}, ...top } = createFixtureSchema() as Schema
  const { generate, progress } = top.properties ?? {}
  const sections: [title: string, schema: Schema | undefined][] = [
    ['top level', top],
    ['generate', generate],
    ['agency of generate', generate?.properties?.['agency']],
    ['companies of generate', generate?.properties?.['companies']?.items],
    ['progress', progress],
    ...Object.entries(KINDS).map(([title, name]): [string, Schema | undefined] => [
      title,
      $defs[name],
    ]),
  ]
  return sections
    .map(([title, schema]) => {
      if (schema === undefined) throw new Error(`The schema of fixtures has no ${title}.`)
      return `### Fields: ${title}\n\n${fieldTable(schema)}`
    })
    .join('\n\n')
}
