import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { control, createWorld, startCluster } from './support/cluster.ts'
import { startRedis } from './support/redis.js'
import type { Redis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'

/** Conditions under which a replica refuses to start. */

test('an eviction policy that drops keys', { tags: ['core'] }, async () => {
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

describe('a server of a store whose default world was created with options', () => {
  const args = ['--seed=spring', '--rate-limit=5/min', '--latency=1-2', '--limits=projects=7']
  const stored = (redis: Redis) => redis.command('HGETALL', 'seo-sandbox:{default}:world')

  test('is refused with what the store has where options that are stated differ', async () => {
    await using cluster = await startCluster({ replicas: 1, args })
    const { url } = cluster.proxies[0]!
    const before = await stored(cluster.redis)
    for (const [stated, has] of [
      [['--seed', 'summer'], '--seed spring. Leave out'],
      [['--now', '2026-03-01'], 'no --now. '],
      [['--frozen', '--show-gaps'], 'no --frozen, no --show-gaps. '],
      [['--latency', '200'], '--latency {"kind":"latency","min_ms":1,"max_ms":2}. '],
      [['--rate-limit', 'unlimited'], '--rate-limit {"per_minute":5,'],
      [['--policy', 'list-order=id'], '--policy {}. '],
      [['--journal', '7'], '--journal 5000. '],
      [['--demo'], 'other fixtures. '],
      [['--seed', 'summer', '--scenario', 'empty-agency'], '--seed spring, other fixtures. '],
      [['--limits', 'projects=8', '--limits', 'faults=200'], 'have projects=7. Leave out'],
    ] as const) {
      const refused = startReplica(url, { args: [...stated] })
      await expect(refused, stated.join(' ')).rejects.toThrow(
        /ended with 2: error --\w+: [^\n]+\n$/,
      )
      await expect(refused).rejects.toThrow(has)
    }
    expect(await stored(cluster.redis)).toEqual(before)
  })

  test('has those of the store where they are omitted, also for isolated worlds', async () => {
    const now = ['--now=2026-03-01', '--frozen', '--show-gaps', '--scenario=empty-agency']
    await using cluster = await startCluster({ replicas: 1, args: [...args, ...now] })
    const { url } = cluster.proxies[0]!
    for (const stated of [[], args, ['--frozen', '--seed=spring'], [...args, ...now]]) {
      await using other = await startReplica(url, { args: stated })
      expect(other.first).toMatchObject({ now: '2026-03-01T00:00:00.000000Z', frozen: true })
      for (const world of [{ id: 'default' }, await createWorld(other)]) {
        const { body } = await ask(`${other.url}${control(world, '/records/tokens')}`)
        const [{ token }] = body
        const { headers } = await ask(`${other.url}/api/v1/projects`, { token })
        expect(headers.get('x-ratelimit-limit')).toBe('5')
        expect(headers.get('x-sandbox-gaps')).not.toBeNull()
      }
      const generated = { generate: { projects: 8 } }
      const refused = await ask(`${other.url}/_sandbox/worlds`, { body: generated })
      expect(refused.text).toContain('at most 7 projects')
    }
  })

  test('goes on with other limits once they are deleted in the store', async () => {
    await using redis = await startRedis()
    for (const limit of ['projects=8', 'projects=9']) {
      await using replica = await startReplica(redis.url, { args: ['--limits', limit] })
      expect(replica.first['url']).toBe(replica.url)
      await redis.command('DEL', 'seo-sandbox:limits')
    }
  })
})

test('another admin key than that of the server before is a warning, which shows neither', async () => {
  await using redis = await startRedis()
  const keys = ['the-first-of-two-keys', 'the-other-of-two-keys']
  const warningsOf = async (key: string) => {
    await using replica = await startReplica(redis.url, { env: { SEO_SANDBOX_ADMIN_KEY: key } })
    await replica.stop()
    return replica.stderr()
  }
  const [first = '', other = ''] = keys
  expect(await warningsOf(first)).toBe('')
  expect(await warningsOf(first)).toBe('')
  const warning = await warningsOf(other)
  expect(warning).toMatch(/^warning --admin-key: [^\n]+ another key\.[^\n]+\n$/)
  expect(warning).not.toMatch(/of-two-keys/)
  expect(await warningsOf(other)).toBe('')
  const kept = await redis.command('GET', 'seo-sandbox:admin-key')
  expect(kept).not.toMatch(/of-two-keys/)
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

test('a database that there is not, in a sentence', async () => {
  await using redis = await startRedis()
  await expect(startReplica(`${redis.url}/99`)).rejects.toThrow(
    /ended with 2: error --store: There is no Redis [^\n]+index[^\n]+\n$/,
  )
  await using _ = await startReplica(`${redis.url}/1`)
})
