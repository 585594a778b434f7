import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/server.ts'
import { sendRaw, openHttp } from '../support/transports.ts'
import type { Client, TestRequest } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER, withReports } from '../support/worlds.ts'

/** Specification 4: the response of each endpoint. */

type Report = Parameters<typeof aReport>[0]

const BLOCKS = [{ h3: 'Fish', text: 'Fresh.' }]

/** Two agencies. Project 1 has keywords, and several reports, one of them completed this month. */
const WORLD = aWorld({
  countries: [
    { id: 49, label: 'Germany' },
    { id: 45, label: 'Denmark' },
    { id: 672, label: 'Antarctica', applicable: false },
  ],
  languages: [
    { id: 2, label: 'German' },
    { id: 1, label: 'Danish' },
  ],
  users: [
    { id: 8, name: 'Jonas Krog', agency: 1 },
    { id: 7, name: 'Maja Holm', role: 'Account manager', agency: 1 },
    { id: 9, name: 'Petra Vogt', agency: 2 },
    { id: 10, name: 'Service Desk' },
  ],
  projects: [
    aProject({
      id: 1,
      name: 'Havnens Fiskehus',
      domain: 'https://www.havnen.example',
      managing_user: 7,
      keywords: [
        { id: 12, keyword: 'fish soup', create_date: '2026-01-01' },
        { id: 11, keyword: 'fresh fish', create_date: '2026-01-02' },
        { id: 13, keyword: 'wholesale', create_date: '2026-01-03', active: false },
      ],
      reports: [
        aReport({
          id: 21,
          report_number: 1,
          status: 'completed',
          created_at: '2026-01-05',
          date_to_create_texts: '2026-01-05',
          content: { 11: BLOCKS },
        }),
        aReport({
          id: 23,
          report_number: 3,
          status: 'completed',
          created_at: '2026-03-02',
          date_to_create_texts: '2026-03-02',
        }),
        aReport({ id: 22, report_number: 2, created_at: '2026-02-05' }),
      ],
    }),
    aProject({ id: 2, name: 'Cykelsmeden', status: 'paused', domain: 'https://cykel.example' }),
    aProject({ id: 3, agency: 2, name: 'Bäckerei Holm' }),
  ],
})

/** Sends the request with the agency's token. */
function get(client: Client, path: string, query?: TestRequest['query']) {
  return client.send({ path, query, token: AGENCY })
}

/** The id in `data`, or the ids of a list; the status if it is not 200. */
async function readIds(
  client: Client,
  path: string,
  query?: TestRequest['query'],
): Promise<unknown> {
  const { status, body } = await get(client, path, query)
  if (status !== 200) return status
  return Array.isArray(body.data) ? body.data.map(({ id }: any) => id) : body.data.id
}

/** The id of the report that `latest` or `last-generated` of project 1 returns, or 404. */
const latest = (client: Client) => readIds(client, '/projects/1/reports/latest')
const lastGenerated = (client: Client) => readIds(client, '/projects/1/reports/last-generated')

const REPORT_FIELDS = [
  'id',
  'project_id',
  'report_number',
  'report_name',
  'status',
  'date_to_create_texts',
  'date_to_send_to_client',
  'sent',
  'approved_status',
  'approved_by',
  'managed_status',
  'managed_by',
  'pdf_link',
  'web_link',
]

/** 101 projects, with ids from 1. */
const MANY = aWorld({
  projects: Array.from({ length: 101 }, (_, index) => aProject({ id: index + 1 })),
})

