import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startCluster } from './support/cluster.ts'
import { startRedis } from './support/redis.js'
import { startReplica } from './support/replica.ts'

/** What a replica refuses to start with. */

test('an eviction policy that drops keys', async () => {
  await using redis = await startRedis({ config: { 'maxmemory-policy': 'allkeys-lru' } })
  await expect(startReplica(redis.url)).rejects.toThrow(/ended with 2: .*noeviction/s)
})

test('a Redis that is not there', async () => {
  await expect(startReplica('redis://127.0.0.1:1')).rejects.toThrow(/ended with 2: error .*store/s)
})

test('a password that is wrong, which it does not print', async () => {
  await using redis = await startRedis({ config: { requirepass: 'a-right-one' } })
  const url = redis.url.replace('//', '//:a-wrong-one@')
  const refused = startReplica(url)
  await expect(refused).rejects.toThrow(/ended with 2: error .*store/s)
  await expect(refused).rejects.not.toThrow(/a-wrong-one/)
})

test('other options for the default world than it was made with', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ['--seed', 'spring'] })
  const { url } = cluster.proxies[0]!
  const stored = () => cluster.redis.command('HGETALL', 'seo-sandbox:{default}:world')
  const before = await stored()
  expect(before).not.toEqual([])
  for (const args of [[], ['--seed', 'summer'], ['--seed', 'spring', '--rate-limit', '5/min']]) {
    await expect(startReplica(url, { args })).rejects.toThrow(/ended with 2: error /)
  }
  await using same = await startReplica(url, { args: ['--seed', 'spring'] })
  expect(same.first['url']).toBe(same.url)
  expect(await stored()).toEqual(before)
})

test.for([
  ['--state', 'state.json'],
  ['--watch', '--fixtures', join('fixtures', 'default.yaml')],
])('%s together with a store', async (args) => {
  await using redis = await startRedis()
  await expect(startReplica(redis.url, { args })).rejects.toThrow(
    new RegExp(
      `ended with 2: error .*${args[0]}.*--store|ended with 2: error .*--store.*${args[0]}`,
      's',
    ),
  )
})

test('a URL that is none of Redis', async () => {
  await expect(startReplica('http://127.0.0.1:6379')).rejects.toThrow(
    /ended with 2: error --store.*redis:/s,
  )
})
