import { expect, test } from 'vitest'
import { control, countEntries, createWorld, startCluster } from './support/cluster.ts'
import type { StoredWorld } from './support/cluster.ts'
import { startRedis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'
import type { Replica } from './support/replica.ts'

/** Minimum memory of a server with a store, according to docs/hosting/several-servers.md. */
const LEAST_HEAP = { NODE_OPTIONS: '--max-old-space-size=128' }

const OF_REPORT = 190_000

/** Fixtures of 1.9 million characters, in ten reports. */
function largeFixtures(number: number) {
  const text = String(number).padEnd(OF_REPORT)
  const reports = Array.from({ length: 10 }, (_, at) => aReport(at + 1, text))
  const tokens = [{ id: 1, name: 'Token', token: 'token', agency: null, rate_limit: 'unlimited' }]
  const agencies = [{ id: 1, name: 'North' }]
  const keywords = [{ id: 1, keyword: 'shoes', create_date: '2026-01-01' }]
  const created_at = '2026-01-01T00:00:00Z'
  const project = { id: 1, agency: 1, name: 'One', status: 'active', created_at }
  return { version: 1, agencies, tokens, projects: [{ ...project, keywords, reports }] }
}

function aReport(id: number, text: string) {
  const created_at = '2026-01-01T00:00:00Z'
  const content = { 1: [{ h3: '', text }] }
  return { id, report_number: id, status: 'completed', created_at, content }
}

async function expectServed({ url }: Replica, { tokens }: StoredWorld): Promise<void> {
  const { status, text } = await ask(`${url}/api/v1/me`, { token: tokens['token']! })
  expect(status, text).toBe(200)
}

test('a world that is full is refused more, and loaded again by any server with the least memory', async () => {
  await using cluster = await startCluster({ env: LEAST_HEAP })
  const [one, two] = cluster.replicas as [Replica, Replica]
  const world = await createWorld(one, { fixtures: largeFixtures(1) })
  const other = await createWorld(one, { fixtures: largeFixtures(2) })
  const put = ({ url }: Replica) => {
    const path = control(world, '/records/reports/11')
    const body = { project: 1, ...aReport(11, 'x'.repeat(OF_REPORT)) }
    return ask(url + path, { method: 'PUT', body: { ...body, id: undefined } })
  }
  await expectServed(one, world)
  const entries = await countEntries(cluster, world)
  for (const replica of [one, two]) {
    const { status, body } = await put(replica)
    expect([status, body.error.code]).toEqual([507, 'insufficient_memory'])
    expect(body.error.message).toMatch(/a world has at most 2000000 characters.*would be 2\d{6}\./)
  }
  expect(await countEntries(cluster, world)).toBe(entries)
  const path = control(world, '/records/reports/1')
  expect((await ask(two.url + path, { method: 'DELETE' })).status).toBe(204)
  expect((await put(one)).status).toBe(201)
  for (const replica of [one, two]) {
    for (const each of [world, other]) await expectServed(replica, each)
    expect(await replica.stop()).toBe(0)
    await replica.start()
    for (const each of [world, other]) await expectServed(replica, each)
  }
})

test('more full worlds than fit into the least memory are all served, one after the other', async () => {
  await using cluster = await startCluster({ replicas: 1, env: LEAST_HEAP })
  const [replica] = cluster.replicas as [Replica]
  const worlds: StoredWorld[] = []
  for (let number = 0; number < 30; number += 1) {
    worlds.push(await createWorld(replica, { fixtures: largeFixtures(number) }))
    await expectServed(replica, worlds.at(-1)!)
  }
  for (const world of worlds) await expectServed(replica, world)
})

test('a server holds as many worlds as its own limit says, and serves the others', async () => {
  await using redis = await startRedis()
  const args = (loaded: number) => ['--metrics', '--limits', `loaded=${loaded}`]
  await using one = await startReplica(redis.url, { args: args(2) })
  await using two = await startReplica(redis.url, { args: args(5) })
  const worlds: StoredWorld[] = []
  for (let count = 0; count < 4; count += 1) worlds.push(await createWorld(one))
  for (const [replica, most] of [
    [one, 2],
    [two, 5],
  ] as const) {
    for (const { tokens } of [...worlds, ...worlds]) {
      const token = tokens['sandbox-unlimited']!
      expect((await ask(`${replica.url}/api/v1/me`, { token })).status).toBe(200)
    }
    const { text } = await ask(`${replica.url}/_sandbox/metrics`)
    expect(text).toContain(`\nseo_sandbox_worlds_limit ${most}\n`)
    expect(text).toContain(`\nseo_sandbox_worlds ${Math.min(most, 4)}\n`)
    const { body } = await ask(`${replica.url}/_sandbox/limits`)
    expect(body).toMatchObject({ loaded: most, records: 20_000, body: 262_144 })
  }
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
