import { gunzipSync } from 'node:zlib'
import { createClient, RESP_TYPES } from 'redis'
import { expect, test } from 'vitest'
import {
  control,
  createWorld,
  expectAgreement,
  expectTruth,
  listRequests,
  logKey,
  startCluster,
} from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import { toDateTime } from '../../src/contract/time.ts'
import { ask, startReplica } from './support/replica.ts'

/** Possible failures of snapshots: a crash before one is current, two at once, no room for more, missing entries. */

/** The function that makes a snapshot the current one. */
const COMMIT = '_commit'

async function lengthOf({ redis }: Cluster, world: StoredWorld): Promise<number> {
  return redis.command('XLEN', logKey(world))
}

/** Reads the snapshot of a world from Redis. */
async function readSnapshot({ redis }: Cluster, { id }: StoredWorld): Promise<unknown> {
  const client = await createClient({ url: redis.url }).connect()
  try {
    const packed = await client
      .withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
      .get(`seo-sandbox:{${id}}:snapshot`)
    return JSON.parse(gunzipSync(packed!).toString())
  } finally {
    client.destroy()
  }
}

/** Sends `count` requests, some of them at once, to servers in turn. */
async function send(
  servers: readonly { url: string }[],
  { tokens }: StoredWorld,
  count: number,
): Promise<void> {
  for (let sent = 0; sent < count; sent += 25) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(25, count - sent) }, (_, at) =>
        ask(`${servers[at % servers.length]!.url}/api/v1/me?n=${sent + at}`, {
          token: tokens['sandbox-unlimited']!,
        }),
      ),
    )
    for (const { status } of answers) expect(status).toBe(200)
  }
}

/** Sends requests until a promise settles; returns their number. */
async function sendUntil(
  done: Promise<unknown>,
  server: { url: string },
  world: StoredWorld,
): Promise<number> {
  const seen = { isDone: false }
  void done.then(() => (seen.isDone = true))
  let sent = 0
  for (; !seen.isDone && sent < 1000; sent += 25) await send([server], world, 25)
  await done
  return sent
}

test('a replica that is killed between a snapshot and its commit loses nothing', async () => {
  await using cluster = await startCluster()
  const { proxies, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const held = proxies[0]!.hold(COMMIT)
  const sent = await sendUntil(held, replicas[0]!, world)
  expect(await lengthOf(cluster, world)).toBe(sent)
  await replicas[0]!.kill()
  await send([replicas[1]!], world, 100)
  await replicas[0]!.start()
  const { steps } = await expectTruth(replicas, world)
  expect(steps).toHaveLength(sent + 100)

  // The next snapshot is committed as if nothing had happened.
  await ask(replicas[0]!.url + control(world, '/reset'), { method: 'POST' })
  await send(replicas, world, 700)
  await expect.poll(() => lengthOf(cluster, world)).toBeLessThan(400)
  await expectAgreement(replicas, world)
})

test('a snapshot whose commit loses its answer is current, and the log is trimmed', async () => {
  await using cluster = await startCluster()
  const { proxies, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const lost = proxies[0]!.loseReply(COMMIT)
  const sent = await sendUntil(lost, replicas[0]!, world)
  await expect.poll(() => lengthOf(cluster, world)).toBeLessThan(200)
  await using fresh = await startReplica(proxies[1]!.url)
  const { steps } = await expectTruth([...replicas, fresh], world)
  expect(steps).toHaveLength(sent)
})

test('a replica that had to apply many entries to load a world stores it for the next', async () => {
  await using cluster = await startCluster()
  const { proxies, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  await send([replicas[0]!], world, 250)
  expect(await lengthOf(cluster, world)).toBe(250)
  await using fresh = await startReplica(proxies[1]!.url)
  const { steps } = await expectTruth([...replicas, fresh], world)
  expect(steps).toHaveLength(250)
  await expect.poll(() => lengthOf(cluster, world)).toBeLessThan(150)
})

test(
  'a replica that stops stores a world at the time of its last entry, whenever it was read after that',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster()
    const { redis, replicas } = cluster
    const world = await createWorld(replicas[0]!)
    await send([replicas[0]!], world, 1)
    const [[, [, , , sentAt]]] = await redis.command('XRANGE', logKey(world), '-', '+')
    const read = () => ask(replicas[0]!.url + control(world, '/clock'))
    await expect
      .poll(async () => Date.parse((await read()).body.rate_clock))
      .toBeGreaterThan(+sentAt)
    await replicas[0]!.stop()
    expect(await readSnapshot(cluster, world)).toMatchObject({
      world: { snapshot: { taken_at: toDateTime(Number(sentAt)) } },
    })
  },
)

test('snapshots that two replicas write at once leave the later one current', async () => {
  await using cluster = await startCluster()
  const { proxies, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  await send([replicas[0]!], world, 60)
  const early = proxies[0]!.hold(COMMIT)
  const stopped = replicas[0]!.stop()
  const { release } = await early
  await send([replicas[1]!], world, 60)
  const before = await expectTruth([replicas[1]!], world)
  await replicas[1]!.stop()
  release()
  await stopped
  await Promise.all(replicas.map((replica) => replica.start()))
  expect(await expectTruth(replicas, world)).toEqual(before)
})

test('a full Redis takes a snapshot in place of entries', async () => {
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  await send(replicas, world, 400)
  const before = await expectTruth(replicas, world)
  await redis.command('CONFIG', 'SET', 'maxmemory', 1)
  await replicas[0]!.stop()
  expect(await lengthOf(cluster, world)).toBeLessThan(200)
  await replicas[0]!.start()
  expect(await expectAgreement(replicas, world)).toEqual(before)
  const token = world.tokens['sandbox-unlimited']!
  expect((await ask(`${replicas[0]!.url}/api/v1/me`, { token })).status).toBe(503)
  await redis.command('CONFIG', 'SET', 'maxmemory', 0)
  await send(replicas, world, 4)
  await expectTruth(replicas, world)
})

/** A journal so short that the log is trimmed soon. */
const JOURNAL = ['--journal', '20']

/** The first id that is still in a world's log, as a number. */
async function firstEntry({ redis }: Cluster, world: StoredWorld): Promise<number> {
  const [entry] = await redis.command('XRANGE', logKey(world), '-', '+', 'COUNT', 1)
  return Number.parseInt(entry[0], 10)
}

/** Sends requests to servers in turn until the log has lost its first entry. */
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

/** Expects that replicas, and a newly started one, agree about a world, budgets of tokens included. */
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
      // Removes the time of the request.
      const normal = (each: string) => each.replace(/"rate_clock":"[^"]+"/, '')
      expect(normal(text)).toBe(normal(answers[0]!.text))
    }
  }
}

test('a replica that was stalled while its world was trimmed loads it anew', async () => {
  await using cluster = await startCluster({ args: JOURNAL })
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  await ask(`${replicas[1]!.url}/api/v1/me`, { token })
  const record = control(world, '/records/projects/101')
  await ask(replicas[0]!.url + record, { method: 'PATCH', body: { name: 'Kept' } })
  replicas[1]!.freeze()
  const waiting = ask(`${replicas[1]!.url}/api/v1/me?late`, { token })
  await sendUntilTrimmed(cluster, world, [replicas[0]!])
  replicas[1]!.thaw()
  expect((await waiting).status).toBe(200)
  const last = (await listRequests(replicas[0]!, world)).at(-1)
  expect(last?.query).toBe('late')
  expect((await ask(replicas[1]!.url + record)).body.name).toBe('Kept')
  await expectSame(cluster, world)
})
