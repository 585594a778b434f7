import { describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { createSandbox } from '../../src/index.ts'
import type { FixtureInput, PolicySettings, Sandbox, SandboxRequestInit } from '../../src/index.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER } from '../support/worlds.ts'

interface RequestOptions extends SandboxRequestInit {
  path: string
  /** `/api/v1` if omitted. */
  prefix?: string
  token?: string
}

const OFFICE = '203.0.113.9'
const ELSEWHERE = '198.51.100.1'

/** Every path of the specification, with ids that exist in {@link theWorld}. */
const PATHS = Object.values(OPERATIONS).map(({ path }) => path.replaceAll(/\{[^}]+\}/g, '1'))

/** Countries, languages, users and projects have the ids 1, 5, 7 and 1000. */
function theWorld(changes: Partial<FixtureInput> = {}): FixtureInput {
  const ids = [1, 5, 7, 1000]
  const labels = ids.map((id) => ({ id, label: `Label ${id}` }))
  const current = { status: 'completed', date_to_create_texts: '2026-03-01' } as const
  const reports = [aReport({ id: 1, ...current }), aReport({ id: 5 }), aReport({ id: 7 })]
  return aWorld({
    countries: labels,
    languages: labels,
    users: ids.map((id) => ({ id, name: `User ${id}`, agency: 1 })),
    projects: [aProject({ id: 1, reports }), ...[5, 7, 1000].map((id) => aProject({ id }))],
    ...changes,
  })
}

