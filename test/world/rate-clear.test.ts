import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'

/** Effects of `rate.clear` on rate windows, and on the loops that a review finds. */

const headers = { authorization: 'Bearer sandbox-agency' }

test('rate.clear empties both windows of every token, and neither clock moves (section 8)', async () => {
  const sandbox = await createSandbox({ rateLimit: '2/min,3/h', now: '2026-03-15', frozen: true })
  const ask = async () => (await sandbox.fetch('/api/v1/me', { headers })).status
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
  const { now } = sandbox.clock.read()
  await sandbox.command({ type: 'rate.clear' })
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
  expect(sandbox.clock.read().now).toBe(now)
})

test.for<[check: string, pathOf: (user: number) => string]>([
  ['retry-missing', () => '/projects/99999'],
  ['one-by-one', (user) => `/users/${user}`],
])('%s finds a loop, but not one request in each of several runs', async ([check, pathOf]) => {
  const results = await Promise.all(
    [false, true].map(async (isCleared) => {
      const sandbox = await createSandbox({ demo: true, rateLimit: 'unlimited' })
      const users = sandbox.world.records.all('users').slice(0, 5)
      for (const { id } of users) {
        if (isCleared) await sandbox.command({ type: 'rate.clear' })
        await sandbox.fetch(`/api/v1${pathOf(id)}`, { headers })
      }
      return sandbox.review().checks.find(({ id }) => id === check)?.result
    }),
  )
  expect(results).toEqual(['failed', 'passed'])
})
