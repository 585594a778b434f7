import { setTimeout as pass } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isFullDepth, runs } from '../support/depth.ts'
import { createWorld, expectTruth, listRequests, startCluster } from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import { numbersOf } from './support/load.ts'
import { tryToAsk } from './support/replica.ts'

/**
 * A load that is cut short at any of its steps. `PROPERTY_DEPTH=1 npm run test:store` has all steps, and stops Redis for as
 * many seconds as an operator may need.
 */

/** Commands that a server sends at each step of a load, and after it. */
const ALL_STEPS = ['_open', '_begin_load', '_commit', 'seo-sandbox:blob:', '_append', 'UNLINK']
const STEPS = isFullDepth ? ALL_STEPS : ALL_STEPS.filter((_, index) => index % 2 === 0)

const SECONDS = [3, 1, 2, 4, 5, 6, 7, 8, 9, 10]

/** More than enough entries for a server that has applied them to store a snapshot. */
const ENTRIES = 210

/** Creates a world that only the first server has in memory, with its inputs; no other world has so many projects. */
async function createLong({ replicas }: Cluster, number: number): Promise<StoredWorld> {
  const { url } = replicas[0]!
  const world = await createWorld({ url }, { generate: { projects: number } })
  for (let sent = 0; sent < ENTRIES; sent += 30) {
    const answers = Array.from({ length: 30 }, (_, at) => askFor(world, { url }, sent + at))
    for (const answer of await Promise.all(answers)) expect(answer?.status).not.toBe(503)
  }
  return world
}

function askFor({ tokens }: StoredWorld, { url }: { url: string }, n: number) {
  return tryToAsk(`${url}/api/v1/me?n=${n}`, { token: tokens['sandbox-agency']! })
}

/** Expects that a world is open on all servers, which have each request once. */
async function expectWhole({ redis, replicas }: Cluster, world: StoredWorld): Promise<void> {
  for (const replica of replicas) {
    await expect.poll(async () => (await askFor(world, replica, 0))?.status).not.toBe(503)
  }
  await expectTruth(replicas, world)
  const numbers = numbersOf(await listRequests(replicas[1]!, world)).filter((n) => n > 0)
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(numbers).toEqual(
    expect.arrayContaining(Array.from({ length: ENTRIES - 1 }, (_, n) => n + 1)),
  )
  await expect.poll(() => redis.command('HLEN', `seo-sandbox:{${world.id}}:loads`)).toBe(0)
}

test.for(STEPS)('a server that is killed when it sends %s leaves the world whole', async (step) => {
  await using cluster = await startCluster()
  const { proxies, replicas } = cluster
  const world = await createLong(cluster, 1)
  const held = proxies[1]!.hold(step)
  const answer = askFor(world, replicas[1]!, 1000)
  await held
  await replicas[1]!.kill()
  expect([undefined, 200, 429]).toContain((await answer)?.status)
  await replicas[1]!.start()
  await expectWhole(cluster, world)
})

test.for(STEPS)(
  'a Redis that is stopped when a server sends %s leaves the world whole',
  async (step) => {
    await using cluster = await startCluster()
    const { redis, proxies, replicas } = cluster
    for (const seconds of SECONDS.slice(0, runs(SECONDS.length))) {
      const world = await createLong(cluster, seconds)
      const held = proxies[1]!.hold(step)
      const answer = askFor(world, replicas[1]!, 1000)
      const { release } = await held
      redis.freeze()
      release()
      const others = replicas.map((replica) =>
        askFor(world, replica, 1001 + replicas.indexOf(replica)),
      )
      await pass(seconds * 1000)
      redis.thaw()
      for (const each of await Promise.all([answer, ...others])) {
        expect([200, 429, 503]).toContain(each?.status)
      }
      await expectWhole(cluster, world)
    }
  },
)
