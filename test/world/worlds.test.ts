import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type {
  Command,
  FixtureInput,
  IsolatedWorldOptions,
  Sandbox,
  SandboxOptions,
} from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import { allTransports, openFetch, sendRaw } from '../support/transports.ts'
import type { Client, TestRequest, TestResponse } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'
import { limitHeap } from '../support/heap.ts'

/** Isolated worlds of one process: the token of a request selects its world, and worlds share nothing. */

const NOW = new Date('2026-03-15T12:00:30Z')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

const LIMITED = 'limited-token'

/** The fixture of one world: ids and tokens are the same everywhere, so that shared state becomes visible. */
function fixtureOf(index: number): FixtureInput {
  return aWorld({
    frozen: index % 2 === 0,
    tokens: [
      aToken({ id: 1, token: AGENCY }),
      aToken({ id: 2, token: LIMITED, rate_limit: { per_minute: 1 + (index % 4), per_hour: 9 } }),
    ],
    projects: [
      aProject({ id: 1, name: `First of ${index}`, reports: [aReport({ id: 11 })] }),
      aProject({ id: 2, name: `Second of ${index}`, created_at: '2026-02-01T00:00:00Z' }),
    ],
  })
}

function optionsOf(index: number): IsolatedWorldOptions {
  return {
    fixtures: fixtureOf(index),
    seed: index,
    policies: { 'data-refresh': index % 3 === 0 ? 'stale' : 'fresh' },
  }
}

const COUNT = 5
const INDEXES = Array.from({ length: COUNT }, (_, index) => index)

type Step = { request: TestRequest } | { command: Command }

const aRequest: fc.Arbitrary<Step> = fc.record({
  request: fc.record({
    token: fc.constantFrom(AGENCY, LIMITED, LIMITED, 'sandbox-agency'),
    path: fc.constantFrom('/me', '/projects', '/projects/1', '/projects/2/reports', '/unknown'),
  }),
})

const aCommand: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    type: fc.constant('record.patch' as const),
    collection: fc.constant('projects' as const),
    id: fc.constantFrom(1, 2),
    patch: fc.record({ name: fc.nat(999).map((number) => `patched ${number}`) }),
  }),
  fc.record({
    type: fc.constant('record.delete' as const),
    collection: fc.constant('projects' as const),
    id: fc.constant(2),
  }),
  fc.record({
    type: fc.constant('clock.advance' as const),
    by: fc.constantFrom('PT20S', 'PT61S', 'PT1H', 'P1M'),
  }),
  fc.record({
    type: fc.constant('clock.set' as const),
    now: fc.constantFrom('2026-03-01', 'now-3d', 'month+1/01'),
  }),
  fc.record({
    type: fc.constant('policy.set' as const),
    policies: fc.record({ 'error-body': fc.constantFrom('message', 'envelope', 'html') }),
  }),
  fc.record({
    type: fc.constant('fault.add' as const),
    fault: fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(500, 503) }),
  }),
  fc.record({ type: fc.constant('fault.set' as const), faults: fc.constant<[]>([]) }),
  fc.record({ type: fc.constant('fixtures.load' as const), fixtures: fc.constant(fixtureOf(3)) }),
  fc.record({
    type: fc.constant('scenario.load' as const),
    scenario: fc.constantFrom('late-finisher', 'minute-exhausted'),
  }),
  fc.record({ type: fc.constant('reset' as const) }),
  fc.record({ type: fc.constant('journal.clear' as const) }),
)

/** Steps of all worlds, in order. */
const aSession = fc.array(
  fc.record({
    of: fc.nat(COUNT - 1),
    step: fc.oneof(
      { weight: 3, arbitrary: aRequest },
      { weight: 1, arbitrary: fc.record({ command: aCommand }) },
    ),
  }),
  { maxLength: 10 * COUNT, size: 'max' },
)

/** A world, a client for it, and the suffix of its bearer values. */
interface Reached extends Pick<Client, 'send'> {
  sandbox: Sandbox
  suffix: string
}

