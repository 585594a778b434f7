import { expect, test } from 'vitest'
import { control, countEntries, createWorld, logKey, startCluster } from './support/cluster.ts'
import type { Cluster } from './support/cluster.ts'
import { ADMIN_KEY, invite } from './support/partners.ts'
import { ask } from './support/replica.ts'
import type { Answer } from './support/replica.ts'

/** The host's limits of each world but the default one. */

function withLimits(...limits: string[]): Promise<Cluster> {
  return startCluster({
    redis: { hasClock: true },
    args: limits.map((limit) => `--limits=${limit}`),
  })
}

test(
  'of a flood to one world, as many requests a second are taken as it may have, and no other is logged',
  { tags: ['core'] },
  async () => {
    await using cluster = await withLimits('requests=20')
    const { redis, replicas } = cluster
    const [flooded, other] = [await createWorld(replicas[0]!), await createWorld(replicas[0]!)]
    const token = flooded.tokens['sandbox-unlimited']!
    const taken: Answer[] = []
    const refused: Answer[] = []
    while (taken.length + refused.length < 200 || refused.length === 0) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, at) => ask(`${replicas[at % 2]!.url}/api/v1/me`, { token })),
      )
      for (const answer of answers) {
        expect([200, 429]).toContain(answer.status)
        if (answer.status === 200) taken.push(answer)
        else refused.push(answer)
      }
    }
    for (const { headers, body } of refused) {
      expect([headers.get('x-sandbox-limited'), headers.get('retry-after')]).toEqual(['host', '1'])
      expect(body.message).toMatch(/^On this host, a world has 20 requests and changes a second\./)
    }
    const entries: [string, string[]][] = await redis.command('XRANGE', logKey(flooded), '-', '+')
    expect(entries).toHaveLength(taken.length)
    const seconds = entries.map(([, fields]) => Math.floor(Number(fields[3]) / 1000))
    for (const second of seconds) {
      expect(seconds.filter((each) => each === second).length).toBeLessThanOrEqual(20)
    }

    for (const { url } of replicas) {
      const { status } = await ask(`${url}/api/v1/me`, { token: other.tokens['sandbox-agency']! })
      expect(status).toBe(200)
      expect((await ask(`${url}/api/v1/me`, { token: 'sandbox-agency' })).status).toBe(200)
    }
    await redis.setClock(10)
    const later = await ask(`${replicas[0]!.url}/api/v1/me`, { token })
    expect(later.status).toBe(200)
  },
)

test('commands count as requests do, and the default world has no limit', async () => {
  await using cluster = await withLimits('requests=5')
  const [{ url }] = cluster.replicas as [Cluster['replicas'][0]]
  const world = await createWorld({ url })
  const reset = (path: string) => ask(url + path, { method: 'POST' })
  const sent = await Promise.all(Array.from({ length: 40 }, () => reset(control(world, '/reset'))))
  const refused = sent.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers, body } of refused) {
    expect([headers.get('x-sandbox-limited'), body.error.code]).toEqual([
      'host',
      'too_many_requests',
    ])
  }
  const all = await Promise.all(Array.from({ length: 40 }, () => reset('/_sandbox/reset')))
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
})

const COUNTRY = { label: 'Elsewhere' }
const FAULT = { kind: 'status', status: 503 }

test(
  'a fault more, a record more, and fixtures with more than a world may have',
  { tags: ['core'] },
  async () => {
    await using cluster = await withLimits('faults=1', 'records=10', 'projects=2')
    const [{ url }] = cluster.replicas as [Cluster['replicas'][0]]
    const fixtures = {
      version: 1,
      countries: [1, 2, 3, 4, 5, 6, 7, 8].map((id) => ({ id, label: `C${id}` })),
    }
    const world = await createWorld({ url }, { fixtures })
    const put = (id: number) =>
      ask(url + control(world, `/records/countries/${id}`), { method: 'PUT', body: COUNTRY })
    expect([(await put(9)).status, (await put(10)).status]).toEqual([201, 201])
    const entries = await countEntries(cluster, world)
    const refused = await put(11)
    expect([refused.status, refused.body.error.code]).toEqual([507, 'insufficient_memory'])
    expect(refused.body.error.message).toMatch(
      /On this host, a world has at most 10 records.*, and this would be 11\./,
    )
    expect(await countEntries(cluster, world)).toBe(entries)
    expect((await put(10)).status).toBe(200)
    const arm = () => ask(url + control(world, '/faults'), { body: FAULT })
    expect([(await arm()).status, (await arm()).status]).toEqual([201, 507])
    const more = { version: 1, generate: { projects: 3 } }
    const load = { type: 'fixtures.load', fixtures: more }
    expect((await ask(url + control(world, '/commands'), { body: load })).status).toBe(507)
    expect((await ask(`${url}/_sandbox/worlds`, { body: { fixtures: more } })).status).toBe(507)
    expect((await ask(url + control(world, '/records/countries'))).body).toHaveLength(10)
  },
)

