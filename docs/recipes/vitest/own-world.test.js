// The same with your own fixtures, a file beside this one wherever Vitest is started, and with the calendar set. Every
// option of createSandbox is possible.
import { join } from 'node:path'
import { loadFixtures } from 'seo-sandbox/server'
import { createTest } from 'seo-sandbox/vitest'
import { expect } from 'vitest'
import { createClient } from './client.js'

const test = createTest({
  fixtures: loadFixtures(join(import.meta.dirname, 'own-world.yaml')),
  now: '2026-04-15T12:00:00Z',
})

test('the world is that of the file', async ({ api }) => {
  const client = createClient({ baseUrl: api, token: 'my-token' })
  expect(await client.finishedReports(7)).toEqual([1])
})

test('the calendar starts as set and is moved by a command', async ({ sandbox, api }) => {
  const client = createClient({ baseUrl: api, token: 'my-token' })
  expect(await client.refreshedAt()).toBe('2026-04-15T12:00:00.000000Z')

  await sandbox.clock.advance('P1M')
  expect(await client.refreshedAt()).toBe('2026-05-15T12:00:00.000000Z')
})