describe('the order of the checks', () => {
  const tokens = [
    aToken({ id: 1, token: AGENCY }),
    aToken({ id: 2, token: 'retired', status: 'disabled' }),
    aToken({ id: 3, token: 'office', allowed_ips: [OFFICE] }),
    aToken({ id: 4, token: 'retired-office', status: 'disabled', allowed_ips: [OFFICE] }),
    aToken({ id: 5, token: 'spent', rate_limit: {}, spent: 'minute' }),
    aToken({ id: 6, token: 'spent-office', allowed_ips: [OFFICE], rate_limit: {}, spent: 'hour' }),
    aToken({ id: 7, token: 'users-only', abilities: ['users:read'] }),
    aToken({
      id: 8,
      token: 'spent-users-only',
      abilities: ['users:read'],
      rate_limit: {},
      spent: 'minute',
    }),
  ]

  /** `both` has two errors, and the response has that of the earlier check; `alone` has only the error of the later check. */
  interface Order {
    section?: string
    earlier: [string, number]
    later: [string, number]
    both: RequestOptions
    alone: RequestOptions
    policies?: PolicySettings
  }

  const ORDERS: Order[] = [
    {
      earlier: ['route', 404],
      later: ['method', 405],
      both: { path: '/nowhere', token: AGENCY, method: 'POST' },
      alone: { path: '/me', token: AGENCY, method: 'POST' },
    },
    {
      earlier: ['method', 405],
      later: ['token', 401],
      both: { path: '/me', method: 'POST' },
      alone: { path: '/me' },
    },
    {
      earlier: ['token', 401],
      later: ['disabled', 403],
      policies: { 'disabled-token': 403 },
      both: { path: '/projects', headers: { authorization: 'Basic retired' } },
      alone: { path: '/projects', headers: { authorization: 'Bearer retired' } },
    },
    {
      earlier: ['disabled', 401],
      later: ['address', 403],
      both: { path: '/projects', token: 'retired-office', clientIp: ELSEWHERE },
      alone: { path: '/projects', token: 'office', clientIp: ELSEWHERE },
    },
    {
      earlier: ['address', 403],
      later: ['rate limit', 429],
      both: { path: '/me', token: 'spent-office', clientIp: ELSEWHERE },
      alone: { path: '/me', token: 'spent-office', clientIp: OFFICE },
    },
    {
      section: 'G-003',
      earlier: ['address', 403],
      later: ['the identity of a disabled token', 200],
      both: { path: '/me', token: 'retired-office', clientIp: ELSEWHERE },
      alone: { path: '/me', token: 'retired' },
    },
    {
      earlier: ['token', 401],
      later: ['resource', 404],
      both: { path: '/projects/abc' },
      alone: { path: '/projects/abc', token: AGENCY },
    },
    {
      earlier: ['token', 401],
      later: ['parameters', 400],
      both: { path: '/projects/1/reports/x/content' },
      alone: { path: '/projects/1/reports/x/content', token: AGENCY },
    },
    {
      earlier: ['rate limit', 429],
      later: ['resource', 404],
      both: { path: '/projects/999', token: 'spent' },
      alone: { path: '/projects/999', token: AGENCY },
    },
    {
      earlier: ['rate limit', 429],
      later: ['ability', 403],
      policies: { abilities: 'enforced' },
      both: { path: '/countries', token: 'spent-users-only' },
      alone: { path: '/countries', token: 'users-only' },
    },
    {
      earlier: ['ability', 403],
      later: ['resource', 404],
      policies: { abilities: 'enforced' },
      both: { path: '/projects/999', token: 'users-only' },
      alone: { path: '/users/999', token: 'users-only' },
    },
    {
      earlier: ['resource', 404],
      later: ['parameters', 400],
      both: { path: '/projects/999/reports/27/content', token: AGENCY },
      alone: { path: '/projects/1/reports/27/content', token: AGENCY },
    },
    {
      earlier: ['resource', 404],
      later: ['unknown parameter', 400],
      policies: { 'unknown-parameters-elsewhere': 400 },
      both: { path: '/projects/999?colour=red', token: AGENCY },
      alone: { path: '/projects/1?colour=red', token: AGENCY },
    },
    {
      section: 'T19',
      earlier: ['unknown parameter', 400],
      later: ['agency_id', 403],
      both: { path: '/projects?agency_id=1&colour=red', token: AGENCY },
      alone: { path: '/projects?agency_id=1', token: AGENCY },
    },
    {
      earlier: ['invalid page', 400],
      later: ['agency_id', 403],
      policies: { 'invalid-page': 400 },
      both: { path: '/projects?agency_id=1&page=zero', token: AGENCY },
      alone: { path: '/projects?agency_id=1', token: AGENCY },
    },
    {
      earlier: ['invalid per_page', 400],
      later: ['agency_id', 403],
      policies: { 'per-page-above-maximum': 400 },
      both: { path: '/projects?agency_id=1&per_page=101', token: AGENCY },
      alone: { path: '/projects?agency_id=1', token: AGENCY },
    },
    {
      earlier: ['unknown status', 400],
      later: ['agency_id', 403],
      policies: { 'status-filter': 400 },
      both: { path: '/projects?agency_id=1&status=unknown', token: AGENCY },
      alone: { path: '/projects?agency_id=1', token: AGENCY },
    },
  ]

  test.each(
    ORDERS.map((order) => {
      const { section = 'G-011', earlier, later } = order
      return [section, ...earlier, ...later, order] as const
    }),
  )('%s %s %d comes before %s %d', async (_, _name, earlier, _other, later, order) => {
    const { both, alone, policies = {} } = order
    const sandbox = await createSandbox({ fixtures: theWorld({ tokens }), policies })
    expect((await send(sandbox, both)).status).toBe(earlier)
    expect((await send(sandbox, alone)).status).toBe(later)
  })

  test('G-003 a disabled token is rate-limited on /me like any other', async () => {
    const fixtures = aWorld({
      tokens: [
        aToken({ id: 1, token: 'retired', status: 'disabled', rate_limit: { per_minute: 1 } }),
      ],
    })
    const sandbox = await createSandbox({ fixtures })
    const request = { path: '/me', token: 'retired' }
    expect((await send(sandbox, request)).status).toBe(200)
    expect((await send(sandbox, request)).status).toBe(429)
  })
})

