import { expect, test } from 'vitest'
import {
  control,
  createWorld,
  expectAgreement,
  expectTruth,
  startCluster,
} from './support/cluster.ts'
import { makeNewerRelease } from './support/other-release.ts'
import { ask, startReplica } from './support/replica.ts'

/** Replicas of two releases over one store. */

test('a newer release takes worlds over one by one, and an older one leaves those alone', async () => {
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

  // Up: what the newer one continues is refused by the older one, which goes on with the rest.
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

  // Down: an older one that starts serves the rest too.
  await older!.start()
  expect((await send(older!.url, taken, 5)).status).toBe(503)
  expect((await send(older!.url, left, 5)).headers.get('x-ratelimit-remaining')).toBe('55')
  expect((await send(newer.url, taken, 6)).headers.get('x-ratelimit-remaining')).toBe('55')
  expect((await expectTruth([newer], taken)).steps).toHaveLength(5)
  expect((await expectTruth([newer], left)).steps).toHaveLength(5)
})

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