/** Visible result of a step: status, headers except those of the connection, and body; or the result of a command. */
async function take({ sandbox, send, suffix }: Reached, step: Step): Promise<unknown> {
  if ('command' in step) {
    return sandbox.command(step.command).catch((error: unknown) => String(error))
  }
  // A token that the world does not have gets its 401 there too.
  const token = `${step.request.token}${suffix}`
  const { status, headers, text } = await send({ ...step.request, token })
  return [status, { ...headers, date: undefined }, text]
}

/** The state of a world, as far as it is comparable with another world. */
async function stateOf({ sandbox, suffix }: Reached): Promise<unknown> {
  const { taken_at: _, records, ...snapshot } = await sandbox.snapshot()
  const tokens = records.tokens.map((record) => ({
    ...record,
    token: withoutSuffix(record.token, suffix),
  }))
  const journal = sandbox.world.journal
    .requests()
    .map(({ world: _world, duration_ms: _duration, ...request }) => request)
  return { ...snapshot, records: { ...records, tokens }, journal }
}

function withoutSuffix(token: string, suffix: string): string {
  return token.endsWith(suffix) ? token.slice(0, token.length - suffix.length) : token
}

function suffixOf(tokens: Record<string, string>): string {
  return (tokens[AGENCY] ?? '').slice(AGENCY.length)
}

async function isolate({ sandbox, send }: Client, options: IsolatedWorldOptions): Promise<Reached> {
  const { tokens, sandbox: own } = await sandbox.worlds.create(options)
  return { sandbox: own, send, suffix: suffixOf(tokens) }
}

test('worlds respond to any interleaving of steps, and end, as each does alone', async () => {
  await fc.assert(
    fc.asyncProperty(aSession, async (session) => {
      await using client = await openFetch({ fixtures: fixtureOf(99) })
      const before = await stateOf({ ...client, suffix: '' })
      const worlds: Reached[] = []
      for (const index of INDEXES) worlds.push(await isolate(client, optionsOf(index)))
      const seen: unknown[][] = INDEXES.map(() => [])
      for (const { of, step } of session) seen[of]?.push(await take(worlds[of] as Reached, step))

      for (const [index, world] of worlds.entries()) {
        await using alone = await openFetch(optionsOf(index))
        const lone = { ...alone, suffix: '' }
        const expected: unknown[] = []
        for (const { of, step } of session) {
          if (of === index) expected.push(await take(lone, step))
        }
        expect(seen[index]).toEqual(expected)
        expect(await stateOf(world)).toEqual(await stateOf(lone))
      }
      expect(await stateOf({ ...client, suffix: '' })).toEqual(before)
    }),
    { numRuns: runs(30) },
  )
})

test('a record that worlds of the same fixtures share is changed, reset and changed again in one world only', async () => {
  const [one, other] = [await createSandbox(), await createSandbox()]
  const patch = (name: string) =>
    one.command({ type: 'record.patch', collection: 'projects', id: 101, patch: { name } })
  const nameIn = ({ world }: Sandbox) => world.records.get('projects', 101)?.name
  const original = nameIn(other)
  for (const name of ['First', 'Second', 'Third']) {
    await patch(name)
    expect([nameIn(one), nameIn(other)]).toEqual([name, original])
    await one.reset()
    expect([nameIn(one), one.world.records.all('projects').length]).toEqual([
      original,
      other.world.records.all('projects').length,
    ])
  }
  await one.command({ type: 'record.delete', collection: 'projects', id: 101 })
  expect([nameIn(one), nameIn(other)]).toEqual([undefined, original])
  await one.reset()
  expect(nameIn(one)).toBe(original)
})

