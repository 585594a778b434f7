// MSW intercepts for the whole process; within `server.boundary` a test has handlers of its own.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setupServer } from 'msw/node'
import { createSandbox } from 'seo-sandbox'
import { handlers } from 'seo-sandbox/msw'
import { createClient } from './client.js'

const baseUrl = 'https://seo.example.com/api/v1'
const token = 'sandbox-unlimited'
const server = setupServer()

before(() => server.listen())
after(() => server.close())

/** A test with a sandbox of its own. */
function isolated(run) {
  return server.boundary(async () => {
    const sandbox = await createSandbox()
    server.use(...handlers(sandbox, { baseUrl }))
    await run(sandbox)
  })
}

describe('at the same time', { concurrency: true }, () => {
  test(
    'a finished report appears',
    isolated(async ({ reports }) => {
      const client = createClient({ baseUrl, token })
      await reports.complete({ project: 101, report_number: 4 })
      assert.deepEqual(await client.finishedReports(101), [4, 3, 2, 1])
    }),
  )

  test(
    'the change of another test is not visible here',
    isolated(async () => {
      const client = createClient({ baseUrl, token })
      assert.deepEqual(await client.finishedReports(101), [3, 2, 1])
    }),
  )
})
