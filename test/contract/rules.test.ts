import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { FixtureError } from '../../src/index.ts'
import { openFetch, openHttp } from '../support/transports.ts'
import type { Client, TestRequest } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER } from '../support/worlds.ts'

/** Specification 1 and 5 to 9: access, errors, limits, versions. */

/** The machine's time in every test here, and so the start of the rate clock. */
const START = '2026-03-15T12:00:30.250Z'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(START) })
})
afterEach(() => {
  vi.useRealTimers()
})

const WORLD = aWorld({
  countries: [
    { id: 45, label: 'Denmark' },
    { id: 672, label: 'Antarctica', applicable: false },
  ],
  languages: [{ id: 1, label: 'Danish' }],
  users: [
    { id: 7, name: 'Maja Holm', agency: 1 },
    { id: 9, name: 'Petra Vogt', agency: 2 },
  ],
  projects: [
    aProject({
      id: 1,
      managing_user: 7,
      keywords: [{ id: 11, keyword: 'fresh fish', create_date: '2026-01-01' }],
      reports: Array.from({ length: 26 }, (_, index) =>
        aReport({
          id: index + 1,
          status: index < 2 ? 'completed' : 'pending',
          date_to_create_texts: `2026-02-${String(index + 1).padStart(2, '0')}`,
          content: index < 2 ? { 11: [{ h3: 'Fish', text: 'Fresh.' }] } : {},
        }),
      ),
    }),
    aProject({ id: 2 }),
    aProject({
      id: 3,
      agency: 2,
      keywords: [{ id: 12, keyword: 'bread', create_date: '2026-01-01' }],
      reports: [
        aReport({
          id: 99,
          report_number: 1,
          status: 'completed',
          date_to_create_texts: '2026-03-10',
        }),
      ],
    }),
  ],
})

/** The path of every endpoint, with parameters that exist in {@link WORLD}. */
const PATHS = Object.values(OPERATIONS).map(({ path }) =>
  path
    .replace('{country}', '45')
    .replace('{language}', '1')
    .replace('{user}', '7')
    .replace('{project}', '1')
    .replace('{report_number}', '1'),
)

/** The world with changes to its agency token. */
function withToken(changes: Partial<Parameters<typeof aToken>[0]>) {
  return {
    ...WORLD,
    tokens: [
      aToken({ id: 1, token: AGENCY, ...changes }),
      aToken({ id: 2, token: SUPER, agency: null }),
    ],
  }
}

function get(client: Client, path: string, query?: TestRequest['query']) {
  return client.send({ path, query, token: AGENCY })
}

async function status(client: Client, path: string, token?: string): Promise<number> {
  return (await client.send({ path, token })).status
}

/** The status of a request with the agency's token from an address. */
async function statusFrom(client: Client, clientIp: string): Promise<number> {
  const headers = { authorization: `Bearer ${AGENCY}` }
  return (await client.sandbox.fetch('/api/v1/projects', { headers, clientIp })).status
}

function idsOf(body: any): number[] {
  return body.data.map(({ id }: any) => id)
}

