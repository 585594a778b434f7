import { describe, expect, test } from 'vitest'
import type { Client, TestResponse } from '../support/transports.ts'
import { openFetch } from '../support/transports.ts'
import { openScenario } from './scenario.ts'

/**
 * Specification 8: tokens with a spent window, in a scenario and among the magic tokens of the
 * default world.
 */

const EXHAUSTED = [
  { name: 'the scenario minute-exhausted', window: 'minute', isScenario: true },
  { name: 'the scenario hour-exhausted', window: 'hour', isScenario: true },
  { name: 'sandbox-minute-exhausted', window: 'minute', isScenario: false },
  { name: 'sandbox-hour-exhausted', window: 'hour', isScenario: false },
].map(({ name, window, isScenario }) => ({
  name,
  lasts: window === 'minute' ? 60 : 3600,
  remaining: window === 'minute' ? '0' : '60',
  open: (): Promise<Client> =>
    isScenario
      ? openScenario(`${window}-exhausted`, { rateLimit: 'unlimited' })
      : openFetch({ rateLimit: 'unlimited' }),
  token: isScenario ? 'sandbox-agency' : `sandbox-${window}-exhausted`,
}))

describe.each(EXHAUSTED)('$name', ({ open, token, lasts, remaining }) => {
  const send = (client: Client): Promise<TestResponse> => client.send({ path: '/me', token })

  test('8 gets a 429 until its window ends, whatever the rateLimit option (T11, T12)', async () => {
    await using client = await open()
    const { status, headers } = await send(client)
    expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([
      429,
      '60',
      remaining,
    ])
    const wait = Number(headers['retry-after'])
    expect(wait).toBeGreaterThan(lasts - 10)
    expect(wait).toBeLessThanOrEqual(lasts)
    const until = Number(headers['x-ratelimit-reset']) - Date.parse(headers['date'] ?? '') / 1000
    expect(Math.abs(until - wait)).toBeLessThanOrEqual(1)
  })

  test('8 is accepted once its window has ended, and spent again after a reset', async () => {
    await using client = await open()
    await client.sandbox.clock.advance((lasts / 2) * 1000)
    expect((await send(client)).status).toBe(429)
    await client.sandbox.clock.advance((lasts / 2) * 1000)
    const { status, headers } = await send(client)
    expect([status, headers['x-ratelimit-remaining']]).toEqual([200, '59'])
    expect(headers).not.toHaveProperty('retry-after')
    await client.sandbox.reset()
    expect((await send(client)).status).toBe(429)
  })
})