describe('4 over HTTP', () => {
  describe('4 and 4.1 endpoints', () => {
    test.each<[route: string, path: string, expected: object]>([
      ['/me', '/me', { id: 1, name: AGENCY, agency_id: 1, status: 'active', abilities: ['*'] }],
      [
        '/countries',
        '/countries',
        {
          data: [
            { id: 45, label: 'Denmark' },
            { id: 49, label: 'Germany' },
          ],
        },
      ],
      ['/countries/{country}', '/countries/45', { data: { id: 45, label: 'Denmark' } }],
      [
        '/languages',
        '/languages',
        {
          data: [
            { id: 1, label: 'Danish' },
            { id: 2, label: 'German' },
          ],
        },
      ],
      ['/languages/{language}', '/languages/2', { data: { id: 2, label: 'German' } }],
      ['/users', '/users', { data: [{ id: 7 }, { id: 8 }] }],
      ['/users/{user}', '/users/7', { data: { id: 7, name: 'Maja Holm' } }],
      ['/projects', '/projects', { data: [{ id: 1 }, { id: 2 }], meta: { total: 2 }, links: {} }],
      [
        '/projects/{project}',
        '/projects/1',
        { data: { id: 1, managing_user: { id: 7 } }, cache_refreshed_at: expect.any(String) },
      ],
      [
        '/projects/{project}/reports',
        '/projects/1/reports',
        { data: [{ id: 23 }, { id: 22 }, { id: 21 }], cache_refreshed_at: expect.any(String) },
      ],
      [
        '/projects/{project}/reports/latest',
        '/projects/1/reports/latest',
        { data: { id: 23, project_id: 1 }, cache_refreshed_at: expect.any(String) },
      ],
      [
        '/projects/{project}/reports/last-generated',
        '/projects/1/reports/last-generated',
        { data: { id: 23, project_id: 1 }, cache_refreshed_at: expect.any(String) },
      ],
      [
        '/projects/{project}/reports/{report_number}/content',
        '/projects/1/reports/1/content',
        { data: { report_id: 21, report_number: 1 }, cache_refreshed_at: expect.any(String) },
      ],
      [
        '/projects/{project}/keywords',
        '/projects/1/keywords',
        { data: [{ id: 11 }, { id: 12 }, { id: 13 }], cache_refreshed_at: expect.any(String) },
      ],
    ])('4.1 GET %s returns what the table says', async (_, path, expected) => {
      await using client = await openHttp({ fixtures: WORLD })
      const { status, headers, body } = await get(client, path)
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('application/json')
      expect(body).toMatchObject(expected)
    })

    const PATHS = [
      '/me',
      '/countries',
      '/countries/45',
      '/languages',
      '/languages/2',
      '/users',
      '/users/7',
      '/projects',
      '/projects/1',
      '/projects/1/reports',
      '/projects/1/reports/latest',
      '/projects/1/reports/last-generated',
      '/projects/1/reports/1/content',
      '/projects/1/keywords',
    ]

    test('4 every endpoint requires authentication: 401 without a token', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      for (const path of PATHS) expect((await client.send({ path })).status, path).toBe(401)
    })

    test('4 every endpoint is subject to the limits: each request counts', async () => {
      const tokens = [aToken({ id: 1, token: AGENCY, rate_limit: { per_minute: PATHS.length } })]
      await using client = await openHttp({ fixtures: { ...WORLD, tokens } })
      const remaining = []
      for (const path of PATHS) {
        remaining.push((await get(client, path)).headers['x-ratelimit-remaining'])
      }
      expect(remaining).toEqual(PATHS.map((_, index) => String(PATHS.length - 1 - index)))
      for (const path of PATHS) expect((await get(client, path)).status, path).toBe(429)
    })

    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
      '4 every endpoint is a GET: %s is rejected with 405 (G-051)',
      async (method) => {
        await using client = await openHttp({ fixtures: WORLD })
        for (const path of PATHS) {
          const { status, headers } = await client.send({ path, method, token: AGENCY })
          expect(status).toBe(405)
          expect(headers['allow']).toBe('GET, HEAD')
        }
      },
    )

    test.each([
      ['/projects/1/', 200],
      ['/projects/1/reports/latest/', 200],
      ['/projects/1//', 404],
      ['//projects/1', 404],
      ['/Projects/1', 404],
      ['/projects/1/reports/Latest', 404],
      ['/projects/1/reports/last_generated', 404],
      ['/projects/1/reports/1', 404],
      ['/projects/1/content', 404],
    ])(
      '4 a path must match exactly, except for one trailing slash (G-052): %s is %s',
      async (path, expected) => {
        await using client = await openHttp({ fixtures: WORLD })
        expect((await get(client, path)).status).toBe(expected)
      },
    )
  })

  describe('4.2 path parameters', () => {
    test('4.2 country is an id from GET /countries; anything else is 404', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const ids = (await get(client, '/countries')).body.data.map(({ id }: any) => id)
      expect(ids).toEqual([45, 49])
      for (const id of ids) expect(await readIds(client, `/countries/${id}`)).toBe(id)
      for (const other of ['1', 'denmark', 'DK', 'dk', '045']) {
        expect(await readIds(client, `/countries/${other}`), other).toBe(404)
      }
    })

    test('4.2 country is 404 for a country that exists but is not applicable for SEO projects (T25)', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      expect(client.sandbox.world.records.get('countries', 672)).toBeDefined()
      expect(await readIds(client, '/countries/672')).toBe(404)
      expect(await readIds(client, '/countries')).not.toContain(672)
    })

    test('4.2 language is an id from GET /languages; anything else is 404', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      for (const id of [1, 2]) expect(await readIds(client, `/languages/${id}`)).toBe(id)
      for (const other of ['3', 'da', 'da-DK', 'da_DK', 'danish', '01']) {
        expect(await readIds(client, `/languages/${other}`), other).toBe(404)
      }
    })

    test('4.2 user is an id from GET /users, the same as when embedded; 404 if unknown or not visible', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const embedded = (await get(client, '/projects/1')).body.data.managing_user
      expect((await get(client, `/users/${embedded.id}`)).body.data).toEqual(embedded)
      for (const other of ['99', '9', '10', 'Maja', '07']) {
        expect(await readIds(client, `/users/${other}`), other).toBe(404)
      }
    })

    test('4.2 project is an id from GET /projects; 404 if it does not exist', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      for (const id of [1, 2]) expect(await readIds(client, `/projects/${id}`)).toBe(id)
      const others = ['99', 'cykelsmeden', '6f1c0a5e-3a4b-4f0e-9a57-0f2f4f1d2c3b', '01', '0']
      for (const other of others) {
        const paths = ['', '/reports', '/reports/latest', '/reports/last-generated', '/keywords']
        for (const path of [...paths, '/reports/1/content']) {
          expect(await readIds(client, `/projects/${other}${path}`), `${other}${path}`).toBe(404)
        }
      }
    })

    test('4.2 report_number is the position in the sequence, 1 to 26', async () => {
      const reports = Array.from({ length: 26 }, (_, index) =>
        aReport({ id: 100 - index, report_number: index + 1 }),
      )
      await using client = await openHttp({ fixtures: withReports(reports) })
      for (const { id, report_number } of reports) {
        const { body } = await get(client, `/projects/1/reports/${report_number}/content`)
        expect(body.data).toMatchObject({ report_id: id, report_number })
      }
    })
  })

  describe('4.3 GET /projects', () => {
    test('4.3 it lists the projects that the token has access to, by ascending id (G-039)', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      expect(await readIds(client, '/projects')).toEqual([1, 2])
      const all = await client.send({ path: '/projects', token: SUPER })
      expect(all.body.data.map(({ id }: any) => id)).toEqual([1, 2, 3])
    })

    test.each([
      ['active', [1]],
      ['paused', [2]],
      ['Paused', []],
      ['pause', []],
      ['unheard-of', []],
      ['', [1, 2]],
    ])(
      '4.3 status filters by an exact match of the project status (G-040, G-041): "%s"',
      async (status, ids) => {
        await using client = await openHttp({ fixtures: WORLD })
        expect(await readIds(client, '/projects', { status })).toEqual(ids)
      },
    )

    test.each([
      ['fiske', [1]],
      ['FISKEHUS', [1]],
      ['cykel.ex', [2]],
      ['https://', [1, 2]],
      ['e', [1, 2]],
      ['Holm', []],
      ['%', []],
      ['_', []],
      ['', [1, 2]],
    ])(
      '4.3 search matches part of the name or domain, ignoring case (G-042): "%s"',
      async (search, ids) => {
        await using client = await openHttp({ fixtures: WORLD })
        expect(await readIds(client, '/projects', { search })).toEqual(ids)
      },
    )

    test.each<[string, unknown]>([
      ['1', [1, 2]],
      ['2', [3]],
      ['99', []],
      ['north', 400],
    ])(
      '4.3 agency_id filters by agency for a super-admin token (G-015): %s',
      async (agency_id, ids) => {
        await using client = await openHttp({ fixtures: WORLD })
        const { status, body } = await client.send({
          path: '/projects',
          query: { agency_id },
          token: SUPER,
        })
        expect(status === 200 ? body.data.map(({ id }: any) => id) : status).toEqual(ids)
      },
    )

    test.each([
      [undefined, 1, 100],
      ['1', 1, 100],
      ['2', 101, 1],
      ['3', undefined, 0],
      ['0', 1, 100],
      ['-1', 1, 100],
      ['two', 1, 100],
    ])(
      '4.3 page is the page number, 1 by default (G-036, G-037): %s',
      async (page, first, count) => {
        await using client = await openHttp({ fixtures: MANY })
        const { status, body } = await get(client, '/projects', page === undefined ? {} : { page })
        expect(status).toBe(200)
        expect(body.data).toHaveLength(count)
        expect(body.data[0]?.id).toBe(first)
      },
    )

    test.each([
      [undefined, 100],
      ['1', 1],
      ['99', 99],
      ['100', 100],
      ['101', 100],
      ['0', 100],
      ['-5', 100],
      ['many', 100],
    ])(
      '4.3 per_page is 100 by default and at most 100 (G-034, G-035): %s',
      async (per_page, count) => {
        await using client = await openHttp({ fixtures: MANY })
        const query: Record<string, string> = per_page === undefined ? {} : { per_page }
        const { body } = await get(client, '/projects', query)
        expect(body.data).toHaveLength(count)
        expect(body.meta.per_page).toBe(count)
      },
    )

    test.each([
      'colour=red',
      'Status=active',
      'perPage=1',
      'status[]=active',
      'limit=1',
      'cursor=',
      'page=1&sort=name&per_page=1',
    ])(
      '4.3(1) a parameter that is not in the table is a 400 that lists the allowed names: %s',
      async (query) => {
        await using client = await openHttp({ fixtures: WORLD })
        for (const token of [AGENCY, SUPER]) {
          const { status, body } = await client.send({ path: '/projects', query, token })
          expect(status).toBe(400)
          const names = ['status', 'search', 'agency_id', 'page', 'per_page']
          expect(body.allowed_parameters).toEqual(names)
          for (const name of names) expect(body.message).toContain(name)
        }
      },
    )

    test('4.3(1) the 400 is on /projects only; other endpoints ignore unknown parameters (T19, G-044)', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      for (const path of [
        '/me',
        '/users',
        '/countries/45',
        '/projects/1',
        '/projects/1/keywords',
      ]) {
        expect((await get(client, path, 'colour=red&agency_id=2')).status, path).toBe(200)
      }
    })

    test('4.3(2) the response has data, meta, links and cache_refreshed_at', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const { body } = await get(client, '/projects')
      expect(Object.keys(body)).toEqual(['data', 'meta', 'links', 'cache_refreshed_at'])
      expect(body.data).toHaveLength(2)
      expect(body.cache_refreshed_at).toBe('2026-03-15T12:00:00.000000Z')
    })

    test('4.3(3) meta has the integers current_page, per_page, total, last_page', async () => {
      await using client = await openHttp({ fixtures: MANY })
      const { body } = await get(client, '/projects', 'per_page=10&page=3')
      expect(body.meta).toStrictEqual({
        current_page: 3,
        per_page: 10,
        total: 101,
        last_page: 11,
      })
      expect(Object.keys(body.meta)).toEqual(['current_page', 'per_page', 'total', 'last_page'])
    })

    test('4.3(3) last_page of an empty list is 1 (G-038)', async () => {
      await using client = await openHttp({ fixtures: aWorld({ projects: [] }) })
      expect((await get(client, '/projects')).body.meta).toEqual({
        current_page: 1,
        per_page: 100,
        total: 0,
        last_page: 1,
      })
    })

    test.each([
      ['1', null, 2],
      ['2', 1, 3],
      ['3', 2, null],
      ['4', 3, null],
      ['5', null, null],
    ])(
      '4.3(4) links has first, last, prev and next, null where that page does not exist (G-037): page %s',
      async (page, prev, next) => {
        await using client = await openHttp({ fixtures: MANY })
        const { body } = await get(client, '/projects', `page=${page}&per_page=50`)
        const link = (number: number | null) =>
          number && `/api/v1/projects?per_page=50&page=${number}`
        expect(body.links).toStrictEqual({
          first: link(1),
          last: link(3),
          prev: link(prev),
          next: link(next),
        })
        expect(Object.keys(body.links)).toEqual(['first', 'last', 'prev', 'next'])
      },
    )

    test('4.3(5) agency_id from a token that is not super-admin is a known parameter, but forbidden: 403 (T19, G-014)', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      for (const agency_id of ['1', '2', '99', 'north']) {
        const { status, body } = await get(client, '/projects', { agency_id })
        expect(status).toBe(403)
        expect(body).not.toHaveProperty('allowed_parameters')
      }
      expect((await get(client, '/projects', 'agency_id=1&colour=red')).status).toBe(400)
    })
  })

  describe('4.4 reports list', () => {
    test('4.4 all reports of the project are listed, whatever their level, type and status (G-078)', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({ id: 1, status: 'failed' }),
          aReport({ id: 2, status: 'completed' }),
          aReport({ id: 3, action_type: 'extra' }),
          aReport({ id: 4, level: 'keyword' }),
          aReport({ id: 5, report_number: 26, date_to_create_texts: '2030-01-01' }),
        ]),
      })
      expect(new Set((await readIds(client, '/projects/1/reports')) as number[])).toEqual(
        new Set([1, 2, 3, 4, 5]),
      )
    })

    test('4.4 newest first means by created_at, then by id, whatever the number or date (G-079)', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({ id: 1, report_number: 4, created_at: '2026-02-01T00:00:00.000001Z' }),
          aReport({ id: 2, report_number: 1, created_at: '2026-02-01T00:00:00.000002Z' }),
          aReport({ id: 3, report_number: 2, created_at: '2026-02-01T00:00:00.000001Z' }),
          aReport({ id: 4, report_number: 3, created_at: '2025-12-31T23:59:59Z' }),
          aReport({ id: 5, report_number: 5, date_to_create_texts: '2030-01-01' }),
        ]),
      })
      expect(await readIds(client, '/projects/1/reports')).toEqual([2, 3, 1, 5, 4])
    })
  })

  describe('4.5 latest', () => {
    const TODAY = '2026-03-15'

    test.each<[what: string, reports: Report[], expected: number]>([
      ['keyword-level', [{ id: 1, level: 'keyword', date_to_create_texts: TODAY }], 404],
      ['of another type', [{ id: 1, action_type: 'extra', date_to_create_texts: TODAY }], 404],
      [
        'completed and keyword-level',
        [
          { id: 1, status: 'completed', level: 'keyword', date_to_create_texts: TODAY },
          { id: 2, date_to_create_texts: '2026-05-01' },
        ],
        2,
      ],
      [
        'completed and of another type',
        [
          { id: 1, status: 'completed', action_type: 'extra', date_to_create_texts: TODAY },
          { id: 2, status: 'completed', date_to_create_texts: '2026-03-01' },
        ],
        2,
      ],
    ])(
      '4.5 only project-level reports of the regular type are considered: not one that is %s',
      async (_, reports, expected) => {
        await using client = await openHttp({ fixtures: withReports(reports.map(aReport)) })
        expect(await latest(client)).toBe(expected)
      },
    )

    test.each([
      ['2026-02-28', 404],
      ['2026-03-01', 1],
      ['2026-03-15', 1],
      ['2026-03-31', 1],
      ['2026-04-01', 404],
      ['2025-03-15', 404],
      ['2027-03-15', 404],
      [null, 404],
    ])(
      '4.5(1) a completed report is latest during the calendar month of its date: in March, %s gives %s',
      async (date_to_create_texts, expected) => {
        await using client = await openHttp({
          fixtures: withReports([aReport({ id: 1, status: 'completed', date_to_create_texts })]),
        })
        expect(await latest(client)).toBe(expected)
      },
    )

    test('4.5(1) of several reports the latest date wins, then the higher id, never created_at (T1, G-073)', async () => {
      const completed = (changes: Report) => aReport({ status: 'completed', ...changes })
      await using client = await openHttp({
        fixtures: withReports([
          completed({ id: 1, created_at: '2026-03-14', date_to_create_texts: '2026-03-01' }),
          completed({ id: 3, created_at: '2026-03-11', date_to_create_texts: '2026-03-20' }),
          completed({ id: 2, created_at: '2026-03-13', date_to_create_texts: '2026-03-20' }),
        ]),
      })
      expect(await latest(client)).toBe(3)
    })

    test('4.5(1) a completed report of this month hides a running one, whatever their dates (T4)', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({ id: 1, status: 'running', date_to_create_texts: '2026-03-02' }),
          aReport({ id: 2, status: 'completed', date_to_create_texts: '2026-03-01' }),
        ]),
      })
      expect(await latest(client)).toBe(2)
    })

    test('4.5(1) a report that finishes before or after its month is not latest at that moment (T3)', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({ id: 1, date_to_create_texts: '2026-02-10' }),
          aReport({ id: 2, date_to_create_texts: '2026-04-10' }),
        ]),
      })
      for (const report_number of [1, 2]) {
        await client.sandbox.reports.set({ project: 1, report_number }, { status: 'completed' })
        expect(await latest(client)).not.toBe(report_number)
      }
      expect(await latest(client)).toBe(404)
      await client.sandbox.clock.set('2026-04-01')
      expect(await latest(client)).toBe(2)
    })

    test.each<[what: string, dates: Record<number, string | null>, expected: number]>([
      ['a past date', { 1: '2026-03-14', 2: '2025-01-31', 3: '2026-04-01' }, 2],
      ['a date of this month', { 1: '2026-04-01', 2: '2026-03-31', 3: '2026-05-01' }, 2],
      ['a future date', { 1: '2026-06-01', 2: '2026-05-01', 3: '2027-01-01' }, 2],
      ['the lower of two ids (G-074)', { 3: '2026-03-20', 1: '2026-03-20', 2: '2026-03-21' }, 1],
      ['not a report without a date (G-075)', { 1: null, 2: '2026-03-20' }, 2],
    ])(
      '4.5(2) the open report with the earliest date is latest: %s',
      async (_, dates, expected) => {
        const reports = Object.entries(dates).map(([id, date_to_create_texts]) =>
          aReport({ id: Number(id), date_to_create_texts }),
        )
        await using client = await openHttp({ fixtures: withReports(reports.toReversed()) })
        expect(await latest(client)).toBe(expected)
      },
    )

    test.each(['pending', 'running', 'failed'] as const)(
      '4.5(2) a %s report is open, so latest may be one that is not completed',
      async (status) => {
        await using client = await openHttp({
          fixtures: withReports([
            aReport({ id: 1, status: 'completed', date_to_create_texts: '2026-02-01' }),
            aReport({ id: 2, status, date_to_create_texts: '2026-03-01' }),
            aReport({ id: 3, date_to_create_texts: '2026-03-02' }),
          ]),
        })
        const { body } = await get(client, '/projects/1/reports/latest')
        expect(body.data).toMatchObject({ id: 2, status })
      },
    )

    test('4.5(2) one old failed report wins in every month without a completed one (T5)', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({ id: 1, status: 'failed', date_to_create_texts: '2025-06-01' }),
          aReport({ id: 2, status: 'running', date_to_create_texts: '2026-03-01' }),
          aReport({ id: 3, status: 'completed', date_to_create_texts: '2026-05-01' }),
          aReport({ id: 4, date_to_create_texts: '2026-06-01' }),
        ]),
      })
      const seen = []
      for (const month of ['03', '04', '05', '06', '07']) {
        await client.sandbox.clock.set(`2026-${month}-20`)
        seen.push(await latest(client))
      }
      expect(seen).toEqual([1, 1, 3, 1, 1])
    })

    test.each<[what: string, reports: Report[]]>([
      ['no reports', []],
      ['only completed ones from other months', [{ id: 1, status: 'completed' }]],
      ['open ones without a date (G-075)', [{ id: 1 }, { id: 2, status: 'failed' }]],
    ])('4.5(3) otherwise 404: a project with %s', async (_, reports) => {
      await using client = await openHttp({ fixtures: withReports(reports.map(aReport)) })
      expect(await latest(client)).toBe(404)
    })

    test('4.5 the current calendar month is the UTC month, to the millisecond (T27, G-072)', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({ id: 1, status: 'completed', date_to_create_texts: '2026-03-31' }),
        ]),
      })
      const seen = []
      for (const now of [
        '2026-02-28T23:59:59.999Z',
        '2026-03-01T00:00:00Z',
        '2026-03-31T23:59:59.999Z',
        '2026-04-01T00:00:00Z',
      ]) {
        await client.sandbox.clock.set(now)
        seen.push(await latest(client))
      }
      expect(seen).toEqual([404, 1, 1, 404])
    })
  })

  describe('4.6 last-generated', () => {
    test('4.6 last-generated is the completed report that was created last, whatever its date and number', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({
            id: 3,
            status: 'completed',
            created_at: '2026-01-02',
            date_to_create_texts: '2026-03-20',
          }),
          aReport({
            id: 1,
            status: 'completed',
            created_at: '2026-01-02T00:00:00.000001Z',
            date_to_create_texts: '2025-12-01',
          }),
          aReport({ id: 2, status: 'running', created_at: '2026-03-01' }),
        ]),
      })
      expect(await lastGenerated(client)).toBe(1)
    })

    test('4.6 of two reports with the same created_at the higher id wins (G-076)', async () => {
      await using client = await openHttp({
        fixtures: withReports([2, 3, 1].map((id) => aReport({ id, status: 'completed' }))),
      })
      expect(await lastGenerated(client)).toBe(3)
    })

    test('4.6 only project-level reports count, of any action type (T1, G-077)', async () => {
      const completed = (changes: Report) => aReport({ status: 'completed', ...changes })
      await using client = await openHttp({
        fixtures: withReports([
          completed({ id: 1, created_at: '2026-02-01', date_to_create_texts: '2026-03-01' }),
          completed({ id: 2, created_at: '2026-02-02', action_type: 'extra' }),
          completed({ id: 3, created_at: '2026-02-03', level: 'keyword' }),
        ]),
      })
      expect(await lastGenerated(client)).toBe(2)
      expect(await latest(client)).toBe(1)
    })

    test('4.6 the response has the shape of latest', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const current = await get(client, '/projects/1/reports/latest')
      const last = await get(client, '/projects/1/reports/last-generated')
      expect(Object.keys(last.body.data)).toEqual(REPORT_FIELDS)
      expect(last.body).toEqual(current.body)
    })

    test.each<[what: string, reports: Report[]]>([
      ['no reports', []],
      ['open reports only', [{ id: 1 }, { id: 2, status: 'running' }, { id: 3, status: 'failed' }]],
      ['a completed keyword-level report', [{ id: 1, status: 'completed', level: 'keyword' }]],
    ])('4.6 it is 404 without a completed report: a project with %s', async (_, reports) => {
      await using client = await openHttp({ fixtures: withReports(reports.map(aReport)) })
      expect(await lastGenerated(client)).toBe(404)
    })

    test('4.6 its number advances when a report finishes, while latest shows the one in progress', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({
            id: 1,
            status: 'completed',
            created_at: '2026-02-01',
            date_to_create_texts: '2026-02-01',
          }),
          aReport({
            id: 2,
            status: 'running',
            created_at: '2026-03-01',
            date_to_create_texts: '2026-03-01',
          }),
        ]),
      })
      expect([await lastGenerated(client), await latest(client)]).toEqual([1, 2])
      await client.sandbox.reports.set({ project: 1, report_number: 2 }, { status: 'completed' })
      expect([await lastGenerated(client), await latest(client)]).toEqual([2, 2])
    })

    test('4.6 it misses an older report that finishes later, and its number may decrease (T8)', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({ id: 1, report_number: 1, status: 'running', created_at: '2026-01-01' }),
          aReport({ id: 2, report_number: 3, status: 'completed', created_at: '2026-02-01' }),
          aReport({ id: 3, report_number: 2, status: 'running', created_at: '2026-03-01' }),
        ]),
      })
      const finish = (report_number: number) =>
        client.sandbox.reports.set({ project: 1, report_number }, { status: 'completed' })
      const number = async () =>
        (await get(client, '/projects/1/reports/last-generated')).body.data.report_number
      expect(await number()).toBe(3)
      await finish(1)
      expect(await number()).toBe(3)
      await finish(2)
      expect(await number()).toBe(2)
      const { body } = await get(client, '/projects/1/reports')
      expect(body.data.map(({ status }: any) => status)).toEqual([
        'completed',
        'completed',
        'completed',
      ])
    })
  })

  describe('4.7 report content', () => {
    test('4.7 it is the content of one report, listed by keyword', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const { body } = await get(client, '/projects/1/reports/1/content')
      expect(body.data).toMatchObject({ report_id: 21, project_id: 1, is_generated: true })
      expect(body.data.keywords).toEqual([
        {
          keyword_id: 11,
          keyword: 'fresh fish',
          keyword_url: null,
          has_content: true,
          content: BLOCKS,
          html: [{ h3_and_text: '<h3>Fish</h3>\n<p>Fresh.</p>' }],
        },
        {
          keyword_id: 12,
          keyword: 'fish soup',
          keyword_url: null,
          has_content: false,
          content: null,
          html: null,
        },
      ])
    })

    test.each(['0', '27', '100', '9007199254740993', '-1', '+1', '01', '1.0', '1e0', 'one', '%20'])(
      '4.7(1) a report_number outside 1 to 26 is 400 (G-049): %s',
      async (number) => {
        await using client = await openHttp({ fixtures: WORLD })
        expect(await readIds(client, `/projects/1/reports/${number}/content`)).toBe(400)
      },
    )

    test('4.7(1) for an unknown project it is still 404 (G-050)', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      expect(await readIds(client, '/projects/99/reports/27/content')).toBe(404)
    })

    test("4.7(2) a number that none of the project's reports has is 404", async () => {
      await using client = await openHttp({ fixtures: WORLD })
      expect(await readIds(client, '/projects/1/reports/4/content')).toBe(404)
      expect(await readIds(client, '/projects/1/reports/26/content')).toBe(404)
      expect(await readIds(client, '/projects/2/reports/1/content')).toBe(404)
    })

    test('4.7(3) a keyword without content has has_content false, and null content and html', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const { body } = await get(client, '/projects/1/reports/3/content')
      expect(body.data.keywords).toMatchObject([
        { keyword_id: 11, has_content: false, content: null, html: null },
        { keyword_id: 12, has_content: false, content: null, html: null },
      ])
    })

    test.each(['pending', 'running', 'failed'] as const)(
      '4.7 the content of a %s report can be requested: 200, with nothing generated (G-081)',
      async (status) => {
        await using client = await openHttp({ fixtures: WORLD })
        await client.sandbox.reports.set({ project: 1, report_number: 2 }, { status })
        const { status: code, body } = await get(client, '/projects/1/reports/2/content')
        expect(code).toBe(200)
        expect(body.data.is_generated).toBe(false)
        expect(body.data.keywords.map(({ has_content }: any) => has_content)).toEqual([
          false,
          false,
        ])
      },
    )
  })

  describe('4.8 keywords', () => {
    test('4.8 all keywords are listed, including inactive ones (G-061), with the reports that cover each', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const { body } = await get(client, '/projects/1/keywords')
      expect(body.data.map(({ id, content_action_ids }: any) => [id, content_action_ids])).toEqual([
        [11, [1]],
        [12, []],
        [13, []],
      ])
    })

    test('4.8 the list is not paginated (G-045) and is sorted by ascending id (G-046)', async () => {
      const ids = Array.from({ length: 120 }, (_, index) => index + 1)
      await using client = await openHttp({
        fixtures: aWorld({
          projects: [
            aProject({
              id: 1,
              keywords: ids
                .toReversed()
                .map((id) => ({ id, keyword: `keyword ${id}`, create_date: '2026-01-01' })),
            }),
          ],
        }),
      })
      expect(await readIds(client, '/projects/1/keywords')).toEqual(ids)
      const { body } = await get(client, '/projects/1/keywords', 'page=2&per_page=10')
      expect(body.data).toHaveLength(120)
      expect(body).not.toHaveProperty('meta')
    })
  })

  describe('4.9 reference data and users', () => {
    test.each([
      ['/countries', [45, 49], [45, 49]],
      ['/languages', [1, 2], [1, 2]],
      ['/users', [7, 8], [7, 8, 9, 10]],
    ])('4.9 %s is the complete list visible to the token (G-018)', async (path, own, all) => {
      await using client = await openHttp({ fixtures: WORLD })
      expect(await readIds(client, path)).toEqual(own)
      const { body } = await client.send({ path, token: SUPER })
      expect(body.data.map(({ id }: any) => id)).toEqual(all)
    })

    test('4.9 the user list has the shape of 2.2', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const { body } = await get(client, '/users')
      expect(body).toStrictEqual({
        data: [
          { id: 7, name: 'Maja Holm', role: 'Account manager', agency: { id: 1, name: 'North' } },
          { id: 8, name: 'Jonas Krog', role: null, agency: { id: 1, name: 'North' } },
        ],
      })
    })

    test('4.9 the lists are not paginated (G-045)', async () => {
      const many = Array.from({ length: 120 }, (_, index) => ({
        id: index + 1,
        label: `Label ${index}`,
      }))
      await using client = await openHttp({
        fixtures: aWorld({
          countries: many,
          languages: many,
          users: many.map(({ id, label }) => ({ id, name: label, agency: 1 })),
        }),
      })
      for (const path of ['/countries', '/languages', '/users']) {
        const { body } = await get(client, path, 'page=2&per_page=10')
        expect(Object.keys(body)).toEqual(['data'])
        expect(body.data).toHaveLength(120)
      }
    })
  })

  describe('4.10 GET /me', () => {
    test('4.10 it verifies the token and returns its identity, without a data wrapper (T14)', async () => {
      await using client = await openHttp({
        fixtures: aWorld({ tokens: [aToken({ id: 6, token: AGENCY, name: 'North dashboard' })] }),
      })
      const { status, body } = await get(client, '/me')
      expect(status).toBe(200)
      expect(body).toStrictEqual({
        id: 6,
        name: 'North dashboard',
        agency_id: 1,
        status: 'active',
        abilities: ['*'],
      })
      expect((await client.send({ path: '/me', token: 'nobody' })).status).toBe(401)
    })
  })
})

test('4 an endpoint takes no request body: sending one changes nothing', async () => {
  await using client = await startServer({ fixtures: WORLD, port: 0 }).then((server) => ({
    ...server,
    [Symbol.asyncDispose]: () => server.close(),
  }))
  const body = '{"status":"paused","agency_id":2}'
  const request = {
    target: '/api/v1/projects',
    headers: { authorization: `Bearer ${AGENCY}`, 'content-type': 'application/json' },
  }
  const plain = await sendRaw(client.port, request)
  const withBody = await sendRaw(client.port, {
    ...request,
    headers: { ...request.headers, 'content-length': String(body.length) },
    body,
  })
  expect(withBody.status).toBe(200)
  expect(withBody.text).toBe(plain.text)
})