describe('1 what the service does', () => {
  test('1(1) it exposes the projects of an agency, each with tracked keywords', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    expect(idsOf((await get(client, '/projects')).body)).toEqual([1, 2])
    expect(idsOf((await get(client, '/projects/1/keywords')).body)).toEqual([11])
    expect(idsOf((await get(client, '/projects/2/keywords')).body)).toEqual([])
  })

  test('1(2) a project has reports numbered 1 to 26, with dates, statuses, links and content by keyword', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    const { body } = await get(client, '/projects/1/reports')
    const numbers = body.data.map(({ report_number }: any) => report_number)
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 26 }, (_, index) => index + 1)))
    for (const name of ['date_to_create_texts', 'approved_status', 'managed_status', 'pdf_link']) {
      expect(body.data[0]).toHaveProperty(name)
    }
    const content = await get(client, '/projects/1/reports/2/content')
    expect(content.body.data.keywords).toMatchObject([{ keyword_id: 11, has_content: true }])
  })

  test.each([0, 27, 1.5, -1])(
    '1(2) no report has the number %s: the fixture is rejected',
    async (report_number) => {
      const projects = [aProject({ id: 1, reports: [aReport({ id: 1, report_number })] })]
      await expect(openFetch({ fixtures: aWorld({ projects }) })).rejects.toThrow(FixtureError)
    },
  )

  test('1(2) two reports of a project with the same number are rejected (G-080)', async () => {
    const reports = [
      aReport({ id: 1, report_number: 4 }),
      aReport({ id: 2, report_number: 4, level: 'keyword', action_type: 'extra' }),
    ]
    const projects = [aProject({ id: 1, reports })]
    await expect(openFetch({ fixtures: aWorld({ projects }) })).rejects.toThrow(
      'already has number 4',
    )
  })

  test('1(3) countries, languages and the users visible to the token can be looked up', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    expect(idsOf((await get(client, '/countries')).body)).toEqual([45])
    expect(idsOf((await get(client, '/languages')).body)).toEqual([1])
    expect(idsOf((await get(client, '/users')).body)).toEqual([7])
  })

  test('1(4) a token is scoped to a single agency, a super-admin token to none', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    expect(idsOf((await get(client, '/projects')).body)).toEqual([1, 2])
    const all = await client.send({ path: '/projects', token: SUPER })
    expect(idsOf(all.body)).toEqual([1, 2, 3])
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'])(
    '1(5) nothing creates, changes or deletes data: %s is rejected everywhere (G-051)',
    async (method) => {
      await using client = await openFetch({ fixtures: WORLD })
      const before = client.sandbox.world.records.revision
      for (const path of PATHS) {
        expect((await client.send({ path, method, token: SUPER })).status, path).toBe(405)
      }
      expect(client.sandbox.world.records.revision).toBe(before)
    },
  )

  test('1(6) GET /me checks the token and the service', async () => {
    await using client = await openFetch({ fixtures: aWorld({ projects: [] }) })
    expect(await status(client, '/me', AGENCY)).toBe(200)
    expect(await status(client, '/me', 'nobody')).toBe(401)
  })
})

