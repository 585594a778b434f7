import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
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
  countries: [{ id: 45, label: 'Denmark' }],
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

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'post'])(
    '1(5), 4 nothing creates, changes or deletes data: %s is rejected everywhere (G-051)',
    async (method) => {
      await using client = await openFetch({ fixtures: WORLD })
      const before = client.sandbox.world.records.revision
      for (const path of PATHS) {
        const { status: code, headers } = await client.send({ path, method, token: SUPER })
        expect([path, code, headers['allow']]).toEqual([path, 405, 'GET, HEAD'])
      }
      expect(client.sandbox.world.records.revision).toBe(before)
    },
  )
})

describe('5 authentication', () => {
  test('4, 5(1) every request needs Authorization: Bearer; without it every endpoint is 401', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    for (const path of PATHS) {
      expect(await status(client, path, AGENCY), path).toBe(200)
      expect(await status(client, path), path).toBe(401)
    }
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

  test('1(4), 4.3, 5(6) a token lists the projects of its agency by ascending id (G-039), and a super-admin token those of all (G-016)', async () => {
    await using client = await openFetch({ fixtures: WORLD })
    expect(idsOf((await get(client, '/projects')).body)).toEqual([1, 2])
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
    ['4.5(3)', 'latest'],
    ['4.6', 'last-generated'],
  ])('%s, 7 %s is 404 where it finds no report', async (_, name) => {
    await using client = await openFetch({ fixtures: WORLD })
    expect(await status(client, `/projects/2/reports/${name}`, AGENCY)).toBe(404)
  })

  test.each(['minute', 'hour'] as const)(
    '7 429 the %s window is exhausted: error.code is rate_limit_exceeded, error.message short and the same everywhere (G-031)',
    async (spent) => {
      await using client = await openFetch({ fixtures: withToken({ rate_limit: {}, spent }) })
      const message = 'Too many requests. Please slow down.'
      for (const path of PATHS) {
        const { status: code, body } = await get(client, path)
        expect([path, code]).toEqual([path, 429])
        expect(body).toStrictEqual({ error: { code: 'rate_limit_exceeded', message } })
      }
    },
  )

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
    expect(statuses.filter((code) => code === 429)).toHaveLength(1)
    const remaining = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(new Set(remaining)).toEqual(new Set(Array.from({ length: 60 }, (_, index) => index)))
    expect(statuses.filter((code) => code === 200)).toHaveLength(60)
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

  test('4 every endpoint is subject to the limits: each request counts', async () => {
    const rate_limit = { per_minute: PATHS.length }
    await using client = await openFetch({ fixtures: withToken({ rate_limit }) })
    for (const [index, path] of PATHS.entries()) {
      const { remaining } = rateHeaders(await get(client, path))
      expect([path, remaining]).toEqual([path, String(PATHS.length - 1 - index)])
    }
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
      { path: '/nowhere' },
      { path: '/me', method: 'POST' },
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
      [404, '60', '60'],
      [405, '60', '60'],
    ])
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
