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
  const send = (client: Client, path = '/me'): Promise<TestResponse> => client.send({ path, token })

  test.each(['/me', '/projects', '/projects/101/reports/latest', '/projects/999'])(
    '8 gets a 429 at %s, whatever the rateLimit option',
    async (path) => {
      await using client = await open()
      const { status, body, headers } = await send(client, path)
      expect(status).toBe(429)
      expect(body).toEqual({
        error: { code: 'rate_limit_exceeded', message: expect.any(String) },
      })
      expect(headers).toMatchObject({
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': remaining,
        'retry-after': expect.stringMatching(/^\d+$/),
        'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
      })
    },
  )

  test('8 shows when its window ends: a minute, or an hour, after the start (T11, T12)', async () => {
    await using client = await open()
    const { headers } = await send(client)
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

  test('8 does not affect other tokens', async () => {
    await using client = await open()
    expect((await client.send({ path: '/me', token: 'sandbox-super' })).status).toBe(200)
    expect((await client.send({ path: '/me', token: 'sandbox-unlimited' })).status).toBe(200)
  })
})