describe('5 authentication', () => {
  test('5(1) every request needs Authorization: Bearer; without it every endpoint is 401', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    for (const path of PATHS) {
      expect(await status(client, path, AGENCY), path).toBe(200)
      expect(await status(client, path), path).toBe(401)
    }
  })

  test.each([
    ['Bearer', `Bearer ${AGENCY}`, 200],
    ['the scheme in another case (G-007)', `bEARER ${AGENCY}`, 200],
    ['another scheme', `Basic ${AGENCY}`, 401],
    ['no scheme', AGENCY, 401],
    ['part of a token', `Bearer ${AGENCY.slice(0, -1)}`, 401],
    ['a token and more', `Bearer ${AGENCY}x`, 401],
    ['a token in another case', `Bearer ${AGENCY.toUpperCase()}`, 401],
  ])('5(1) the header is read with %s', async (_, authorization, expected) => {
    await using client = await openFetch({ fixtures: WORLD })
    expect((await client.send({ path: '/me', headers: { authorization } })).status).toBe(expected)
  })

  test('5(1) a token in the query string does not count (G-008)', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    const query = { token: AGENCY, access_token: AGENCY, api_token: AGENCY }
    expect((await client.send({ path: '/me', query })).status).toBe(401)
  })

  test('5(2) each integration has its own token, scoped to one agency', async () => {
    await using client = await openFetch({
      fixtures: {
        ...WORLD,
        tokens: [
          aToken({ id: 1, token: 'north-shop', agency: 1 }),
          aToken({ id: 2, token: 'north-dashboard', agency: 1 }),
          aToken({ id: 3, token: 'south-shop', agency: 2 }),
        ],
      },
    })
    const seen = []
    for (const token of ['north-shop', 'north-dashboard', 'south-shop']) {
      const { id, agency_id } = (await client.send({ path: '/me', token })).body
      seen.push([id, agency_id, idsOf((await client.send({ path: '/projects', token })).body)])
    }
    expect(seen).toEqual([
      [1, 1, [1, 2]],
      [2, 1, [1, 2]],
      [3, 2, [3]],
    ])
  })

  test.each([
    ['203.0.113.7', 200],
    ['203.0.113.8', 403],
    ['198.51.100.0', 200],
    ['198.51.100.255', 200],
    ['198.51.101.0', 403],
    ['2001:db8::1', 200],
    ['2001:db9::1', 403],
    ['::ffff:203.0.113.7', 200],
    ['127.0.0.1', 403],
  ])(
    '5(3) a token is bound to addresses and CIDR ranges: %s gets %s',
    async (address, expected) => {
      const allowed_ips = ['203.0.113.7', '198.51.100.0/24', '2001:db8::/32']
      await using client = await openFetch({ fixtures: withToken({ allowed_ips }) })
      expect(await statusFrom(client, address)).toBe(expected)
    },
  )

  test.each<[what: string, allowed_ips: string[] | undefined, expected: number]>([
    ['*', ['*'], 200],
    ['no list at all (G-010)', undefined, 200],
    ['an empty list (G-009)', [], 403],
  ])('5(3) which lists allow all addresses: %s', async (_, allowed_ips, expected) => {
    const changes = allowed_ips === undefined ? {} : { allowed_ips }
    await using client = await openFetch({ fixtures: withToken(changes) })
    expect(await statusFrom(client, '192.0.2.1')).toBe(expected)
  })

  test.each(['active', 'disabled'] as const)(
    '5(4) GET /me shows the status of a token that is %s (G-003)',
    async (tokenStatus) => {
      await using client = await openFetch({ fixtures: withToken({ status: tokenStatus }) })
      const { status: code, body } = await get(client, '/me')
      expect(code).toBe(200)
      expect(body.status).toBe(tokenStatus)
    },
  )

  test('5(5) GET /me lists the abilities, and only * has a meaning (G-012)', async () => {
    const abilities = ['projects:read', 'anything else']
    await using client = await openFetch({ fixtures: withToken({ abilities }) })
    expect((await get(client, '/me')).body.abilities).toEqual(abilities)
    for (const path of PATHS) expect(await status(client, path, AGENCY), path).toBe(200)
  })

  test('5(6) a super-admin token has agency_id null, and may filter by agency_id', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    expect((await client.send({ path: '/me', token: SUPER })).body.agency_id).toBeNull()
    const filtered = async (agency_id: string) =>
      idsOf((await client.send({ path: '/projects', query: { agency_id }, token: SUPER })).body)
    expect(await filtered('1')).toEqual([1, 2])
    expect(await filtered('2')).toEqual([3])
  })

  test('5(6) without the filter a super-admin token lists the projects of all agencies (G-016)', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    const { body } = await client.send({ path: '/projects', token: SUPER })
    expect(idsOf(body)).toEqual([1, 2, 3])
    expect(await status(client, '/projects/3', SUPER)).toBe(200)
  })

  test.each([
    '/projects/3',
    '/projects/3/reports',
    '/projects/3/reports/latest',
    '/projects/3/reports/last-generated',
    '/projects/3/reports/1/content',
    '/projects/3/keywords',
    '/users/9',
  ])("5(7) another agency's data is treated as nonexistent (G-013): 404 for %s", async (path) => {
    await using client = await openFetch({ fixtures: WORLD })
    const { status: code, text } = await get(client, path)
    expect(code).toBe(404)
    expect(text).toBe((await get(client, path.replace(/\d+/, '999'))).text)
    expect(await status(client, path, SUPER)).toBe(200)
  })

  test("5(7) another agency's projects and users are in no list", async () => {
    await using client = await openFetch({ fixtures: WORLD })
    expect(idsOf((await get(client, '/projects')).body)).not.toContain(3)
    expect((await get(client, '/projects')).body.meta.total).toBe(2)
    expect(idsOf((await get(client, '/users')).body)).not.toContain(9)
  })

  test('5(8) a missing, unknown or disabled token is 401 (G-001, G-002, G-004)', async () => {
    await using client = await openFetch({ fixtures: withToken({ status: 'disabled' }) })
    for (const token of [undefined, 'nobody', AGENCY]) {
      const { status: code, body } = await client.send({ path: '/projects', token })
      expect(code).toBe(401)
      expect(body).toEqual({ message: 'Unauthenticated.' })
    }
  })
})

describe('6 events', () => {
  test('6 nothing is pushed, and there is nothing to subscribe to', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    for (const path of ['/events', '/webhooks', '/notifications', '/projects/1/events']) {
      expect(await status(client, path, AGENCY), path).toBe(404)
      const post = await client.send({ path, method: 'POST', token: AGENCY })
      expect(post.status, path).toBe(404)
    }
  })
})

