import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox, replay, SessionError } from '../../src/index.ts'
import type { Command, Replay, Sandbox, SandboxOptions, Session } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import { sendRaw } from '../support/transports.ts'
import { AGENCY, aProject, aToken, aWorld } from '../support/worlds.ts'
import {
  anything,
  COMMANDS_WITHIN,
  createPlayer,
  randomWorld,
  UNKNOWN_VALUE,
  VALUES,
  withinSession,
} from '../world/random-steps.ts'
import type { RandomStep } from '../world/random-steps.ts'
import { isFullDepth, runs } from '../support/depth.ts'

const START = new Date('2026-03-15T12:00:30.250Z')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Options of the sandboxes whose sessions are recorded. */
const MADE: SandboxOptions[] = [
  { fixtures: randomWorld() },
  {
    fixtures: randomWorld({ frozen: false, now: 'now-3d' }),
    rateLimit: '3/min,30/h',
    latency: '10-90',
  },
  {
    fixtures: randomWorld({ generate: { projects: 4 }, progress: { mode: 'time' } }),
    seed: 'spring',
    policies: { 'data-refresh': 'stale', 'rate-window': 'clock-aligned' },
    showGaps: true,
  },
  { now: '2026-02-28T23:59:50Z' },
]

async function play(sandbox: Sandbox, steps: readonly RandomStep[]): Promise<number> {
  const player = createPlayer(sandbox)
  let applied = 0
  for (const step of steps) applied += Number(await player(step))
  return applied
}

/** Replays a session read from its file, on a machine with another time. */
async function replayFile(session: Session): Promise<Replay> {
  vi.setSystemTime('2031-01-01T00:00:00Z')
  return replay(JSON.parse(JSON.stringify(session)))
}

