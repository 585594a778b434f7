import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { POLICIES } from '../../src/contract/gaps.ts'
import type { Policy } from '../../src/contract/gaps.ts'
import type { Command, FixtureInput, PolicyName, SandboxOptions } from '../../src/index.ts'
import { createSandbox } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import { openFetch, transports } from '../support/transports.ts'
import type { Client, TestRequest, TestResponse } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'

/** `--show-gaps`: a response names all the gaps that it depends on, and few others. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-31T22:30:00.250Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const HEADER = 'x-sandbox-gaps'
const BLOCK = { h3: 'Fish & chips', text: 'a < b\nb > a' }
const PLAIN = { h3: 'Fish', text: 'fresh' }

/**
 * A world in which every gap can affect a response: half past midnight on April 1 in Copenhagen,
 * still March in UTC.
 */
const WORLD: FixtureInput = aWorld({
  now: '2026-03-31T22:30:00Z',
  countries: [
    { id: 45, label: 'Denmark' },
    { id: 49, label: 'Austria' },
  ],
  users: [
    { id: 7, name: 'Maja', agency: 1 },
    { id: 9, name: 'Desk' },
  ],
  tokens: [
    aToken({ id: 1, token: AGENCY }),
    aToken({ id: 2, token: SUPER, agency: null }),
    aToken({ id: 3, token: 'limited', rate_limit: { per_minute: 2, per_hour: 3 } }),
    aToken({ id: 4, token: 'hourly', rate_limit: { per_minute: 2, per_hour: 9 }, spent: 'hour' }),
    aToken({ id: 5, token: 'disabled', status: 'disabled' }),
    aToken({ id: 6, token: 'nowhere', allowed_ips: [] }),
    aToken({ id: 7, token: 'reader', abilities: ['users:read'] }),
    aToken({ id: 8, token: 'plain', rate_limit: { per_minute: 60, per_hour: 1000 } }),
  ],
  projects: [
    aProject({
      id: 1,
      name: 'Süd%',
      domain: 'https://sued.example/shop',
      managing_user: 9,
      keywords: [
        { id: 11, keyword: 'soup', create_date: '2026-01-01' },
        { id: 12, keyword: 'fish', create_date: '2026-01-01' },
        { id: 13, keyword: 'old', create_date: '2026-01-01', active: false },
      ],
      reports: [
        aReport({
          id: 3,
          status: 'completed',
          date_to_create_texts: '2026-03-05',
          content: { 11: [BLOCK], 13: [BLOCK] },
        }),
        aReport({
          id: 4,
          report_number: 2,
          status: 'completed',
          date_to_create_texts: '2026-03-05',
        }),
        aReport({ id: 5, date_to_create_texts: '2026-04-09', created_at: '2025-12-01T00:00:00Z' }),
        aReport({ id: 6, level: 'keyword', date_to_create_texts: '2026-04-01' }),
      ],
    }),
    aProject({
      id: 2,
      name: 'Alder',
      status: 'Active',
      created_at: '2025-02-01T00:00:00Z',
      reports: [
        aReport({ id: 21, report_number: 1 }),
        aReport({ id: 22, report_number: 2, date_to_create_texts: '2026-05-01' }),
      ],
    }),
    aProject({
      id: 3,
      name: 'Plain',
      keywords: [{ id: 31, keyword: 'fish', create_date: '2026-01-01' }],
      reports: [
        aReport({
          id: 31,
          report_number: 1,
          status: 'completed',
          web_link: 'https://web.example/31',
          pdf_link: 'https://pdf.example/31',
          content: { 31: [PLAIN] },
        }),
      ],
    }),
    aProject({ id: 4, agency: 2 }),
  ],
})

const JSON_ACCEPTED = { accept: 'application/json' }

function get(path: string, token: string | undefined = AGENCY): TestRequest {
  return { path, token, headers: JSON_ACCEPTED }
}

function open(options: SandboxOptions = {}): Promise<Client> {
  return openFetch({ fixtures: WORLD, showGaps: true, ...options })
}

function gapsOf({ headers }: TestResponse): string[] {
  return headers[HEADER]?.split(',') ?? []
}

