import { expect, test } from 'vitest'
import {
  control,
  createWorld,
  expectAgreement,
  listRequests,
  logKey,
  startCluster,
} from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import { ask, startReplica } from './support/replica.ts'

/** Snapshots take the place of the oldest entries of a log, whatever replicas do meanwhile. */

/** A journal so short that the log is trimmed soon. */
const JOURNAL = ['--journal', '20']

/** The first id that a world's log still has, as a number. */
async function firstEntry({ redis }: Cluster, world: StoredWorld): Promise<number> {
  const [entry] = await redis.command('XRANGE', logKey(world), '-', '+', 'COUNT', 1)
  return Number.parseInt(entry[0], 10)
}

/** Sends requests to servers in turn until the log no longer begins where it did. */
async function sendUntilTrimmed(
  cluster: Cluster,
  world: StoredWorld,
  servers: readonly { url: string }[] = cluster.replicas,
): Promise<void> {
  const token = world.tokens['sandbox-unlimited']!
  const first = await firstEntry(cluster, world)
  for (let count = 0; (await firstEntry(cluster, world)) === first; count += 1) {
    expect(count).toBeLessThan(20_000)
    const batch = Array.from({ length: 20 }, (_, at) =>
      ask(`${servers[(count + at) % servers.length]!.url}/api/v1/me?n=${count}`, { token }),
    )
    for (const { status } of await Promise.all(batch)) expect(status).toBe(200)
  }
}

/** Expects that replicas, and one that begins now, tell the same of a world, budgets of tokens included. */
async function expectSame({ replicas, proxies }: Cluster, world: StoredWorld): Promise<void> {
  await using fresh = await startReplica(proxies.at(-1)!.url, { args: JOURNAL })
  const all = [...replicas, fresh]
  const token = world.tokens['sandbox-agency']!
  const left: number[] = []
  for (const { url } of all) {
    const { headers } = await ask(`${url}/api/v1/me`, { token })
    left.push(Number(headers.get('x-ratelimit-remaining')))
  }
  expect(left).toEqual(all.map((_, at) => left[0]! - at))
  for (const path of ['/requests', '/commands', '/rate-limits', '/faults', '/records/projects']) {
    const answers = await Promise.all(all.map(({ url }) => ask(url + control(world, path))))
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      // The time of asking.
      const normal = (each: string) => each.replace(/"rate_clock":"[^"]+"/, '')
      expect(normal(text)).toBe(normal(answers[0]!.text))
    }
  }
}

test('a world of which the log was trimmed is loaded from its snapshot', async () => {
  await using cluster = await startCluster({ args: JOURNAL })
  const world = await createWorld(cluster.replicas[0]!)
  await ask(cluster.replicas[0]!.url + control(world, '/records/projects/101'), {
    method: 'PATCH',
    body: { name: 'Kept' },
  })
  await sendUntilTrimmed(cluster, world)
  await sendUntilTrimmed(cluster, world)
  await expectSame(cluster, world)
  await using fresh = await startReplica(cluster.proxies[0]!.url, { args: JOURNAL })
  const { body } = await ask(fresh.url + control(world, '/records/projects/101'))
  expect(body.name).toBe('Kept')
})

test('a replica that was stalled while its world was trimmed loads it anew', async () => {
  await using cluster = await startCluster({ args: JOURNAL })
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  await ask(`${replicas[1]!.url}/api/v1/me`, { token })
  replicas[1]!.freeze()
  const waiting = ask(`${replicas[1]!.url}/api/v1/me?late`, { token })
  await sendUntilTrimmed(cluster, world, [replicas[0]!])
  replicas[1]!.thaw()
  expect((await waiting).status).toBe(200)
  const last = (await listRequests(replicas[0]!, world)).at(-1)
  expect(last?.query).toBe('late')
  await expectSame(cluster, world)
})

test('replicas that stop at the same time leave every world as it was', async () => {
  await using cluster = await startCluster()
  const { replicas } = cluster
  const worlds = await Promise.all(Array.from({ length: 4 }, () => createWorld(replicas[0]!)))
  for (const [at, { tokens }] of worlds.entries()) {
    for (const { url } of replicas) {
      for (let count = 0; count < 10 * at; count += 1) {
        await ask(`${url}/api/v1/me`, { token: tokens['sandbox-unlimited']! })
      }
    }
  }
  const before = await Promise.all(worlds.map((world) => expectAgreement(replicas, world)))
  await Promise.all(replicas.map((replica) => replica.stop()))
  await Promise.all(replicas.map((replica) => replica.start()))
  for (const [at, world] of worlds.entries()) {
    expect(await expectAgreement(replicas, world)).toEqual(before[at])
  }
})
