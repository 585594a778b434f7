import { describe, expect, test } from 'vitest'
import { openFetch } from '../support/transports.ts'
import type { Client } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER, withReports } from '../support/worlds.ts'

/** Specification 2 and 3: the fields of the responses. */

const FISH_BLOCKS = [
  { h3: 'Fresh fish', text: 'Landed at five.' },
  { h3: 'Fish & "chips"', text: 'a < b\nb > a' },
]

const FISH_HTML = [
  { h3_and_text: '<h3>Fresh fish</h3>\n<p>Landed at five.</p>' },
  { h3_and_text: '<h3>Fish &amp; &quot;chips&quot;</h3>\n<p>a &lt; b\nb &gt; a</p>' },
]

/**
 * Project 1, its report and its keyword have every field set; in project 2, every nullable field is
 * null.
 */
const RICH = aWorld({
  agencies: [
    { id: 1, name: 'North', report_cc_email: 'cc@north.example' },
    { id: 2, name: 'South' },
  ],
  countries: [
    { id: 45, label: 'Denmark' },
    { id: 49, label: 'Germany' },
  ],
  languages: [
    { id: 1, label: 'Danish' },
    { id: 2, label: 'German' },
  ],
  users: [
    { id: 7, name: 'Maja Holm', role: 'Account manager', agency: 1 },
    { id: 8, name: 'Jonas Krog', role: 'Editor', agency: 1 },
    { id: 9, name: 'Petra Vogt', role: 'Writer', agency: 1 },
    { id: 10, name: 'Service Desk' },
  ],
  tokens: [
    aToken({ id: 1, token: AGENCY, name: 'North production', abilities: ['*'] }),
    aToken({ id: 2, token: SUPER, agency: null }),
  ],
  projects: [
    aProject({
      id: 1,
      name: 'Full',
      status: 'active',
      created_at: '2025-12-01T08:30:00.250001Z',
      company_name: 'Full ApS',
      domain: 'https://full.example',
      country: 45,
      text_language: 1,
      report_language: 2,
      managing_user: 7,
      created_by: 8,
      contact_email: 'post@full.example',
      client_emails: ['post@full.example', 'owner@full.example'],
      receives_monthly_reports: false,
      plan: 'Growth',
      gsc_status: 'connected',
      keywords: [
        {
          id: 11,
          keyword: 'fresh fish',
          url: 'https://full.example/fish',
          create_date: '2025-12-02',
          latest_position: 4,
          status_200: true,
        },
        { id: 12, keyword: 'fish soup', create_date: '2025-12-03' },
        { id: 13, keyword: 'wholesale', create_date: '2025-12-04', active: false },
      ],
      reports: [
        aReport({
          id: 21,
          report_number: 3,
          report_name: 'Monthly report',
          status: 'completed',
          created_at: '2026-03-02T06:00:00.000001Z',
          date_to_create_texts: '2026-03-02',
          date_to_send_to_client: '2026-03-09',
          sent: true,
          approved_status: 'approved',
          approved_by: 9,
          managed_status: 'completed',
          managed_by: 8,
          pdf_link: 'https://files.example/21.pdf',
          web_link: 'https://reports.example/21',
          content: { 11: FISH_BLOCKS, 13: [{ h3: 'Inactive', text: 'Not shown.' }] },
        }),
      ],
    }),
    aProject({
      id: 2,
      agency: 2,
      name: 'Bare',
      keywords: [{ id: 14, keyword: 'bread', create_date: '2025-12-02' }],
      reports: [aReport({ id: 22, report_number: 26, status: 'completed' })],
    }),
  ],
})

const IS_DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const IS_DATE = /^\d{4}-\d\d-\d\d$/

const isText = (value: any) => typeof value === 'string'
const isObject = (value: any) => typeof value === 'object' && !Array.isArray(value)
const isLabel = (value: any) => Number.isInteger(value.id) && isText(value.label)
const isAgency = (value: any) => Number.isInteger(value.id) && isText(value.name)

/** The types of section 2, for a value that is not null. */
const TYPES: Record<string, (value: any) => boolean> = {
  'an integer': (value) => Number.isInteger(value),
  'a string': isText,
  'a boolean': (value) => typeof value === 'boolean',
  'a datetime': (value) => IS_DATE_TIME.test(value),
  'a date': (value) => IS_DATE.test(value),
  'an object': isObject,
  'an array': Array.isArray,
  'an object or an array': (value) => isObject(value) || Array.isArray(value),
  'an array of strings': (value) => Array.isArray(value) && value.every(isText),
  'an array of integers': (value) => Array.isArray(value) && value.every(Number.isInteger),
  'an object {id, name}': isAgency,
  'an object {id, label}': isLabel,
  'a user object': (value) => isAgency(value) && 'role' in value && 'agency' in value,
}

const MAJA = { id: 7, name: 'Maja Holm', role: 'Account manager', agency: { id: 1, name: 'North' } }
const JONAS = { id: 8, name: 'Jonas Krog', role: 'Editor', agency: { id: 1, name: 'North' } }
const PETRA = { id: 9, name: 'Petra Vogt', role: 'Writer', agency: { id: 1, name: 'North' } }