describe('7 errors', () => {
  test.each([
    ['400 an unknown query parameter', '/projects?colour=red', 400],
    ['400 a report number outside 1 to 26', '/projects/1/reports/27/content', 400],
    ['404 country unknown', '/countries/99', 404],
    ['404 country not applicable', '/countries/672', 404],
    ['404 language unknown', '/languages/99', 404],
    ['404 user unknown', '/users/99', 404],
    ['404 user not visible', '/users/9', 404],
    ['404 project unknown', '/projects/99', 404],
    ['404 report number unknown', '/projects/3/reports/2/content', 404],
    ['404 latest finds no report', '/projects/2/reports/latest', 404],
    ['404 last-generated finds no report', '/projects/2/reports/last-generated', 404],
  ])('7 %s', async (_, path, expected) => {
    await using client = await openFetch({ fixtures: WORLD })
    const token = path.startsWith('/users') ? AGENCY : SUPER
    const { status: code, body } = await client.send({ path, token })
    expect(code).toBe(expected)
    expect(body.message).toEqual(expect.any(String))
  })

  test("7 403 a request from an address that is not on the token's list", async () => {
    await using client = await openFetch({ fixtures: withToken({ allowed_ips: ['203.0.113.7'] }) })
    expect(await statusFrom(client, '203.0.113.7')).toBe(200)
    expect(await statusFrom(client, '203.0.113.9')).toBe(403)
  })

  test.each(['minute', 'hour'] as const)('7 429 the %s window is exhausted', async (spent) => {
    await using client = await openFetch({ fixtures: withToken({ rate_limit: {}, spent }) })
    for (const path of PATHS) expect(await status(client, path, AGENCY), path).toBe(429)
  })

  test('7 429 has a body with error.code rate_limit_exceeded and a short error.message (G-031)', async () => {
    const fixtures = withToken({ rate_limit: {}, spent: 'minute' })
    await using client = await openFetch({ fixtures })
    const { body } = await get(client, '/projects')
    expect(body).toStrictEqual({
      error: { code: 'rate_limit_exceeded', message: expect.stringContaining('slow down') },
    })
    expect((await get(client, '/me')).body).toStrictEqual(body)
  })

  test('7 any other error has a body with a message (G-004, G-005, G-006)', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    expect((await client.send({ path: '/me' })).body).toEqual({ message: 'Unauthenticated.' })
    for (const path of ['/projects/99', '/nowhere', '/projects/1/reports/27/content']) {
      expect(Object.keys((await get(client, path)).body), path).toEqual(['message'])
    }
    const refused = (await get(client, '/projects', 'colour=red')).body
    expect(Object.keys(refused)).toEqual(['message', 'allowed_parameters'])
  })
})

/** The four headers of section 8. */
function rateHeaders({ headers }: { headers: Record<string, string> }) {
  return {
    limit: headers['x-ratelimit-limit'],
    remaining: headers['x-ratelimit-remaining'],
    retryAfter: headers['retry-after'],
    reset: headers['x-ratelimit-reset'],
  }
}

const LIMITED = withToken({ rate_limit: {} })

describe('8 limits', () => {
  test('8 Default per minute: of 61 requests at once, exactly 60 pass (T26)', async () => {
    vi.useRealTimers()
    await using client = await openHttp({ fixtures: LIMITED })
    const answers = await Promise.all(Array.from({ length: 61 }, () => get(client, '/me')))
    const statuses = answers.map((answer) => answer.status)
    expect(statuses.filter((code) => code === 200)).toHaveLength(60)
    expect(statuses.filter((code) => code === 429)).toHaveLength(1)
  })

  test('8 Default per hour: at one request a second the 1,001st is rejected, for 2,600 seconds (T12)', async () => {
    await using client = await openFetch({ fixtures: LIMITED })
    for (let second = 0; second < 1000; second += 1) {
      expect((await get(client, '/me')).status).toBe(200)
      vi.advanceTimersByTime(1000)
    }
    const rejected = await get(client, '/me')
    expect(rejected.status).toBe(429)
    expect(rateHeaders(rejected).retryAfter).toBe('2600')
  })

  test.each([
    [{ per_minute: 3, per_hour: 5 }, 3],
    [{ per_minute: 5, per_hour: 3 }, 3],
    [{ per_minute: 'unlimited', per_hour: 2 }, 2],
    [{ per_minute: 2, per_hour: 'unlimited' }, 2],
    [{ per_minute: 61 }, 61],
    ['unlimited', 1001],
  ] as const)('8 Custom limits can be set per token (G-025): %j', async (rate_limit, passing) => {
    await using client = await openFetch({ fixtures: withToken({ rate_limit }) })
    for (let request = 0; request < passing; request += 1) {
      expect((await get(client, '/me')).status).toBe(200)
    }
    expect((await get(client, '/me')).status).toBe(rate_limit === 'unlimited' ? 200 : 429)
  })

  test('8 Enforcement applies to both windows at once: a request is rejected if either is exhausted', async () => {
    const rate_limit = { per_minute: 2, per_hour: 3 }
    await using client = await openFetch({ fixtures: withToken({ rate_limit }) })
    const seen = []
    for (const waitMs of [0, 0, 0, 60_000, 0]) {
      vi.advanceTimersByTime(waitMs)
      seen.push((await get(client, '/me')).status)
    }
    expect(seen).toEqual([200, 200, 429, 200, 429])
  })

  test('8 Page size: per_page is 100 by default and at most 100', async () => {
    const projects = Array.from({ length: 101 }, (_, index) => aProject({ id: index + 1 }))
    await using client = await openFetch({ fixtures: aWorld({ projects }) })
    for (const query of ['', 'per_page=100', 'per_page=101', 'per_page=1000']) {
      expect((await get(client, '/projects', query)).body.data, query).toHaveLength(100)
    }
  })

  test('8 Report number: 1 and 26 are accepted, 0 and 27 are rejected', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    const codes = []
    for (const number of [0, 1, 26, 27]) {
      codes.push((await get(client, `/projects/1/reports/${number}/content`)).status)
    }
    expect(codes).toEqual([400, 200, 200, 400])
  })
})