describe('the token of a request', () => {
  test.each(allTransports)('selects its world over $name', async ({ open }) => {
    await using client = await open({ fixtures: fixtureOf(0) })
    const { tokens } = await client.sandbox.worlds.create({ fixtures: fixtureOf(1) })
    const nameFor = async (token: string | undefined): Promise<unknown> =>
      (await client.send({ path: '/projects/1', token })).body?.data?.name
    expect(await nameFor(AGENCY)).toBe('First of 0')
    expect(await nameFor(tokens[AGENCY])).toBe('First of 1')
  })

  test("is the fixture's value, the id of the world and a random part", async () => {
    const sandbox = await createSandbox({ fixtures: fixtureOf(0) })
    const made = await Promise.all(INDEXES.map(() => sandbox.worlds.create()))
    for (const { id, tokens } of made) {
      expect(Object.keys(tokens)).toEqual([AGENCY, LIMITED])
      expect(tokens[AGENCY]).toMatch(new RegExp(`^${AGENCY}~${id}-[0-9a-z]{16}$`))
      expect(tokens[LIMITED]).toBe(`${LIMITED}${suffixOf(tokens)}`)
    }
    expect(new Set(made.map(({ tokens }) => suffixOf(tokens).split('-')[1])).size).toBe(COUNT)
  })

  test.each(['Bearer ', 'bearer ', 'BEARER   '])('selects it after "%s"', async (scheme) => {
    const sandbox = await createSandbox({ fixtures: fixtureOf(0) })
    const { tokens } = await sandbox.worlds.create({ fixtures: fixtureOf(1) })
    const headers = { authorization: `${scheme}${tokens[AGENCY]}` }
    expect(await (await sandbox.fetch('/api/v1/projects/1', { headers })).text()).toContain(
      'First of 1',
    )
  })

  test('keeps its value over a reset, and every load in that world gives the same suffix', async () => {
    const { isolated, statusOf } = await twoWorlds()
    const { sandbox, tokens } = isolated
    const own = (value: string): string => `${value}${suffixOf(tokens)}`
    await sandbox.reset()
    expect(await statusOf(own(AGENCY))).toBe(200)
    await sandbox.command({ type: 'scenario.load', scenario: 'empty-agency' })
    expect([await statusOf(own(AGENCY)), await statusOf(own('sandbox-agency'))]).toEqual([401, 200])
    await sandbox.command({ type: 'fixtures.load', fixtures: aWorld() })
    expect([await statusOf(own(AGENCY)), await statusOf(own(SUPER))]).toEqual([200, 200])
    const { world } = sandbox
    expect(world.records.all('tokens').map(({ token }) => token)).toEqual([own(AGENCY), own(SUPER)])
  })

  test('of a generated world has the suffix too', async () => {
    const sandbox = await createSandbox({ fixtures: fixtureOf(0) })
    const { tokens, sandbox: own } = await sandbox.worlds.create({ generate: { projects: 3 } })
    const headers = { authorization: `Bearer ${tokens['sandbox-super']}` }
    const response = await sandbox.fetch('/api/v1/projects', { headers })
    expect(await response.json()).toMatchObject({ data: { length: 3 } })
    expect(own.world.records.all('tokens').every(({ token }) => token.includes('~w1-'))).toBe(true)
  })

  test('of a snapshot becomes a token of the world that restores it', async () => {
    const { sandbox, isolated, statusOf } = await twoWorlds()
    const own = isolated.tokens[AGENCY]
    const ofIsolated = await isolated.sandbox.snapshot()
    await isolated.sandbox.restore(await sandbox.snapshot())
    expect([await statusOf(AGENCY), await statusOf(own)]).toEqual([200, 200])
    await sandbox.restore(ofIsolated)
    expect([await statusOf(AGENCY), await statusOf(own)]).toEqual([200, 200])
    const { token } = sandbox.world.records.get('tokens', 1) ?? {}
    expect(token).toBe(AGENCY)
  })

  test('that commands add, change and delete selects its world while it exists', async () => {
    const { isolated, statusOf } = await twoWorlds()
    const { command } = isolated.sandbox
    const record = aToken({ id: 9, token: 'put-token' })
    await command({ type: 'record.put', collection: 'tokens', record: { ...record } })
    expect(await statusOf('put-token')).toBe(200)
    const patch = { token: 'patched-token' }
    await command({ type: 'record.patch', collection: 'tokens', id: 9, patch })
    expect([await statusOf('put-token'), await statusOf('patched-token')]).toEqual([401, 200])
    await command({ type: 'record.delete', collection: 'tokens', id: 9 })
    expect(await statusOf('patched-token')).toBe(401)
  })

  test('that is unknown is recorded in the world of its suffix, and without a whole suffix in the default one', async () => {
    const { sandbox, isolated, statusOf } = await twoWorlds()
    const suffix = suffixOf(isolated.tokens)
    const requests = ({ world }: Sandbox) => [...world.journal.requests()].length
    expect(await statusOf(`mistyped${suffix}`)).toBe(401)
    expect([requests(isolated.sandbox), requests(sandbox)]).toEqual([1, 0])
    const otherSecret = suffix.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const cut = suffix.slice(0, -1)
    for (const wrong of [otherSecret, cut, `${suffix}x`, suffix.replace('w1', 'w2'), '']) {
      expect(await statusOf(`mistyped${wrong}`)).toBe(401)
    }
    expect([requests(isolated.sandbox), requests(sandbox)]).toEqual([1, 5])
  })

  test('is unknown once its world is dropped, even if it was the only one there', async () => {
    const { sandbox, statusOf } = await twoWorlds()
    const fixtures = { ...fixtureOf(2), tokens: [aToken({ id: 1, token: AGENCY })] }
    const { id, tokens } = await sandbox.worlds.create({ fixtures })
    expect(await statusOf(tokens[AGENCY])).toBe(200)
    sandbox.worlds.drop(id)
    expect(await statusOf(tokens[AGENCY])).toBe(401)
  })

  test('that a command set is the same after a snapshot of the same world is restored', async () => {
    const { isolated, statusOf } = await twoWorlds()
    const record = { ...aToken({ id: 9, token: 'put-token' }) }
    await isolated.sandbox.command({ type: 'record.put', collection: 'tokens', record })
    await isolated.sandbox.restore(await isolated.sandbox.snapshot())
    expect([await statusOf('put-token'), await statusOf(isolated.tokens[AGENCY])]).toEqual([
      200, 200,
    ])
  })

  test('is shown by no world, even if it is sent to another one in a URL', async () => {
    const { sandbox, isolated } = await twoWorlds()
    const record = { ...aToken({ id: 9, token: 'put-token' }) }
    await isolated.sandbox.command({ type: 'record.put', collection: 'tokens', record })
    const own = isolated.tokens[AGENCY] ?? ''
    for (const value of [own, encodeURIComponent(own), 'put-token']) {
      await sandbox.fetch(`/api/v1/me?api_token=${value}&page=1`)
    }
    const shown = JSON.stringify([
      [...sandbox.requests.all()],
      sandbox.requests.toHar(),
      await sandbox.session(),
      sandbox.world.journal.redact(`/me?api_token=${own}`),
    ])
    expect(shown).not.toMatch(/put-token|~w\d|%7Ew\d/i)
    expect(shown).toContain('api_token=[token]&page=1')
  })

  test('of the default world always selects it; any other selects the first world that had it, then the next', async () => {
    const sandbox = await createSandbox({ fixtures: fixtureOf(0) })
    const [first, second] = [await sandbox.worlds.create(), await sandbox.worlds.create()]
    const put = ({ command }: Sandbox, token: string): Promise<unknown> =>
      command({
        type: 'record.put',
        collection: 'tokens',
        record: { ...aToken({ id: 9, token }), name: 'Put' },
      })
    const answering = async (token: string): Promise<string[]> => {
      const seen = [sandbox, first.sandbox, second.sandbox].map(
        ({ world }) => world.journal.sequence,
      )
      await sandbox.fetch('/api/v1/me', { headers: { authorization: `Bearer ${token}` } })
      return ['default', first.id, second.id].filter(
        (_, index) =>
          [sandbox, first.sandbox, second.sandbox][index]?.world.journal.sequence !== seen[index],
      )
    }
    await put(first.sandbox, AGENCY)
    expect(await answering(AGENCY)).toEqual(['default'])
    await put(second.sandbox, 'shared')
    await put(first.sandbox, 'shared')
    expect(await answering('shared')).toEqual([second.id])
    sandbox.worlds.drop(second.id)
    expect(await answering('shared')).toEqual([first.id])
    await put(sandbox, 'shared')
    expect(await answering('shared')).toEqual(['default'])
    await sandbox.reset()
    expect(await answering('shared')).toEqual([first.id])
  })
})