/**
 * Every field of the tables 2.2 to 2.9, in the specification's order: section, field, type, and its
 * value in the full record. `links.report_pdf` is a nested field, `keywords[].keyword` a field of
 * each item.
 */
const FIELDS: [section: string, field: string, type: string, full: unknown][] = [
  ['2.2', 'id', 'an integer', 7],
  ['2.2', 'name', 'a string', 'Maja Holm'],
  ['2.2', 'role', 'a string or null', 'Account manager'],
  ['2.2', 'agency', 'an object {id, name} or null', { id: 1, name: 'North' }],

  ['2.3', 'id', 'an integer', 45],
  ['2.3', 'label', 'a string', 'Denmark'],

  ['2.4', 'id', 'an integer', 1],
  ['2.4', 'name', 'a string', 'Full'],
  ['2.4', 'status', 'a string', 'active'],
  ['2.4', 'keyword_count', 'an integer', 3],
  ['2.4', 'latest_report_generated_at', 'a datetime or null', '2026-03-02T06:00:00.000001Z'],
  ['2.4', 'latest_report_id', 'an integer or null', 21],
  ['2.4', 'latest_report_number', 'an integer or null', 3],
  ['2.4', 'latest_report_status', 'a string or null', 'completed'],
  ['2.4', 'links.latest_report', 'a string', '/api/v1/projects/1/reports/latest'],
  ['2.4', 'links.last_generated_report', 'a string', '/api/v1/projects/1/reports/last-generated'],

  ['2.5', 'id', 'an integer', 1],
  ['2.5', 'name', 'a string', 'Full'],
  ['2.5', 'company_name', 'a string or null', 'Full ApS'],
  ['2.5', 'domain', 'a string or null', 'https://full.example'],
  ['2.5', 'created_at', 'a datetime', '2025-12-01T08:30:00.250001Z'],
  ['2.5', 'country', 'an object {id, label} or null', { id: 45, label: 'Denmark' }],
  ['2.5', 'text_language', 'an object {id, label} or null', { id: 1, label: 'Danish' }],
  ['2.5', 'report_language', 'an object {id, label} or null', { id: 2, label: 'German' }],
  ['2.5', 'managing_user', 'a user object or null', MAJA],
  ['2.5', 'created_by', 'a user object or null', JONAS],
  ['2.5', 'contact_email', 'a string or null', 'post@full.example'],
  ['2.5', 'client_emails', 'an array of strings', ['post@full.example', 'owner@full.example']],
  ['2.5', 'cc_email', 'a string or null', 'cc@north.example'],
  ['2.5', 'receives_monthly_reports', 'a boolean', false],
  // Nullable, but every project of a world has an agency.
  ['2.5', 'agency', 'a string', 'North'],
  ['2.5', 'plan', 'a string or null', 'Growth'],
  ['2.5', 'keyword_count', 'an integer', 3],
  ['2.5', 'gsc_status', 'a string or null', 'connected'],
  ['2.5', 'latest_report_generated_at', 'a datetime or null', '2026-03-02T06:00:00.000001Z'],
  ['2.5', 'latest_report_id', 'an integer or null', 21],
  ['2.5', 'latest_report_number', 'an integer or null', 3],
  ['2.5', 'latest_report_status', 'a string or null', 'completed'],
  ['2.5', 'links.latest_report', 'a string', '/api/v1/projects/1/reports/latest'],
  ['2.5', 'links.last_generated_report', 'a string', '/api/v1/projects/1/reports/last-generated'],

  ['2.6', 'id', 'an integer', 21],
  ['2.6', 'project_id', 'an integer', 1],
  ['2.6', 'report_number', 'an integer', 3],
  ['2.6', 'report_name', 'a string or null', 'Monthly report'],
  ['2.6', 'status', 'a string', 'completed'],
  ['2.6', 'date_to_create_texts', 'a date or null', '2026-03-02'],
  ['2.6', 'date_to_send_to_client', 'a date or null', '2026-03-09'],
  ['2.6', 'sent', 'a boolean', true],
  ['2.6', 'approved_status', 'a string or null', 'approved'],
  ['2.6', 'approved_by', 'a user object or null', PETRA],
  ['2.6', 'managed_status', 'a string or null', 'completed'],
  ['2.6', 'managed_by', 'a user object or null', JONAS],
  ['2.6', 'pdf_link', 'a string or null', 'https://files.example/21.pdf'],
  ['2.6', 'web_link', 'a string or null', 'https://reports.example/21'],

  ['2.7', 'report_number', 'an integer', 3],
  ['2.7', 'report_id', 'an integer', 21],
  ['2.7', 'report_name', 'a string or null', 'Monthly report'],
  ['2.7', 'content_scheme', 'a string or null', 'h3_text_blocks'],
  ['2.7', 'content_scheme_fields', 'an array of strings or null', ['h3', 'text']],
  [
    '2.7',
    'links',
    'an object',
    {
      project_website: 'https://full.example',
      report_web: 'https://reports.example/21',
      report_pdf: 'https://files.example/21.pdf',
    },
  ],
  ['2.7', 'project_id', 'an integer', 1],
  ['2.7', 'project_domain', 'a string or null', 'https://full.example'],
  ['2.7', 'project_status', 'a string', 'active'],
  ['2.7', 'is_generated', 'a boolean', true],
  ['2.7', 'generation_status', 'a string', 'completed'],
  ['2.7', 'approved_status', 'a string or null', 'approved'],
  ['2.7', 'approved_by', 'a user object or null', PETRA],
  ['2.7', 'managed_status', 'a string or null', 'completed'],
  ['2.7', 'managed_by', 'a user object or null', JONAS],
  ['2.7', 'date_to_create_texts', 'a date or null', '2026-03-02'],
  ['2.7', 'date_to_send_to_client', 'a date or null', '2026-03-09'],
  ['2.7', 'summary.keyword_count', 'an integer', 2],
  ['2.7', 'summary.keywords_with_content', 'an integer', 1],
  ['2.7', 'keywords[].keyword_id', 'an integer', 11],
  ['2.7', 'keywords[].keyword', 'a string', 'fresh fish'],
  ['2.7', 'keywords[].keyword_url', 'a string or null', 'https://full.example/fish'],
  ['2.7', 'keywords[].has_content', 'a boolean', true],
  ['2.7', 'keywords[].content', 'an object or an array or null', FISH_BLOCKS],
  ['2.7', 'keywords[].html', 'an object or an array or null', FISH_HTML],

  ['2.8', 'id', 'an integer', 11],
  ['2.8', 'keyword', 'a string', 'fresh fish'],
  ['2.8', 'url', 'a string or null', 'https://full.example/fish'],
  ['2.8', 'create_date', 'a date', '2025-12-02'],
  ['2.8', 'latest_position', 'an integer or null', 4],
  ['2.8', 'status_200', 'a boolean or null', true],
  ['2.8', 'content_count', 'an integer', 1],
  ['2.8', 'content_action_ids', 'an array of integers', [3]],

  ['2.9', 'id', 'an integer', 1],
  ['2.9', 'name', 'a string', 'North production'],
  ['2.9', 'agency_id', 'an integer or null', 1],
  ['2.9', 'status', 'a string', 'active'],
  ['2.9', 'abilities', 'an array of strings', ['*']],
]