describe('a response names exactly the gaps that it depends on', () => {
  test.for<[string, TestRequest, string]>([
    ['a token within its limits', get('/me', 'plain'), 'G-019'],
    ['an unlimited token', get('/me'), 'G-024'],
    ['no token', { path: '/me', headers: JSON_ACCEPTED }, 'G-001,G-004,G-023'],
    ['no token and no Accept', { path: '/me' }, 'G-001,G-004,G-023,G-053'],
    ['a disabled token', get('/me', 'disabled'), 'G-003,G-024'],
    ['a missing ability', get('/projects', 'reader'), 'G-012,G-024,G-032,G-039,G-072,G-073,G-075'],
    ['an ability that is granted', get('/users/7', 'reader'), 'G-024'],
    ['a list', get('/countries'), 'G-024,G-045,G-046'],
    ['a page of projects', get('/projects'), 'G-024,G-032,G-039,G-072,G-073,G-075'],
    [
      'a search within a status',
      get('/projects?search=nothing&status=active'),
      'G-024,G-032,G-033,G-038,G-040,G-042',
    ],
    ['a page of one', get('/projects?search=Plain&per_page=1'), 'G-024,G-032,G-033,G-042'],
    ['a page past the end', get('/projects?page=9'), 'G-024,G-032,G-037,G-039'],
    [
      'all projects to a super-admin',
      get('/projects?page=9', SUPER),
      'G-016,G-024,G-032,G-037,G-039',
    ],
    ['the projects of an agency', get('/projects?agency_id=2', SUPER), 'G-024,G-032,G-033'],
    ['an unknown parameter', get('/projects?page=1&sort=id'), 'G-006,G-024'],
    ['an unknown parameter elsewhere', get('/me?sort=id'), 'G-024,G-044'],
    ["another agency's project", get('/projects/4'), 'G-005,G-013,G-024'],
    ['an unknown project', get('/projects/999'), 'G-005,G-024'],
    ['an unknown path', get('/nothing', 'plain'), 'G-005,G-023'],
    ['another method', { ...get('/me', 'plain'), method: 'POST' }, 'G-005,G-023,G-051'],
    ['latest of rule 1, with a tie', get('/projects/1/reports/latest'), 'G-024,G-072,G-073'],
    ['latest of rule 2, one undated', get('/projects/2/reports/latest'), 'G-024,G-075'],
    ['latest without a report', get('/projects/4/reports/latest', SUPER), 'G-005,G-024'],
    [
      'last-generated, with nothing left open',
      get('/projects/1/reports/last-generated', 'plain'),
      'G-019',
    ],
    ['content that depends on few gaps', get('/projects/3/reports/1/content'), 'G-024,G-067'],
    [
      'content that depends on many gaps',
      get('/projects/1/reports/3/content'),
      'G-024,G-062,G-066,G-067,G-084',
    ],
    ['a report that is out of range', get('/projects/1/reports/27/content'), 'G-005,G-024'],
    [
      'a report number that is not a number',
      get('/projects/1/reports/x/content'),
      'G-005,G-024,G-049',
    ],
    ['a hard limit', get('/me', 'hourly'), 'G-019,G-020,G-027,G-028'],
  ])('%s', async ([, request, ids]) => {
    const { send } = await open()
    expect(gapsOf(await send(request)).join(',')).toBe(ids)
  })
})

test('an admitted request depends on the kind of window, a rejected one also on counting and rounding', async () => {
  const { send } = await open()
  const shown = []
  for (let count = 0; count < 3; count += 1) shown.push(gapsOf(await send(get('/me', 'limited'))))
  expect(shown).toEqual([['G-019'], ['G-019'], ['G-019', 'G-020', 'G-027']])
})

test('a response after a change depends on the data refresh policy, until the next refresh', async () => {
  const { sandbox, send } = await open()
  const depends = async (path: string) => gapsOf(await send(get(path))).includes('G-058')
  expect(await depends('/projects/3')).toBe(false)
  await sandbox.command(RENAMED)
  expect([await depends('/projects/3'), await depends('/me')]).toEqual([true, false])
  await sandbox.clock.advance('PT1M')
  expect(await depends('/projects/3')).toBe(false)
})

describe('the header', () => {
  test.for(transports)('is the same through $name', async ({ open: openOver }) => {
    await using client = await openOver({ fixtures: WORLD, showGaps: true })
    expect(gapsOf(await client.send(get('/projects/4')))).toEqual(['G-005', 'G-013', 'G-024'])
  })

  test('is absent unless it is requested', async () => {
    const { send } = await open({ showGaps: false })
    expect((await send(get('/projects/4'))).headers).not.toHaveProperty(HEADER)
  })

  test.for([true, false])('is exposed to other origins: %s', async (showGaps) => {
    const server = await startServer({ port: 0, cors: '*', fixtures: WORLD, showGaps })
    const { headers } = await fetch(`${server.url}/api/v1/me`, { headers: { origin: 'http://a' } })
    await server.close()
    expect(headers.get('access-control-expose-headers')).toBe(showGaps ? 'X-Sandbox-Gaps' : null)
  })
})

