import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { control, createWorld, expectTruth, listRequests, startCluster } from './support/cluster.ts'
import type { Cluster } from './support/cluster.ts'
import { ask } from './support/replica.ts'

/**
 * Answers to clients and messages to operators while Redis is gone, slow, full or read-only, and recovery without intervention.
 */

/** Expects the host's own refusal, for lack of its store. */
function expectRefused({ status, headers }: Awaited<ReturnType<typeof ask>>): void {
  expect(status).toBe(503)
  expect(headers.get('x-sandbox-limited')).toBe('store')
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
}

test(
  'without Redis there is a 503, health says so, and it is back by itself',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster()
    const { redis, replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const token = world.tokens['sandbox-agency']!
    expect((await ask(`${replicas[0]!.url}/api/v1/me`, { token })).status).toBe(200)
    await redis.kill()
    for (const { url } of replicas) {
      const refused = await Promise.all([
        ask(`${url}/api/v1/me`, { token }),
        ask(url + control(world, '/clock'), { body: { advance: 'P1M' } }),
        ask(url + control(world, '/requests')),
        ask(`${url}/_sandbox/worlds`, { body: {} }),
      ])
      for (const answer of refused) expectRefused(answer)
      expect((await ask(`${url}/_sandbox/health`)).body).toMatchObject({
        status: 'degraded',
        store: 'unreachable',
        problems: [expect.stringMatching(/^The store cannot be reached: [^\n]+\.$/)],
      })
      expect((await ask(`${url}/_sandbox/ready`)).status).toBe(503)
      const { body: errors } = await ask(`${url}/_sandbox/errors`)
      const message = expect.stringMatching(/store/)
      expect(errors).toContainEqual(expect.objectContaining({ world: null, message }))
    }
    await redis.start()
    for (const { url } of replicas) {
      await expect.poll(async () => (await ask(`${url}/_sandbox/ready`)).status).toBe(200)
      expect((await ask(`${url}/_sandbox/health`)).body).toMatchObject({
        status: 'ok',
        store: 'reached',
        problems: [],
      })
      expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(200)
    }
    expect(await listRequests(replicas[0]!, world)).toHaveLength(3)
    await expectTruth(replicas, world)
  },
)

test('a Redis that does not answer is not waited for, and the world goes on when it does', async () => {
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  await ask(`${replicas[0]!.url}/api/v1/me`, { token })
  redis.freeze()
  for (const { url } of replicas) {
    expectRefused(await ask(`${url}/api/v1/me`, { token }))
    expectRefused(await ask(url + control(world, '/clock')))
    expect((await ask(`${url}/_sandbox/health`)).body).toMatchObject({ store: 'unreachable' })
  }
  redis.thaw()
  for (const { url } of replicas) {
    await expect.poll(async () => (await ask(`${url}/api/v1/me`, { token })).status).toBe(200)
  }
  await expectTruth(replicas, world)
})

test('the queue for a Redis that does not answer is bounded', async () => {
  await using cluster = await startCluster({ replicas: 1 })
  const { redis, replicas } = cluster
  const [replica] = replicas
  const world = await createWorld(replica!)
  const token = world.tokens['sandbox-unlimited']!
  await ask(`${replica!.url}/api/v1/me`, { token })
  redis.freeze()
  const texts = await Promise.all(
    Array.from({ length: 40 }, () => pipeline(replica!.port, token, 50)),
  )
  const text = texts.join('')
  expect(text.match(/HTTP\/1\.1 503/g)).toHaveLength(2000)
  expect(text.match(/X-Sandbox-Limited: store/g)).toHaveLength(2000)
  // Requests that found the queue full; the rest have waited.
  expect(text.match(/Too many requests wait/g)?.length).toBeGreaterThan(0)
  expect(text.match(/cannot be reached/g)?.length).toBeGreaterThan(0)
  redis.thaw()
  await expect
    .poll(async () => (await ask(`${replica!.url}/api/v1/me`, { token })).status)
    .toBe(200)
})