describe('a session', () => {
  test('of 500 random steps has the same responses when it is replayed', async () => {
    const seen = new Set<string>()
    const sessions = fc.record({
      options: fc.constantFrom(...MADE),
      before: fc.array(anything, { maxLength: 20 }),
      steps: fc.array(withinSession, { minLength: 700, maxLength: 700 }),
    })
    await fc.assert(
      fc.asyncProperty(sessions, async ({ options, before, steps }) => {
        vi.setSystemTime(START)
        const sandbox = await createSandbox(options)
        await play(sandbox, before)
        const applied = await play(sandbox, steps)
        expect(applied).toBeGreaterThan(500)
        const session = await sandbox.session()
        expect(session.steps.length).toBeGreaterThanOrEqual(applied)
        for (const step of session.steps) {
          if ('command' in step) seen.add(step.command.type)
          else expect(step.answer?.body).toBeTruthy()
        }

        expect(await replayFile(session)).toEqual({ steps: session.steps.length, difference: null })
      }),
      { numRuns: runs(12), endOnFailure: true },
    )
    if (!isFullDepth) return
    expect([...seen]).toEqual(expect.arrayContaining(COMMANDS_WITHIN))
  })

  test('begins again with a reset, a scenario or a restored snapshot, and replays from there', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...MADE),
        fc.array(anything, { minLength: 40, maxLength: 80 }),
        async (options, steps) => {
          vi.setSystemTime(START)
          const sandbox = await createSandbox(options)
          await play(sandbox, steps)
          const session = await sandbox.session()
          const [first, ...rest] = session.steps.map((step) =>
            'command' in step ? step.command.type : '',
          )
          seen.add(first ?? '')
          for (const type of ['reset', 'scenario.load', 'snapshot.restore'])
            expect(rest).not.toContain(type)

          expect((await replayFile(session)).difference).toBeNull()
        },
      ),
      { numRuns: runs(60), endOnFailure: true },
    )
    if (!isFullDepth) return
    expect([...seen]).toEqual(
      expect.arrayContaining(['reset', 'scenario.load', 'snapshot.restore']),
    )
  })

  test('contains no bearer value, wherever one was sent', async () => {
    const values = [...Object.values(VALUES), UNKNOWN_VALUE, 'dXNlcjpwYXNzd29yZA==']
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { maxLength: 120 }), async (steps) => {
        const sandbox = await createSandbox({ fixtures: randomWorld() })
        await play(sandbox, steps)
        const text = JSON.stringify(await sandbox.session())
        for (const value of values) expect(text).not.toContain(value)
      }),
      { numRuns: runs(30) },
    )
  })

  test('is reported to differ at a changed response, and nowhere else', async () => {
    const sandbox = await createSandbox({ fixtures: randomWorld() })
    await play(sandbox, fc.sample(withinSession, { numRuns: 120, seed: 7 }))
    const session = await sandbox.session()
    const indexes = session.steps.flatMap((step, index) => ('request' in step ? [index] : []))
    const edits = fc.record({
      index: fc.constantFrom(...indexes),
      edit: fc.constantFrom<[string, Edit][]>(...Object.entries(EDITS)),
    })
    await fc.assert(
      fc.asyncProperty(edits, async ({ index, edit: [what, edit] }) => {
        const edited = structuredClone(session)
        const step = edited.steps[index]
        if (!step || !('request' in step) || !step.answer?.body) throw new Error('No answer.')
        edit(step.answer, step.answer.body)
        const { steps, difference } = await replayFile(edited)
        expect(steps).toBe(index + 1)
        expect(difference).toMatchObject({ what, sequence: step.sequence, request: step.request })
      }),
      { numRuns: runs(40) },
    )
  })

  test('that names other gaps in X-Sandbox-Gaps, or none, has the same responses', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld(), showGaps: true })
    for (const path of ['/me', '/projects', '/projects/1']) await get(sandbox, path, AGENCY)
    const session = await sandbox.session()
    const [first, second, third] = session.steps.flatMap((step) =>
      'request' in step && step.answer ? [step.answer.headers] : [],
    )
    if (!first || !second || !third) throw new Error('No answers.')
    expect(Object.keys(third)).toContain('X-Sandbox-Gaps')
    first['X-Sandbox-Gaps'] = 'G-001'
    delete second['X-Sandbox-Gaps']
    expect(await replayFile(session)).toEqual({ steps: 3, difference: null })
  })

  test('that leaves out a request differs from there on', async () => {
    const sandbox = await createSandbox({ fixtures: randomWorld() })
    for (let count = 0; count < 5; count += 1) await get(sandbox, '/me', VALUES.limited)
    const session = await sandbox.session()
    session.steps.splice(1, 1)
    expect(await replayFile(session)).toMatchObject({
      steps: 2,
      difference: { sequence: 3, what: 'header X-RateLimit-Remaining', expected: '2', actual: '3' },
    })
  })

  test('whose command is refused on replay says so', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    await sandbox.command({ type: 'record.delete', collection: 'projects', id: 1 })
    const session = await sandbox.session()
    session.steps.push(...session.steps)
    expect(await replayFile(session)).toMatchObject({
      steps: 2,
      difference: { what: 'command', expected: 'applied', actual: 'There is no project 1.' },
    })
  })

  test.each([
    ['bearer value', `Bearer ${VALUES.manager}`, 'Bearer token-1'],
    ['scheme in another case with more spaces', `bEARER  ${VALUES.limited} `, 'bEARER  token-2 '],
    ['value that no token has', `Bearer ${UNKNOWN_VALUE}`, 'Bearer unknown'],
    ['value without a scheme', VALUES.manager, 'unknown'],
    ['scheme alone', 'Bearer', 'Bearer'],
    ['name and password', 'Basic dXNlcjpwYXNz', 'Basic unknown'],
  ])('keeps the format of an Authorization header: a %s', async (_, authorization, kept) => {
    const sandbox = await createSandbox({ fixtures: randomWorld() })
    await sandbox.fetch('/api/v1/me', { headers: { authorization } })
    // A WHATWG request trims its headers.
    expect(await firstRequest(sandbox)).toMatchObject({ authorization: kept.trim() })
  })

  test('distinguishes the old value of a token from the new one', async () => {
    const sandbox = await createSandbox({ fixtures: randomWorld() })
    const patch = { token: VALUES.given }
    await sandbox.command({ type: 'record.patch', collection: 'tokens', id: 1, patch })
    for (const value of [VALUES.manager, VALUES.given]) await get(sandbox, '/me', value)
    const session = await sandbox.session()
    expect(session.steps).toMatchObject([
      { command: { patch: { token: 'token-1-2' } } },
      { request: { authorization: 'Bearer token-1' }, answer: { status: 401 } },
      { request: { authorization: 'Bearer token-1-2' }, answer: { status: 200 } },
    ])
    expect((await replayFile(session)).difference).toBeNull()
  })

  test('distinguishes values that look like placeholders of others', async () => {
    const tokens = ['token-2', 'token-3', 'unknown', 'token-1'].map((token, index) =>
      aToken({ id: index + 1, name: `Number ${index}`, token }),
    )
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens }) })
    for (const { token } of tokens) await get(sandbox, '/me', token)
    const session = await sandbox.session()
    expect((await replayFile(session)).difference).toBeNull()
  })

  test('does not compare what would reveal a bearer value', async () => {
    const named = aToken({ id: 1, token: VALUES.manager, name: `The one with ${VALUES.manager}` })
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens: [named] }) })
    await get(sandbox, '/me', VALUES.manager)
    await get(sandbox, `/projects?search=${encodeURIComponent(VALUES.manager)}`, VALUES.manager)
    const session = await sandbox.session()
    expect(session.steps).toMatchObject([
      { answer: { status: 200, body: null } },
      { request: { query: 'search=token-1' }, answer: null },
    ])
    expect((await replayFile(session)).difference).toBeNull()
  })

  test('of an isolated world replays on its own, without the bearer values of that world', async () => {
    const sandbox = await createSandbox({ fixtures: randomWorld() })
    const { sandbox: isolated, tokens } = await sandbox.worlds.create({ fixtures: randomWorld() })
    await get(isolated, '/me', tokens[VALUES.limited] ?? '')
    await isolated.command({ type: 'scenario.load', scenario: 'late-finisher' })
    await play(isolated, fc.sample(withinSession, { numRuns: 60, seed: 3 }))
    const session = await isolated.session()
    expect(JSON.stringify(session)).not.toContain('~w')
    expect((await replayFile(session)).difference).toBeNull()
  })

  test.each([{ isolated: false }, { isolated: true }])(
    'of a generated world without its own tokens has the documented ones: %o',
    async ({ isolated }) => {
      const made = await createSandbox({ generate: { projects: 3 } })
      const world = isolated ? await made.worlds.create() : undefined
      const sandbox = world?.sandbox ?? made
      const agency = world?.tokens['sandbox-agency'] ?? 'sandbox-agency'
      expect((await get(sandbox, '/projects', agency)).status).toBe(200)
      await sandbox.faults.add({ kind: 'status', status: 503, token: agency })
      await get(sandbox, '/projects/1001', agency)
      const session = await sandbox.session()
      expect(JSON.stringify(session)).not.toContain('~w')
      expect(await replayFile(session)).toEqual({ steps: 3, difference: null })
    },
  )

  test.each(Object.entries(UNDER_WAY))(
    'has requests that arrive during a command before or after it: %s',
    async (_, commands) => {
      const sandbox = await createSandbox({ fixtures: randomWorld() })
      for (const command of commands) {
        const applied = sandbox.command(command)
        for (let tick = 0; tick < TICKS; tick += 1) {
          answerNow(sandbox, '/projects/1', VALUES.manager)
          await Promise.resolve()
        }
        await applied
        answerNow(sandbox, '/projects/1', VALUES.manager)
      }
      expect((await replayFile(await sandbox.session())).difference).toBeNull()
    },
  )

  test('survives clearing the journal', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    await get(sandbox, '/me', VALUES.manager)
    await sandbox.command({ type: 'journal.clear' })
    const { steps } = await sandbox.session()
    expect(steps).toMatchObject([{ sequence: 1 }, { command: { type: 'journal.clear' } }])
  })

  test('is what GET /_sandbox/session of a server returns', async () => {
    const server = await startServer({ fixtures: randomWorld(), port: 0 })
    await get(server.sandbox, '/projects', VALUES.manager)
    const { body } = await sendRaw(server.port, { target: '/_sandbox/session' })
    expect(body).toEqual(JSON.parse(JSON.stringify(await server.sandbox.session())))
    await server.close()
    expect((await replayFile(body as Session)).difference).toBeNull()
  })
})