/** A request, or a command that changes the world. */
type Step = TestRequest | Command

/** Resets the world, replays the steps, changes the policies, then sends the request. */
async function replay(
  { sandbox, send }: Client,
  { before, request }: Situation,
  change: Partial<Record<PolicyName, string>> = {},
): Promise<TestResponse> {
  await sandbox.reset()
  for (const step of before) {
    if ('path' in step) await send(step)
    else await sandbox.command(step)
  }
  if (Object.keys(change).length > 0) {
    await sandbox.command({ type: 'policy.set', policies: change })
  }
  return send(request)
}

interface Situation {
  policies: Partial<Record<PolicyName, string>>
  before: readonly Step[]
  request: TestRequest
}

function situationOf(
  request: TestRequest,
  before: readonly Step[] = [],
  policies: Situation['policies'] = {},
): Situation {
  return { request, before, policies }
}

const LIMITED = get('/me', 'limited')
const RENAMED: Command = {
  type: 'record.patch',
  collection: 'projects',
  id: 3,
  patch: { name: 'Renamed' },
}

function advance(by: string): Command {
  return { type: 'clock.advance', by }
}

function optionsOf({ policy, options }: Policy): string[] {
  const others = policy === 'month-time-zone' ? ['Europe/Copenhagen'] : []
  return [...Object.keys(options), ...others]
}

/** All of a response that the real API would send too. */
function observe({ status, headers, text }: TestResponse): unknown {
  const { [HEADER]: _, ...others } = headers
  return [status, others, text]
}

/** What a response names, and the ids of the policies with an option that would change it. */
async function investigate(situation: Situation): Promise<{ named: string[]; changing: string[] }> {
  const client = await open({ policies: situation.policies })
  const answer = await replay(client, situation)
  const seen = JSON.stringify(observe(answer))
  const changing = new Set<string>()
  for (const gap of POLICIES) {
    const inForce = situation.policies[gap.policy] ?? gap.default
    for (const option of optionsOf(gap).filter((name) => name !== inForce)) {
      const other = observe(await replay(client, situation, { [gap.policy]: option }))
      if (JSON.stringify(other) !== seen) changing.add(gap.id)
    }
  }
  return { named: gapsOf(answer), changing: [...changing] }
}

const TOKENS = [AGENCY, AGENCY, SUPER, 'limited', 'hourly', 'disabled', 'nowhere', 'reader', 'no']

const PATHS = [
  '/me',
  '/nothing',
  '/countries',
  '/users',
  '/users/9',
  '/countries/045',
  '/countries/x',
  '/me?sort=id',
  '/countries?page=2&per_page=1',
  '/projects',
  '/projects?page=9',
  '/projects?page=0&per_page=0',
  '/projects?per_page=101&status=active',
  '/projects?per_page=1&page=2&search=d',
  '/projects?search=s%C3%BCd%25',
  '/projects?search=sud',
  '/projects?search=nothing',
  '/projects?search=',
  '/projects?search=alder&search=plain',
  '/projects?status=ACTIVE',
  '/projects?status=',
  '/projects?agency_id=1',
  '/projects?agency_id=x',
  '/projects?sort=id',
  '/projects/1',
  '/projects/2',
  '/projects/4',
  '/projects/999',
  '/projects/1/keywords',
  '/projects/1/reports',
  '/projects/1/reports/latest',
  '/projects/2/reports/latest',
  '/projects/1/reports/last-generated',
  '/projects/1/reports/3/content',
  '/projects/1/reports/1/content',
  '/projects/2/reports/1/content',
  '/projects/3/reports/1/content',
  '/projects/1/reports/27/content',
  '/projects/1/reports/x/content',
  '/projects/4/reports/x/content',
]

const aRequest: fc.Arbitrary<TestRequest> = fc
  .record({
    path: fc.constantFrom(...PATHS),
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'POST', 'HEAD'),
    token: fc.constantFrom(...TOKENS),
    scheme: fc.constantFrom('Bearer', 'Bearer', 'Bearer', 'bearer '),
    accept: fc.constantFrom('application/json', '*/*'),
  })
  .map(({ path, method, token, scheme, accept }) => ({
    path,
    method,
    headers: { authorization: `${scheme} ${token}`, accept },
  }))

