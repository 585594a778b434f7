import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { WorldRates } from '../../src/server/world-rates.ts'

/** The rates of worlds with a key: docs/partners.md, limits. */

let Rates: typeof WorldRates
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
  vi.resetModules()
  // It keeps the timers as they are when it is imported.
  Rates = (await import('../../src/server/world-rates.ts')).WorldRates
})
afterAll(() => void vi.useRealTimers())

const LIMITS = { requests: 3, costly: 12 }
const nothing = () => undefined

describe('an expensive request', () => {
  test('is one of twelve a minute of its world, and four are saved for a burst', async () => {
    const rates = new Rates(LIMITS)
    const send = (world: string) =>
      rates.takeCostly(world, nothing).then(
        () => 'handled',
        (error: { code: string; waitSeconds: number }) => [error.code, error.waitSeconds],
      )
    const sendAll = async (count: number) => {
      const sent = Array.from({ length: count }, () => send('w1'))
      await vi.advanceTimersByTimeAsync(100)
      return Promise.all(sent)
    }
    const handled = (count: number) => Array.from({ length: count }, () => 'handled')
    expect(await sendAll(5)).toEqual([...handled(4), ['too_many_costly', 5]])
    await vi.advanceTimersByTimeAsync(4000)
    expect(await sendAll(1)).toEqual([['too_many_costly', 1]])
    await vi.advanceTimersByTimeAsync(1000)
    expect(await sendAll(2)).toEqual([...handled(1), ['too_many_costly', 5]])
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(await sendAll(5)).toEqual([...handled(4), ['too_many_costly', 5]])
    const other = send('w2')
    await vi.advanceTimersByTimeAsync(100)
    expect(await other).toBe('handled')
  })

  test('begins after the one before it, of any world, and a pause as long as that took', async () => {
    const rates = new Rates(LIMITS)
    const began: string[] = []
    const take = (world: string, ms: number) =>
      rates.takeCostly(world, async () => {
        began.push(world)
        await new Promise((resolve) => void setTimeout(resolve, ms))
      })
    const failing = rates.takeCostly('w1', async () => {
      await new Promise((resolve) => void setTimeout(resolve, 50))
      throw new Error('the bug')
    })
    const failed = expect(failing).rejects.toThrow('the bug')
    void take('w2', 100)
    void take('w3', 1)
    await vi.advanceTimersByTimeAsync(99)
    await failed
    expect(began).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(began).toEqual(['w2'])
    await vi.advanceTimersByTimeAsync(199)
    expect(began).toEqual(['w2'])
    await vi.advanceTimersByTimeAsync(1)
    expect(began).toEqual(['w2', 'w3'])
  })

  test('is refused while 32 others wait', async () => {
    const rates = new Rates(LIMITS)
    const worlds = Array.from({ length: 32 }, (_, index) => `w${index}`)
    const all = Promise.all(worlds.map((world) => rates.takeCostly(world, nothing)))
    await expect(rates.takeCostly('late', nothing)).rejects.toMatchObject({ code: 'too_busy' })
    await vi.advanceTimersByTimeAsync(100)
    await all
    await expect(rates.takeCostly('later', nothing)).resolves.toBeUndefined()
  })
})

test('any other request is one of those that the world has in a second', async () => {
  const rates = new Rates(LIMITS)
  for (let count = 0; count < 3; count += 1) rates.take('w1')
  expect(() => rates.take('w1')).toThrow('More requests and changes')
  rates.take('w2')
  await vi.advanceTimersByTimeAsync(1000)
  rates.take('w1')
})