/** A sandbox, an isolated world of it, and the status of a request to the sandbox with a token. */
async function twoWorlds() {
  const sandbox = await createSandbox({ fixtures: fixtureOf(0) })
  const isolated = await sandbox.worlds.create({ fixtures: fixtureOf(1) })
  const statusOf = async (token: string | undefined): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await sandbox.fetch('/api/v1/me', { headers })).status
  }
  return { sandbox, isolated, statusOf }
}

describe('an isolated world', () => {
  test('is created like the default one in every option that is omitted', async () => {
    const sandbox = await createSandbox({
      fixtures: fixtureOf(0),
      now: '2026-01-31',
      frozen: true,
      policies: { 'error-body': 'html' },
    })
    await sandbox.command({ type: 'record.delete', collection: 'projects', id: 2 })
    await sandbox.clock.advance('P1M')
    const { sandbox: own } = await sandbox.worlds.create({ policies: { 'project-order': 'name' } })
    expect(own.world.records.all('projects')).toHaveLength(2)
    expect(own.clock.read()).toMatchObject({ now: '2026-01-31T00:00:00.000000Z', frozen: true })
    expect(own.world.policies).toMatchObject({ 'error-body': 'html', 'project-order': 'name' })
  })

  test('has a handle, which accepts only its tokens', async () => {
    const { isolated } = await twoWorlds()
    const { fetch } = isolated.sandbox
    const statuses = [AGENCY, isolated.tokens[AGENCY]].map(async (token) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch('/api/v1/me', { headers })).status
    })
    expect(await Promise.all(statuses)).toEqual([401, 200])
  })

  test('has its id in its journal, which keeps a thousand requests', async () => {
    const { sandbox, isolated, statusOf } = await twoWorlds()
    for (let count = 0; count < 1002; count += 1) await statusOf(isolated.tokens[AGENCY])
    await statusOf(AGENCY)
    const requests = [...isolated.sandbox.world.journal.requests()]
    expect([requests.length, requests[0]?.sequence, requests[0]?.world]).toEqual([
      1000,
      3,
      isolated.id,
    ])
    expect([...sandbox.world.journal.requests()].map(({ world }) => world)).toEqual(['default'])
    expect(JSON.stringify(requests)).not.toContain(suffixOf(isolated.tokens).split('-')[1])
  })

  test('is unknown once dropped: 401 for its tokens, an error for its id', async () => {
    const { sandbox, isolated, statusOf } = await twoWorlds()
    sandbox.worlds.drop(isolated.id)
    expect(await statusOf(isolated.tokens[AGENCY])).toBe(401)
    await isolated.sandbox.reset()
    expect(await statusOf(isolated.tokens[AGENCY])).toBe(401)
    expect(() => sandbox.worlds.drop(isolated.id)).toThrow('There is no world "w1".')
    expect(() => sandbox.worlds.drop('default')).toThrow('Reset it instead.')
    expect(sandbox.worlds.list()).toEqual([])
  })

  const TOO_LARGE = 'This world has at most 1000 generated projects, and 1001 were requested.'
  test('has at most a thousand generated projects, wherever they come from', async () => {
    const sandbox = await createSandbox({ generate: { projects: 1001 } })
    await expect(sandbox.worlds.create()).rejects.toThrow(TOO_LARGE)
    await expect(sandbox.worlds.create({ generate: { projects: 1001 } })).rejects.toThrow(TOO_LARGE)
    const { sandbox: own } = await sandbox.worlds.create({ generate: { projects: 1000 } })
    await expect(own.restore(await sandbox.snapshot())).rejects.toThrow(TOO_LARGE)
    const fixtures = { version: 1, generate: { projects: 1001 } }
    const { sandbox: other } = await sandbox.worlds.create({ scenario: 'empty-agency' })
    await expect(other.command({ type: 'fixtures.load', fixtures })).rejects.toThrow(TOO_LARGE)
  })

  test.each<[IsolatedWorldOptions, string]>([
    [{ fixtures: { version: 1, projcts: [] } as FixtureInput }, 'projcts'],
    [{ scenario: 'empty-agncy' as 'empty-agency' }, 'Did you mean "empty-agency"?'],
    [{ scenario: 'empty-agency', fixtures: aWorld() }, 'A scenario is a whole world.'],
    [{ now: 'yesterday' }, 'now: '],
    [{ latency: 5 } as IsolatedWorldOptions, '"latency" is not an option.'],
  ])('is refused with %j', async (options, sentence) => {
    const sandbox = await createSandbox({ fixtures: fixtureOf(0) })
    await expect(sandbox.worlds.create(options)).rejects.toThrow(sentence)
    expect(sandbox.worlds.list()).toEqual([])
  })

  test('the default one is refused with an option that there is not, by the name of the function', async () => {
    const options = { latncy: 5 } as SandboxOptions
    await expect(createSandbox(options)).rejects.toThrow(
      'createSandbox: "latncy" is not an option.',
    )
  })

  test('is not created beside a thousand in use; one unused for a minute is dropped for it, the least recently used first', async () => {
    limitHeap(2 ** 31)
    const sandbox = await createSandbox({ fixtures: fixtureOf(0) })
    const dropped: unknown[] = []
    sandbox.worlds.control.watchDrops((drop) => dropped.push(drop))
    const made = []
    for (let count = 0; count < 1000; count += 1) made.push(await sandbox.worlds.create())
    const [first, , third] = made
    vi.setSystemTime(NOW.getTime() + 59_999)
    const refusal = { code: 'insufficient_memory', message: expect.stringContaining('1000') }
    await expect(sandbox.worlds.create()).rejects.toMatchObject(refusal)
    expect(dropped).toEqual([])
    vi.setSystemTime(NOW.getTime() + 60_000)
    await sandbox.fetch('/api/v1/me', {
      headers: { authorization: `Bearer ${first?.tokens[AGENCY]}` },
    })
    await third?.sandbox.clock.advance('PT1S')
    await Promise.all([sandbox.worlds.create(), sandbox.worlds.create()])
    expect(dropped).toEqual([
      { id: 'w2', reason: 'displaced' },
      { id: 'w4', reason: 'displaced' },
    ])
    expect(sandbox.worlds.list()).toHaveLength(1000)
    vi.restoreAllMocks()
  })

  test('is one of fewer where the heap is small: one for each 2 MB', async () => {
    limitHeap(6 * 2 ** 20)
    const { worlds } = await createSandbox({ fixtures: fixtureOf(0) })
    vi.restoreAllMocks()
    for (let count = 0; count < 3; count += 1) await worlds.create()
    await expect(worlds.create()).rejects.toThrow(/There are 3 isolated worlds.*max-old-space-size/)
    vi.setSystemTime(NOW.getTime() + 60_000)
    await worlds.create()
    expect(worlds.list().map(({ id }) => id)).toEqual(['w2', 'w3', 'w5'])
  })
})

