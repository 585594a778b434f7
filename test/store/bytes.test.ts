import { expect, test } from 'vitest'
import { control, createWorld, expectTruth, logKey, startCluster } from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import { largeFixtures } from './support/contents.ts'
import { ADMIN_KEY, invite } from './support/partners.ts'
import { ask } from './support/replica.ts'
import type { Answer } from './support/replica.ts'

/** Current and maximum size of a world in a store, in bytes. */

/** Memory of Redis for a world and for the texts that it needs. */
async function memoryOf({ redis }: Cluster, { id }: { id: string }): Promise<number> {
  const keys: string[] = await redis.command('KEYS', `seo-sandbox:{${id}}:*`)
  const digests: string[] = await redis.command('ZRANGE', `seo-sandbox:{${id}}:texts`, 0, -1)
  const texts = digests.map((digest) => `seo-sandbox:blob:${digest}`)
  const all = [...keys, ...texts, ...texts.map((text) => `${text}:worlds`)]
  const used = await Promise.all(
    all.map((key) => redis.command('MEMORY', 'USAGE', key, 'SAMPLES', 0)),
  )
  return used.reduce((sum, bytes) => sum + bytes, 0)
}

interface Room {
  id: string
  bytes: number
  maximum_bytes: number
}

/** Size of a world in the list of worlds. */
async function roomOf({ replicas }: Cluster, { id }: { id: string }): Promise<Room> {
  const { body } = await ask(`${replicas[0]!.url}/_sandbox/worlds`, { token: ADMIN_KEY })
  return body.find((world: Room) => world.id === id)
}

async function send(
  { url }: { url: string },
  { tokens }: StoredWorld,
  count: number,
  headers = {},
): Promise<void> {
  const token = tokens['sandbox-unlimited']!
  for (let sent = 0; sent < count; sent += 50) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(50, count - sent) }, (_, at) =>
        ask(`${url}/api/v1/projects?page=${sent + at}`, { token, headers }),
      ),
    )
    for (const { status } of answers) expect(status).toBe(200)
  }
}

function command(
  { url }: { url: string },
  world: { id: string },
  body: object,
  token?: string,
): Promise<Answer> {
  return ask(url + control(world, '/commands'), { body, ...(token !== undefined && { token }) })
}

const rename = (name: string) => ({
  type: 'record.patch',
  collection: 'projects',
  id: 101,
  patch: { name },
})
/** A change with a long text. */
const enlarge = (url: string) => ({
  type: 'record.put',
  collection: 'keywords',
  record: { id: 900, project: 101, keyword: 'shoes', create_date: '2026-01-01', url },
})
const load = (label: string, countries: number) => ({
  type: 'fixtures.load',
  fixtures: largeFixtures(label, countries),
})

/** Expects that a change finds no room, in a sentence that says what to delete. */
function expectFull({ status, body }: Answer, message: RegExp): void {
  expect([status, body.error?.code]).toEqual([507, 'insufficient_memory'])
  expect(body.error.message).toMatch(message)
}

test('what a world takes is known within a fifth of what Redis uses for it', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ['--admin-key', ADMIN_KEY] })
  const [server] = cluster.replicas as [Cluster['replicas'][0]]
  const partner = await invite(server, { name: 'Acme' })
  const { key } = partner
  const apply = async (body: object, token = key): Promise<void> => {
    const { status, text } = await command(server, partner, body, token)
    expect(status, text).toBe(200)
  }
  const steps: Record<string, () => Promise<unknown>> = {
    'nothing else': async () => undefined,
    'a request': () => send(server, partner, 1),
    'ten requests': () => send(server, partner, 10),
    'a hundred requests': () => send(server, partner, 100),
    'requests of a browser': () =>
      send(server, partner, 150, { 'user-agent': 'x'.repeat(400), accept: 'y'.repeat(600) }),
    'a stored snapshot': () => send(server, partner, 900),
    'small changes': async () => {
      for (let count = 0; count < 200; count += 1) await apply(rename(`P${count}`))
    },
    'large changes': async () => {
      for (let count = 0; count < 30; count += 1) await apply(enlarge(`${count}`.repeat(9000)))
    },
    fixtures: async () => {
      for (let count = 0; count < 5; count += 1) await apply(load(`F${count}`, 2000))
    },
    'snapshots that are restored': async () => {
      const path = control(partner, '/snapshots')
      const { body: snapshot } = await ask(server.url + path, { token: ADMIN_KEY })
      for (let count = 0; count < 4; count += 1) {
        snapshot.records.countries[0].label = `Restored ${count}`
        await apply({ type: 'snapshot.restore', snapshot }, ADMIN_KEY)
      }
    },
    'a reset': () => apply({ type: 'reset' }),
  }
  for (const [step, take] of Object.entries(steps)) {
    await take()
    const isKnown = async (): Promise<boolean> => {
      const { bytes, maximum_bytes: maximum } = await roomOf(cluster, partner)
      expect(maximum).toBe(64_000_000)
      const share = bytes / (await memoryOf(cluster, partner))
      return share > 0.8 && share < 1.2
    }
    // A snapshot may be stored in between.
    await expect.poll(isKnown, { message: step }).toBe(true)
  }
  const { body: listed } = await ask(`${server.url}/_sandbox/partners`, { token: ADMIN_KEY })
  const { bytes, maximum_bytes } = await roomOf(cluster, partner)
  expect(listed).toEqual([expect.objectContaining({ bytes, maximum_bytes })])
})

