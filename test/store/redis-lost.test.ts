import { expect, test } from 'vitest'
import {
  control,
  createWorld,
  expectAgreement,
  expectTruth,
  listRequests,
  logKey,
  readLog,
  startCluster,
} from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import { LONG_JOURNAL, numbersOf, startLoad } from './support/load.ts'
import { startRedis } from './support/redis.js'
import type { Redis } from './support/redis.js'
import { ask } from './support/replica.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'

/** Behaviour of replicas when Redis has lost entries, its functions, or itself. */

test.for(['always', 'everysec'])(
  'Redis that is killed under load has all that was acknowledged, with appendfsync %s',
  async (appendfsync) => {
    await using cluster = await startCluster({
      redis: { config: { appendfsync } },
      args: LONG_JOURNAL,
    })
    const { redis, replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const load = startLoad(replicas, world.tokens['sandbox-unlimited']!)
    await expect.poll(() => load.acknowledged.size).toBeGreaterThan(150)
    // With everysec, Redis itself holds back acknowledged data while a sync is under way.
    await expect.poll(() => infoOf(redis, 'aof_pending_bio_fsync')).toBe(0)
    await redis.kill()
    await expect.poll(() => load.refused.size).toBeGreaterThan(0)
    await redis.start()
    const until = load.acknowledged.size + 150
    await expect.poll(() => load.acknowledged.size).toBeGreaterThan(until)
    await load.end()

    expect([...load.refused]).toEqual([503])
    const numbers = numbersOf(await listRequests(replicas[0]!, world))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers).toEqual(expect.arrayContaining([...load.acknowledged]))
    await expectTruth(replicas, world)
  },
)

/** Sends requests to one replica, one after the other. */
async function send(cluster: Cluster, at: number, world: StoredWorld, numbers: number[]) {
  for (const n of numbers) {
    const token = world.tokens['sandbox-agency']!
    const answer = await ask(`${cluster.replicas[at]!.url}/api/v1/me?n=${n}`, { token })
    expect(answer.status).toBe(200)
  }
}

async function infoOf(redis: Redis, name: string): Promise<number> {
  const info: string = await redis.command('INFO', 'persistence')
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1])
}

test(
  'replicas discard what a power loss has taken from the log, and agree',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster()
    const { redis, replicas } = cluster
    const world = await createWorld(replicas[0]!)
    await send(cluster, 0, world, [1, 2])
    const size = await infoOf(redis, 'aof_current_size')
    await send(cluster, 1, world, [3, 4, 5])
    await expectAgreement(replicas, world)
    const held = await infoOf(redis, 'aof_current_size')
    await redis.kill()
    await redis.cutLog(held - size)
    await redis.start()
    await expect
      .poll(async () => (await ask(`${replicas[1]!.url}/_sandbox/ready`)).status)
      .toBe(200)

    for (const replica of replicas) {
      expect(numbersOf(await listRequests(replica, world))).toEqual([1, 2])
      const limits = await ask(replica.url + control(world, '/rate-limits'))
      expect(limits.body.tokens[0].minute.remaining).toBe(58)
    }
    await send(cluster, 0, world, [6, 7])
    expect(numbersOf(await listRequests(replicas[1]!, world))).toEqual([1, 2, 6, 7])
    await expectTruth(replicas, world)
  },
)

test('a replica discards lost entries even where others have taken their places', async () => {
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  await send(cluster, 0, world, [1, 2])
  const size = await infoOf(redis, 'aof_current_size')
  // Only this replica has seen them.
  await send(cluster, 0, world, [3, 4, 5])
  const length = (await readLog(redis, world)).length
  const held = await infoOf(redis, 'aof_current_size')
  await redis.kill()
  await redis.cutLog(held - size)
  await redis.start()
  await expect.poll(async () => (await ask(`${replicas[1]!.url}/_sandbox/ready`)).status).toBe(200)
  await send(cluster, 1, world, [6, 7, 8])
  expect(await readLog(redis, world)).toHaveLength(length)

  await send(cluster, 0, world, [9])
  expect(numbersOf(await listRequests(replicas[0]!, world))).toEqual([1, 2, 6, 7, 8, 9])
  await expectTruth(replicas, world)
})

test('replicas discard what a failover has not replicated, and agree', async () => {
  await using cluster = await startCluster()
  const { redis, proxies, replicas } = cluster
  await using standby = await startRedis()
  await using link = await startTcpProxy(redis.port)
  await standby.command('REPLICAOF', '127.0.0.1', new URL(link.url).port)
  const world = await createWorld(replicas[0]!)
  await send(cluster, 0, world, [1, 2])
  await expect.poll(() => standby.command('XLEN', logKey(world))).toBe(2)

  link.stall()
  await send(cluster, 0, world, [3])
  await send(cluster, 1, world, [4])
  await redis.kill()
  link.cut()
  await standby.command('REPLICAOF', 'NO', 'ONE')
  for (const proxy of proxies) {
    proxy.leadTo(standby.port)
    proxy.cut()
  }
  for (const { url } of replicas) {
    await expect.poll(async () => (await ask(`${url}/_sandbox/ready`)).status).toBe(200)
  }
  await send(cluster, 1, world, [5, 6, 7])
  expect(numbersOf(await listRequests(replicas[0]!, world))).toEqual([1, 2, 5, 6, 7])
  await expectTruth(replicas, world)
})

test('functions that are missing are loaded again, and no request notices', async () => {
  await using cluster = await startCluster({ args: LONG_JOURNAL })
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const load = startLoad(replicas, world.tokens['sandbox-unlimited']!)
  for (let flushes = 1; flushes <= 5; flushes += 1) {
    await expect.poll(() => load.acknowledged.size).toBeGreaterThan(flushes * 40)
    await redis.command('FUNCTION', 'FLUSH')
  }
  await expect.poll(() => load.acknowledged.size).toBeGreaterThan(250)
  await load.end()
  expect([...load.refused]).toEqual([])
  const numbers = numbersOf(await listRequests(replicas[1]!, world))
  expect(new Set(numbers)).toEqual(load.acknowledged)
  await expectTruth(replicas, world)
})

test('a Redis that was emptied has none of the worlds, and a replica keeps none', async () => {
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  await send(cluster, 0, world, [1, 2])
  await redis.command('FLUSHALL')
  const token = world.tokens['sandbox-agency']!
  for (const { url } of replicas) {
    expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(401)
    expect((await ask(url + control(world, '/clock'))).status).toBe(404)
  }
  const other = await createWorld(replicas[1]!)
  await send(cluster, 0, other, [3])
  await expectTruth(replicas, other)
})
