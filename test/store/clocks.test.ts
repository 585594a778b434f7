import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { control, createWorld, expectTruth, startCluster } from './support/cluster.ts'
import { clockOf } from './support/fake-clock.js'
import { ask, startReplica } from './support/replica.ts'

/** Time comes from Redis, and never goes back in a world. */

const HOUR = 3600
const LIMIT = 6
const ARGS = ['--rate-limit', `${LIMIT}/min,1000/h`]

/** The default world, because isolated worlds that are not used for an hour of Redis' clock are dropped. */
const WORLD = { id: 'default' }
const TOKEN = 'sandbox-agency'

/** Uses up the requests a minute of a token, on servers in turn; returns the Date of the first 429. */
async function useUp(servers: readonly { url: string }[], token: string): Promise<number> {
  for (let count = 0; count < LIMIT; count += 1) {
    const { url } = servers[count % servers.length]!
    expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(200)
  }
  return expectUsedUp(servers, token)
}

/** Expects a 429 of each server; returns the earliest of their dates, in epoch milliseconds. */
async function expectUsedUp(servers: readonly { url: string }[], token: string): Promise<number> {
  const dates: number[] = []
  for (const { url } of servers) {
    const { status, headers } = await ask(`${url}/api/v1/me`, { token })
    expect(status).toBe(429)
    expect(headers.get('x-sandbox-limited')).toBeNull()
    dates.push(Date.parse(headers.get('date')!))
  }
  return Math.min(...dates)
}

/** Times of the rate clock of all requests and commands, in order. */
async function ratesOf(url: string, world: { id: string }): Promise<number[]> {
  const { body } = await ask(url + control(world, '/requests'))
  return body.map(({ clock }: any) => Date.parse(clock.rate_clock))
}

test("Redis' clock that is set forward and back reopens no window, and Date does not fall", async () => {
  await using cluster = await startCluster({ redis: { hasClock: true }, args: ARGS })
  const { redis, replicas } = cluster
  const before = await useUp(replicas, TOKEN)

  await redis.setClock(HOUR)
  const ahead = await useUp(replicas, TOKEN)
  expect(ahead - before).toBeGreaterThanOrEqual(HOUR * 1000)
  expect(ahead - before).toBeLessThan((HOUR + 60) * 1000)

  for (const seconds of [0, -HOUR]) {
    await redis.setClock(seconds)
    expect(await expectUsedUp(replicas, TOKEN)).toBeGreaterThanOrEqual(ahead)
  }
  await using fresh = await startReplica(cluster.proxies[0]!.url, { args: ARGS })
  expect(await expectUsedUp([fresh], TOKEN)).toBeGreaterThanOrEqual(ahead)

  const times = await ratesOf(fresh.url, WORLD)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  await expectTruth([...replicas, fresh], WORLD)
})

test("a world goes on in time when Redis' clock has caught up with it", async () => {
  await using cluster = await startCluster({ redis: { hasClock: true }, args: ARGS })
  const { redis, replicas } = cluster
  await redis.setClock(HOUR)
  const ahead = await useUp(replicas, TOKEN)
  await redis.setClock(0)
  await expectUsedUp(replicas, TOKEN)
  await redis.setClock(HOUR + 120)
  expect((await useUp(replicas, TOKEN)) - ahead).toBeGreaterThanOrEqual(60_000)
  await expectTruth(replicas, WORLD)
})

test.for([HOUR, -HOUR])(
  'a replica whose own clock is wrong by %i seconds answers as the others',
  async (seconds) => {
    await using cluster = await startCluster({ replicas: 1, args: ARGS })
    const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-clock-'))
    const clock = join(folder, 'clock')
    await writeFile(clock, seconds < 0 ? String(seconds) : `+${seconds}`)
    await using wrong = await startReplica(cluster.proxies[0]!.url, {
      args: ARGS,
      env: clockOf(clock),
    })
    const servers = [...cluster.replicas, wrong]
    const world = await createWorld(wrong)
    const { body: listed } = await ask(`${wrong.url}/_sandbox/worlds`)
    expect(Math.abs(Date.parse(listed[0].created_at) - Date.now())).toBeLessThan(HOUR * 500)
    await useUp(servers, world.tokens['sandbox-agency']!)
    await useUp([wrong], world.tokens['sandbox-super']!)
    const times = await ratesOf(wrong.url, world)
    expect(times.at(-1)! - times[0]!).toBeLessThan(HOUR * 500)
    expect(Math.abs(times[0]! - Date.now())).toBeLessThan(HOUR * 500)
    for (const { url } of servers) {
      const { body } = await ask(url + control(world, '/clock'))
      expect(Math.abs(Date.parse(body.now) - Date.now())).toBeLessThan(HOUR * 500)
    }
    await expectTruth(servers, world)
    await rm(folder, { recursive: true })
  },
)
