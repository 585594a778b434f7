import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSandbox } from 'seo-sandbox'
import { sync } from '../src/sync.js'

test('downloads reports, after a 503 and a month later too', async () => {
  const { clock, faults, fetch, reports } = await createSandbox()
  const folder = await mkdtemp(join(tmpdir(), 'sync-'))
  const run = () =>
    sync({ url: 'http://localhost/api/v1', token: 'sandbox-unlimited', folder, fetch })
  await faults.add({ kind: 'status', status: 503, schedule: { first: 1 } })
  assert.equal((await run()).complete, true)
  await clock.advance('P1M')
  await reports.complete({ project: 101, report_number: 4 })
  assert.equal((await run()).complete, true)
})