/** A server over the world of index 0, and its control API. */
async function openControl() {
  const server = await startServer({ port: 0, fixtures: fixtureOf(0) })
  const control = (method: string, path: string, body?: unknown): Promise<TestResponse> =>
    sendRaw(server.port, {
      target: `/_sandbox${path}`,
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const ask = (token: string, path = '/me'): Promise<TestResponse> =>
    sendRaw(server.port, {
      target: `/api/v1${path}`,
      headers: { authorization: `Bearer ${token}` },
    })
  return { server, control, ask, [Symbol.asyncDispose]: () => server.close() }
}

describe('the control API', () => {
  test('creates, lists, controls and drops worlds', async () => {
    await using api = await openControl()
    const made = await api.control('POST', '/worlds', {
      fixtures: fixtureOf(5),
      seed: 7,
      now: '2026-05-01',
      frozen: true,
      policies: { 'error-body': 'envelope' },
      rate_limit: { per_minute: 5 },
    })
    expect([made.status, made.body]).toEqual([
      201,
      { id: 'w1', tokens: { [AGENCY]: expect.any(String), [LIMITED]: expect.any(String) } },
    ])
    const token = made.body.tokens[AGENCY]
    expect((await api.ask(token, '/projects/1')).text).toContain('First of 5')
    expect((await api.control('GET', '/worlds')).body).toEqual([
      {
        id: 'w1',
        created_at: '2026-03-15T12:00:30.000000Z',
        last_used_at: '2026-03-15T12:00:30.000000Z',
        requests: 1,
      },
    ])
    expect((await api.control('GET', '/health')).body.worlds).toBe(2)

    await api.control('PATCH', '/records/projects/1?world=w1', { name: 'Patched' })
    await api.control('POST', '/clock?world=w1', { advance: 'P1D' })
    expect((await api.ask(token, '/projects/1')).text).toContain('Patched')
    expect((await api.ask(AGENCY, '/projects/1')).text).toContain('First of 0')
    expect((await api.control('GET', '/clock?world=w1')).body.now).toMatch(/^2026-05-02/)
    expect((await api.control('GET', '/clock?world=default')).body.now).toMatch(/^2026-03-15/)
    expect((await api.control('GET', '/commands')).body).toEqual([])
    expect((await api.control('GET', '/commands?world=w1')).body).toHaveLength(2)

    expect((await api.control('POST', '/reset?world=')).status).toBe(404)
    const dropped = await api.control('DELETE', '/worlds/w1')
    expect([dropped.status, dropped.text]).toEqual([204, ''])
    expect((await api.ask(token)).status).toBe(401)
  })

  test('lists worlds page by page, also after the last of a page was dropped', async () => {
    await using api = await openControl()
    for (let count = 0; count < 12; count += 1) await api.control('POST', '/worlds')
    const read = async (query: string) => {
      const { body } = await api.control('GET', `/worlds${query}`)
      return [body.worlds.map(({ id }: any) => id), body.total, body.next]
    }
    const first = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9', 'w10']
    const [ids, total, next] = await read('?limit=10')
    expect([ids, total]).toEqual([first, 12])
    await api.control('DELETE', '/worlds/w10')
    expect(await read(`?after=${next}`)).toEqual([['w11', 'w12'], 11, null])
    expect(await read('?limit=11')).toEqual([[...first.slice(0, 9), 'w11', 'w12'], 11, null])
    expect((await api.control('GET', '/worlds?limit=1001')).status).toBe(422)
  })

  test('drops a world that had neither a request nor a command for an hour, and notifies subscribers', async () => {
    await using api = await openControl()
    const dropped: unknown[] = []
    api.server.sandbox.worlds.control.watchDrops((drop) => dropped.push(drop))
    const held = await api.server.sandbox.worlds.create()
    const tokens: string[] = []
    for (let count = 0; count < 4; count += 1) {
      tokens.push((await api.control('POST', '/worlds')).body.tokens[AGENCY])
    }
    const [used = '', , , unused = ''] = tokens
    vi.setSystemTime(NOW.getTime() + 3_600_000)
    expect((await api.ask(used)).status).toBe(200)
    expect((await api.control('POST', '/reset?world=w3')).status).toBe(200)
    vi.setSystemTime(NOW.getTime() + 3_600_001)
    expect(dropped).toEqual([])
    expect((await api.ask(unused)).status).toBe(401)
    expect(dropped).toEqual([{ id: 'w5', reason: 'idle' }])
    expect((await api.control('GET', '/clock?world=w4')).status).toBe(404)
    expect((await api.control('GET', '/worlds')).body.map(({ id }: any) => id)).toEqual([
      held.id,
      'w2',
      'w3',
    ])
    vi.setSystemTime(NOW.getTime() + 1e10)
    expect((await api.control('GET', '/health')).body.worlds).toBe(2)
    expect((await api.ask(held.tokens[AGENCY] ?? '')).status).toBe(200)
  })
})
