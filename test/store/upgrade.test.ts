import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Review } from '../../src/review/review.ts'
import {
  control,
  createWorld,
  expectAgreement,
  expectTruth,
  startCluster,
} from './support/cluster.ts'
import { makeNewerRelease, makeReleaseWithOtherChecks } from './support/other-release.ts'
import { ask, startReplica } from './support/replica.ts'

/** Replicas of two releases over one store, whose logs or checks differ. */

test(
  'a newer release takes worlds over one by one, and an older one leaves those alone',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster({ replicas: 1 })
    await using release = await makeNewerRelease()
    const [older] = cluster.replicas
    const [taken, left] = [await createWorld(older!), await createWorld(older!)]
    const send = (url: string, { tokens }: typeof taken, n: number) =>
      ask(`${url}/api/v1/me?n=${n}`, { token: tokens['sandbox-agency']! })
    for (const world of [taken, left]) {
      for (const n of [1, 2, 3]) expect((await send(older!.url, world, n)).status).toBe(200)
    }
    const before = await expectTruth([older!], taken)

    await using newer = await startReplica(cluster.proxies[0]!.url, { bin: release.bin })
    expect(await expectTruth([newer], taken)).toEqual(before)
    const next = await send(newer.url, taken, 4)
    expect(next.headers.get('x-ratelimit-remaining')).toBe('56')

    // Up: the older release refuses a world that the newer one continues, and still serves the rest.
    const refused = [
      await send(older!.url, taken, 5),
      await ask(older!.url + control(taken, '/clock')),
      await ask(older!.url + control(taken, '/reset'), { method: 'POST' }),
    ]
    for (const { status, headers } of refused) {
      expect(status).toBe(503)
      expect(headers.get('x-sandbox-limited')).toBe('store')
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
    expect((await send(older!.url, left, 4)).headers.get('x-ratelimit-remaining')).toBe('56')
    expect(await older!.stop(), older!.stderr()).toBe(0)
    await expectTruth([newer], taken)

    // Down: an older release that starts also serves the rest.
    await older!.start()
    expect((await send(older!.url, taken, 5)).status).toBe(503)
    expect((await send(older!.url, left, 5)).headers.get('x-ratelimit-remaining')).toBe('55')
    expect((await send(newer.url, taken, 6)).headers.get('x-ratelimit-remaining')).toBe('55')
    expect((await expectTruth([newer], taken)).steps).toHaveLength(5)
    expect((await expectTruth([newer], left)).steps).toHaveLength(5)
  },
)

test('while a newer release replaces an older one, each world is continued where it was', async () => {
  await using cluster = await startCluster({ replicas: 2 })
  await using release = await makeNewerRelease()
  const { replicas, proxies } = cluster
  const worlds = await Promise.all(Array.from({ length: 6 }, () => createWorld(replicas[0]!)))
  const token = ({ tokens }: (typeof worlds)[number]) => tokens['sandbox-unlimited']!
  const counts = worlds.map(() => 0)
  const send = async (servers: readonly { url: string }[], rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, world] of worlds.entries()) {
        const { url } = servers[(round + at) % servers.length]!
        const { status } = await ask(`${url}/api/v1/me`, { token: token(world) })
        if (status === 200) counts[at]! += 1
        else expect(status).toBe(503)
      }
    }
  }
  await send(replicas, 6)
  await using newer = await startReplica(proxies[0]!.url, { bin: release.bin })
  await send([...replicas, newer], 6)
  expect(await replicas[0]!.stop()).toBe(0)
  await send([replicas[1]!, newer], 4)
  expect(await replicas[1]!.stop()).toBe(0)
  await using another = await startReplica(proxies[1]!.url, { bin: release.bin })
  await send([newer, another], 4)
  for (const [at, world] of worlds.entries()) {
    const session = await expectTruth([newer, another], world)
    expect(session.steps).toHaveLength(counts[at]!)
  }
  await expectAgreement([newer, another], { id: 'default' })
})