describe('8 headers', () => {
  test('8 X-RateLimit-Limit and X-RateLimit-Remaining are on every response (T13, G-023)', async () => {
    const tokens = [
      aToken({ id: 1, token: AGENCY, rate_limit: { per_minute: 5 } }),
      aToken({ id: 2, token: 'elsewhere', rate_limit: { per_minute: 5 }, allowed_ips: ['::1'] }),
      aToken({ id: 3, token: 'disabled', rate_limit: { per_minute: 5 }, status: 'disabled' }),
    ]
    await using client = await openFetch({ fixtures: { ...WORLD, tokens } })
    const seen = []
    for (const request of [
      { path: '/me', token: AGENCY },
      { path: '/nowhere', token: AGENCY },
      { path: '/me', method: 'POST', token: AGENCY },
      { path: '/projects/99', token: AGENCY },
      { path: '/projects', query: 'colour=red', token: AGENCY },
      { path: '/projects', query: 'agency_id=1', token: AGENCY },
      { path: '/projects/1', token: AGENCY },
      { path: '/me', token: AGENCY },
      { path: '/me', token: 'elsewhere' },
      { path: '/projects', token: 'disabled' },
      { path: '/me' },
    ]) {
      const answer = await client.send(request)
      const { limit, remaining } = rateHeaders(answer)
      seen.push([answer.status, limit, remaining])
    }
    expect(seen).toEqual([
      [200, '5', '4'],
      [404, '5', '4'],
      [405, '5', '4'],
      [404, '5', '3'],
      [400, '5', '2'],
      [403, '5', '1'],
      [200, '5', '0'],
      [429, '5', '0'],
      [403, '5', '5'],
      [401, '5', '5'],
      [401, '60', '60'],
    ])
  })

  test('8 X-RateLimit-Limit and X-RateLimit-Remaining of an unlimited token are omitted (G-024)', async () => {
    await using client = await openFetch({ fixtures: withToken({ rate_limit: 'unlimited' }) })
    const { limit, remaining } = rateHeaders(await get(client, '/me'))
    expect({ limit, remaining }).toEqual({ limit: undefined, remaining: undefined })
  })

  test('8 X-RateLimit-Limit is the limit per minute, X-RateLimit-Remaining what remains of it', async () => {
    await using client = await openFetch({ fixtures: LIMITED })
    const remaining = []
    for (let request = 0; request < 3; request += 1) {
      const headers = rateHeaders(await get(client, '/projects'))
      expect(headers.limit).toBe('60')
      remaining.push(headers.remaining)
    }
    vi.advanceTimersByTime(60_000)
    remaining.push(rateHeaders(await get(client, '/projects')).remaining)
    expect(remaining).toEqual(['59', '58', '57', '59'])
  })

  test('8 Retry-After and X-RateLimit-Reset are on a 429 and on nothing else (T13)', async () => {
    const rate_limit = { per_minute: 1 }
    await using client = await openFetch({ fixtures: withToken({ rate_limit }) })
    const none = { retryAfter: undefined, reset: undefined }
    expect(rateHeaders(await get(client, '/me'))).toMatchObject(none)
    expect(rateHeaders(await get(client, '/nowhere'))).toMatchObject(none)
    expect(rateHeaders(await client.send({ path: '/me' }))).toMatchObject(none)
    const rejected = await get(client, '/me')
    expect(rejected.status).toBe(429)
    expect(rateHeaders(rejected)).toMatchObject({
      retryAfter: expect.stringMatching(/^\d+$/),
      reset: expect.stringMatching(/^\d{10}$/),
    })
  })

  test('8 Retry-After is the seconds to the reset, rounded up: a client that obeys it passes (G-027)', async () => {
    const rate_limit = { per_minute: 1 }
    await using client = await openFetch({ fixtures: withToken({ rate_limit }) })
    await get(client, '/me')
    vi.advanceTimersByTime(20_500)
    const { retryAfter } = rateHeaders(await get(client, '/me'))
    expect(retryAfter).toBe('40')
    vi.advanceTimersByTime(39_000)
    expect((await get(client, '/me')).status).toBe(429)
    vi.advanceTimersByTime(1000)
    expect((await get(client, '/me')).status).toBe(200)
  })

  test('8 X-RateLimit-Reset is the Unix time at which the window resets (G-019)', async () => {
    const rate_limit = { per_minute: 1 }
    await using client = await openFetch({ fixtures: withToken({ rate_limit }) })
    await get(client, '/me')
    vi.advanceTimersByTime(20_000)
    const { reset } = rateHeaders(await get(client, '/me'))
    expect(reset).toBe(String(Date.parse('2026-03-15T12:01:31Z') / 1000))
    vi.setSystemTime(Number(reset) * 1000)
    expect((await get(client, '/me')).status).toBe(200)
  })

  test('8 Hourly: Limit and Remaining stay those of the minute, Retry-After and Reset are those of the hour (T11)', async () => {
    const fixtures = withToken({ rate_limit: { per_minute: 60, per_hour: 3 } })
    await using client = await openFetch({ fixtures })
    for (let request = 0; request < 3; request += 1) await get(client, '/me')
    vi.advanceTimersByTime(1000)
    const hourEnd = { retryAfter: '3599', reset: String(Date.parse('2026-03-15T13:00:31Z') / 1000) }
    expect(rateHeaders(await get(client, '/me'))).toMatchObject({
      limit: '60',
      remaining: '57',
      ...hourEnd,
    })
    vi.advanceTimersByTime(60_000)
    expect(rateHeaders(await get(client, '/me'))).toEqual({
      limit: '60',
      remaining: '60',
      retryAfter: '3539',
      reset: hourEnd.reset,
    })
  })

  test("8 X-RateLimit-Reset and Date follow the client's clock, whatever month the world is in (T21)", async () => {
    const fixtures = withToken({ rate_limit: {}, spent: 'minute' })
    await using client = await openFetch({ fixtures, now: '2031-11-20T00:00:00Z' })
    const answer = await get(client, '/me')
    expect(rateHeaders(answer).reset).toBe(String(Date.parse('2026-03-15T12:01:31Z') / 1000))
    expect(answer.headers['date']).toBe('Sun, 15 Mar 2026 12:00:30 GMT')
  })
})

