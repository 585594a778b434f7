import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { Fixture } from '../../src/contract/fixture.ts'
import { createFixtureSchema } from '../../src/contract/fixture-schema.ts'
import { POLICIES } from '../../src/contract/gaps.ts'
import { createSandbox } from '../../src/index.ts'
import type { FixtureInput } from '../../src/index.ts'

const SCHEMA = createFixtureSchema()
const fits = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(SCHEMA)

/** Every field that there is, as YAML gives it. */
const EVERY_FIELD = parse(`
$schema: ./schema.json
version: 1
now: 2026-03-15T12:00:00Z
frozen: true
policies: { foreign-project: 403, null-links: empty, G-24: "-1" }
progress: { mode: reads, reads: 3 }
generate:
  projects: 2
  agencies: 1
  keywords: { min: 0, max: 4 }
  reports: { min: 0, max: 2 }
  locale: da
agencies: [{ id: 1, name: North, report_cc_email: reports@north.example }]
countries: [{ id: 45, label: Denmark, applicable: true }]
languages: [{ id: 1, label: Danish }]
users: [{ id: 7, name: Maja, role: Editor, agency: 1 }]
tokens:
  - id: 1
    name: Office
    token: north-office
    agency: 1
    status: active
    abilities: ["*"]
    allowed_ips: [203.0.113.0/24]
    rate_limit: { per_minute: 5, per_hour: unlimited }
    spent: minute
projects:
  - id: 101
    agency: 1
    name: Harbour
    status: active
    created_at: now-3d
    company_name: Harbour Ltd
    domain: https://harbour.example
    country: 45
    text_language: 1
    report_language: 1
    managing_user: 7
    created_by: 7
    contact_email: hello@harbour.example
    client_emails: [hello@harbour.example]
    receives_monthly_reports: true
    plan: Plus
    gsc_status: connected
    keywords:
      - id: 1001
        keyword: fish
        create_date: month+0/05
        url: https://harbour.example/fish
        latest_position: 3
        status_200: true
        active: true
    reports:
      - id: 5001
        report_number: 1
        status: completed
        created_at: 2026-03-01
        report_name: Monthly
        date_to_create_texts: month-1/31
        date_to_send_to_client: 2026-03-05
        sent: true
        approved_status: approved
        approved_by: 7
        managed_status: completed
        managed_by: 7
        pdf_link: https://harbour.example/1.pdf
        web_link: https://harbour.example/1
        level: project
        action_type: regular
        content: { 1001: [{ h3: Fish, text: Fresh. }] }
      - id: 5002
        report_number: 2
        status: running
        created_at: now
        content_scheme: faq
        content_scheme_fields: [question]
        content: { 1001: { content: [{ question: Why? }], html: {} } }
`) as Fields

type Fields = Record<string, unknown>

test('it fits every fixture of the package', () => {
  const folder = new URL('../../fixtures/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.yaml'),
  )
  expect(files).toContain('default.yaml')
  const read = (file: string): unknown => parse(readFileSync(new URL(file, folder), 'utf8'))
  expect(files.filter((file) => !fits(read(file)))).toEqual([])
})

test('it fits a fixture with every field, and so does the validator, $schema included', async () => {
  expect(missingFrom(EVERY_FIELD)).toEqual([])
  expect(fits(EVERY_FIELD)).toBe(true)
  await expect(
    createSandbox({ fixtures: EVERY_FIELD as unknown as FixtureInput }),
  ).resolves.toBeDefined()
})

test('it fits a part of a fixture, without a version', () => {
  expect(fits({ agencies: [{ id: 1, name: 'North' }] })).toBe(true)
})

test('it says of every field what it is for', () => {
  const silent = fieldsOf(SCHEMA).filter(({ schema }) => !('description' in schema))
  expect(silent.map(({ name }) => name)).toEqual([])
})

describe('it refuses what the validator refuses by structure, and nothing else', () => {
  const mutations = mutationsOf(EVERY_FIELD)

  test.each([
    ['each value of another type', mutations.replaced],
    ['each field left out', mutations.removed],
    ['an unknown key in each map', mutations.extended],
  ])('%s', (_, documents) => {
    expect(documents.length).toBeGreaterThan(10)
    const disagreeing = documents.filter(
      ({ document }) => fits(document) !== Fixture.safeParse(document).success,
    )
    expect(disagreeing.map(({ change }) => change)).toEqual([])
  })

  test.each([
    'now',
    'now-3d',
    'now+90s',
    'month+0/05',
    'month-12/31',
    '2026-03-15',
    '2026-03-15T12:00Z',
    '2026-03-15T12:00:00.123456+01:00',
    '',
    'today',
    'now-3',
    'now -3d',
    'now-3y',
    'month/05',
    'month+0/5',
    '15.3.2026',
    '2026-3-15',
    '2026-03-15T12:00:00',
    '2026-03-15 12:00:00Z',
    'from now',
    'now-3d or so',
  ])('the moment "%s"', (moment) => {
    const withNow = { now: moment }
    expect(fits(withNow)).toBe(Fixture.safeParse(withNow).success)
    const keyword = { id: 1, keyword: 'fish', create_date: moment }
    const project = { id: 1, agency: 1, name: 'A', status: 'active', created_at: 'now' }
    const withDate = { projects: [{ ...project, keywords: [keyword] }] }
    expect(fits(withDate)).toBe(Fixture.safeParse(withDate).success)
  })

  test.each(['*', '203.0.113.7', '2001:db8::/32', '::ffff:203.0.113.7', 'localhost', '', '1/2/3'])(
    'the address "%s"',
    (address) => {
      const document = { tokens: [{ id: 1, name: 'A', token: 'a', allowed_ips: [address] }] }
      expect(fits(document)).toBe(Fixture.safeParse(document).success)
    },
  )
})

