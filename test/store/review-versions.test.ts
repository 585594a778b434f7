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
import { makeReleaseWithOtherChecks } from './support/other-release.ts'
import { ask, startReplica } from './support/replica.ts'

/** Replicas of one format of logs, whose releases have other checks. */

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
    expect.stringContaining(`Only what came after #${sequence} is reviewed`)

  await send(old!.url, 5)
  expect(await reviewBy(old!)).toMatchObject({ requests: 5 })
  // It stores a snapshot.
  expect(await old!.stop()).toBe(0)

  await using newer = await startReplica(store, { bin: release.bin })
  expect(await reviewBy(newer)).toMatchObject({ requests: 0, notice: after(5) })
  await send(newer.url, 3)
  await using second = await startReplica(store, { bin: release.bin })
  const begun = await reviewBy(newer)
  expect(begun).toMatchObject({ requests: 3, notice: after(5) })
  expect(await reviewBy(second)).toEqual(begun)

  // The older checks have not missed anything, and store a later snapshot.
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

  // So is its session, where it is replayed.
  const session = await expectTruth([newer, second, third], world)
  expect(session.steps).toHaveLength(10)
  const file = join(release.bin, '../../session.json')
  await writeFile(file, JSON.stringify(session))
  const { stdout } = spawnSync(process.execPath, [release.bin, 'review', file, '--json'])
  expect(JSON.parse(String(stdout))).toMatchObject(again)

  // A reset begins a review that is whole.
  expect((await ask(newer.url + control(world, '/reset'), { method: 'POST' })).status).toBe(200)
  await send(newer.url, 1)
  const reset = await reviewBy(second)
  expect(reset).toMatchObject({ requests: 1 })
  expect(reset).not.toHaveProperty('notice')
})

test('the review of all sessions is the same from every replica, and from one that continues a snapshot', async () => {
  await using cluster = await startCluster()
  const [one, other] = cluster.replicas
  const world = await createWorld(one!)
  const token = world.tokens['sandbox-unlimited']!
  const reset = ({ url }: { url: string }) =>
    ask(url + control(world, '/reset'), { method: 'POST' })
  await ask(`${one!.url}/api/v1/projects/101/reports/0/content`, { token })
  await reset(other!)
  await ask(`${other!.url}/api/v1/projects/101/reports/1/content`, { token })
  // It stores a snapshot.
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
})