test('a connection that has gone silent is replaced by another', async () => {
  await using cluster = await startCluster()
  const { proxies, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  await ask(`${replicas[0]!.url}/api/v1/me`, { token })
  // As if the machine of Redis were gone, and another had its address.
  proxies[0]!.stall()
  proxies[0]!.admit()
  expectRefused(await ask(`${replicas[0]!.url}/api/v1/me`, { token }))
  await expect
    .poll(async () => (await ask(`${replicas[0]!.url}/api/v1/me`, { token })).status)
    .toBe(200)
  await expectTruth(replicas, world)
})

test('where only what loads worlds is silent, no request waits for it longer than for any other call', async () => {
  await using cluster = await startCluster()
  const { proxies, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  const held = proxies[0]!.hold('_open')
  const waiting = ask(`${replicas[0]!.url}/api/v1/me`, { token })
  await held
  // The world may be loaded in time over another connection.
  expect([200, 503]).toContain((await waiting).status)
  expect((await ask(`${replicas[0]!.url}/api/v1/me`, { token })).status).toBe(200)
  await expectTruth(replicas, world)
}, 20_000)

test('a world is loaded however long that takes, as long as bytes of it arrive', async () => {
  await using cluster = await startCluster()
  const { proxies, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  await ask(`${replicas[1]!.url}/api/v1/me`, { token })
  const sent = proxies[0]!.trickle('_open')
  const waiting = ask(`${replicas[0]!.url}/api/v1/me`, { token })
  await sent
  expect((await waiting).status).toBe(200)
  await expectTruth(replicas, world)
})

/** The problems that a server reports to its operator. */
async function problemsOf({ url }: { url: string }): Promise<string[]> {
  const { status, body } = await ask(`${url}/_sandbox/health`)
  expect(status).toBe(200)
  expect(body.status).toBe(body.problems.length === 0 ? 'ok' : 'degraded')
  return body.problems
}

test('a Redis that may forget keys from now on is named until it no longer may', async () => {
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  for (const replica of replicas) {
    const problem = expect.stringMatching(/allkeys-lru.+noeviction/)
    await expect.poll(() => problemsOf(replica)).toEqual([problem])
    const token = world.tokens['sandbox-agency']!
    expect((await ask(`${replica.url}/api/v1/me`, { token })).status).toBe(200)
  }
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  for (const replica of replicas) await expect.poll(() => problemsOf(replica)).toEqual([])
})

/** Sends requests on one connection without waiting for their responses; returns all received data. */
async function pipeline(port: number, token: string, count: number): Promise<string> {
  const head = `GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  const socket = connect(port, '127.0.0.1')
  socket.write(`${`${head}\r\n`.repeat(count - 1)}${head}Connection: close\r\n\r\n`)
  return readText(socket)
}

describe('a Redis that takes no writes', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ args: ['--metrics'] })
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  async function expectReads(problem: RegExp, begin: string[], end: string[]): Promise<void> {
    const { redis, replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const token = world.tokens['sandbox-agency']!
    expect((await ask(`${replicas[0]!.url}/api/v1/me`, { token })).status).toBe(200)
    await redis.command(...begin)
    for (const replica of replicas) {
      expectRefused(await ask(`${replica.url}/api/v1/me`, { token }))
      expectRefused(await ask(replica.url + control(world, '/reset'), { body: {} }))
      expectRefused(await ask(`${replica.url}/_sandbox/worlds`, { body: {} }))
      expect(await listRequests(replica, world)).toHaveLength(1)
      for (const path of ['/clock', '/session', '/faults', '/snapshots', '/explain/projects/101']) {
        expect((await ask(replica.url + control(world, path))).status, path).toBe(200)
      }
      const named = expect.stringMatching(problem)
      await expect.poll(() => problemsOf(replica)).toEqual([named])
    }
    await redis.command(...end)
    for (const replica of replicas) await expect.poll(() => problemsOf(replica)).toEqual([])
    for (const { url } of replicas) {
      expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(200)
    }
    expect(await listRequests(replicas[0]!, world)).toHaveLength(3)
    await expectTruth(replicas, world)
  }

  test(
    'because it is full: reads are answered, and all else when it has room again',
    { tags: ['core'] },
    () =>
      expectReads(
        /\(OOM .+raise its maxmemory/,
        ['CONFIG', 'SET', 'maxmemory', '1'],
        ['CONFIG', 'SET', 'maxmemory', '0'],
      ),
  )

  test('because it is a replica of another: reads are answered, and all else when it is a master', () =>
    expectReads(
      /\(READONLY .+its master/,
      ['REPLICAOF', '127.0.0.1', '1'],
      ['REPLICAOF', 'NO', 'ONE'],
    ))

  test('because it lacks replicas: reads are answered, and all else when it needs none', () =>
    expectReads(
      /\(NOREPLICAS /,
      ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
      ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
    ))

  test(
    'metrics count entries applied and behind and calls to the store, and tell whether it answers',
    { tags: ['core'] },
    async () => {
      const { redis, replicas } = cluster
      const [first, second] = replicas
      const read = async (sample: string) => {
        const { text } = await ask(`${second!.url}/_sandbox/metrics`)
        const line = text.split('\n').find((each) => each.startsWith(`seo_sandbox_${sample} `))
        return Number(line?.split(' ')[1])
      }
      const worlds = await read('worlds')
      const world = await createWorld(first!)
      const token = world.tokens['sandbox-unlimited']!
      await ask(`${second!.url}/api/v1/me`, { token })
      const calls = await read('store_call_seconds_count')
      const entries = await read('store_entries_applied_total')
      const behind = await read('store_entries_behind_sum')
      for (let count = 0; count < 5; count += 1) await ask(`${first!.url}/api/v1/me`, { token })
      await ask(`${second!.url}/api/v1/me`, { token })
      expect(await read('store_entries_applied_total')).toBe(entries + 6)
      expect(await read('store_entries_behind_sum')).toBe(behind + 5)
      expect(await read('store_call_seconds_count')).toBeGreaterThan(calls)
      expect(await read('worlds')).toBe(worlds + 1)
      expect(await read('store_reached')).toBe(1)
      await expect.poll(() => read('store_takes_changes')).toBe(1)
      expect(await read('store_problems')).toBe(0)
      await redis.command('CONFIG', 'SET', 'maxmemory', 1)
      await expect.poll(() => read('store_takes_changes')).toBe(0)
      expect(await read('store_problems')).toBe(1)
      await redis.kill()
      await expect.poll(() => read('store_reached')).toBe(0)
      await redis.start()
    },
  )
})
