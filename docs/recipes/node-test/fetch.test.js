// A client that takes a fetch needs no server and no interception, so these tests run concurrently.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSandbox } from 'seo-sandbox'
import { createClient } from './client.js'

const baseUrl = 'https://any.host/api/v1'
const token = 'sandbox-unlimited'

describe('with sandbox.fetch', { concurrency: true }, () => {
  test('a finished report appears, until the sandbox is reset', async () => {
    const { fetch, reports, reset } = await createSandbox()
    const client = createClient({ baseUrl, token, fetch })
    await reports.complete({ project: 101, report_number: 4 })
    assert.deepEqual(await client.finishedReports(101), [4, 3, 2, 1])

    await reset()
    assert.deepEqual(await client.finishedReports(101), [3, 2, 1])
  })

  test('the change of another test is not visible here', async () => {
    const { fetch } = await createSandbox()
    const client = createClient({ baseUrl, token, fetch })
    assert.deepEqual(await client.finishedReports(101), [3, 2, 1])
  })
})
