// Each test has its own server, on a free port.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from 'seo-sandbox/server'
import { createClient } from './client.js'

const token = 'sandbox-unlimited'

test('a finished report appears, until the sandbox is reset', async (t) => {
  const { url, sandbox, close } = await startServer({ port: 0 })
  t.after(close)
  const client = createClient({ baseUrl: `${url}/api/v1`, token })
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  assert.deepEqual(await client.finishedReports(101), [4, 3, 2, 1])

  await sandbox.reset()
  assert.deepEqual(await client.finishedReports(101), [3, 2, 1])
})