/** An object in a response: the path to request, its place in the body, and the token to use. */
type Place = [path: string, where: string, token?: string]

/** The places of the record with every field set, and of the record whose nullable fields are all null. */
const RECORDS: Record<string, { full: Place; bare: Place }> = {
  '2.2': { full: ['/users/7', 'data'], bare: ['/users/10', 'data'] },
  '2.3': { full: ['/countries/45', 'data'], bare: ['/languages/2', 'data'] },
  '2.4': { full: ['/projects?search=full', 'data[]'], bare: ['/projects?search=bare', 'data[]'] },
  '2.5': { full: ['/projects/1', 'data'], bare: ['/projects/2', 'data'] },
  '2.6': { full: ['/projects/1/reports', 'data[]'], bare: ['/projects/2/reports', 'data[]'] },
  '2.7': {
    full: ['/projects/1/reports/3/content', 'data'],
    bare: ['/projects/2/reports/26/content', 'data'],
  },
  '2.8': { full: ['/projects/1/keywords', 'data[]'], bare: ['/projects/2/keywords', 'data[]'] },
  '2.9': { full: ['/me', '', AGENCY], bare: ['/me', ''] },
}

/** All values at a path of field names in a body; `[]` means each item of a list. */
function collect(body: any, where: string): any[] {
  const steps = where.split(/\.|(?=\[\])/).filter((step) => step !== '')
  return steps.reduce<any[]>(
    (values, step) => values.flatMap((value) => (step === '[]' ? value : [value[step]])),
    [body],
  )
}

async function read(client: Client, [path, where, token = SUPER]: Place): Promise<any[]> {
  const { status, body } = await client.send({ path, token })
  expect(status).toBe(200)
  return collect(body, where)
}

/**
 * The field names in a section's table: of the object itself, or of a nested object or list item.
 */
