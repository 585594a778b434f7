import { toHavePassed } from 'seo-sandbox/matchers'
import { rehearse } from 'seo-sandbox/rehearse'
import { expect, test } from 'vitest'
import { createSync } from './right-sync.js'

expect.extend({ toHavePassed })

test('forty days go well', { timeout: 60_000 }, async ({ signal }) => {
  const { run, state } = createSync()
  const report = await rehearse(run, { profile: 'smoke', start: '2026-01-01', state, signal })
  expect(report).toHavePassed()
})

test('a year goes well', { timeout: 60_000 }, async ({ signal }) => {
  const { run, state } = createSync()
  const report = await rehearse(run, { profile: 'year', start: '2026-01-01', state, signal })
  expect(report).toHavePassed()
})