const aCommand: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    type: fc.constant('record.patch' as const),
    collection: fc.constant('projects' as const),
    id: fc.constantFrom(1, 2, 3),
    patch: fc.record({ domain: fc.constantFrom(null, 'https://new.example/', 'new.example') }),
  }),
  fc.record({
    type: fc.constant('record.patch' as const),
    collection: fc.constant('reports' as const),
    id: fc.constantFrom(3, 4, 5, 21, 31),
    patch: fc.record({
      status: fc.constantFrom('pending', 'completed', 'failed'),
      date_to_create_texts: fc.constantFrom(null, '2026-03-05', '2026-04-09', '2026-01-31'),
    }),
  }),
  fc.record({
    type: fc.constant('clock.advance' as const),
    by: fc.constantFrom('PT20S', 'PT61S', 'PT1H'),
  }),
)

const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: aRequest },
  { weight: 1, arbitrary: aCommand },
)

const somePolicies = fc
  .uniqueArray(fc.constantFrom(...POLICIES), { maxLength: 8 })
  .chain((gaps) =>
    fc.record(
      Object.fromEntries(gaps.map((gap) => [gap.policy, fc.constantFrom(...optionsOf(gap))])),
    ),
  )

const aSituation: fc.Arbitrary<Situation> = fc.record({
  policies: somePolicies,
  before: fc.array(aStep, { maxLength: 5 }),
  request: aRequest,
})

describe('every policy that would change a response is named by it', () => {
  test('for each policy there is a request that it affects', { timeout: 120_000 }, async () => {
    const situations = [
      ...PATHS.map((path) => situationOf(get(path))),
      ...['/projects', '/projects?agency_id=x'].map((path) => situationOf(get(path, SUPER))),
      ...TOKENS.flatMap((token) =>
        ['/me', '/projects/1'].map((path) => situationOf(get(path, token))),
      ),
      situationOf({ path: '/me' }),
      situationOf({ path: '/me', headers: { authorization: `bearer ${AGENCY}` } }),
      situationOf({ ...get('/me'), method: 'DELETE' }),
      situationOf(get('/countries?page=0'), [], { 'list-pagination': 'paginated' }),
      situationOf(LIMITED, [LIMITED, LIMITED]),
      situationOf(LIMITED, [LIMITED, LIMITED, LIMITED]),
      situationOf(LIMITED, [LIMITED, advance('PT40S')]),
      situationOf(LIMITED, [LIMITED, LIMITED, advance('PT61S'), LIMITED, LIMITED], {
        'rejected-requests': 'other-window',
      }),
      situationOf({ ...LIMITED, method: 'DELETE' }, [LIMITED, advance('PT40S')]),
      situationOf(get('/projects?per_page=1&page=2'), [get('/projects')]),
      situationOf(get('/projects/3'), [RENAMED], { 'data-refresh': 'stale' }),
    ]
    const shown = new Set<string>()
    for (const situation of situations) {
      const { named, changing } = await investigate(situation)
      expect(named, JSON.stringify(situation)).toEqual(expect.arrayContaining(changing))
      for (const id of changing) shown.add(id)
    }
    expect([...shown].toSorted()).toEqual(POLICIES.map(({ id }) => id))
  })

  test('for any request, after any steps', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(aSituation, async (situation) => {
        const { named, changing } = await investigate(situation)
        expect(named).toEqual(expect.arrayContaining(changing))
      }),
      { numRuns: runs(25) },
    )
  })
})

test('a response from the cache names the same gaps as one that was computed', async () => {
  await fc.assert(
    fc.asyncProperty(somePolicies, aRequest, async (policies, request) => {
      const { send } = await openFetch({
        fixtures: {
          ...WORLD,
          tokens: WORLD.tokens?.filter(({ rate_limit }) => rate_limit === 'unlimited') ?? [],
        },
        showGaps: true,
        policies,
      })
      const [first, second] = [await send(request), await send(request)]
      expect(gapsOf(second)).toEqual(gapsOf(first))
      expect(second.text).toBe(first.text)
    }),
    { numRuns: runs(100) },
  )
})

test('a fault page for one token depends on the authorization-scheme policy and on nothing else', async () => {
  const sandbox = await createSandbox({ showGaps: true })
  const named = async () => {
    const headers = { authorization: 'bearer sandbox-agency' }
    return (await sandbox.fetch('/api/v1/me', { headers })).headers.get('X-Sandbox-Gaps')
  }
  await sandbox.faults.set([{ kind: 'html' }])
  expect(await named()).toBeNull()
  await sandbox.faults.set([{ kind: 'html', token: 'sandbox-agency' }])
  const { id } = sandbox.gaps.find(({ policy }) => policy === 'authorization-scheme') ?? {}
  expect(await named()).toBe(id)
})
