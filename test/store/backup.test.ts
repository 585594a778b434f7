import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createWorld, expectTruth, startCluster } from './support/cluster.ts'
import { startRedis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'

/** docs/hosting/several-servers.md, Back up and restore. */

test('a Redis that starts from a dump of another one has its worlds as of that moment', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'seo-sandbox-backup-'))
  await using _ = { [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) }
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-agency']!
  for (const { url } of replicas) await ask(`${url}/api/v1/me`, { token })
  const before = await expectTruth(replicas, world)

  const file = join(dir, 'backup.rdb')
  await promisify(execFile)('redis-cli', ['-p', String(redis.port), '--rdb', file])
  await ask(`${replicas[0]!.url}/api/v1/me`, { token })

  const config = { dir, dbfilename: 'backup.rdb', appendonly: 'no' }
  await using restored = await startRedis({ config })
  await restored.command('CONFIG', 'SET', 'appendonly', 'yes')
  await using replica = await startReplica(restored.url)
  expect(await expectTruth([replica], world)).toEqual(before)
  const next = await ask(`${replica.url}/api/v1/me`, { token })
  expect(next.headers.get('x-ratelimit-remaining')).toBe('57')
})
