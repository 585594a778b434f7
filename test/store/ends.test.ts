import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import type { Review } from '../../src/review/review.ts'
import { control, createWorld, expectTruth, readLog, startCluster } from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import { createLogFunctions } from '../../src/store/log-functions.ts'
import { keysOf } from '../../src/store/store-keys.ts'
import { startRedis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'

/** The ends of responses are in the log of a world if they matter, so that all servers review the same deliveries. */

const CONTENT = '/api/v1/projects/101/reports/1/content'

/** The ends in the log of a world. */
async function endsOf({ redis }: Cluster, world: StoredWorld): Promise<{ aborted?: true }[]> {
  const log = await readLog(redis, world)
  return log.flatMap(([, fields]) => {
    const { end } = JSON.parse(fields[5]!) as { end?: object }
    return end ? [end] : []
  })
}

/** Sends a request, and returns a function that disconnects its client. */
async function send(url: string, token: string): Promise<() => void> {
  const sent = request(url, { headers: { authorization: `Bearer ${token}` } })
  sent.on('error', () => undefined)
  await once(sent.end(), 'finish')
  return () => sent.destroy()
}

const requestsOf = async ({ url }: { url: string }, world: StoredWorld): Promise<number> =>
  (await ask(url + control(world, '/requests'))).body.length

async function delayFirst({ url }: { url: string }, world: StoredWorld): Promise<void> {
  const body = { kind: 'latency', ms: 60_000, schedule: { first: 1 } }
  expect(
    (await ask(url + control(world, '/commands'), { body: { type: 'fault.add', fault: body } }))
      .status,
  ).toBe(200)
}

function reviewOf({ url }: { url: string }, world: StoredWorld): Promise<Review> {
  return ask(url + control(world, '/review')).then(({ body }) => body as Review)
}

test.each(['before', 'after'])(
  'a client that goes before its response has not got it, whichever server has its next attempt, %s that is logged',
  async (when) => {
    await using cluster = await startCluster()
    const [one, other] = cluster.replicas
    const world = await createWorld(one!)
    const token = world.tokens['sandbox-unlimited']!
    await ask(`${one!.url}/api/v1/projects/101/reports`, { token })
    await delayFirst(one!, world)
    const leave = await send(one!.url + CONTENT, token)
    await expect.poll(() => requestsOf(other!, world)).toBe(2)
    if (when === 'before') {
      leave()
      await expect.poll(() => endsOf(cluster, world)).toMatchObject([{ aborted: true }])
    }
    expect((await ask(other!.url + CONTENT, { token })).status).toBe(200)
    if (when === 'after') leave()
    await expect.poll(() => endsOf(cluster, world)).toMatchObject([{ aborted: true }])
    const review = await reviewOf(other!, world)
    expect(review.ledger.find(({ fetches }) => fetches > 0)).toMatchObject({
      fetches: 1,
      state: 'delivered',
    })
    expect(review).toMatchObject({ verdict: 'passed', requests: 3 })
    const late = await startReplica(cluster.proxies[0]!.url)
    await using _ = late
    await expectTruth([one!, other!, late], world)
  },
)

test('a client that goes while the store is slow has not got a plain 200 either', async () => {
  await using cluster = await startCluster({ replicas: 1 })
  const [replica, proxy] = [cluster.replicas[0]!, cluster.proxies[0]!]
  const world = await createWorld(replica)
  const token = world.tokens['sandbox-unlimited']!
  proxy.stall()
  const leave = await send(replica.url + CONTENT, token)
  // Requests sent earlier have arrived when this one is answered.
  await ask(`${replica.url}/_sandbox/health`)
  leave()
  await ask(`${replica.url}/_sandbox/health`)
  proxy.resume()
  await expect.poll(() => endsOf(cluster, world)).toMatchObject([{ aborted: true }])
  expect((await reviewOf(replica, world)).ledger).toEqual([])
})

test('a response that was sent at once is no entry of its own', async () => {
  await using cluster = await startCluster({ replicas: 1 })
  const [replica] = cluster.replicas
  const world = await createWorld(replica!)
  const token = world.tokens['sandbox-unlimited']!
  for (const path of ['/me', '/projects/999', '/nowhere', '/projects'])
    await ask(`${replica!.url}/api/v1${path}`, { token })
  await Promise.all(Array.from({ length: 9 }, () => ask(`${replica!.url}/api/v1/me`, { token })))
  await ask(`${replica!.url}/api/v1/me`, { token })
  expect(await endsOf(cluster, world)).toEqual([])
})

test('an end is counted for no limit, and taken where requests are refused', async () => {
  await using redis = await startRedis()
  await using replica = await startReplica(redis.url)
  const { id } = await createWorld(replica)
  const keys = keysOf(id, ['log', 'world', 'snapshot'])
  const append = async (limit: string, position: string, nonce: string, name: string) => {
    const added = ['end', 'request'].flatMap((kind) => [`${name}-${kind}`, kind, '{}', ''])
    const line = [createLogFunctions().nameOf('append'), '3', ...keys, position, nonce, limit]
    const [status, , , refused] = await redis.command('FCALL', ...line, ...added)
    return [status, refused]
  }
  const [, hash = ''] = keys
  const nonce = await redis.command('HGET', hash, 'nonce')
  expect(await append('0', '0', nonce, 'one')).toEqual(['ok', ['one-request', 'too_many_requests']])
  await redis.command('HSET', hash, 'expires_ms', '1')
  expect(await append('', '1', 'one-end', 'two')).toEqual(['ok', ['two-request', 'expired']])
  const fields = ['position', 'requests', 'taken']
  expect(await redis.command('HMGET', hash, ...fields)).toEqual(['2', '0', '0'])
})