/** Commands during which requests arrive; each changes the response. */
const UNDER_WAY: Record<string, Command[]> = {
  'clock.advance': [{ type: 'clock.advance', by: 'P1D' }],
  'record.put': [
    { type: 'record.put', collection: 'projects', record: aProject({ id: 1, name: 'New' }) },
  ],
  'record.patch': [
    { type: 'record.patch', collection: 'projects', id: 1, patch: { name: 'New' } },
    { type: 'record.patch', collection: 'tokens', id: 1, patch: { status: 'disabled' } },
  ],
  'record.delete': [{ type: 'record.delete', collection: 'projects', id: 1 }],
  'policy.set': [
    { type: 'record.delete', collection: 'projects', id: 1 },
    { type: 'policy.set', policies: { 'error-body': 'envelope' } },
  ],
  'fault.add': [{ type: 'fault.add', fault: { kind: 'status', status: 503 } }],
  'fixtures.load': [
    { type: 'fixtures.load', fixtures: randomWorld({ projects: [aProject({ id: 1 })] }) },
    { type: 'fixtures.load', fixtures: randomWorld({ generate: { projects: 2 } }) },
  ],
  reset: [{ type: 'clock.advance', by: 'P1D' }, { type: 'reset' }],
  'scenario.load': [{ type: 'scenario.load', scenario: 'late-finisher' }],
}

