import { expect, test } from 'vitest'
import {
  control,
  createWorld,
  expectTruth,
  listRequests,
  readLog,
  startCluster,
} from './support/cluster.ts'
import { ask } from './support/replica.ts'

/** Everything sent is in the log once, whatever happened to the call that appends it. */

/** The function calls of a replica. */
const CALL = 'FCALL'

test(
  'requests whose calls lose their answers, after Redis has applied them, are each once in the log',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster()
    const { redis, proxies, replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const token = world.tokens['sandbox-agency']!
    const count = 60
    for (let n = 0; n < count; n += 1) {
      const at = n % replicas.length
      const lost = n % 3 === 0 ? proxies[at]!.loseReply(CALL) : undefined
      const answer = await ask(`${replicas[at]!.url}/api/v1/me?n=${n}`, { token })
      await lost
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(count - 1 - n))
    }
    expect(await readLog(redis, world)).toHaveLength(count)
    const queries = (await listRequests(replicas[0]!, world)).map(({ query }) => query)
    expect(queries).toEqual(Array.from({ length: count }, (_, n) => `n=${n}`))
    await expectTruth(replicas, world)
  },
)

test(
  'a command whose call loses its answer, after Redis has applied it, is applied once',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster()
    const { proxies, replicas } = cluster
    const [replica] = replicas
    const world = await createWorld(replica!, { now: '2026-03-15', frozen: true })

    const lost = proxies[0]!.loseReply(CALL)
    const answer = await ask(replica!.url + control(world, '/clock'), { body: { advance: 'P1M' } })
    await lost
    expect(answer.status).toBe(200)
    for (const { url } of replicas) {
      const { body } = await ask(url + control(world, '/clock'))
      expect(body.now).toBe('2026-04-15T00:00:00.000000Z')
    }
    await expectTruth(replicas, world)
  },
)

test('a world whose creation loses its answer is created once, and can be used', async () => {
  await using cluster = await startCluster()
  const { redis, proxies, replicas } = cluster
  const known = await redis.command('KEYS', '*:world')

  const lost = proxies[0]!.loseReply(CALL)
  const world = await createWorld(replicas[0]!)
  await lost
  expect(await redis.command('KEYS', '*:world')).toHaveLength(known.length + 1)
  expect(await readLog(redis, world)).toHaveLength(0)
  const token = world.tokens['sandbox-agency']!
  expect((await ask(`${replicas[1]!.url}/api/v1/me`, { token })).status).toBe(200)
})

test('a call that never reached Redis is sent again, and its request is once in the log', async () => {
  await using cluster = await startCluster()
  const { redis, proxies, replicas } = cluster
  const [replica] = replicas
  const world = await createWorld(replica!)
  const before = await readLog(redis, world)

  const held = proxies[0]!.hold(CALL)
  const answer = ask(`${replica!.url}/api/v1/me`, { token: world.tokens['sandbox-agency']! })
  await held
  expect(await readLog(redis, world)).toEqual(before)
  proxies[0]!.cut()
  expect((await answer).status).toBe(200)
  expect(await readLog(redis, world)).toHaveLength(before.length + 1)
  await expectTruth(replicas, world)
})
