import fc from 'fast-check'
import { vi } from 'vitest'
import { POLICIES } from '../../src/contract/gaps.ts'
import type { Policy } from '../../src/contract/gaps.ts'
import { createSandbox } from '../../src/index.ts'
import type { Command, FixtureInput, PolicyName, Sandbox, SandboxOptions } from '../../src/index.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER } from '../support/worlds.ts'
import {
  createPlayer,
  randomWorld,
  toApiRequest,
  VALUES,
  withinSession,
} from '../world/random-steps.ts'
import type { RandomStep } from '../world/random-steps.ts'

/** Measures the gaps that a response names, and the policies that would change it. */

/** The machine's time when a situation begins: late on March 31 in UTC. */
export const START = new Date('2026-03-31T22:30:00.250Z')

const BLOCK = { h3: 'Fish & chips', text: 'a < b\nb > a' }
const PLAIN = { h3: 'Fish', text: 'fresh' }

/**
 * A world in which every gap can affect a response: half past midnight on April 1 in Copenhagen,
 * still March in UTC.
 */
export const WORLD: FixtureInput = aWorld({
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

/** A response, the steps before it, and the policies in force at the start. */
export interface Situation {
  world: SandboxOptions
  policies: Partial<Record<PolicyName, string>>
  before: readonly RandomStep[]
  request: RequestStep
}

export type RequestStep = Extract<RandomStep, { request: object }>

/** Gaps that a response names, and the ids of the policies with an option that would change it. */
export interface Finding {
  named: string[]
  changing: string[]
  /** Number of other options that were tried. */
  flips: number
}

/** Policies whose options remember different parts of the history before a request. */
const REMEMBERING: readonly PolicyName[] = ['rate-window', 'rejected-requests', 'data-refresh']

function optionsOf({ policy, options }: Policy): string[] {
  const others = policy === 'month-time-zone' ? ZONES : []
  return [...Object.keys(options), ...others]
}

const ZONES = ['Europe/Copenhagen', 'Europe/Samara', 'Europe/Lisbon']

/**
 * Answers a request, and again with each other option of each policy: set just ahead of it and, for policies that remember
 * the history, also since the policies were last set.
 */
export async function flipAll(
  { world, policies, before, request }: Situation,
  isNamedOnly = false,
): Promise<Finding> {
  const options = { ...world, policies }
  const shown = await begin({ ...options, showGaps: true })
  await play(shown, before)
  const inForce = new Map(shown.gaps.map(({ policy, value }) => [policy, value]))
  const answer = ask(shown, request)
  const seen = observe(answer, request)

  const lastSet = before.findLastIndex(
    (step) => 'command' in step && step.command.type === 'policy.set',
  )
  const beginAgain = await replayer(options, before)
  const answerWith = async (policy: PolicyName, option: string, index: number) => {
    const flip = { command: { type: 'policy.set', policies: { [policy]: option } } as Command }
    const flipped = await beginAgain()
    await play(flipped, before.toSpliced(index, 0, flip))
    return observe(ask(flipped, request), request)
  }
  const named = answer.headers['X-Sandbox-Gaps']?.split(',') ?? []
  const changing = new Set<string>()
  let flips = 0
  for (const gap of POLICIES) {
    if (isNamedOnly && !named.includes(gap.id)) continue
    for (const option of optionsOf(gap).filter((name) => name !== inForce.get(gap.policy))) {
      flips += 1
      const seenWith = [await answerWith(gap.policy, option, before.length)]
      if (REMEMBERING.includes(gap.policy)) {
        seenWith.push(await answerWith(gap.policy, option, lastSet + 1))
      }
      if (seenWith.some((other) => other !== seen)) changing.add(gap.id)
    }
  }
  return { named, changing: [...changing], flips }
}

function begin(options: SandboxOptions): Promise<Sandbox> {
  vi.setSystemTime(START)
  return createSandbox(options)
}

/** Returns a function that restarts a sandbox. A reset is faster, but keeps fixtures that were loaded. */
async function replayer(
  options: SandboxOptions,
  before: readonly RandomStep[],
): Promise<() => Promise<Sandbox>> {
  if (before.some((step) => 'command' in step && step.command.type === 'fixtures.load')) {
    return () => begin(options)
  }
  const sandbox = await begin(options)
  return async () => {
    vi.setSystemTime(START)
    await sandbox.reset()
    return sandbox
  }
}

export async function play(sandbox: Sandbox, steps: readonly RandomStep[]): Promise<void> {
  const player = createPlayer(sandbox)
  for (const step of steps) await player(step)
}

type Answer = ReturnType<Sandbox['answer']>

export function ask(sandbox: Sandbox, { request }: RequestStep): Answer {
  return sandbox.answer(toApiRequest(request))
}

/** All parts of a response that a client can see; of the body that HEAD leaves out, its length. */
function observe({ status, headers, body, wire }: Answer, { request }: RequestStep): string {
  const { 'X-Sandbox-Gaps': _, ...others } = headers
  const seen = request.method === 'HEAD' ? body.byteLength : Buffer.from(body).toString()
  return JSON.stringify([status, others, seen, wire ?? {}])
}

/** A GET that accepts JSON, its path below `/api/v1`. */
export function aGet(
  target: string,
  token = AGENCY,
  changes: Partial<RequestStep['request']> = {},
): RequestStep {
  const [path, query = ''] = `/api/v1${target}`.split('?')
  return {
    request: {
      method: 'GET',
      path: path ?? '',
      query,
      clientIp: '127.0.0.1',
      origin: 'http://localhost',
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...changes,
    },
  }
}

const TOKENS = [
  AGENCY,
  AGENCY,
  SUPER,
  'limited',
  'hourly',
  'disabled',
  'nowhere',
  'reader',
  'plain',
  'no',
  VALUES.limited,
  VALUES.manager,
]

const PATHS = [
  '/me',
  '/nothing',
  '/countries',
  '/languages',
  '/users',
  '/users/9',
  '/countries/045',
  '/countries/x',
  '/projects',
  '/projects',
  '/projects',
  '/projects/1',
  '/projects/01',
  '/projects/2',
  '/projects/4',
  '/projects/999',
  '/projects/1001',
  '/projects/1/keywords',
  '/projects/1/reports',
  '/projects/1001/reports',
  '/projects/1/reports/latest',
  '/projects/2/reports/latest',
  '/projects/1001/reports/latest',
  '/projects/1/reports/last-generated',
  '/projects/1/reports/3/content',
  '/projects/1/reports/1/content',
  '/projects/2/reports/1/content',
  '/projects/3/reports/1/content',
  '/projects/1001/reports/1/content',
  '/projects/1/reports/27/content',
  '/projects/1/reports/x/content',
  '/projects/4/reports/x/content',
]

const PARAMETERS = [
  'page=2',
  'page=9',
  'page=0',
  'page=1',
  'page=',
  'per_page=1',
  'per_page=0',
  'per_page=101',
  'search=d',
  'search=s%C3%BCd%25',
  'search=sud',
  'search=nothing',
  'search=',
  'search=alder',
  'search=plain',
  'status=active',
  'status=ACTIVE',
  'status=paused',
  'status=',
  'agency_id=1',
  'agency_id=2',
  'agency_id=999',
  'agency_id=x',
  'sort=id',
]

const aQuery = fc
  .oneof(
    fc.constant([]),
    fc.array(fc.constantFrom(...PARAMETERS), { maxLength: 3 }),
    fc.array(fc.constantFrom('page=2', 'page=1', 'per_page=2', 'per_page=1'), { maxLength: 2 }),
  )
  .map((parameters) => parameters.join('&'))

export const aRequest: fc.Arbitrary<RequestStep> = fc
  .record({
    path: fc.constantFrom(...PATHS),
    query: aQuery,
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'POST', 'HEAD'),
    scheme: fc.constantFrom('Bearer', 'Bearer', 'Bearer', 'bearer '),
    token: fc.constantFrom(undefined, ...TOKENS, ...TOKENS),
    accept: fc.constantFrom('application/json', 'application/json', '*/*'),
  })
  .map(({ path, scheme, token, ...rest }) => ({
    request: {
      ...rest,
      path: `/api/v1${path}`,
      clientIp: '127.0.0.1',
      origin: 'http://localhost',
      ...(token !== undefined && { authorization: `${scheme} ${token}` }),
    },
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
    by: fc.constantFrom('PT1S', 'PT20S', 'PT61S', 'PT1H'),
  }),
)

/** The same request several times in a row, as a client that runs into its limits sends it. */
const aBurst = fc
  .tuple(aRequest, fc.integer({ min: 2, max: 5 }))
  .map(([request, count]) => Array.from({ length: count }, () => request))

const steps: fc.Arbitrary<RandomStep[]> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: aRequest.map((step) => [step]) },
      { weight: 2, arbitrary: aBurst },
      { weight: 3, arbitrary: aCommand.map((command) => [{ command }]) },
      { weight: 2, arbitrary: withinSession.map((step) => [step]) },
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.flat())