test.for(['isolated', 'default'])(
  'a world (%s) without room takes requests and changes that delete, and no other change until there is room',
  async (kind, { expect: expectHere }) => {
    await using cluster = await startCluster({ args: ['--limits', 'bytes=500000'] })
    const { redis, replicas } = cluster
    const [one, two] = replicas as [Cluster['replicas'][0], Cluster['replicas'][0]]
    const token = 'sandbox-unlimited'
    const world =
      kind === 'default' ? { id: 'default', tokens: { [token]: token } } : await createWorld(one)
    for (const label of ['A', 'B', 'C'])
      expectHere((await command(one, world, load(label, 1000))).status).toBe(200)
    const kept = async () => [
      await redis.command('XLEN', logKey(world)),
      (await redis.command('KEYS', 'seo-sandbox:blob:*')).length,
    ]
    const before = await kept()
    for (const server of [one, two]) {
      expectFull(await command(server, world, load('D', 4000)), /at most 500000 bytes .+ Reset/)
    }
    expectHere(await kept()).toEqual(before)

    // Puts records that are all different, until there is no room for another.
    const put = (id: number) =>
      ask(`${one.url}${control(world, `/records/tokens/${id}`)}`, {
        method: 'PUT',
        body: {
          name: 'Long',
          token: largeFixtures(`${id}`, 40)
            .countries.map(({ label }) => label.replaceAll(' ', '-'))
            .join(''),
        },
      })
    let id = 5000
    let last = await put(id)
    while (last.status === 201) {
      expectHere(id).toBeLessThan(5300)
      id += 1
      last = await put(id)
    }
    expectFull(last, /at most 500000 bytes/)
    expectFull(await command(two, world, rename('Other')), /at most 500000 bytes/)
    await send(two, world, 100)
    const remove = (path: string) => ask(one.url + control(world, path), { method: 'DELETE' })
    expectHere((await remove('/requests')).status).toBe(204)
    expectHere((await remove('/faults')).status).toBe(204)
    for (let deleted = 5000; deleted < 5010; deleted += 1)
      expectHere((await remove(`/records/tokens/${deleted}`)).status).toBe(204)
    await expectTruth(replicas, world)

    expectHere((await command(two, world, { type: 'reset' })).status).toBe(200)
    expectHere((await put(id + 1)).status).toBe(201)
    expectHere((await command(two, world, load('D', 4000))).status).toBe(200)
    await expectTruth(replicas, world)
  },
)

test('a world that would be too large is not created', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ['--limits', 'bytes=300000'] })
  const { redis, replicas } = cluster
  const before = await redis.command('DBSIZE')
  const fixtures = largeFixtures('A', 5000)
  const refused = await ask(`${replicas[0]!.url}/_sandbox/worlds`, { body: { fixtures } })
  expectFull(refused, /at most 300000 bytes/)
  expect(await redis.command('DBSIZE')).toBe(before)
})