describe('authentication', () => {
  test.each([
    ['Bearer', `Bearer ${AGENCY}`],
    ['bearer in lower case (G-007)', `bearer ${AGENCY}`],
    ['bearer in upper case (G-007)', `BEARER ${AGENCY}`],
    ['bearer in mixed case (G-007)', `bEaReR ${AGENCY}`],
    ['several spaces (G-007)', `Bearer    ${AGENCY}`],
    ['space around the header value, which HTTP strips', `  Bearer ${AGENCY}  `],
  ])('5.1 the token is accepted with %s', async (_, authorization) => {
    const sandbox = await createSandbox({ fixtures: theWorld() })
    const response = await send(sandbox, { path: '/me', headers: { authorization } })
    expect([response.status, response.body.name]).toEqual([200, AGENCY])
  })

  test.each([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['the scheme only', { authorization: 'Bearer' }],
    ['the scheme and a space', { authorization: 'Bearer ' }],
    ['the token only', { authorization: AGENCY }],
    ['no space', { authorization: `Bearer${AGENCY}` }],
    ['a tab instead of the space', { authorization: `Bearer\t${AGENCY}` }],
    ['a colon', { authorization: `Bearer: ${AGENCY}` }],
    ['quotes', { authorization: `Bearer "${AGENCY}"` }],
    ['another scheme', { authorization: `Basic ${AGENCY}` }],
    ['the scheme twice', { authorization: `Bearer Bearer ${AGENCY}` }],
    ['something after the token', { authorization: `Bearer ${AGENCY} more` }],
    ['a comma after the token', { authorization: `Bearer ${AGENCY},` }],
    ['an unknown token', { authorization: 'Bearer nobody' }],
    ['the token in another case', { authorization: `Bearer ${AGENCY.toUpperCase()}` }],
    ['the beginning of a token', { authorization: `Bearer ${AGENCY.slice(0, -1)}` }],
    ['more than a token', { authorization: `Bearer ${AGENCY}x` }],
    ['the token twice', { authorization: `Bearer ${AGENCY}${AGENCY}` }],
    ['a token of 1 MB', { authorization: `Bearer ${'x'.repeat(1_000_000)}` }],
    ['a token that is the name of a property', { authorization: 'Bearer constructor' }],
    ['a non-ASCII letter', { authorization: `Bearer ${AGENCY}\u00E9` }],
    ['another header', { 'x-api-key': AGENCY, 'proxy-authorization': `Bearer ${AGENCY}` }],
    ['a cookie', { cookie: `token=${AGENCY}` }],
  ])('5.8 G-001 401 for %s', async (_, headers) => {
    const sandbox = await createSandbox({ fixtures: theWorld() })
    const response = await send(sandbox, { path: '/me', headers })
    expect(response.status).toBe(401)
    expect(response.text).toBe('{"message":"Unauthenticated."}')
  })

  test.each([
    ['the same token twice', [AGENCY, AGENCY]],
    ['a good token, then an unknown one', [AGENCY, 'nobody']],
    ['an unknown token, then a good one', ['nobody', AGENCY]],
  ])('G-007 401 for two Authorization headers: %s', async (_, bearers) => {
    const sandbox = await createSandbox({ fixtures: theWorld() })
    const headers = new Headers()
    for (const bearer of bearers) headers.append('authorization', `Bearer ${bearer}`)
    expect((await send(sandbox, { path: '/me', headers })).status).toBe(401)
  })

  test.each(['token', 'access_token', 'api_token', 'authorization', 'bearer'])(
    'G-008 a token in the query string as %s is ignored',
    async (name) => {
      const sandbox = await createSandbox({ fixtures: theWorld() })
      const path = `/me?${name}=${AGENCY}&${name}=Bearer%20${AGENCY}`
      expect((await send(sandbox, { path })).status).toBe(401)
      expect((await send(sandbox, { path, token: AGENCY })).status).toBe(200)
    },
  )
})

