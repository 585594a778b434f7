import { describe, expect, test } from 'vitest'
import { control, createWorld, expectTruth, logKey, startCluster } from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import type { Redis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'
import type { Replica } from './support/replica.ts'

/** If Redis has lost a part of a world, all servers report it, and no two of them disagree. */

const DAMAGED =
  'The store has lost a part of this world, so that nobody can use it: tell the operator of the server.'

function keyOf({ id }: { id: string }, name: string): string {
  return `seo-sandbox:{${id}}:${name}`
}

function snapshotOf({ redis }: Cluster, world: StoredWorld): Promise<number> {
  return redis.command('EXISTS', keyOf(world, 'snapshot'))
}

/** A world that has loaded a scenario, with a snapshot and entries after it. */
async function createUsed(cluster: Cluster): Promise<StoredWorld> {
  const [{ url }] = cluster.replicas as [Replica]
  const world = await createWorld({ url })
  const token = world.tokens['sandbox-unlimited']!
  while ((await snapshotOf(cluster, world)) === 0) {
    const sent = Array.from({ length: 50 }, () => ask(`${url}/api/v1/me`, { token }))
    for (const { status } of await Promise.all(sent)) expect(status).toBe(200)
  }
  const loaded = await ask(url + control(world, '/commands'), {
    body: { type: 'scenario.load', scenario: 'empty-agency' },
  })
  expect(loaded.status, loaded.text).toBe(200)
  await ask(`${url}/api/v1/me`, { token })
  return world
}

async function expectDamaged(replica: Replica, world: StoredWorld, lacks: string): Promise<void> {
  const token = world.tokens['sandbox-agency']!
  const answer = await ask(`${replica.url}/api/v1/me`, { token })
  expect(answer.status, answer.text).toBe(503)
  expect(answer.body.message).toBe(DAMAGED)
  expect(answer.headers.get('retry-after')).toBe('60')
  const forOperator = `The world ${world.id} is damaged (${lacks}`
  const clock = await ask(replica.url + control(world, '/clock'))
  expect(clock.status).toBe(503)
  expect(clock.body.error.message).toContain(forOperator)
  expect(clock.body.error.message).toContain(`DELETE /_sandbox/worlds/${world.id}`)
  expect(replica.stderr().split(forOperator)).toHaveLength(2)
  expect((await ask(`${replica.url}/_sandbox/errors`)).text).toContain(forOperator)
  const { body: health } = await ask(`${replica.url}/_sandbox/health`)
  expect(health.problems).toEqual([expect.stringContaining(world.id)])
  const { text: metrics } = await ask(`${replica.url}/_sandbox/metrics`)
  expect(metrics).toMatch(/^seo_sandbox_damaged_worlds 1$/m)
}

async function expectWell(replica: Replica): Promise<void> {
  await expect
    .poll(async () => (await ask(`${replica.url}/_sandbox/health`)).body.problems)
    .toEqual([])
}

/** Losses, each with the message that the operator reads. */
const LOSSES: [
  what: string,
  lose: (redis: Redis, world: StoredWorld) => Promise<unknown>,
  lacks: (world: StoredWorld) => string,
][] = [
  [
    'its log',
    (redis, world) => redis.command('DEL', logKey(world)),
    (world) => `${logKey(world)} lacks entries`,
  ],
  [
    'its snapshot',
    (redis, world) => redis.command('DEL', keyOf(world, 'snapshot')),
    (world) => `${keyOf(world, 'snapshot')} is missing`,
  ],
  [
    'both',
    (redis, world) => redis.command('DEL', logKey(world), keyOf(world, 'snapshot')),
    (world) => `${keyOf(world, 'snapshot')} is missing`,
  ],
  [
    'all entries',
    (redis, world) => redis.command('XTRIM', logKey(world), 'MAXLEN', 0),
    (world) => `${logKey(world)} lacks entries`,
  ],
  [
    'the entries up to its snapshot',
    (redis, world) => redis.command('XTRIM', logKey(world), 'MAXLEN', 1),
    (world) => `${logKey(world)} lacks entries`,
  ],
]

describe.each(LOSSES)('a world that has lost %s', (_what, lose, lacks) => {
  test('is damaged for servers that have it in memory and those that do not, and can be dropped', async () => {
    await using cluster = await startCluster({ args: ['--metrics'] })
    const { redis, proxies, replicas } = cluster
    const [world, other] = [await createUsed(cluster), await createWorld(replicas[0]!)]
    await ask(`${replicas[1]!.url}/api/v1/me`, { token: world.tokens['sandbox-agency']! })
    await lose(redis, world)
    await using fresh = await startReplica(proxies[0]!.url, { args: ['--metrics'] })
    for (const replica of [...replicas, fresh]) await expectDamaged(replica, world, lacks(world))
    for (const replica of [...replicas, fresh]) await expectDamaged(replica, world, lacks(world))
    await expectTruth([...replicas, fresh], other)

    const dropped = await ask(`${replicas[0]!.url}/_sandbox/worlds/${world.id}`, {
      method: 'DELETE',
    })
    expect(dropped.status).toBe(204)
    for (const replica of [...replicas, fresh]) await expectWell(replica)
  })
})

test('a world that has lost what it loaded is damaged everywhere once a server needs it, and whole once it is back', async () => {
  await using cluster = await startCluster({ args: ['--metrics'] })
  const { redis, proxies, replicas } = cluster
  const before = await redis.command('KEYS', 'seo-sandbox:blob:*')
  const world = await createUsed(cluster)
  const after: string[] = await redis.command('KEYS', 'seo-sandbox:blob:*')
  const key = after.find((each) => !before.includes(each) && !each.endsWith(':worlds'))
  await redis.command('RENAME', key!, 'elsewhere')
  await using fresh = await startReplica(proxies[0]!.url, { args: ['--metrics'] })
  for (const replica of [fresh, ...replicas])
    await expectDamaged(replica, world, `${key} is missing`)
  await redis.command('RENAME', 'elsewhere', key!)
  for (const replica of [fresh, ...replicas]) await expectWell(replica)
  await expectTruth([fresh, ...replicas], world)
})

test('the default world that was lost is created again when its hash is deleted, whatever is left of it', async () => {
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = { id: 'default' }
  const token = 'sandbox-unlimited'
  for (const { url } of replicas) await ask(`${url}/api/v1/me`, { token })
  await redis.command('XTRIM', logKey(world), 'MAXLEN', 1)
  for (const { url } of replicas)
    expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(503)
  expect(replicas[0]!.stderr()).toContain(`delete ${keyOf(world, 'world')} in it`)
  await redis.command('DEL', keyOf(world, 'world'))
  for (const { url } of replicas)
    expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(200)
  for (const replica of replicas) await expectWell(replica)
  await expectTruth(replicas, world)
})
