// `test` of seo-sandbox/vitest gives each test its own sandbox, and `api`, the URL where it listens.
import { test } from 'seo-sandbox/vitest'
import { expect } from 'vitest'
import { createClient } from './client.js'

const token = 'sandbox-unlimited'

test('a finished report appears', async ({ sandbox, api }) => {
  const client = createClient({ baseUrl: api, token })
  expect(await client.finishedReports(101)).toEqual([3, 2, 1])

  await sandbox.reports.complete({ project: 101, report_number: 4 })
  expect(await client.finishedReports(101)).toEqual([4, 3, 2, 1])
})

test('the change of another test is not visible here', async ({ api }) => {
  const client = createClient({ baseUrl: api, token })
  expect(await client.finishedReports(101)).toEqual([3, 2, 1])
})

test('a reset in the middle of a test restores everything', async ({ sandbox, api }) => {
  const client = createClient({ baseUrl: api, token })
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  await sandbox.reset()
  expect(await client.finishedReports(101)).toEqual([3, 2, 1])
})

test('a client that takes a fetch needs no server', async ({ sandbox }) => {
  const { fetch } = sandbox
  const client = createClient({ baseUrl: 'https://any.host/api/v1', token, fetch })
  expect(await client.finishedReports(101)).toEqual([3, 2, 1])
})
