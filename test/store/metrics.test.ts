import { expect, test } from 'vitest'
import { createWorld, startCluster } from './support/cluster.ts'
import { ask } from './support/replica.ts'

/** What an operator watches of a store. */

test('entries applied and behind, calls to the store, and whether it answers', async () => {
  await using cluster = await startCluster({ args: ['--metrics'] })
  const { redis, replicas } = cluster
  const [first, second] = replicas
  const read = async (sample: string) => {
    const { text } = await ask(`${second!.url}/_sandbox/metrics`)
    const line = text.split('\n').find((each) => each.startsWith(`seo_sandbox_${sample} `))
    return Number(line?.split(' ')[1])
  }
  const world = await createWorld(first!)
  const token = world.tokens['sandbox-unlimited']!
  await ask(`${second!.url}/api/v1/me`, { token })
  const calls = await read('store_call_seconds_count')
  const entries = await read('store_entries_applied_total')
  const behind = await read('store_entries_behind_sum')
  for (let count = 0; count < 5; count += 1) await ask(`${first!.url}/api/v1/me`, { token })
  await ask(`${second!.url}/api/v1/me`, { token })
  expect(await read('store_entries_applied_total')).toBe(entries + 6)
  expect(await read('store_entries_behind_sum')).toBe(behind + 5)
  expect(await read('store_call_seconds_count')).toBeGreaterThan(calls)
  expect(await read('worlds')).toBe(1)
  expect(await read('store_reached')).toBe(1)
  expect([await read('store_takes_changes'), await read('store_problems')]).toEqual([1, 0])
  await redis.command('CONFIG', 'SET', 'maxmemory', 1)
  await expect.poll(() => read('store_takes_changes')).toBe(0)
  expect(await read('store_problems')).toBe(1)
  await redis.kill()
  await expect.poll(() => read('store_reached')).toBe(0)
})