/** More ticks than any command takes: none waits for I/O. */
const TICKS = 100

type Answer = NonNullable<Extract<Session['steps'][number], { request: object }>['answer']>
type Edit = (answer: Answer, body: NonNullable<Answer['body']>) => void

/** Possible differences of a response, each with a change that makes only that difference. */
const EDITS: Record<string, Edit> = {
  status: (answer) => {
    answer.status += 1
  },
  'header Added': (answer) => {
    answer.headers['Added'] = 'yes'
  },
  body: (_, body) => {
    body.digest += 1
  },
  wire: (answer) => {
    answer.wire = { delayMs: 1, end: 'silence' }
  },
}

function get(sandbox: Sandbox, path: string, token: string): Promise<Response> {
  return sandbox.fetch(`/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
}

/** Synchronous, so that one can run between any two steps of a command. */
function answerNow(sandbox: Sandbox, path: string, token: string): void {
  const header = (name: string) => (name === 'authorization' ? `Bearer ${token}` : undefined)
  const target = { method: 'GET', path: `/api/v1${path}`, query: '' }
  sandbox.answer({ ...target, header, clientIp: '127.0.0.1', origin: 'http://localhost' })
}

async function firstRequest(sandbox: Sandbox): Promise<object> {
  const [step] = (await sandbox.session()).steps
  if (!step || !('request' in step)) throw new Error('The first step is not a request.')
  return step.request
}

describe('a file is refused', () => {
  test.each<[string, unknown, RegExp]>([
    ['what is not an object', [1], /^a list is not a session\. Record it again/],
    ['a snapshot', { version: 1, taken_at: 'x', records: {} }, /^This is not a session/],
    [
      'another version',
      { version: 9, release: '3.0.0', beginning: {}, steps: [] },
      /version 9.*reads version 1.*"3\.0\.0"/,
    ],
    ['a session without a beginning', { version: 1, release: '0.1.0', steps: [] }, /^beginning: /],
  ])('that holds %s', async (_, input, sentence) => {
    await expect(replay(input)).rejects.toThrow(SessionError)
    await expect(replay(input)).rejects.toThrow(sentence)
  })

  test('whose records are inconsistent', async () => {
    const session = await (await createSandbox({ fixtures: aWorld() })).session()
    session.beginning.seed.records.agencies.pop()
    session.beginning.seed.records.agencies.pop()
    await expect(replayFile(session)).rejects.toThrow(/^records\.tokens\[0\]\.agency: /)
  })
})