test('the faults of a world delay a response by a minute at most together, but for the default world', async () => {
  await using cluster = await withLimits()
  const { url } = cluster.replicas[0]!
  const world = await createWorld(cluster.replicas[0]!)
  const arm = async (fault: object, path = control(world, '/faults')) => {
    const { status, body } = await ask(url + path, { body: fault })
    return status === 201 ? status : [status, body.error.message]
  }
  const refused = [422, expect.stringMatching(/at most 60 s together, and this would be 7[05] s/)]
  expect(await arm({ kind: 'latency', ms: 70_000 })).toEqual(refused)
  expect(await arm({ kind: 'latency', min_ms: 10, max_ms: 40_000 })).toBe(201)
  expect(await arm({ kind: 'slow-body', ms: 35_000 })).toEqual(refused)
  expect(await arm({ kind: 'slow-body', ms: 20_000 })).toBe(201)
  const { body: snapshot } = await ask(url + control(world, '/snapshots'))
  snapshot.faults.armed[0].fault.max_ms = 55_000
  const restore = { type: 'snapshot.restore', snapshot }
  for (const body of [restore, { type: 'fault.set', faults: [{ kind: 'latency', ms: 70_000 }] }]) {
    const { status, body: answer } = await ask(url + control(world, '/commands'), { body })
    expect([status, answer.error.message]).toEqual(refused)
  }
  expect(await arm({ kind: 'latency', ms: 600_000 }, '/_sandbox/faults')).toBe(201)
})

test('keys of a world are answered so often in a second, and other keys as ever', async () => {
  await using cluster = await startCluster({
    replicas: 1,
    args: ['--admin-key', ADMIN_KEY, '--limits', 'requests=5'],
  })
  const [replica] = cluster.replicas
  const [busy, other] = [
    await invite(replica!, { name: 'A' }),
    await invite(replica!, { name: 'B' }),
  ]
  const path = `${replica!.url}/_sandbox/clock`
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => ask(path, { token: busy.key })),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, headers } of refused) {
    expect([status, headers.get('x-sandbox-limited')]).toEqual([429, 'host'])
  }
  const others = await Promise.all([other.key, ADMIN_KEY].map((token) => ask(path, { token })))
  expect(others.map(({ status }) => status)).toEqual([200, 200])
})

test('a world has so many streams on a server, and the journal so many requests', async () => {
  await using cluster = await withLimits('streams=2', 'journal=3')
  const [{ url }] = cluster.replicas as [Cluster['replicas'][0]]
  const [world, other] = [await createWorld({ url }), await createWorld({ url })]
  const open = (of: { id: string }) => fetch(url + control(of, '/requests/stream'))
  const [first, second] = [await open(world), await open(world)]
  expect([first.status, second.status]).toEqual([200, 200])
  const third = await open(world)
  expect([third.status, third.headers.get('x-sandbox-limited')]).toEqual([429, 'host'])
  expect((await open(other)).status).toBe(200)
  await first.body?.cancel()
  await expect.poll(async () => (await open(world)).status).toBe(200)
  expect((await open(world)).status).toBe(429)

  const token = world.tokens['sandbox-unlimited']!
  for (let count = 0; count < 5; count += 1) await ask(`${url}/api/v1/me`, { token })
  expect((await ask(url + control(world, '/requests'))).body).toHaveLength(3)
})