describe('9 versioning', () => {
  test('9(1) the version is in the path prefix, and in the relative links of responses (G-032)', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    const list = (await get(client, '/projects', 'per_page=1')).body
    const links = [
      ...Object.values<string | null>(list.links),
      ...Object.values<string>(list.data[0].links),
      ...Object.values<string>((await get(client, '/projects/1')).body.data.links),
    ].filter((link) => link !== null)
    expect(links).toHaveLength(7)
    for (const link of links) expect(link).toMatch(/^\/api\/v1\/projects/)
  })

  test.each(['/api/v2/me', '/api/v0/me', '/api/me', '/me', '/api/v1', '/api/v1/', '/api/V1/me'])(
    '9(2) v1 is the only version (G-088): %s is 404',
    async (path) => {
      await using client = await openFetch({ fixtures: WORLD })
      const headers = { authorization: `Bearer ${AGENCY}` }
      expect((await client.sandbox.fetch(path, { headers })).status).toBe(404)
    },
  )

  test('9(3) no response announces a deprecation', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    for (const path of PATHS) {
      const { headers } = await get(client, path)
      expect(headers).not.toHaveProperty('deprecation')
      expect(headers).not.toHaveProperty('sunset')
      expect(headers).not.toHaveProperty('warning')
    }
  })
})
