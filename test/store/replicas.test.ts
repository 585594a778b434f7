import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFullDepth, runs } from '../support/depth.ts'
import {
  control,
  createWorld,
  expectAgreement,
  expectTruth,
  listRequests,
  logKey,
  startBalancedCluster,
  startCluster,
} from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import { numbersOf } from './support/load.ts'
import { ask, tryToAsk } from './support/replica.ts'

/**
 * Replicas answer as one server: each immediately shows everything that any other has acknowledged, a token leads to its world,
 * and limits are shared by all. `PROPERTY_DEPTH=1 npm run test:store` has the full counts.
 */

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

const RUNS = isFullDepth ? 25 : 5
const LIMIT = 60

/** Sends one request more than the limit at once, to servers in turn; returns the status of each, by its number. */
function askAtOnce(
  servers: readonly { url: string }[],
  { tokens }: StoredWorld,
): Promise<(number | undefined)[]> {
  const token = tokens['sandbox-agency']!
  return Promise.all(
    Array.from({ length: LIMIT + 1 }, async (_, n) => {
      const { url } = servers[n % servers.length]!
      return (await tryToAsk(`${url}/api/v1/me?n=${n}`, { token }))?.status
    }),
  )
}

test('of 61 requests at once, exactly 60 pass', { tags: ['core'], timeout: 600_000 }, async () => {
  const { replicas } = cluster
  for (let run = 0; run < RUNS; run += 1) {
    const world = await createWorld(replicas[0]!)
    const statuses = await askAtOnce(replicas, world)
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  }
})

test('of 61 requests at once while a replica is killed, never more than 60 pass, and the journal has them', async () => {
  await using balanced = await startBalancedCluster({ replicas: 3 })
  const { replicas, haproxy } = balanced
  for (let run = 0; run < RUNS; run += 1) {
    const killed = replicas[run % 3]!
    const world = await createWorld(haproxy)
    const [statuses] = await Promise.all([askAtOnce([haproxy], world), killed.kill()])
    const passed = [...statuses.keys()].filter((n) => statuses[n] === 200)
    expect(passed.length).toBeLessThanOrEqual(LIMIT)

    const restarted = killed.start()
    const requests = await listRequests(replicas[(run + 1) % 3]!, world)
    const recorded = numbersOf(requests.filter(({ status }) => status === 200))
    expect(recorded).toHaveLength(Math.min(LIMIT, requests.length))
    expect(recorded).toEqual(expect.arrayContaining(passed))
    await restarted
    await expectAgreement(replicas, world)
  }
}, 600_000)

interface Stream extends AsyncDisposable {
  /** The events so far, by their ids. */
  events: Map<string, string>
}

async function openStream(url: string, world: StoredWorld, lastId?: string): Promise<Stream> {
  const abort = new AbortController()
  const response = await fetch(url + control(world, '/requests/stream'), {
    signal: abort.signal,
    headers: lastId === undefined ? {} : { 'Last-Event-ID': lastId },
  })
  expect(response.status).toBe(200)
  const events = new Map<string, string>()
  const read = async () => {
    let text = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      const parts = text.split('\n\n')
      text = parts.pop()!
      for (const part of parts) {
        const id = /^id: ?(.+)$/m.exec(part)?.[1]
        const data = /^data: ?(.+)$/m.exec(part)?.[1]
        if (id !== undefined && data !== undefined) events.set(id, data)
      }
    }
  }
  const done = read().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error
  })
  return {
    events,
    [Symbol.asyncDispose]: async () => {
      abort.abort()
      await done
    },
  }
}

test(
  'a stream shows requests and commands of every replica, and goes on from its last event on another',
  { tags: ['core'] },
  async () => {
    const { replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const token = world.tokens['sandbox-unlimited']!
    const send = async (n: number) => {
      const { url } = replicas[n % 2]!
      expect((await ask(`${url}/api/v1/me?n=${n}`, { token })).status).toBe(200)
    }
    const shown = ({ events }: Stream) =>
      [...events.values()].flatMap((data) => /n=\d+/.exec(data) ?? [])

    let lastId: string | undefined
    {
      await using stream = await openStream(replicas[0]!.url, world)
      for (const n of [1, 2, 3, 4]) await send(n)
      await ask(replicas[1]!.url + control(world, '/clock'), { body: { advance: 'PT1H' } })
      await expect.poll(() => stream.events.size).toBe(5)
      expect(shown(stream)).toEqual(['n=1', 'n=2', 'n=3', 'n=4'])
      lastId = [...stream.events.keys()].at(-1)
    }
    for (const n of [5, 6, 7]) await send(n)
    await using stream = await openStream(replicas[1]!.url, world, lastId)
    for (const n of [8, 9]) await send(n)
    await expect.poll(() => shown(stream)).toEqual(['n=5', 'n=6', 'n=7', 'n=8', 'n=9'])
  },
)

test('streams whose clients have left while the store was slow take no place of others', async () => {
  await using slow = await startCluster({ replicas: 1 })
  const [replica, proxy] = [slow.replicas[0]!, slow.proxies[0]!]
  const world = await createWorld(replica)
  const health = () => ask(`${replica.url}/_sandbox/health`)
  proxy.stall()
  const left = Array.from({ length: 10 }, () =>
    request(replica.url + control(world, '/requests/stream')).on('error', () => {}),
  )
  await Promise.all(left.map((message) => once(message.end(), 'finish')))
  // Requests sent earlier have arrived when this one is answered.
  await health()
  for (const message of left) message.destroy()
  await health()
  proxy.resume()
  await using stream = await openStream(replica.url, world)
  expect(stream.events).toEqual(new Map())
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