test('a review begins again where other checks load a world, at one entry for all that have them', async () => {
  await using cluster = await startCluster()
  await using release = await makeReleaseWithOtherChecks()
  const [old, other] = cluster.replicas
  const { url: store } = cluster.proxies[0]!
  const world = await createWorld(old!)
  const token = world.tokens['sandbox-unlimited']!
  const send = async (url: string, times: number) => {
    for (let n = 0; n < times; n += 1) await ask(`${url}/api/v1/projects?colour=red`, { token })
  }
  const reviewBy = async ({ url }: { url: string }) => {
    const { status, body } = await ask(url + control(world, '/review'))
    expect(status).toBe(200)
    return body
  }
  const after = (sequence: number) =>
    expect.stringContaining(`Only requests after #${sequence} are reviewed`)

  await send(old!.url, 5)
  expect(await reviewBy(old!)).toMatchObject({ requests: 5 })
  // It stores a snapshot when it ends.
  expect(await old!.stop()).toBe(0)

  await using newer = await startReplica(store, { bin: release.bin })
  expect(await reviewBy(newer)).toMatchObject({ requests: 0, notice: after(5) })
  await send(newer.url, 3)
  await using second = await startReplica(store, { bin: release.bin })
  const begun = await reviewBy(newer)
  expect(begun).toMatchObject({ requests: 3, notice: after(5) })
  expect(await reviewBy(second)).toEqual(begun)

  // The older checks have missed nothing, and store a later snapshot.
  const whole = await reviewBy(other!)
  expect(whole).toMatchObject({ requests: 8 })
  expect(whole).not.toHaveProperty('notice')
  expect(await other!.stop()).toBe(0)

  await using third = await startReplica(store, { bin: release.bin })
  expect(await reviewBy(third)).toMatchObject({ requests: 0, notice: after(8) })
  await send(second.url, 2)
  const again = await reviewBy(third)
  expect(again).toMatchObject({ requests: 2, notice: after(8) })
  for (const replica of [newer, second]) expect(await reviewBy(replica)).toEqual(again)

  // So is its session when it is replayed.
  const session = await expectTruth([newer, second, third], world)
  expect(session.steps).toHaveLength(10)
  const file = join(release.bin, '../../session.json')
  await writeFile(file, JSON.stringify(session))
  const { stdout } = spawnSync(process.execPath, [release.bin, 'review', file, '--json'])
  expect(JSON.parse(String(stdout))).toMatchObject(again)

  // A reset begins a whole review.
  expect((await ask(newer.url + control(world, '/reset'), { method: 'POST' })).status).toBe(200)
  await send(newer.url, 1)
  const reset = await reviewBy(second)
  expect(reset).toMatchObject({ requests: 1 })
  expect(reset).not.toHaveProperty('notice')
})

test(
  'the review of all sessions is the same from every replica, and from one that continues a snapshot',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster()
    const [one, other] = cluster.replicas
    const world = await createWorld(one!)
    const token = world.tokens['sandbox-unlimited']!
    const reset = ({ url }: { url: string }) =>
      ask(url + control(world, '/reset'), { method: 'POST' })
    await ask(`${one!.url}/api/v1/projects/101/reports/0/content`, { token })
    await reset(other!)
    await ask(`${other!.url}/api/v1/projects/101/reports/1/content`, { token })
    // It stores a snapshot when it ends.
    expect(await one!.stop()).toBe(0)
    await using late = await startReplica(cluster.proxies[0]!.url)
    await reset(late)
    await ask(`${late.url}/api/v1/projects?colour=red`, { token })
    await expectAgreement([other!, late], world)
    const { body } = await ask(late.url + control(world, '/review?since=start'))
    expect(body).toMatchObject({ verdict: 'failed', requests: 3, sessions: 3 })
    const sessionsOf = (id: string) => {
      const { checks } = body as Review
      return checks.find((check) => check.id === id)!.findings.map(({ session }) => session)
    }
    expect(sessionsOf('report-number-range')).toEqual([1])
    expect(sessionsOf('unknown-parameter')).toEqual([3])
    expect(body.ledger).toContainEqual(expect.objectContaining({ session: 2, state: 'delivered' }))
  },
)
