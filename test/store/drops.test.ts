import { expect, test } from 'vitest'
import {
  control,
  createWorld,
  expectTruth,
  startBalancedCluster,
  startCluster,
} from './support/cluster.ts'
import type { StoredWorld } from './support/cluster.ts'
import { expectNothingElse, largeFixtures, readAll } from './support/contents.ts'
import { startLoad } from './support/load.ts'
import { ADMIN_KEY } from './support/partners.ts'
import { ask, tryToAsk } from './support/replica.ts'

/** Answers to requests whose world is dropped meanwhile, and remains of a world whose drop was cut short. */

const WORLDS = 15
const AT_ONCE = 16

/** Options of a world so large that its commands take a while. */
const LARGE = { generate: { projects: 40 } }

test('requests and commands in flight end with 200, or with 401 and 404 as later ones, when their world is dropped', async () => {
  await using cluster = await startCluster({ args: ['--admin-key', ADMIN_KEY] })
  const { replicas } = cluster
  const statuses = new Set<number>()
  const commandStatuses = new Set<number>()
  for (let count = 0; count < WORLDS; count += 1) {
    const [first, second] = replicas as [(typeof replicas)[0], (typeof replicas)[0]]
    const [route, settings] =
      count % 2 === 0 ? ['worlds', LARGE] : ['partners', { name: 'Acme', expires: 'P9D', ...LARGE }]
    const created = await ask(`${first.url}/_sandbox/${route}`, {
      token: ADMIN_KEY,
      body: settings,
    })
    expect(created.status, created.text).toBe(201)
    const world = created.body as StoredWorld
    const token = world.tokens['sandbox-agency']!
    const askAll = (): Promise<void>[] =>
      Array.from({ length: AT_ONCE }, async (_, at) => {
        const { url } = at % 4 === 3 ? second : first
        if (at % 5 === 0) {
          const path = `${url}${control(world, '/reset')}`
          const { status } = await ask(path, { method: 'POST', token: ADMIN_KEY })
          commandStatuses.add(status)
        } else statuses.add((await ask(`${url}/api/v1/projects`, { token })).status)
      })
    const before = askAll()
    await Promise.race(before)
    const dropped = ask(`${first.url}/_sandbox/${route}/${world.id}`, {
      method: 'DELETE',
      token: ADMIN_KEY,
    })
    await Promise.all([...before, ...askAll(), dropped])
    expect((await dropped).status).toBe(204)
    expect((await ask(`${first.url}/api/v1/me`, { token })).status).toBe(401)
  }
  expect([200, 401]).toEqual(expect.arrayContaining([...statuses]))
  expect([200, 404]).toEqual(expect.arrayContaining([...commandStatuses]))
  expect(replicas.map((replica) => replica.stderr())).toEqual(['', ''])
})

test('requests to the default world get no error while somebody empties Redis again and again', async () => {
  await using cluster = await startBalancedCluster()
  const { redis, replicas, haproxy } = cluster
  const load = startLoad([haproxy], 'sandbox-unlimited', { atOnce: 8 })
  for (let emptied = 1; emptied <= 6; emptied += 1) {
    const before = load.acknowledged.size
    await expect.poll(() => load.acknowledged.size).toBeGreaterThan(before + 20)
    await redis.command('FLUSHALL')
  }
  await load.end()
  expect([...load.refused]).toEqual([])
  expect(replicas.map((replica) => replica.stderr())).toEqual(['', ''])
})

test.for([
  ['worlds', 'before the store knows of it'],
  ['worlds', 'when the store has dropped it'],
  ['partners', 'before the store knows of it'],
  ['partners', 'when the store has dropped it'],
] as const)(
  'a server that is killed while it drops one of %s, %s, leaves it whole or gone',
  async ([route, moment], { expect: expectHere }) => {
    await using cluster = await startCluster()
    const { redis, proxies, replicas } = cluster
    const [killed, other] = replicas as [(typeof replicas)[0], (typeof replicas)[0]]
    const kept = await createWorld(other)
    const settings = { name: 'Acme', fixtures: largeFixtures('A', 30) }
    const { name: _, ...isolated } = settings
    const created = await ask(`${other.url}/_sandbox/${route}`, {
      body: route === 'partners' ? settings : isolated,
    })
    expectHere(created.status, created.text).toBe(201)
    const world = created.body as StoredWorld
    const token = world.tokens['sandbox-unlimited']!
    const statuses = () =>
      Promise.all(
        replicas.map(async ({ url }) => (await ask(`${url}/api/v1/me`, { token })).status),
      )
    expectHere(await statuses()).toEqual([200, 200])
    const drop = ({ url }: { url: string }) =>
      tryToAsk(`${url}/_sandbox/${route}/${world.id}`, { method: 'DELETE' })

    const isDropped = moment === 'when the store has dropped it'
    const reached = isDropped ? proxies[0]!.loseReply('_drop') : proxies[0]!.hold('_drop')
    const answer = drop(killed)
    await reached
    await killed.kill()
    expectHere([undefined, 204]).toContain((await answer)?.status)
    await killed.start()
    if (!isDropped) {
      await expectTruth(replicas, world)
      expectHere((await drop(other))?.status).toBe(204)
    }
    expectHere(await statuses()).toEqual([401, 401])
    await expectTruth(replicas, kept)
    expectHere(expectNothingElse(await readAll(redis))).toEqual([kept.id])
  },
)