describe('the allow-list of addresses', () => {
  const V6 = '2001:db8::7'
  const MAPPED = `::ffff:${OFFICE}`

  test.each([
    // The list, the client, and whether it is allowed.
    ['one IPv4 address', [OFFICE], OFFICE, true],
    ['one IPv4 address', [OFFICE], '203.0.113.10', false],
    ['one of several', [ELSEWHERE, OFFICE], OFFICE, true],
    ['an IPv4 range, its first address', ['203.0.113.8/30'], '203.0.113.8', true],
    ['an IPv4 range, its last address', ['203.0.113.8/30'], '203.0.113.11', true],
    ['an IPv4 range, the address before it', ['203.0.113.8/30'], '203.0.113.7', false],
    ['an IPv4 range, the address after it', ['203.0.113.8/30'], '203.0.113.12', false],
    ['an IPv4 range with host bits set', ['203.0.113.9/24'], '203.0.113.200', true],
    ['all of IPv4', ['0.0.0.0/0'], OFFICE, true],
    ['all of IPv4 is not IPv6', ['0.0.0.0/0'], V6, false],
    ['one IPv6 address', [V6], V6, true],
    ['one IPv6 address', [V6], '2001:db8::8', false],
    ['an IPv6 address written in full', ['2001:0DB8:0:0:0:0:0:7'], V6, true],
    ['an IPv6 range, its last address', ['2001:db8::/126'], '2001:db8::3', true],
    ['an IPv6 range, the address after it', ['2001:db8::/126'], '2001:db8::4', false],
    ['all of IPv6', ['::/0'], V6, true],
    ['all of IPv6 is not IPv4', ['::/0'], OFFICE, false],
    ['a mapped client, an IPv4 entry (G-010)', [OFFICE], MAPPED, true],
    ['a mapped client, an IPv4 range (G-010)', ['203.0.113.0/24'], MAPPED, true],
    ['a mapped client in hexadecimal (G-010)', [OFFICE], '::ffff:cb00:7109', true],
    ['an IPv4 client, a mapped entry (G-010)', [MAPPED], OFFICE, true],
    ['an IPv4 client, another mapped entry (G-010)', [MAPPED], ELSEWHERE, false],
    ['a mapped client, a mapped entry (G-010)', [MAPPED], MAPPED, true],
    ['an IPv4 client, a mapped range (G-010)', ['::ffff:203.0.113.0/120'], OFFICE, true],
    ['an IPv4 client past a mapped range (G-010)', ['::ffff:203.0.113.0/120'], ELSEWHERE, false],
    ['a mapped client is not IPv6 (G-010)', ['::/0'], MAPPED, false],
    ['the asterisk, an IPv4 client', ['*'], OFFICE, true],
    ['the asterisk, an IPv6 client', ['*'], V6, true],
    ['the asterisk among others', [ELSEWHERE, '*'], OFFICE, true],
    ['an omitted list (G-010)', undefined, ELSEWHERE, true],
    ['an empty list (G-009)', [], OFFICE, false],
    ['an empty list, this machine (G-009)', [], '127.0.0.1', false],
    ['no address at all', [OFFICE], '', false],
    ['a client that is not an address', [OFFICE], 'localhost', false],
    ['a client with a port', [OFFICE], `${OFFICE}:443`, false],
    ['a client with a prefix length', [OFFICE], `${OFFICE}/32`, false],
    ['a client with space', [OFFICE], ` ${OFFICE}`, false],
    ['a list of clients', [OFFICE], `${OFFICE}, ${ELSEWHERE}`, false],
    ['an address with a part missing', ['203.0.0.113'], '203.0.113', false],
    ['an address as one number', [OFFICE], '3405803785', false],
    ['an octal address', ['8.0.0.1'], '010.0.0.1', false],
    ['an asterisk as a client', [OFFICE], '*', false],
  ])('5(3) %s: %j and %s, allowed: %s', async (_, allowed_ips, clientIp, isAllowed) => {
    const list = allowed_ips === undefined ? {} : { allowed_ips }
    const fixtures = aWorld({ tokens: [aToken({ id: 1, token: 'listed', ...list })] })
    const response = await send(await createSandbox({ fixtures }), {
      path: '/me',
      token: 'listed',
      clientIp,
    })
    expect(response.status).toBe(isAllowed ? 200 : 403)
  })

  test('5.3 a request without clientIp comes from 127.0.0.1', async () => {
    const tokens = [aToken({ id: 1, token: 'local', allowed_ips: ['127.0.0.1'] })]
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens }) })
    const request = { path: '/me', token: 'local' }
    expect((await send(sandbox, request)).status).toBe(200)
    expect((await send(sandbox, { ...request, clientIp: '127.0.0.2' })).status).toBe(403)
  })

  test('G-010 X-Forwarded-For is not trusted', async () => {
    const tokens = [aToken({ id: 1, token: 'office', allowed_ips: [OFFICE] })]
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens }) })
    const headers = {
      authorization: 'Bearer office',
      'x-forwarded-for': OFFICE,
      'x-real-ip': OFFICE,
      forwarded: `for=${OFFICE}`,
    }
    expect((await send(sandbox, { path: '/me', headers, clientIp: ELSEWHERE })).status).toBe(403)
  })

  test('5.3 a changed list applies to the next request', async () => {
    const tokens = [aToken({ id: 1, token: 'office', allowed_ips: [OFFICE] })]
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens }) })
    const request = { path: '/me', token: 'office', clientIp: ELSEWHERE }
    const patch = { type: 'record.patch', collection: 'tokens', id: 1 } as const
    expect((await send(sandbox, request)).status).toBe(403)
    await sandbox.command({ ...patch, patch: { allowed_ips: [ELSEWHERE] } })
    expect((await send(sandbox, request)).status).toBe(200)
    await sandbox.command({ ...patch, patch: { allowed_ips: [] } })
    expect((await send(sandbox, request)).status).toBe(403)
    await sandbox.command({ ...patch, patch: { allowed_ips: null } })
    expect((await send(sandbox, request)).status).toBe(200)
  })

  test('7 the 403 for an address gives the reason, and reveals neither the list nor the token', async () => {
    const tokens = [aToken({ id: 1, token: 'office', allowed_ips: [OFFICE] })]
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens }) })
    const { body, text } = await send(sandbox, {
      path: '/me',
      token: 'office',
      clientIp: ELSEWHERE,
    })
    expect(Object.keys(body)).toEqual(['message'])
    expect(body.message).toMatch(/address/)
    expect(text).not.toMatch(/203|office/)
  })
})

