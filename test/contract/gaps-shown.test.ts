import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { POLICIES } from '../../src/contract/gaps.ts'
import type { Command, SandboxOptions } from '../../src/index.ts'
import { createSandbox } from '../../src/index.ts'
import { GAPS_HEADER } from '../../src/engine/gap-finder.ts'
import { startServer } from '../../src/server.ts'
import { openFetch, transports } from '../support/transports.ts'
import type { Client, TestRequest, TestResponse } from '../support/transports.ts'
import { AGENCY, SUPER } from '../support/worlds.ts'
import { isFullDepth, runs } from '../support/depth.ts'
import { randomWorld, withinSession } from '../world/random-steps.ts'
import type { RandomStep } from '../world/random-steps.ts'
import {
  aGet,
  aRequest,
  aSituation,
  ask,
  flipAll,
  MOVED_BY_READS,
  play,
  somePolicies,
  START,
  WORLD,
} from './gap-flips.ts'
import type { RequestStep, Situation } from './gap-flips.ts'

/** `--show-gaps`: a response names the gaps that matter to it, all of them and no others. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

const HEADER = 'x-sandbox-gaps'
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
    ['the first request of a token', get('/me', 'plain'), ''],
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
      'G-024,G-032,G-033,G-038',
    ],
    ['a page of one', get('/projects?search=Plain&per_page=1'), 'G-024,G-032,G-033'],
    [
      'a search that accents would match',
      get('/projects?search=sud'),
      'G-024,G-032,G-033,G-038,G-042',
    ],
    ['a status in another case', get('/projects?status=ACTIVE'), 'G-024,G-032,G-033,G-038,G-040'],
    ['a page past the end', get('/projects?page=9'), 'G-024,G-032,G-037'],
    ['all projects to a super-admin', get('/projects?page=9', SUPER), 'G-016,G-024,G-032,G-037'],
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
      '',
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

const RENAMED: Command = {
  type: 'record.patch',
  collection: 'projects',
  id: 3,
  patch: { name: 'Renamed' },
}

/** The gaps that the responses to requests of a token name, one sent after each of these waits in milliseconds. */
async function gapsAfter(token: string, waits: readonly number[]): Promise<string[]> {
  const { send } = await open()
  const shown = []
  for (const ms of waits) {
    vi.setSystemTime(Date.now() + ms)
    shown.push(gapsOf(await send(get('/me', token))).join(','))
  }
  return shown
}

test('G-019 matters as soon as another kind of window would have counted otherwise', async () => {
  // A bucket of 60 a minute refills by one in a second; windows that follow the clock begin at 22:31:00.
  expect(await gapsAfter('plain', [0, 999, 1])).toEqual(['', '', 'G-019'])
  vi.setSystemTime(START)
  expect(await gapsAfter('plain', [59_600, 100, 100])).toEqual(['', '', 'G-019'])
})

test('G-020 matters where a rejected request would have counted', async () => {
  // Two requests a minute, three an hour: rejected ones would count against the hour.
  const rejected = await gapsAfter('limited', [0, 0, 0])
  expect(rejected).toEqual(['', '', 'G-019,G-027'])
  vi.setSystemTime(START)
  const after = await gapsAfter('limited', [0, 0, 0, 60_000])
  expect(after.at(-1)).toContain('G-020')
})

test('G-072 matters only while Europe and UTC are in different months', async () => {
  const { sandbox, send } = await open()
  const matters = async () =>
    gapsOf(await send(get('/projects/1/reports/latest'))).includes('G-072')
  expect(await matters()).toBe(true)
  await sandbox.clock.set('2026-03-31T12:00:00Z')
  expect(await matters()).toBe(false)
})

