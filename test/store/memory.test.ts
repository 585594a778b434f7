import { expect, test } from 'vitest'
import { control, countEntries, createWorld, startCluster } from './support/cluster.ts'
import type { StoredWorld } from './support/cluster.ts'
import { startRedis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'
import type { Replica } from './support/replica.ts'

/** The least memory that a server with a store is said to run with (docs/hosting/several-servers.md). */
const LEAST_HEAP = { NODE_OPTIONS: '--max-old-space-size=128' }
const LARGE_HEAP = { NODE_OPTIONS: '--max-old-space-size=1024' }

const LONGEST = 100_000

function putCountry({ url }: Replica, world: { id: string }, id: number, label: string) {
  const path = control(world, `/records/countries/${id}`)
  return ask(url + path, { method: 'PUT', body: { label } })
}

async function expectServed({ url }: Replica, world: StoredWorld): Promise<void> {
  const tokens = [world.tokens['sandbox-unlimited']!, 'sandbox-unlimited']
  const answers = await Promise.all(tokens.map((token) => ask(`${url}/api/v1/me`, { token })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
}

test('a world that fills the least memory of a server is refused more, and loaded again by any of them', async () => {
  await using cluster = await startCluster({ env: LEAST_HEAP })
  const [one, two] = cluster.replicas as [Replica, Replica]
  const [world, other] = [await createWorld(one), await createWorld(one)]
  // Two bytes of memory for each character.
  const label = '\u6f22'.repeat(LONGEST)
  let answer = await putCountry(one, world, 901, label)
  let count = 1
  for (; answer.status === 201; count += 1)
    answer = await putCountry(one, world, 901 + count, label)
  expect([answer.status, answer.body.error.code]).toEqual([507, 'insufficient_memory'])
  expect(answer.body.error.message).toMatch(/^A world may take \d+ MB of the memory of this server/)
  expect(count).toBeGreaterThan(12)

  const entries = await countEntries(cluster, world)
  expect((await putCountry(two, world, 900, label)).status).toBe(507)
  const path = control(world, '/records/countries/901')
  expect((await ask(two.url + path, { method: 'DELETE' })).status).toBe(204)
  expect(await countEntries(cluster, world)).toBe(entries + 1)
  for (const replica of [one, two]) {
    await expectServed(replica, world)
    await expectServed(replica, other)
    expect(await replica.stop()).toBe(0)
    await replica.start()
    await expectServed(replica, world)
  }
  const reset = await ask(two.url + control(world, '/reset'), { method: 'POST' })
  expect(reset.status).toBe(200)
  expect((await putCountry(one, world, 901, label)).status).toBe(201)
})

test('a server that has not the memory for a world answers 503 for that one alone, from its log and from its snapshot', async () => {
  await using redis = await startRedis()
  await using large = await startReplica(redis.url, { env: LARGE_HEAP })
  await using small = await startReplica(redis.url, { env: LEAST_HEAP })
  const [world, other] = [await createWorld(large), await createWorld(large)]
  const token = world.tokens['sandbox-unlimited']!
  const label = '\u6f22'.repeat(LONGEST)
  const askSmall = () => ask(`${small.url}/api/v1/me`, { token })
  let isHeld = (await askSmall()).status === 200
  expect(isHeld).toBe(true)
  for (let id = 901; isHeld; id += 1) {
    expect((await putCountry(large, world, id, label)).status).toBe(201)
    if (id % 8 === 0) isHeld = (await askSmall()).status === 200
  }

  const expectRefused = async (): Promise<void> => {
    // Redis itself may take longer to read so large a log than a request waits.
    await expect
      .poll(async () => (await askSmall()).body.message, { timeout: 30_000 })
      .toMatch(/^This world is too large for the memory of this server\./)
    expect(small.stderr()).toContain(`The world ${world.id} is too large`)
    const refused = await askSmall()
    expect([refused.status, refused.headers.get('x-sandbox-limited')]).toEqual([503, 'store'])
    await expectServed(small, other)
    await expectServed(large, world)
  }
  await expectRefused()
  await small.kill()
  await small.start()
  await expectRefused()
  expect(await large.stop()).toBe(0)
  await large.start()
  await expectRefused()
})

test('more worlds than fit into the least memory, each with large fixtures of its own, are all served', async () => {
  await using cluster = await startCluster({ replicas: 1, env: LEAST_HEAP })
  const [replica] = cluster.replicas as [Replica]
  const worlds: StoredWorld[] = []
  for (let number = 0; number < 45; number += 1) {
    const tokens = [{ id: 1, name: 'Token', token: 'token', agency: null }]
    const label = String(number).padEnd(LONGEST)
    const countries = Array.from({ length: 26 }, (_, at) => ({ id: at + 1, label }))
    worlds.push(await createWorld(replica, { fixtures: { version: 1, tokens, countries } }))
    await expectAnswer(replica, worlds.at(-1)!)
  }
  for (const world of worlds) await expectAnswer(replica, world)
})

async function expectAnswer({ url }: Replica, { tokens }: StoredWorld): Promise<void> {
  const { status, text } = await ask(`${url}/api/v1/me`, { token: tokens['token']! })
  expect(status, text).toBe(200)
}

test('a text that is too long is refused with its place, whatever it comes in, and nothing is logged', async () => {
  await using cluster = await startCluster({ replicas: 1 })
  const [replica] = cluster.replicas as [Replica]
  const { url } = replica
  const world = await createWorld(replica)
  const [fits, long] = [LONGEST, LONGEST + 1].map((length) => 'x'.repeat(length)) as [
    string,
    string,
  ]
  expect((await putCountry(replica, world, 901, fits)).status).toBe(201)
  const { body: taken } = await ask(url + control(world, '/snapshots'))
  const countries = [{ id: 1, label: long }]
  const fixtures = { version: 1, countries }
  const send = (path: string, body: object, method = 'POST') =>
    ask(url + control(world, path), { method, body })
  const load = { type: 'fixtures.load', fixtures }
  const entries = await countEntries(cluster, world)
  const refused = [
    await putCountry(replica, world, 902, long),
    await send('/records/countries/901', { label: long }, 'PATCH'),
    await send('/commands', load),
    await send('/snapshots', { ...taken, records: { ...taken.records, countries } }),
    await ask(`${url}/_sandbox/worlds`, { body: { fixtures } }),
    await ask(`${url}/_sandbox/commands`, { body: load }),
  ]
  expect(refused.map(({ status, body }) => [status, body.error?.problems[0].path])).toEqual([
    [422, 'record.label'],
    [422, 'patch.label'],
    [422, 'fixtures.countries[0].label'],
    [422, 'snapshot.records.countries[0].label'],
    [422, 'fixtures.countries[0].label'],
    [422, 'fixtures.countries[0].label'],
  ])
  for (const { body } of refused) {
    expect(body.error.message).toMatch(/100001 characters, and one has at most 100000 on this host/)
  }
  expect(await countEntries(cluster, world)).toBe(entries)
})

test('a replica with little memory that holds many worlds stops without an error', async () => {
  await using redis = await startRedis()
  const env = { NODE_OPTIONS: '--max-old-space-size=64' }
  await using replica = await startReplica(redis.url, { env })
  for (let turn = 0; turn < 15; turn += 1) {
    const worlds = await Promise.all(Array.from({ length: 20 }, () => createWorld(replica)))
    for (let count = 0; count < 30; count += 1) {
      const answers = worlds.map(({ tokens }) =>
        ask(`${replica.url}/api/v1/projects/101`, { token: tokens['sandbox-unlimited']! }),
      )
      for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
    }
  }
  expect(await replica.stop()).toBe(0)
  expect(replica.stderr()).toBe('')
})