describe('methods', () => {
  test.each([...PATHS, '/projects/999', '/projects?colour=red'])(
    'G-029 HEAD %s has the status and headers of GET, and no body',
    async (path) => {
      const sandbox = await createSandbox({ fixtures: theWorld() })
      const get = await send(sandbox, { path, token: AGENCY })
      const head = await send(sandbox, { path, token: AGENCY, method: 'HEAD' })
      const date = expect.any(String)
      expect(head).toEqual({ ...get, headers: { ...get.headers, date }, text: '', body: {} })
      expect(get.text).toMatch(/^\{.+\}$/s)
    },
  )
})

describe('paths', () => {
  test.each(PATHS)('G-052 one trailing slash is tolerated: %s/', async (path) => {
    const sandbox = await createSandbox({ fixtures: theWorld() })
    const plain = await send(sandbox, { path, token: AGENCY })
    const slashed = await send(sandbox, { path: `${path}/`, token: AGENCY })
    expect([slashed.status, slashed.text]).toEqual([plain.status, plain.text])
  })

  test.each([
    ['G-088 the bare prefix', '/api/v1'],
    ['G-088 the bare prefix with a slash', '/api/v1/'],
    ['9(2) another version (G-088)', '/api/v2/me'],
    ['G-088 another version, bare', '/api/v2'],
    ['G-088 a version with the same beginning', '/api/v10/me'],
    ['G-088 the prefix without a slash', '/api/v1me'],
    ['9(1) no prefix', '/me'],
    ['9(1) the root', '/'],
    ['9(1) no version', '/api/me'],
    ['9(1) the prefix twice', '/api/v1/api/v1/me'],
    ['G-052 two trailing slashes', '/api/v1/me//'],
    ['G-052 two trailing slashes after a list', '/api/v1/projects//'],
    ['G-052 a doubled slash', '/api/v1//me'],
    ['G-052 a doubled slash inside', '/api/v1/projects//reports'],
    ['G-052 capitals in the prefix', '/API/v1/me'],
    ['G-052 capitals in the version', '/api/V1/me'],
    ['4 capitals (G-052)', '/api/v1/Me'],
    ['G-052 capitals after an id', '/api/v1/projects/1/Reports'],
    ['G-052 capitals in a literal', '/api/v1/projects/1/reports/Latest'],
    ['4.1 an underscore for a hyphen', '/api/v1/projects/1/reports/last_generated'],
    ['4.1 a report without content', '/api/v1/projects/1/reports/1'],
    ['4.1 more than content', '/api/v1/projects/1/reports/1/content/1'],
    ['4.1 a keyword', '/api/v1/projects/1/keywords/1'],
    ['4.1 something below /me', '/api/v1/me/1'],
    ['4.1 a suffix', '/api/v1/me.json'],
    ['4.1 an encoded slash', '/api/v1/projects%2F1'],
    ['4.1 an encoded query', '/api/v1/me%3Fpage=1'],
    ['4.1 reports without a project', '/api/v1/reports/latest'],
  ])('%s is 404, with a token and without: %s', async (_, path) => {
    const sandbox = await createSandbox({ fixtures: theWorld() })
    for (const caller of [{}, { token: AGENCY }]) {
      const { status, body, headers } = await send(sandbox, { path, prefix: '', ...caller })
      expect([status, Object.keys(body)]).toEqual([404, ['message']])
      expect(headers['content-type']).toBe('application/json')
    }
  })
})

