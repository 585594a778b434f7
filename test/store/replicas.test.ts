import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../support/depth.ts'
import { control, createWorld, expectTruth, logKey, startCluster } from './support/cluster.ts'
import type { Cluster } from './support/cluster.ts'
import { ask } from './support/replica.ts'

/** Replicas answer as one server: each shows what any other has acknowledged, at once, and a token leads to its world. */

const TURNS = runs(60, 15)

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster({ replicas: 3 })
})
afterAll(() => cluster[Symbol.asyncDispose]())

test(
  'a command acknowledged by one replica is seen by the next request and read on any other',
  { tags: ['core'] },
  async () => {
    const { replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const token = world.tokens['sandbox-unlimited']!
    const record = control(world, '/records/projects/101')
    for (let turn = 0; turn < TURNS; turn += 1) {
      const [first, second, third] = [0, 1, 2].map((step) => replicas[(turn + step) % 3]!.url)
      const name = `Name ${turn}`
      const patched = await ask(first + record, { method: 'PATCH', body: { name } })
      expect(patched.status).toBe(200)
      const [read, shown] = await Promise.all([
        ask(second + record),
        ask(`${third}/api/v1/projects/101`, { token }),
      ])
      expect(read.body.name).toBe(name)
      expect(shown.body.data.name).toBe(name)
    }
    await expectTruth(replicas, world)
  },
)

test(
  'a request answered by one replica is in the journal that any other lists next',
  { tags: ['core'] },
  async () => {
    const { replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const token = world.tokens['sandbox-unlimited']!
    for (let count = 1; count <= 30; count += 1) {
      await ask(`${replicas[count % 3]!.url}/api/v1/me`, { token })
      const expectation = { requests: { route: 'GET /me' }, times: count }
      const other = replicas[(count + 1) % 3]!.url
      const { body } = await ask(other + control(world, '/verify'), { body: expectation })
      expect(body).toMatchObject({ passed: true })
    }
  },
)

test('time passes on every replica alike between requests', async () => {
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  let last = ''
  for (let turn = 0; turn < 40; turn += 1) {
    const { body } = await ask(replicas[turn % 2]!.url + control(world, '/clock'))
    expect(body.now >= last).toBe(true)
    last = body.now
  }
})

test('a world that was deleted on one replica is unknown to all, and so are its tokens', async () => {
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-agency']!
  for (const { url } of replicas)
    expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(200)
  const deleted = await ask(`${replicas[0]!.url}/_sandbox/worlds/${world.id}`, { method: 'DELETE' })
  expect(deleted.status).toBe(204)
  for (const { url } of replicas) {
    expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(401)
    expect((await ask(url + control(world, '/clock'))).status).toBe(404)
  }
})

test('the default world is one for all replicas', async () => {
  const { replicas } = cluster
  const world = { id: 'default' }
  for (const { url } of replicas) {
    await ask(`${url}/_sandbox/reset`, { method: 'POST' })
    for (const [at, replica] of replicas.entries()) {
      const { headers } = await ask(`${replica.url}/api/v1/me`, { token: 'sandbox-agency' })
      expect(headers.get('x-ratelimit-remaining')).toBe(String(59 - at))
    }
  }
  await expectTruth(replicas, world)
})

test(
  'a token of no world is a 401 of every replica, and enters no log',
  { tags: ['core'] },
  async () => {
    const { redis, replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const log = async () => [
      (await redis.command('KEYS', '*')).toSorted(),
      await redis.command('XLEN', logKey(world)),
      await redis.command('XLEN', logKey({ id: 'default' })),
    ]
    const before = await log()
    for (const token of [
      'sandbox-agency~w1-0123456789abcdef',
      `sandbox-agency~${world.id}-0123456789abcdef`,
      `nobody~${world.id}-0123456789abcdef`,
      `${world.tokens['sandbox-agency']!}~w1-0123456789abcdef`,
    ]) {
      for (const { url } of replicas) {
        const { status, headers, body } = await ask(`${url}/api/v1/me`, { token })
        expect(status, token).toBe(401)
        expect(body).toEqual({ message: 'Unauthenticated.' })
        expect(headers.get('x-sandbox-limited')).toBeNull()
      }
    }
    await expect.poll(log).toEqual(before)
  },
)

test(
  'a token that a command gives an isolated world leads to it from every replica',
  { tags: ['core'] },
  async () => {
    const { replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const record = {
      id: 77,
      name: 'Given',
      token: 'given',
      agency: 1,
      rate_limit: { per_minute: 9 },
    }
    const given = await ask(replicas[0]!.url + control(world, '/records/tokens'), {
      method: 'PUT',
      body: record,
    })
    expect(given.status).toBe(201)
    const [, suffix] = world.tokens['sandbox-agency']!.split('~')
    for (const [at, { url }] of replicas.entries()) {
      const answer = await ask(`${url}/api/v1/me`, { token: `given~${suffix}` })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(8 - at))
      expect((await ask(`${url}/api/v1/me`, { token: 'given' })).status).toBe(401)
    }
  },
)

test(
  'worlds that replicas create at once all have ids of their own',
  { tags: ['core'] },
  async () => {
    const { replicas } = cluster
    const worlds = await Promise.all(
      Array.from({ length: 24 }, (_, at) => createWorld(replicas[at % 3]!)),
    )
    expect(new Set(worlds.map(({ id }) => id)).size).toBe(24)
    for (const [at, { tokens, id }] of worlds.entries()) {
      const token = tokens['sandbox-agency']!
      expect(token).toMatch(new RegExp(`^sandbox-agency~${id}-\\w+$`))
      const { url } = replicas[(at + 1) % 3]!
      const { headers } = await ask(`${url}/api/v1/me`, { token })
      expect(headers.get('x-ratelimit-remaining')).toBe('59')
    }
  },
)

test(
  'a head above 8 kB is refused by the host, and enters no log',
  { tags: ['core'] },
  async () => {
    const { redis, replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const token = world.tokens['sandbox-agency']!
    const headers = { 'X-Long': 'x'.repeat(8200) }
    for (const { url } of replicas) {
      const answer = await ask(`${url}/api/v1/me`, { token, headers })
      expect(answer.status).toBe(431)
      expect(answer.headers.get('x-sandbox-limited')).toBe('host')
    }
    expect(await redis.command('XLEN', logKey(world))).toBe(0)
  },
)

test('faults and rate limits of the API are no refusals of the host', async () => {
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const fault = { kind: 'status', status: 503, retry_after: 5, schedule: { first: 1 } }
  const armed = await ask(replicas[0]!.url + control(world, '/faults'), { body: fault })
  expect(armed.status, armed.text).toBe(201)
  const faulty = await ask(`${replicas[1]!.url}/api/v1/me`, {
    token: world.tokens['sandbox-agency']!,
  })
  const spent = await ask(`${replicas[1]!.url}/api/v1/me`, {
    token: world.tokens['sandbox-minute-exhausted']!,
  })
  expect([faulty.status, spent.status]).toEqual([503, 429])
  for (const { headers } of [faulty, spent]) {
    expect(headers.get('x-sandbox-limited')).toBeNull()
  }
})

const PROJECTS = 100_000

const COMMAND = {
  type: 'fixtures.load',
  fixtures: {
    version: 1,
    generate: { projects: PROJECTS },
    tokens: [
      { id: 1, name: 'All', token: 'sandbox-unlimited', agency: null, rate_limit: 'unlimited' },
    ],
  },
}

test('a command that loads 100,000 projects keeps the order of the requests that wait meanwhile', async () => {
  const { replicas } = cluster
  const world = { id: 'default' }
  const total = async ({ url }: { url: string }) => {
    const message = { token: 'sandbox-unlimited' }
    const answer = await ask(`${url}/api/v1/projects?per_page=1`, message)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.meta.total as number
  }
  const state = { isLoaded: false }
  const loaded = ask(`${replicas[0]!.url}/_sandbox/commands`, { body: COMMAND }).then((answer) => {
    state.isLoaded = true
    return answer
  })
  const send = async (replica: { url: string }) => {
    const totals = []
    while (!state.isLoaded) totals.push(await total(replica))
    return totals
  }
  const totals = await Promise.all([...replicas, ...replicas].map(send))
  expect((await loaded).status).toBe(200)
  for (const replica of replicas) expect(await total(replica)).toBe(PROJECTS)
  for (const seen of totals) {
    const first = seen[0] === PROJECTS ? 0 : seen.indexOf(PROJECTS)
    const after = first === -1 ? [] : seen.slice(first)
    expect(after.every((each) => each === PROJECTS)).toBe(true)
  }
  await expectTruth(replicas, world)
})