test('a response after a change depends on the data refresh policy, until the next refresh', async () => {
  const { sandbox, send } = await open()
  const depends = async (path: string) => gapsOf(await send(get(path))).includes('G-058')
  expect(await depends('/projects/3')).toBe(false)
  await sandbox.command(RENAMED)
  expect([await depends('/projects/3'), await depends('/me')]).toEqual([true, false])
  expect([await depends('/projects/1'), await depends('/projects')]).toEqual([false, true])
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

function situationOf(
  request: RequestStep,
  before: readonly RandomStep[] = [],
  policies: Situation['policies'] = {},
): Situation {
  return { world: { fixtures: WORLD }, policies, before, request }
}

const LIMITED = aGet('/me', 'limited')

function advance(by: string): RandomStep {
  return { command: { type: 'clock.advance', by } }
}

/** Situations in which each policy matters to some response. */
const SITUATIONS: readonly Situation[] = [
  ...[
    '/me',
    '/countries',
    '/users',
    '/users/9',
    '/countries/045',
    '/countries/x',
    '/me?sort=id',
    '/projects',
    '/projects?page=9',
    '/projects?page=0&per_page=0',
    '/projects?per_page=101&status=active',
    '/projects?search=sud',
    '/projects?search=nothing',
    '/projects?search=alder&search=plain',
    '/projects?status=',
    '/projects?agency_id=1',
    '/projects?sort=id',
    '/projects/4',
    '/projects/1/reports',
    '/projects/1/reports/latest',
    '/projects/2/reports/latest',
    '/projects/1/reports/3/content',
    '/projects/2/reports/1/content',
    '/projects/1/reports/x/content',
    '/projects/4/reports/x/content',
  ].map((path) => situationOf(aGet(path))),
  ...['/projects', '/projects?agency_id=x'].map((path) => situationOf(aGet(path, SUPER))),
  ...['disabled', 'nowhere', 'reader', 'no'].flatMap((token) =>
    ['/me', '/projects/1'].map((path) => situationOf(aGet(path, token))),
  ),
  situationOf(aGet('/me', 'no', { accept: '*/*' })),
  situationOf(aGet('/me', AGENCY, { authorization: `bearer ${AGENCY}` })),
  situationOf(aGet('/me', AGENCY, { method: 'DELETE' })),
  situationOf(aGet('/countries?page=0'), [], { 'list-pagination': 'paginated' }),
  situationOf(aGet('/me', 'hourly')),
  situationOf(aGet('/me', 'hourly'), [aGet('/me', 'hourly')], { 'rejected-requests': 'counted' }),
  situationOf(aGet('/projects?status=active'), [aGet('/projects?status=active')]),
  situationOf(aGet('/projects?search=a&status=active'), [aGet('/projects?search=a&status=active')]),
  situationOf(LIMITED, [LIMITED, LIMITED]),
  situationOf(LIMITED, [LIMITED, LIMITED, LIMITED]),
  situationOf(LIMITED, [LIMITED, advance('PT40S')]),
  situationOf(LIMITED, [LIMITED, LIMITED, advance('PT61S'), LIMITED, LIMITED], {
    'rejected-requests': 'other-window',
  }),
  situationOf(aGet('/me', 'limited', { method: 'DELETE' }), [LIMITED, advance('PT40S')]),
  {
    world: { fixtures: MOVED_BY_READS },
    policies: {},
    before: Array.from({ length: 4 }, () => aGet('/projects/1/reports/latest')),
    request: aGet('/projects/1/reports/latest'),
  },
  situationOf(aGet('/projects/3'), [{ command: RENAMED }]),
  situationOf(aGet('/projects/3'), [{ command: RENAMED }], { 'data-refresh': 'stale' }),
]

describe('a response names a policy exactly where one of its other options would change it', () => {
  test('for each policy there is a request that it affects', async () => {
    const shown = new Set<string>()
    for (const situation of SITUATIONS) {
      const { named, changing } = await flipAll(situation, !isFullDepth)
      expect(named, JSON.stringify(situation)).toEqual(changing)
      for (const id of changing) shown.add(id)
    }
    expect([...shown].toSorted()).toEqual(POLICIES.map(({ id }) => id))
  })

  // PROPERTY_DEPTH=10 tries other options 50,000 times, which takes five minutes.
  test('for any request, after any steps', { timeout: 1_200_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(aSituation, async (situation) => {
        const { named, changing } = await flipAll(situation)
        expect(named).toEqual(changing)
      }),
      { numRuns: isFullDepth ? runs(66) : 3 },
    )
  })
})

test('naming gaps changes nothing else: not a response, and not the state of the world', async () => {
  const steps = fc.array(fc.oneof(aRequest, withinSession), { minLength: 5, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(somePolicies, steps, async (policies, played) => {
      const responses = []
      for (const showGaps of [true, false]) {
        vi.setSystemTime(START)
        const sandbox = await createSandbox({ fixtures: randomWorld(), policies, showGaps })
        await play(sandbox, played)
        const { steps: kept } = await sandbox.session()
        const answers = kept.map((step) => {
          if ('command' in step || !step.answer) return step
          const { [GAPS_HEADER]: _, ...headers } = step.answer.headers
          return { ...step, answer: { ...step.answer, headers } }
        })
        responses.push({ answers, snapshot: await sandbox.snapshot() })
      }
      expect(responses[0]).toEqual(responses[1])
    }),
    { numRuns: runs(100) },
  )
})

test('a response from the cache names the same gaps as one that was computed', async () => {
  await fc.assert(
    fc.asyncProperty(somePolicies, aRequest, async (policies, request) => {
      const sandbox = await createSandbox({
        fixtures: {
          ...WORLD,
          tokens: WORLD.tokens?.filter(({ rate_limit }) => rate_limit === 'unlimited') ?? [],
        },
        showGaps: true,
        policies,
      })
      const [first, second] = [ask(sandbox, request), ask(sandbox, request)]
      expect(second.headers).toEqual(first.headers)
      expect(second.body).toEqual(first.body)
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