describe('a policy', () => {
  test.each(POLICIES)('$policy takes each of its options, by name and by id', (gap) => {
    const number = String(Number(gap.id.slice(2)))
    for (const option of Object.keys(gap.options)) {
      // As a text, and as YAML reads it without quotes.
      for (const value of [option, parse(option) as unknown]) {
        for (const name of [gap.policy, gap.id, `g${number}`, `G-${number}`]) {
          const document = { policies: { [name]: value } }
          expect(Fixture.safeParse(document).success).toBe(true)
          expect(fits(document)).toBe(true)
        }
      }
    }
  })

  test.each([
    { 'foreign-project': 402 },
    { 'foreign-projct': 403 },
    { 'G-008': 'ignored' },
    { 'G-999': 403 },
    { 'month-time-zone': 1 },
    ['foreign-project'],
  ])('%j is refused', (policies) => {
    expect(Fixture.safeParse({ policies }).success).toBe(false)
    expect(fits({ policies })).toBe(false)
  })

  test('whose options cannot be listed takes a text', () => {
    expect(fits({ policies: { 'month-time-zone': 'Europe/Copenhagen' } })).toBe(true)
  })
})

interface SchemaField {
  name: string
  schema: object
}

/** Every field that a schema describes, however deep, with the definitions that it refers to. */
function fieldsOf(schema: unknown): SchemaField[] {
  if (Array.isArray(schema)) return schema.flatMap(fieldsOf)
  if (!isFields(schema)) return []
  const { properties } = schema
  const own = isFields(properties)
    ? Object.entries(properties).map(([name, field]) => ({ name, schema: field as object }))
    : []
  return [...own, ...Object.values(schema).flatMap(fieldsOf)]
}

/** The fields of the schema that a document does not use; policies are told apart elsewhere. */
function missingFrom(document: unknown): string[] {
  const used = new Set(keysOf(document))
  const policies = POLICIES.map(({ policy }): string => policy)
  const names = fieldsOf(SCHEMA).map(({ name }) => name)
  return names.filter((name) => !used.has(name) && !policies.includes(name))
}

function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf)
  if (!isFields(value)) return []
  return Object.entries(value).flatMap(([key, child]) => [key, ...keysOf(child)])
}

/** A document that differs from another in one place. */
interface Mutation {
  change: string
  document: unknown
}

const OTHER_VALUES = [null, 'no such text', '', 0, 1.5, -1, true, [], {}, [null], { a: 1 }]

function mutationsOf(document: Fields): Record<'replaced' | 'removed' | 'extended', Mutation[]> {
  const paths = pathsOf(document)
  const mutate = (change: string, path: string[], edit: (parent: Fields, key: string) => void) => {
    const copy = structuredClone(document)
    const parent = path.slice(0, -1).reduce<Fields>((at, key) => at[key] as Fields, copy)
    edit(parent, path.at(-1) ?? '')
    return { change: `${change} ${path.join('.')}`, document: copy }
  }
  return {
    replaced: paths.flatMap((path) =>
      OTHER_VALUES.map((value) =>
        mutate(JSON.stringify(value), path, (parent, key) => {
          parent[key] = value
        }),
      ),
    ),
    removed: paths
      .filter((path) => !/^\d+$/.test(path.at(-1) ?? ''))
      .map((path) =>
        mutate('without', path, (parent, key) => {
          Reflect.deleteProperty(parent, key)
        }),
      ),
    extended: paths
      .filter((path) => isFields(path.reduce<unknown>((at, key) => (at as Fields)[key], document)))
      .map((path) =>
        mutate('extended', path, (parent, key) => {
          Object.assign(parent[key] as Fields, { extra: 1 })
        }),
      ),
  }
}

/** The path of everything in a document but itself. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [
    [key],
    ...pathsOf(child).map((path) => [key, ...path]),
  ])
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
