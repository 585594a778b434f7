import { expect, test } from 'vitest'
import {
  control,
  createWorld,
  expectTruth,
  listRequests,
  startBalancedCluster,
  startCluster,
} from './support/cluster.ts'
import type { Cluster } from './support/cluster.ts'
import { LONG_JOURNAL, numbersOf, startLoad } from './support/load.ts'
import { ask, tryToAsk } from './support/replica.ts'

/** Replicas that end, stall, or start. */

test(
  'a replica that is killed under load takes nothing with it, and comes back with everything',
  { tags: ['core'] },
  async () => {
    await using cluster = await startBalancedCluster({ replicas: 3, args: LONG_JOURNAL })
    const { replicas, haproxy } = cluster
    const world = await createWorld(haproxy)
    const acknowledged: number[] = []
    for (const [kills, replica] of replicas.entries()) {
      const options = { atOnce: 12, last: kills * 100_000 }
      const load = startLoad([haproxy], world.tokens['sandbox-unlimited']!, options)
      await expect.poll(() => load.acknowledged.size).toBeGreaterThan(60)
      await replica.kill()
      await expect.poll(() => load.acknowledged.size).toBeGreaterThan(120)
      await load.end()
      acknowledged.push(...load.acknowledged)
      await replica.start()
    }
    const numbers = numbersOf(await listRequests(replicas[0]!, world))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers).toEqual(expect.arrayContaining(acknowledged))
    await expectTruth(replicas, world)
  },
)

test('a replica that stops on its own answers what it has begun', async () => {
  await using cluster = await startBalancedCluster({ args: LONG_JOURNAL })
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const load = startLoad([replicas[0]!], world.tokens['sandbox-unlimited']!)
  await expect.poll(() => load.acknowledged.size).toBeGreaterThan(50)
  expect(await replicas[0]!.stop()).toBe(0)
  await load.end()
  expect(replicas[0]!.stderr()).toBe('')
  const numbers = numbersOf(await listRequests(replicas[1]!, world))
  expect(numbers).toEqual(expect.arrayContaining([...load.acknowledged]))
  await replicas[0]!.start()
  await expectTruth(replicas, world)
})

test(
  'a replica that stops on its own tells the proxy first that it is not ready',
  { tags: ['core'] },
  async () => {
    await using cluster = await startBalancedCluster({ replicas: 1 })
    const [replica] = cluster.replicas
    const ready = `${replica!.url}/_sandbox/ready`
    expect((await ask(ready)).status).toBe(200)
    const stopped = replica!.stop()
    await expect.poll(async () => (await tryToAsk(ready))?.status).toBe(503)
    expect(await stopped).toBe(0)
  },
)

test.for<[title: string, lose: (cluster: Cluster) => unknown]>([
  ['is silent', ({ proxies }) => proxies[0]!.stall()],
  ['is gone', ({ redis }) => redis.kill()],
])('a replica whose Redis %s stops on its own', async ([, lose]) => {
  await using cluster = await startCluster({ replicas: 1 })
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  for (let count = 0; count < 30; count += 1) await ask(`${replicas[0]!.url}/api/v1/me`, { token })
  await lose(cluster)
  expect(await replicas[0]!.stop()).toBe(0)
})

test('a replica that holds a world dropped by another stops without an error', async () => {
  await using cluster = await startCluster()
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  await ask(`${replicas[0]!.url}/api/v1/me`, { token })
  await ask(`${replicas[1]!.url}/_sandbox/worlds/${world.id}`, { method: 'DELETE' })
  expect(await replicas[0]!.stop()).toBe(0)
  expect(replicas[0]!.stderr()).toBe('')
})

test('a replica that was stalled while others went on catches up', async () => {
  await using cluster = await startCluster()
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  for (const { url } of replicas) await ask(`${url}/api/v1/me`, { token })
  replicas[1]!.freeze()
  const waiting = ask(`${replicas[1]!.url}/api/v1/me`, { token })
  for (let count = 0; count < 200; count += 1) await ask(`${replicas[0]!.url}/api/v1/me`, { token })
  await ask(replicas[0]!.url + control(world, '/clock'), { body: { advance: 'P1M' } })
  replicas[1]!.thaw()
  expect((await waiting).status).toBe(200)
  expect(await listRequests(replicas[1]!, world)).toHaveLength(203)
  await expectTruth(replicas, world)
})