test('snapshots that are restored under different names, and fixtures that a reset leaves, take no room', async () => {
  const [inFixtures, inSnapshot] = [5000, 6000]
  const mostBytes = inFixtures * 1600
  const args = ['--limits', `bytes=${mostBytes}`]
  await using cluster = await startCluster({ replicas: 1, args })
  const { redis, replicas } = cluster
  const [server] = replicas as [Cluster['replicas'][0]]
  const world = await createWorld(server)
  const bytesNow = async () => (await roomOf(cluster, world)).bytes
  for (let count = 0; count < 12; count += 1)
    expect((await command(server, world, load(`F${count}`, inFixtures))).status).toBe(200)
  expect(await bytesNow()).toBeGreaterThan(mostBytes / 2)
  expect((await command(server, world, { type: 'reset' })).status).toBe(200)
  // A reset restores the fixtures that were loaded last.
  await expect.poll(bytesNow).toBeLessThan(mostBytes / 5)

  const { body: snapshot } = await ask(server.url + control(world, '/snapshots'))
  snapshot.records.countries = largeFixtures('S', inSnapshot).countries
  for (let count = 0; count < 20; count += 1) {
    snapshot.records.countries[0].label = `Restored ${count}`
    const body = { type: 'snapshot.restore', snapshot }
    const { status, text } = await command(server, world, body)
    expect(status, text).toBe(200)
    expect(await bytesNow()).toBeLessThan(mostBytes)
  }
  await expect.poll(bytesNow).toBeLessThan(mostBytes / 2)
  const digests: string[] = await redis.command('KEYS', 'seo-sandbox:blob:*:worlds')
  expect(digests.length).toBeLessThan(8)
  await expectTruth(replicas, world)
})

test('a log of large changes is stored as a snapshot before it has many entries', async () => {
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  for (let count = 0; count < 60; count += 1) {
    const { status } = await command(
      replicas[count % 2]!,
      world,
      enlarge(`${count} `.repeat(10_000)),
    )
    expect(status).toBe(200)
  }
  expect(await redis.command('EXISTS', `seo-sandbox:{${world.id}}:snapshot`)).toBe(1)
  await expect.poll(async () => (await roomOf(cluster, world)).bytes).toBeLessThan(2_000_000)
  await expectTruth(replicas, world)
})

test('above 80% of its memory, a store takes requests and changes that delete, and the operator is told the largest worlds', async () => {
  await using cluster = await startCluster({ args: ['--admin-key', ADMIN_KEY, '--metrics'] })
  const { redis, replicas } = cluster
  const [one, two] = replicas as [Cluster['replicas'][0], Cluster['replicas'][0]]
  const large = await invite(one, { name: 'Large', fixtures: largeFixtures('L', 19_000) })
  const small = await invite(one, { name: 'Small' })
  const problems = async () => (await ask(`${two.url}/_sandbox/health`)).body.problems
  const metrics = async () => (await ask(`${two.url}/_sandbox/metrics`, { token: ADMIN_KEY })).text
  expect(await problems()).toEqual([])
  const fill = async () => {
    const [, used] = /used_memory:(\d+)/.exec(await redis.command('INFO', 'memory'))!
    await redis.command('CONFIG', 'SET', 'maxmemory', Math.round(Number(used) / 0.88))
    return problems()
  }
  // The memory of Redis decreases soon, when it frees received data.
  const named = new RegExp(`drop worlds, of which the largest are ${large.id} \\(1\\.\\d MB\\), `)
  await expect.poll(fill, { interval: 1000 }).toEqual([expect.stringMatching(named)])
  expect(await metrics()).toMatch(new RegExp(`store_world_bytes{world="${large.id}"} 1\\d{6}\n`))
  for (const server of [one, two]) {
    for (const change of [rename('Other'), load('D', 10)])
      expectFull(await command(server, small, change, small.key), /nearly full.+Reset this world/)
    for (const path of ['worlds', 'partners']) {
      const body = path === 'worlds' ? {} : { name: 'Another' }
      const refused = await ask(`${server.url}/_sandbox/${path}`, { token: ADMIN_KEY, body })
      expectFull(refused, /nearly full/)
    }
    await send(server, small, 20)
    expect((await command(server, small, { type: 'reset' }, small.key)).status).toBe(200)
    const faults = `${server.url}/_sandbox/faults`
    expect((await ask(faults, { method: 'DELETE', token: small.key })).status).toBe(204)
  }

  const revoke = `${one.url}/_sandbox/partners/${large.id}`
  expect((await ask(revoke, { method: 'DELETE', token: ADMIN_KEY })).status).toBe(204)
  await redis.command('CONFIG', 'SET', 'maxmemory', 0)
  await expect.poll(problems).toEqual([])
  expect(await metrics()).not.toContain('store_world_bytes{')
  expect((await command(two, small, rename('Other'), small.key)).status).toBe(200)
})
