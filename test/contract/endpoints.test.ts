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

describe('4 over HTTP', () => {
  describe('4.2 path parameters', () => {
    test('4.2, 7 country is an id from GET /countries; anything else is 404, also one that exists but is not applicable for SEO projects (T25)', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const ids = (await get(client, '/countries')).body.data.map(({ id }: any) => id)
      expect(ids).toEqual([45, 49])
      for (const id of ids) expect(await readIds(client, `/countries/${id}`)).toBe(id)
      expect(client.sandbox.world.records.get('countries', 672)).toBeDefined()
      for (const other of ['1', '672', 'DK']) {
        expect(await readIds(client, `/countries/${other}`), other).toBe(404)
      }
    })

    test('4.2, 7 language is an id from GET /languages; anything else is 404', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      for (const id of [1, 2]) expect(await readIds(client, `/languages/${id}`)).toBe(id)
      for (const other of ['3', 'da', 'da-DK']) {
        expect(await readIds(client, `/languages/${other}`), other).toBe(404)
      }
    })

    test('4.2, 7 user is an id from GET /users, the same as when embedded; 404 if unknown or not visible', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      const embedded = (await get(client, '/projects/1')).body.data.managing_user
      expect((await get(client, `/users/${embedded.id}`)).body.data).toEqual(embedded)
      for (const other of ['99', '9', '10', 'Maja']) {
        expect(await readIds(client, `/users/${other}`), other).toBe(404)
      }
    })

    test('4.2, 7 project is an id from GET /projects; 404 if it does not exist', async () => {
      await using client = await openHttp({ fixtures: WORLD })
      for (const id of [1, 2]) expect(await readIds(client, `/projects/${id}`)).toBe(id)
      for (const other of ['99', 'cykelsmeden', '6f1c0a5e-3a4b-4f0e-9a57-0f2f4f1d2c3b']) {
        const paths = ['', '/reports', '/reports/latest', '/reports/last-generated', '/keywords']
        for (const path of [...paths, '/reports/1/content']) {
          expect(await readIds(client, `/projects/${other}${path}`), `${other}${path}`).toBe(404)
        }
      }
    })

    test('4.2, 8 report_number is the position in the sequence, 1 to 26', async () => {
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
    test.each([
      'colour=red',
      'Status=active',
      'perPage=1',
      'status[]=active',
      'limit=1',
      'cursor=',
      'page=1&sort=name&per_page=1',
    ])(
      '4.3(1), 7 a parameter that is not in the table is a 400 that lists the allowed names: %s',
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
    test('4.4 all reports of the project are listed, whatever their level, type and status (G-078): newest first by created_at, then by id (G-079)', async () => {
      await using client = await openHttp({
        fixtures: withReports([
          aReport({ id: 1, report_number: 4, created_at: '2026-02-01T00:00:00.000001Z' }),
          aReport({ id: 2, status: 'completed', created_at: '2026-02-01T00:00:00.000002Z' }),
          aReport({ id: 3, action_type: 'extra', created_at: '2026-02-01T00:00:00.000001Z' }),
          aReport({ id: 5, level: 'keyword', created_at: '2025-12-31T23:59:59Z' }),
          aReport({ id: 6, report_number: 26, date_to_create_texts: '2030-01-01' }),
        ]),
      })
      expect(await readIds(client, '/projects/1/reports')).toEqual([2, 3, 1, 6, 5])
    })
  })

  describe('4.5 latest', () => {
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
  })

  describe('4.6 last-generated', () => {
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
    test('4.7(3) it is the content of one report by keyword: has_content is false, content and html are null where there is none', async () => {
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

    test("4.7(2), 7 a number that none of the project's reports has is 404", async () => {
      await using client = await openHttp({ fixtures: WORLD })
      expect(await readIds(client, '/projects/1/reports/4/content')).toBe(404)
      expect(await readIds(client, '/projects/1/reports/26/content')).toBe(404)
      expect(await readIds(client, '/projects/2/reports/1/content')).toBe(404)
    })
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
  })

  describe('4.9 reference data and users', () => {
    test.each([
      ['/countries', [45, 49], [45, 49]],
      ['/languages', [1, 2], [1, 2]],
      ['/users', [7, 8], [7, 8, 9, 10]],
    ])('1(3), 4.9 %s is the complete list visible to the token (G-018)', async (path, own, all) => {
      await using client = await openHttp({ fixtures: WORLD })
      expect(await readIds(client, path)).toEqual(own)
      const { body } = await client.send({ path, token: SUPER })
      expect(body.data.map(({ id }: any) => id)).toEqual(all)
    })
  })

  describe('4.10 GET /me', () => {
    test('1(6), 4.10 it verifies the token and returns its identity, without a data wrapper (T14)', async () => {
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