export const somePolicies: fc.Arbitrary<Situation['policies']> = fc
  .uniqueArray(fc.constantFrom(...POLICIES), { maxLength: 8 })
  .chain((gaps) =>
    fc.record(
      Object.fromEntries(gaps.map((gap) => [gap.policy, fc.constantFrom(...optionsOf(gap))])),
    ),
  )

/** A world in which reads complete a report, and with it the month of its date matters. */
export const MOVED_BY_READS: FixtureInput = {
  ...WORLD,
  progress: { mode: 'reads', reads: 1 },
  projects: [
    aProject({ id: 1, reports: [aReport({ id: 1, date_to_create_texts: '2026-03-30' })] }),
  ],
}

const WORLDS: SandboxOptions[] = [
  { fixtures: MOVED_BY_READS },
  { fixtures: WORLD },
  { fixtures: { ...WORLD, now: '2026-03-15T12:00:00Z' } },
  { fixtures: { ...WORLD, frozen: false } },
  { fixtures: randomWorld() },
  { fixtures: { ...WORLD, projects: [] }, generate: { projects: 3 }, seed: 'spring' },
]

const WORLD_CHOICE = fc.constantFrom(...WORLDS)

export const aSituation: fc.Arbitrary<Situation> = fc
  .record({
    world: WORLD_CHOICE,
    policies: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, somePolicies),
    before: steps,
    request: aRequest,
    isRepeated: fc.boolean(),
  })
  .map(({ isRepeated, ...situation }) => {
    // A client that has sent a request before depends on the memory of it.
    const earlier: RequestStep | undefined = situation.before.findLast(isRequest)
    return isRepeated && earlier ? { ...situation, request: earlier } : situation
  })

function isRequest(step: RandomStep): step is RequestStep {
  return 'request' in step
}
