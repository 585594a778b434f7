import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSandbox } from 'seo-sandbox'
import { sync } from '../src/sync.js'

const CONTENT = 'GET /projects/{project}/reports/{report_number}/content'

/** A sandbox, a folder of its own, and a run of the client, which does not really wait. */
async function begin(t) {
  const folder = await mkdtemp(join(tmpdir(), 'sync-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const sandbox = await createSandbox()
  const waits = []
  const run = () =>
    sync({
      url: 'https://seo.example.com/api/v1',
      token: 'sandbox-unlimited',
      folder,
      fetch: sandbox.fetch,
      sleep: async (ms) => {
        waits.push(ms)
        await sandbox.clock.advance(ms)
      },
    })
  return { sandbox, waits, run }
}

for (const status of [429, 503]) {
  test(`waits as long as a ${status} says, and gets what it asked for`, async (t) => {
    const { sandbox, waits, run } = await begin(t)
    const fault = { kind: 'status', status, retry_after: 40, endpoint: CONTENT }
    await sandbox.faults.add({ ...fault, schedule: { first: 1 } })
    const { complete } = await run()
    assert.equal(complete, true)
    assert.deepEqual(waits, [40_000])
    const { checks, ledger } = sandbox.review()
    assert.equal(checks.find(({ id }) => id === 'retry-after').result, 'passed')
    assert.ok(ledger.every(({ state }) => state === 'delivered'))
  })
}

test('what a failing project lacks comes with the next run', async (t) => {
  const { sandbox, run } = await begin(t)
  await sandbox.faults.add({ kind: 'status', status: 500, project: 101 })
  assert.equal((await run()).complete, false)
  await sandbox.faults.clear()
  const { complete, downloaded } = await run()
  assert.equal(complete, true)
  assert.deepEqual(downloaded.toSorted(), ['101-510101.json', '101-510102.json', '101-510103.json'])
})

test('downloads nothing that is not finished', async (t) => {
  const { sandbox, run } = await begin(t)
  await run()
  assert.ok(sandbox.review().ledger.every(({ state }) => state === 'delivered'))
  assert.notEqual(
    sandbox.review().checks.find(({ id }) => id === 'unfinished-content').result,
    'failed',
  )
})

test('a month later, downloads what was finished meanwhile, and nothing else', async (t) => {
  const { sandbox, run } = await begin(t)
  await sandbox.reports.create({ project: 101 })
  await run()
  await sandbox.clock.advance('P1M')
  await sandbox.reports.complete({ project: 101, report_number: 5 })
  const first = await run()
  assert.equal(first.downloaded.length, 1)
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  assert.deepEqual((await run()).downloaded, ['101-510104.json'])
})
