import { expect, test } from 'vitest'
import { control, createWorld, expectTruth, logKey, startCluster } from './support/cluster.ts'
import type { Cluster } from './support/cluster.ts'
import { largeFixtures, readAll, textsOf } from './support/contents.ts'
import { ADMIN_KEY, claim, invite } from './support/partners.ts'
import { ask, startReplica } from './support/replica.ts'

/** Redis keeps nothing that a world no longer needs. */

/** The texts that Redis keeps for a world. */
async function keptTexts({ redis }: Cluster, { id }: { id: string }): Promise<Set<string>> {
  return new Set(await redis.command('ZRANGE', `seo-sandbox:{${id}}:texts`, 0, -1))
}

async function neededTexts({ redis }: Cluster, { id }: { id: string }): Promise<unknown> {
  return textsOf(await readAll(redis), id)
}

test('after a partner is revoked, Redis has no key, no member and no byte of it', async () => {
  await using cluster = await startCluster({ args: ['--admin-key', ADMIN_KEY] })
  const { redis, replicas } = cluster
  const [one, two] = replicas as [Cluster['replicas'][0], Cluster['replicas'][0]]
  const partner = await invite(one, {
    name: 'Acme of Aarhus',
    fixtures: largeFixtures('Acme creation', 50),
  })
  const other = await invite(one, { name: 'Other' })
  const token = partner.tokens['sandbox-unlimited']!
  for (const { key, tokens } of [partner, other]) {
    const send = async (body: object) => {
      const sent = await ask(`${two.url}/_sandbox/commands`, { token: key, body })
      expect(sent.status, sent.text).toBe(200)
    }
    await ask(`${one.url}/api/v1/me`, { token: Object.values(tokens)[0]! })
    const { body: snapshot } = await ask(`${one.url}/_sandbox/snapshots`, { token: key })
    await send({ type: 'snapshot.restore', snapshot })
    await send({ type: 'fixtures.load', fixtures: largeFixtures(`Acme ${key.slice(-8)}`, 50) })
    await send({ type: 'scenario.load', scenario: 'empty-agency' })
  }
  await claim(one, partner)
  // Each world gets a snapshot too.
  await Promise.all(replicas.map((replica) => replica.stop()))
  await Promise.all(replicas.map((replica) => replica.start()))
  await ask(`${two.url}/api/v1/me`, { token })
  const before = await readAll(redis)
  expect(before.has(`seo-sandbox:{${partner.world}}:snapshot`)).toBe(true)
  const own = [...textsOf(before, partner.world)!].filter(
    (digest) =>
      !textsOf(before, other.world)!.has(digest) && !textsOf(before, 'default')!.has(digest),
  )
  expect(own.length).toBeGreaterThan(1)

  const revoked = await ask(`${one.url}/_sandbox/partners/${partner.id}`, {
    method: 'DELETE',
    token: ADMIN_KEY,
  })
  expect(revoked.status).toBe(204)
  const left = await readAll(redis)
  const everything = [...left].flat(2).join('\n')
  const secrets = [partner.key, partner.link].map((text) => text.slice(-40))
  const known = [partner.world, partner.name, token, 'Acme creation', ...own, ...secrets]
  for (const text of known) expect(everything.includes(text), text).toBe(false)
  expect(textsOf(left, other.world)).toEqual(textsOf(before, other.world))
  const others = { url: two.url, key: other.key }
  expect((await ask(`${others.url}/_sandbox/clock`, { token: others.key })).status).toBe(200)
})

test('a text goes with the entries and the snapshot that need it, and with the last world', async () => {
  await using cluster = await startCluster({ args: ['--limits', 'bytes=2000000'] })
  const { redis, replicas } = cluster
  const [one] = replicas as [Cluster['replicas'][0]]
  const worlds = [await createWorld(one), await createWorld(one)]
  for (const world of worlds) {
    for (const label of ['A', 'B', 'C']) {
      const body = { type: 'fixtures.load', fixtures: largeFixtures(label, 300) }
      expect((await ask(one.url + control(world, '/commands'), { body })).status).toBe(200)
    }
    expect((await keptTexts(cluster, world)).size).toBe(4)
  }
  const [left, dropped] = worlds as [(typeof worlds)[0], (typeof worlds)[0]]
  const reset = await ask(one.url + control(left, '/reset'), { method: 'POST' })
  expect(reset.status).toBe(200)
  await one.stop()
  await one.start()
  // Its creation, and the fixtures that a reset restores. The log before its snapshot is longer than the kept part.
  expect((await keptTexts(cluster, left)).size).toBe(2)
  expect(await neededTexts(cluster, left)).toEqual(await keptTexts(cluster, left))
  expect((await redis.command('KEYS', 'seo-sandbox:blob:*:worlds')).length).toBe(4)
  await expectTruth(replicas, left)
  const drop = await ask(`${one.url}/_sandbox/worlds/${dropped.id}`, { method: 'DELETE' })
  expect(drop.status).toBe(204)
  expect((await redis.command('KEYS', 'seo-sandbox:blob:*:worlds')).length).toBe(2)
})

test('a text whose entry never came goes after a minute, and one whose entry came too late is not logged', async () => {
  await using cluster = await startCluster({ redis: { hasClock: true } })
  const { redis, proxies, replicas } = cluster
  const [one, two] = replicas as [Cluster['replicas'][0], Cluster['replicas'][0]]
  const world = await createWorld(one)
  const load = (server: { url: string }, label: string) =>
    ask(server.url + control(world, '/commands'), {
      body: { type: 'fixtures.load', fixtures: largeFixtures(label, 20) },
    })
  await ask(one.url + control(world, '/clock'))
  await ask(two.url + control(world, '/clock'))
  const [ofKilled, ofLate] = [proxies[0]!.hold('_append'), proxies[1]!.hold('_append')]
  const unanswered = load(one, 'A').catch(() => undefined)
  await ofKilled
  await one.kill()
  await unanswered
  const late = load(two, 'B')
  const { release } = await ofLate
  expect((await keptTexts(cluster, world)).size).toBe(3)
  await redis.setClock(61)
  await using sweeper = await startReplica(redis.url)
  await expect.poll(async () => (await keptTexts(cluster, world)).size).toBe(1)
  expect(await redis.command('EXISTS', 'seo-sandbox:puts')).toBe(0)
  release()
  expect((await late).status).toBe(503)
  expect((await load(sweeper, 'B')).status).toBe(200)
  expect(await redis.command('XLEN', logKey(world))).toBe(1)
  await expectTruth([two, sweeper], world)
})
