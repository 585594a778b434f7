import { toHavePassed } from 'seo-sandbox/matchers'
import { rehearse } from 'seo-sandbox/rehearse'
import { expect, test } from 'vitest'
import { createSync } from './right-sync.js'

expect.extend({ toHavePassed })

test('forty days go well', { timeout: 60_000 }, async () => {
  const { run, state } = createSync()
  expect(await rehearse(run, { profile: 'smoke', start: '2026-01-01', state })).toHavePassed()
})

test('a year goes well', { timeout: 60_000 }, async () => {
  const { run, state } = createSync()
  expect(await rehearse(run, { profile: 'year', start: '2026-01-01', state })).toHavePassed()
})
