import { expect, test } from 'vitest'
import { control, createWorld, expectTruth, startCluster } from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import { ask, tryToAsk } from './support/replica.ts'

/** A world that ends the servers that load it is no longer loaded; every other world still is. */

const LEFT_ALONE =
  'This world is not loaded, because servers ended while they loaded it: tell their operator, or try again in an hour.'

function askFor({ tokens }: StoredWorld, { url }: { url: string }) {
  return ask(`${url}/api/v1/me`, { token: tokens['sandbox-unlimited']! })
}

test('a Redis that stops while three servers begin to load a world leaves it open to all', async () => {
  await using cluster = await startCluster({ replicas: 3, redis: { hasClock: true } })
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  redis.freeze()
  const answers = await Promise.all(replicas.map((replica) => askFor(world, replica)))
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
  redis.thaw()
  // Even if it was stopped for so long that no server has shown that it runs.
  await redis.setClock(600)
  for (const replica of replicas) {
    await expect.poll(async () => (await askFor(world, replica)).status).toBe(200)
  }
  await expectTruth(replicas, world)
  await expect.poll(() => redis.command('KEYS', '*:loads')).toEqual([])
})

/** Kills each server while it loads a world, starts it again, and resolves once Redis notices. */
async function endAll(cluster: Cluster, world: StoredWorld, atSeconds: number): Promise<void> {
  const { redis, proxies, replicas } = cluster
  for (const at of replicas.keys()) await endOne(cluster, world, at)
  await redis.setClock(atSeconds)
  const servers = () => redis.command('KEYS', 'seo-sandbox:server:*')
  await expect.poll(servers).toHaveLength(proxies.length)
}

async function endOne(
  { proxies, replicas }: Cluster,
  { tokens }: StoredWorld,
  at: number,
): Promise<void> {
  const [proxy, replica] = [proxies[at]!, replicas[at]!]
  const held = proxy.hold('_open')
  const token = tokens['sandbox-unlimited']!
  const unanswered = tryToAsk(`${replica.url}/api/v1/me`, { token })
  await held
  await replica.kill()
  expect(await unanswered).toBeUndefined()
  await replica.start()
}

test('a world that has ended three servers is left alone, but for one load an hour, or when the operator asks', async () => {
  await using cluster = await startCluster({ replicas: 3, redis: { hasClock: true } })
  const { redis, replicas } = cluster
  const [first, second, third] = replicas
  const [world, other] = [await createWorld(first!), await createWorld(first!)]
  const expectLeftAlone = async (): Promise<void> => {
    for (const replica of replicas) {
      const { status, headers, body } = await askFor(world, replica)
      expect(status).toBe(503)
      expect(body.message).toBe(LEFT_ALONE)
      expect(headers.get('x-sandbox-limited')).toBe('store')
    }
    expect((await askFor(other, first!)).status).toBe(200)
  }
  const load = `/_sandbox/worlds/${world.id}/load`

  await endAll(cluster, world, 600)
  await expectLeftAlone()
  await expectLeftAlone()
  const forOperator = `POST ${load} has it tried again.`
  expect(first!.stderr().split(forOperator)).toHaveLength(2)
  const clock = await ask(first!.url + control(world, '/clock'))
  expect(clock.body.error.message).toContain(forOperator)
  const errors = await ask(`${first!.url}/_sandbox/errors`)
  expect(errors.text).toContain(forOperator)

  expect((await ask(second!.url + load, { method: 'POST' })).status).toBe(204)
  for (const replica of replicas) expect((await askFor(world, replica)).status).toBe(200)

  await Promise.all(replicas.map((replica) => replica.kill()))
  await Promise.all(replicas.map((replica) => replica.start()))
  await endAll(cluster, world, 1200)
  await expectLeftAlone()
  await redis.setClock(1200 + 3600)
  await endOne(cluster, world, 2)
  await redis.setClock(1200 + 3600 + 60)
  await expect.poll(() => redis.command('KEYS', 'seo-sandbox:server:*')).toHaveLength(3)
  await expectLeftAlone()
  await redis.setClock(1200 + 7300)
  await expect.poll(() => redis.command('KEYS', 'seo-sandbox:server:*')).toHaveLength(3)
  expect((await askFor(world, third!)).status).toBe(200)
  await expectTruth(replicas, world)
})

test('a world that is loaded when asked for, unknown or in no store', async () => {
  await using cluster = await startCluster({ replicas: 1 })
  const [replica] = cluster.replicas
  const load = (id: string) => ask(`${replica!.url}/_sandbox/worlds/${id}/load`, { method: 'POST' })
  expect((await load('default')).status).toBe(204)
  expect((await load('w7')).status).toBe(404)
  await expect.poll(() => cluster.redis.command('KEYS', '*:loads')).toEqual([])
})