describe('ids', () => {
  const STRICT = [
    '007',
    '+5',
    '5abc',
    '1e3',
    '-1',
    '0',
    '1.0',
    '0x1',
    '1_000',
    '1,000',
    '%201',
    '1%20',
    '1%0A',
    '%00',
    '1%00',
    '%D9%A1',
    '%EF%BC%91',
    '9007199254740993',
    '18446744073709551617',
    'null',
    'true',
    'NaN',
    'Infinity',
    '__proto__',
    'constructor',
    'label-1',
    '123e4567-e89b-12d3-a456-426614174000',
    'dk',
  ]

  test.each(STRICT)('2.1 G-047 G-048 the id %s is 404 in every kind of path', async (id) => {
    const sandbox = await createSandbox({ fixtures: theWorld() })
    for (const path of ['/countries/:', '/languages/:', '/users/:', '/projects/:/keywords']) {
      const response = await send(sandbox, { path: path.replace(':', id), token: SUPER })
      expect([path, response.status, Object.keys(response.body)]).toEqual([path, 404, ['message']])
    }
  })

  test('2.1 G-048 an id of 400 digits is 404', async () => {
    const sandbox = await createSandbox({ fixtures: theWorld() })
    const path = `/projects/${'1'.repeat(400)}`
    expect((await send(sandbox, { path, token: SUPER })).status).toBe(404)
  })

  test.each([
    ['9007199254740991', 200],
    ['9007199254740992', 404],
    ['9007199254740993', 404],
  ])(
    '2.1 G-048 the largest exact integer is a valid id, and its neighbours are not found: %s',
    async (id, status) => {
      const projects = [aProject({ id: Number.MAX_SAFE_INTEGER })]
      const sandbox = await createSandbox({ fixtures: aWorld({ projects }) })
      expect((await send(sandbox, { path: `/projects/${id}`, token: AGENCY })).status).toBe(status)
    },
  )

  test.each(['7', '%37'])('2.1 the id %s is a number, encoded or not', async (id) => {
    const sandbox = await createSandbox({ fixtures: theWorld() })
    for (const path of ['/countries', '/languages', '/users', '/projects']) {
      const response = await send(sandbox, { path: `${path}/${id}`, token: SUPER })
      expect(response.body.data.id).toBe(7)
    }
  })

  test.each([...STRICT, '27', '26.5', '99'])(
    '4.7(1), 7 G-049 the report number %s is 400',
    async (number) => {
      const sandbox = await createSandbox({ fixtures: theWorld() })
      const path = `/projects/1/reports/${number}/content`
      const { status, body } = await send(sandbox, { path, token: AGENCY })
      expect([status, body]).toEqual([400, { message: 'The report number must be from 1 to 26.' }])
    },
  )
})

interface Result {
  status: number
  /** Values by lower-case name. */
  headers: Record<string, string>
  text: string
  body: any
}

async function send(
  sandbox: Sandbox,
  { path, prefix = '/api/v1', token, ...init }: RequestOptions,
): Promise<Result> {
  const response = await sandbox.fetch(`http://localhost${prefix}${path}`, {
    ...init,
    headers: init.headers ?? (token === undefined ? {} : { authorization: `Bearer ${token}` }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    body: text === '' ? {} : JSON.parse(text),
  }
}