function namesIn(section: string, inside: string): string[] {
  const names = FIELDS.filter(([of, field]) => of === section && field.startsWith(inside)).map(
    ([, field]) => field.slice(inside.length).split(/[.[]/)[0] ?? '',
  )
  return [...new Set(names)]
}

describe('section 2, every field', () => {
  test.each(FIELDS)('%s %s is %s', async (section, field, type, value) => {
    await using client = await openFetch({ fixtures: RICH })
    const isType = TYPES[type.replace(/ or null$/, '')]
    const { full, bare } = RECORDS[section]!
    const [fullValue] = collect((await read(client, full))[0], field)
    expect(fullValue).toStrictEqual(value)
    expect(fullValue).toSatisfy(isType!)

    const [bareValue] = collect((await read(client, bare))[0], field)
    if (type.endsWith(' or null')) expect(bareValue).toBeNull()
    else expect(bareValue).toSatisfy(isType!)
  })
})

describe('section 2, every place', () => {
  test.each<[section: string, path: string, where: string, inside?: string]>([
    ['2.2', '/users', 'data[]'],
    ['2.2', '/users/7', 'data'],
    ['2.2', '/projects/1', 'data.managing_user'],
    ['2.2', '/projects/1', 'data.created_by'],
    ['2.2', '/projects/1/reports', 'data[].approved_by'],
    ['2.2', '/projects/1/reports', 'data[].managed_by'],
    ['2.2', '/projects/1/reports/latest', 'data.approved_by'],
    ['2.2', '/projects/1/reports/3/content', 'data.approved_by'],
    ['2.2', '/projects/1/reports/3/content', 'data.managed_by'],
    ['2.3', '/countries', 'data[]'],
    ['2.3', '/countries/45', 'data'],
    ['2.3', '/languages', 'data[]'],
    ['2.3', '/languages/1', 'data'],
    ['2.3', '/projects/1', 'data.country'],
    ['2.3', '/projects/1', 'data.text_language'],
    ['2.3', '/projects/1', 'data.report_language'],
    ['2.4', '/projects', 'data[]'],
    ['2.4', '/projects', 'data[].links', 'links.'],
    ['2.5', '/projects/1', 'data'],
    ['2.5', '/projects/2', 'data'],
    ['2.5', '/projects/1', 'data.links', 'links.'],
    ['2.6', '/projects/1/reports', 'data[]'],
    ['2.6', '/projects/2/reports', 'data[]'],
    ['2.6', '/projects/1/reports/latest', 'data'],
    ['2.6', '/projects/1/reports/last-generated', 'data'],
    ['2.6', '/projects/2/reports/last-generated', 'data'],
    ['2.7', '/projects/1/reports/3/content', 'data'],
    ['2.7', '/projects/2/reports/26/content', 'data'],
    ['2.7', '/projects/2/reports/26/content', 'data.summary', 'summary.'],
    ['2.7', '/projects/1/reports/3/content', 'data.keywords[]', 'keywords[].'],
    ['2.7', '/projects/2/reports/26/content', 'data.keywords[]', 'keywords[].'],
    ['2.8', '/projects/1/keywords', 'data[]'],
    ['2.8', '/projects/2/keywords', 'data[]'],
    ['2.9', '/me', ''],
  ])(
    '%s GET %s at "%s" has exactly the fields of the table, in its order, including null ones (T24)',
    async (section, path, where, inside = '') => {
      await using client = await openFetch({ fixtures: RICH })
      const objects = await read(client, [path, where])
      expect(objects).not.toHaveLength(0)
      for (const object of objects) {
        expect(Object.keys(object)).toStrictEqual(namesIn(section, inside))
      }
    },
  )
})

describe('2.1 conventions', () => {
  const TOP_LEVEL: [path: string, names: string[]][] = [
    ['/me', ['id', 'name', 'agency_id', 'status', 'abilities']],
    ['/countries', ['data']],
    ['/countries/45', ['data']],
    ['/languages', ['data']],
    ['/languages/1', ['data']],
    ['/users', ['data']],
    ['/users/7', ['data']],
    ['/projects', ['data', 'meta', 'links', 'cache_refreshed_at']],
    ['/projects/1', ['data', 'cache_refreshed_at']],
    ['/projects/1/reports', ['data', 'cache_refreshed_at']],
    ['/projects/1/reports/latest', ['data', 'cache_refreshed_at']],
    ['/projects/1/reports/last-generated', ['data', 'cache_refreshed_at']],
    ['/projects/1/reports/3/content', ['data', 'cache_refreshed_at']],
    ['/projects/1/keywords', ['data', 'cache_refreshed_at']],
  ]

  test('2.1, 4.3(2) every response has data, and cache_refreshed_at where stated; /me has no wrapper (T14)', async () => {
    await using client = await openFetch({ fixtures: RICH })
    for (const [path, names] of TOP_LEVEL) {
      const { body } = await client.send({ path, token: AGENCY })
      expect(Object.keys(body), path).toStrictEqual(names)
    }
  })

  test('2.1 cache_refreshed_at is the world clock floored to a minute (G-058)', async () => {
    await using client = await openFetch({
      fixtures: aWorld({ now: '2026-03-15T12:00:59.999Z' }),
    })
    const refreshedAt = async () =>
      (await client.send({ path: '/projects', token: AGENCY })).body.cache_refreshed_at
    expect(await refreshedAt()).toBe('2026-03-15T12:00:00.000000Z')
    await client.sandbox.clock.advance(1)
    expect(await refreshedAt()).toBe('2026-03-15T12:01:00.000000Z')
  })

  test('2.1 cache_refreshed_at is absent from errors (G-060)', async () => {
    await using client = await openFetch({ fixtures: RICH })
    for (const path of ['/projects/9', '/projects?x=1', '/projects/1/reports/27/content']) {
      const { status, body } = await client.send({ path, token: AGENCY })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(body).not.toHaveProperty('cache_refreshed_at')
    }
  })

  test.each([
    ['2025-12-01T08:30:00.250001Z', '2025-12-01T08:30:00.250001Z'],
    ['2025-12-01T08:30:00.25Z', '2025-12-01T08:30:00.250000Z'],
    ['2025-12-01T08:30:00Z', '2025-12-01T08:30:00.000000Z'],
    ['2025-12-01T00:30:00+01:00', '2025-11-30T23:30:00.000000Z'],
  ])('2.1 a datetime is UTC with microseconds: %s is shown as %s (T15)', async (written, shown) => {
    await using client = await openFetch({
      fixtures: aWorld({
        projects: [
          aProject({
            id: 1,
            created_at: written,
            reports: [aReport({ id: 1, created_at: written, date_to_create_texts: '2026-01-01' })],
          }),
        ],
      }),
    })
    const { body } = await client.send({ path: '/projects/1', token: AGENCY })
    expect(body.data).toMatchObject({ created_at: shown, latest_report_generated_at: shown })
  })

  test("2.1 a date is a calendar day, YYYY-MM-DD, whatever the fixture's notation", async () => {
    await using client = await openFetch({
      fixtures: withReports([
        aReport({
          id: 1,
          date_to_create_texts: 'month-1/31',
          date_to_send_to_client: '2026-03-05',
        }),
      ]),
    })
    const { body } = await client.send({ path: '/projects/1/reports/latest', token: AGENCY })
    expect(body.data).toMatchObject({
      date_to_create_texts: '2026-02-28',
      date_to_send_to_client: '2026-03-05',
    })
  })
})

describe('2.2 and 2.3 embedded objects', () => {
  test('2.2 a user is embedded as in /users/{user}: managing_user, created_by, approved_by, managed_by', async () => {
    await using client = await openFetch({ fixtures: RICH })
    const user = async (id: number) => (await read(client, [`/users/${id}`, 'data']))[0]
    expect(await read(client, ['/projects/1', 'data.managing_user'])).toEqual([await user(7)])
    expect(await read(client, ['/projects/1', 'data.created_by'])).toEqual([await user(8)])
    for (const path of ['/projects/1/reports/latest', '/projects/1/reports/3/content']) {
      expect(await read(client, [path, 'data.approved_by'])).toEqual([await user(9)])
      expect(await read(client, [path, 'data.managed_by'])).toEqual([await user(8)])
    }
  })

  test('2.3 countries and languages have one shape, and are embedded as in the reference data', async () => {
    await using client = await openFetch({ fixtures: RICH })
    const [project] = await read(client, ['/projects/1', 'data'])
    expect(project.country).toEqual((await read(client, ['/countries/45', 'data']))[0])
    expect(project.text_language).toEqual((await read(client, ['/languages/1', 'data']))[0])
    expect(project.report_language).toEqual((await read(client, ['/languages/2', 'data']))[0])
  })

  test('2.3 a project may have a country that is not in /countries (G-063)', async () => {
    await using client = await openFetch({
      fixtures: aWorld({
        countries: [{ id: 672, label: 'Antarctica', applicable: false }],
        projects: [aProject({ id: 1, country: 672 })],
      }),
    })
    const { body } = await client.send({ path: '/projects/1', token: AGENCY })
    expect(body.data.country).toEqual({ id: 672, label: 'Antarctica' })
    expect((await client.send({ path: '/countries', token: AGENCY })).body.data).toEqual([])
  })
})

/** The four fields in a list item and in the single project, and the response of `latest`. */
async function latestOf(client: Client): Promise<{ item: any; project: any; row: any }> {
  const pick = ({
    latest_report_generated_at,
    latest_report_id,
    latest_report_number,
    latest_report_status,
  }: any) => ({
    latest_report_generated_at,
    latest_report_id,
    latest_report_number,
    latest_report_status,
  })
  const list = await client.send({ path: '/projects', token: AGENCY })
  const single = await client.send({ path: '/projects/1', token: AGENCY })
  const latest = await client.send({ path: '/projects/1/reports/latest', token: AGENCY })
  return {
    item: pick(list.body.data[0]),
    project: pick(single.body.data),
    row: latest.status === 200 ? latest.body.data : latest.status,
  }
}

describe('2.4 the four latest_report fields', () => {
  test('2.4(2) all four are null exactly when latest is 404, even if last-generated is 200 (T6)', async () => {
    await using client = await openFetch({
      fixtures: withReports([
        aReport({ id: 1, status: 'completed', date_to_create_texts: '2026-02-28' }),
      ]),
    })
    const none = {
      latest_report_generated_at: null,
      latest_report_id: null,
      latest_report_number: null,
      latest_report_status: null,
    }
    expect(await latestOf(client)).toEqual({ item: none, project: none, row: 404 })
    const path = '/projects/1/reports/last-generated'
    expect((await client.send({ path, token: AGENCY })).body.data.id).toBe(1)
  })

  test('2.4(3) id and number can decrease when the month changes (T9)', async () => {
    await using client = await openFetch({
      fixtures: withReports([
        aReport({ id: 1, status: 'failed', date_to_create_texts: '2026-01-10' }),
        aReport({ id: 2, status: 'completed', date_to_create_texts: '2026-03-10' }),
      ]),
    })
    expect((await latestOf(client)).item).toMatchObject({
      latest_report_id: 2,
      latest_report_number: 2,
    })
    await client.sandbox.clock.set('2026-04-01')
    expect((await latestOf(client)).item).toMatchObject({
      latest_report_id: 1,
      latest_report_number: 1,
    })
  })

  test('2.4(3) a pending row keeps its values while its status changes', async () => {
    await using client = await openFetch({
      fixtures: withReports([aReport({ id: 1, date_to_create_texts: '2026-03-20' })]),
    })
    const seen = []
    for (const status of ['pending', 'running', 'failed', 'running', 'completed'] as const) {
      await client.sandbox.reports.set({ project: 1, report_number: 1 }, { status })
      seen.push((await latestOf(client)).item)
    }
    expect(seen.map(({ latest_report_status }) => latest_report_status)).toEqual([
      'pending',
      'running',
      'failed',
      'running',
      'completed',
    ])
    for (const item of seen) {
      expect(item).toMatchObject({
        latest_report_id: 1,
        latest_report_number: 1,
        latest_report_generated_at: '2026-01-01T00:00:00.000000Z',
      })
    }
  })

  test('2.4(4) last-generated shows that a new report has finished, while the four fields do not change', async () => {
    await using client = await openFetch({
      fixtures: withReports([
        aReport({ id: 1, status: 'failed', date_to_create_texts: '2026-01-10' }),
        aReport({ id: 2, status: 'running', date_to_create_texts: '2026-02-10' }),
      ]),
    })
    const path = '/projects/1/reports/last-generated'
    const { item: before } = await latestOf(client)
    expect((await client.send({ path, token: AGENCY })).status).toBe(404)
    await client.sandbox.reports.set({ project: 1, report_number: 2 }, { status: 'completed' })
    expect((await latestOf(client)).item).toEqual(before)
    expect((await client.send({ path, token: AGENCY })).body.data.report_number).toBe(2)
  })

  test('2.4 latest_report_generated_at is set for a pending row, and a report has no created_at (T2)', async () => {
    await using client = await openFetch({
      fixtures: withReports([aReport({ id: 1, date_to_create_texts: '2026-05-01' })]),
    })
    const { item, row } = await latestOf(client)
    expect(item.latest_report_status).toBe('pending')
    expect(item.latest_report_generated_at).toBe('2026-01-01T00:00:00.000000Z')
    expect(row).not.toHaveProperty('created_at')
  })
})

describe('2.4 and 2.5 links', () => {
  test('2.4 links already include /api/v1: they resolve against the host, not below the base URL (T17)', async () => {
    await using client = await openFetch({ fixtures: RICH })
    const headers = { authorization: `Bearer ${AGENCY}` }
    for (const place of [
      ['/projects?search=full', 'data[].links'],
      ['/projects/1', 'data.links'],
    ] as Place[]) {
      const [links] = await read(client, place)
      for (const link of Object.values<string>(links)) {
        const url = new URL(link, 'https://seo.example')
        expect((await client.sandbox.fetch(url, { headers })).status).toBe(200)
        const doubled = `https://seo.example/api/v1${link}`
        expect((await client.sandbox.fetch(doubled, { headers })).status).toBe(404)
      }
    }
  })
})

describe('2.5 single project', () => {
  test('2.5 cc_email is the report_cc_email of the agency: a change affects all its projects (T20)', async () => {
    await using client = await openFetch({
      fixtures: aWorld({
        agencies: [
          { id: 1, name: 'North', report_cc_email: 'old@north.example' },
          { id: 2, name: 'South' },
        ],
        projects: [aProject({ id: 1 }), aProject({ id: 2 }), aProject({ id: 3, agency: 2 })],
      }),
    })
    const addresses = () =>
      Promise.all(
        [1, 2, 3].map(
          async (id) =>
            (await client.send({ path: `/projects/${id}`, token: SUPER })).body.data.cc_email,
        ),
      )
    expect(await addresses()).toEqual(['old@north.example', 'old@north.example', null])
    await client.sandbox.command({
      type: 'record.patch',
      collection: 'agencies',
      id: 1,
      patch: { report_cc_email: 'new@north.example' },
    })
    expect(await addresses()).toEqual(['new@north.example', 'new@north.example', null])
  })

  test('2.5, 2.7 keyword_count includes inactive keywords, summary and keywords of content only active ones (T22, G-061, G-062), by ascending id (G-085)', async () => {
    await using client = await openFetch({ fixtures: RICH })
    const [project] = await read(client, ['/projects/1', 'data'])
    const [content] = await read(client, ['/projects/1/reports/3/content', 'data'])
    expect(project.keyword_count).toBe(3)
    expect(content.summary).toEqual({ keyword_count: 2, keywords_with_content: 1 })
    expect(content.keywords.map(({ keyword_id }: any) => keyword_id)).toEqual([11, 12])
  })
})

describe('2.7 report content', () => {
  test('2.7(1) content_scheme_fields of h3_text_blocks is the array h3, text', async () => {
    await using client = await openFetch({ fixtures: RICH })
    const [content] = await read(client, ['/projects/1/reports/3/content', 'data'])
    expect(content.content_scheme).toBe('h3_text_blocks')
    expect(content.content_scheme_fields).toStrictEqual(['h3', 'text'])
  })

  test('2.7(2) content of h3_text_blocks is an array of blocks with the strings h3 and text', async () => {
    await using client = await openFetch({ fixtures: RICH })
    const [entry] = await read(client, ['/projects/1/reports/3/content', 'data.keywords[]'])
    expect(entry.content).toStrictEqual(FISH_BLOCKS)
  })

  test('2.7(3) html has a block for each block of content, with one field: h3, newline, p (T18), and is null with content, which a completed report may lack (T10)', async () => {
    await using client = await openFetch({ fixtures: RICH })
    const [entry, other] = await read(client, ['/projects/1/reports/3/content', 'data.keywords[]'])
    expect(entry.html).toStrictEqual(FISH_HTML)
    expect(entry.html).toHaveLength(entry.content.length)
    expect(other).toMatchObject({ has_content: false, content: null, html: null })
  })

  test('2.7 content of another scheme has its own shape, named by content_scheme', async () => {
    const content = { title: 'Fish', body: ['Fresh', 'Salted'] }
    const html = { page: '<h1>Fish</h1>' }
    await using client = await openFetch({
      fixtures: aWorld({
        projects: [
          aProject({
            id: 1,
            keywords: [{ id: 11, keyword: 'fish', create_date: '2026-01-01' }],
            reports: [
              aReport({
                id: 1,
                status: 'completed',
                content_scheme: 'landing_page',
                content_scheme_fields: ['title', 'body'],
                content: { 11: { content, html } },
              }),
            ],
          }),
        ],
      }),
    })
    const [data] = await read(client, ['/projects/1/reports/1/content', 'data'])
    expect(data).toMatchObject({
      content_scheme: 'landing_page',
      content_scheme_fields: ['title', 'body'],
    })
    expect(data.keywords[0]).toMatchObject({ has_content: true, content, html })
  })
})

describe('2.8 keywords', () => {
  test('2.8 content_action_ids are report numbers in numerical order, and content_count is how many there are (T16)', async () => {
    const blocks = { 11: [{ h3: 'Fish', text: 'Fresh.' }] }
    await using client = await openFetch({
      fixtures: aWorld({
        projects: [
          aProject({
            id: 1,
            keywords: [
              { id: 11, keyword: 'fish', create_date: '2026-01-01' },
              { id: 12, keyword: 'bread', create_date: '2026-01-01' },
            ],
            reports: [
              aReport({ id: 101, report_number: 10, content: blocks }),
              aReport({ id: 102, report_number: 2, content: blocks }),
              aReport({ id: 103, report_number: 26, content: blocks }),
              aReport({ id: 104, report_number: 3 }),
            ],
          }),
        ],
      }),
    })
    expect(await read(client, ['/projects/1/keywords', 'data[]'])).toMatchObject([
      { id: 11, content_action_ids: [2, 10, 26], content_count: 3 },
      { id: 12, content_action_ids: [], content_count: 0 },
    ])
  })

  test.each([[true], [false], [null]])(
    '2.8 status_200 has three values, one of them %s (T23)',
    async (status_200) => {
      await using client = await openFetch({
        fixtures: aWorld({
          projects: [
            aProject({
              id: 1,
              keywords: [{ id: 11, keyword: 'fish', create_date: '2026-01-01', status_200 }],
            }),
          ],
        }),
      })
      const [keyword] = await read(client, ['/projects/1/keywords', 'data[]'])
      expect(keyword.status_200).toBe(status_200)
    },
  )
})

describe('2.9 token identity', () => {
  test('2.9 abilities with the single entry * means full access', async () => {
    await using client = await openFetch({
      fixtures: aWorld({
        policies: { abilities: 'enforced' },
        tokens: [aToken({ id: 1, token: AGENCY, abilities: ['*'] })],
      }),
    })
    expect((await client.send({ path: '/me', token: AGENCY })).body.abilities).toEqual(['*'])
    for (const path of ['/projects', '/users', '/countries', '/languages']) {
      expect((await client.send({ path, token: AGENCY })).status).toBe(200)
    }
  })
})

describe('2.10 enumerated values', () => {
  test.each(['pending', 'running', 'completed', 'failed'] as const)(
    '2.7, 2.10, 3, 4.7 %s is a report status, also of content, which is generated if it is completed (G-081), and of the next in the pipeline if not',
    async (status) => {
      await using client = await openFetch({
        fixtures: withReports([aReport({ id: 1, status, date_to_create_texts: '2026-03-10' })]),
      })
      const isGenerated = status === 'completed'
      expect(await read(client, ['/projects/1/reports', 'data[].status'])).toEqual([status])
      expect(await read(client, ['/projects/1/reports/1/content', 'data'])).toMatchObject([
        { generation_status: status, is_generated: isGenerated },
      ])
      expect(await read(client, ['/projects/1', 'data.latest_report_status'])).toEqual([status])
      await client.sandbox.clock.set('2026-02-01')
      const path = '/projects/1/reports/latest'
      expect((await client.send({ path, token: AGENCY })).status).toBe(isGenerated ? 404 : 200)
    },
  )

  test.each(['active', 'disabled'] as const)(
    '2.10, 5(4) %s is a token status, which GET /me shows (G-003)',
    async (status) => {
      await using client = await openFetch({
        fixtures: aWorld({ tokens: [aToken({ id: 1, token: AGENCY, status })] }),
      })
      expect((await client.send({ path: '/me', token: AGENCY })).body.status).toBe(status)
    },
  )

  const STATUSES = ['approved', 'completed', 'rejected', null]
  const REPORTS = '/projects/1/reports'

  test.each<[of: 'project' | 'report', field: string, values: (string | null)[], ...Place[]]>([
    ['project', 'status', ['active', 'paused', 'På pause'], ['/projects', 'data[].status']],
    ['project', 'gsc_status', ['connected', 'expired', null], ['/projects/1', 'data.gsc_status']],
    ...['approved_status', 'managed_status'].map(
      (field): ['report', string, (string | null)[], ...Place[]] => [
        'report',
        field,
        STATUSES,
        [REPORTS, `data[].${field}`],
        [`${REPORTS}/1/content`, `data.${field}`],
      ],
    ),
    [
      'report',
      'content_scheme',
      ['h3_text_blocks', 'landing_page', null],
      [`${REPORTS}/1/content`, 'data.content_scheme'],
    ],
  ])(
    '2.10 the %s field %s is served as given (G-064, G-065)',
    async (of, field, values, ...places) => {
      for (const value of values) {
        const reports = [aReport({ id: 1, ...(of === 'report' && { [field]: value }) })]
        const project = aProject({ id: 1, reports, ...(of === 'project' && { [field]: value }) })
        await using client = await openFetch({ fixtures: aWorld({ projects: [project] }) })
        for (const place of places) expect(await read(client, place)).toEqual([value])
      }
    },
  )
})

describe('3 states', () => {
  test('3 a completed report is generated, has its content available, and is no longer next in the pipeline', async () => {
    await using client = await openFetch({ fixtures: RICH })
    const [content] = await read(client, ['/projects/1/reports/3/content', 'data'])
    expect(content).toMatchObject({ is_generated: true, keywords: [{ content: FISH_BLOCKS }, {}] })
    await client.sandbox.clock.set('2026-04-01')
    const path = '/projects/1/reports/latest'
    expect((await client.send({ path, token: AGENCY })).status).toBe(404)
  })

  test('3 a report changes by commands, from any status to any other (G-086)', async () => {
    await using client = await openFetch({ fixtures: withReports([aReport({ id: 1 })]) })
    for (const status of ['completed', 'running', 'failed', 'pending'] as const) {
      await client.sandbox.reports.set({ project: 1, report_number: 1 }, { status })
      expect(await read(client, ['/projects/1/reports', 'data[].status'])).toEqual([status])
    }
  })

  test('3 no request, whatever its method, and no passing of time changes a state', async () => {
    await using client = await openFetch({
      fixtures: withReports([aReport({ id: 1, date_to_create_texts: '2026-03-01' })]),
    })
    const paths = ['/me', '/projects/1', '/projects/1/reports/latest', '/projects/1/reports/1']
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of paths) await client.send({ path, method, token: AGENCY })
    }
    await client.sandbox.clock.advance('P1Y')
    expect(await read(client, ['/projects/1/reports', 'data[].status'])).toEqual(['pending'])
    expect((await client.send({ path: '/me', token: AGENCY })).body.status).toBe('active')
  })

  test('3 a token works while active, not once disabled, and again when reactivated', async () => {
    await using client = await openFetch({
      fixtures: aWorld({ tokens: [aToken({ id: 1, token: AGENCY })] }),
    })
    const seen = []
    for (const status of ['active', 'disabled', 'active']) {
      await client.sandbox.command({
        type: 'record.patch',
        collection: 'tokens',
        id: 1,
        patch: { status },
      })
      seen.push((await client.send({ path: '/projects', token: AGENCY })).status)
    }
    expect(seen).toEqual([200, 401, 200])
  })
})
