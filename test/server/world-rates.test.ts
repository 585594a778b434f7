import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { WorldRates } from '../../src/server/world-rates.ts'

/** The rates of worlds with a key: docs/hosting/README.md, limits. */

/** A clock that stands still until a test advances it. */
class StoppedClock {
  #nowMs = 0
  #waiting: { untilMs: number; resolve: () => void }[] = []
  readonly now = (): number => this.#nowMs
  readonly wait = (ms: number): Promise<void> =>
    new Promise((resolve) => this.#waiting.push({ untilMs: this.#nowMs + ms, resolve }))

  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    for (;;) {
      await setImmediate()
      const [next] = this.#waiting.toSorted((one, other) => one.untilMs - other.untilMs)
      if (!next || next.untilMs > endMs) break
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.#nowMs = next.untilMs
      next.resolve()
    }
    this.#nowMs = endMs
  }
}

const LIMITS = { requests: 3, costly: 12 }
const nothing = () => undefined

describe('an expensive request', () => {
  test('is one of twelve a minute of its world, and four are saved for a burst', async () => {
    const clock = new StoppedClock()
    const rates = new WorldRates(LIMITS, clock)
    const send = (world: string) =>
      rates.takeCostly(world, nothing).then(
        () => 'handled',
        (error: { code: string; waitSeconds: number }) => [error.code, error.waitSeconds],
      )
    const sendAll = async (count: number) => {
      const sent = Array.from({ length: count }, () => send('w1'))
      await clock.advance(100)
      return Promise.all(sent)
    }
    const handled = (count: number) => Array.from({ length: count }, () => 'handled')
    expect(await sendAll(5)).toEqual([...handled(4), ['too_many_costly', 5]])
    await clock.advance(4000)
    expect(await sendAll(1)).toEqual([['too_many_costly', 1]])
    await clock.advance(1000)
    expect(await sendAll(2)).toEqual([...handled(1), ['too_many_costly', 5]])
    await clock.advance(3_600_000)
    expect(await sendAll(5)).toEqual([...handled(4), ['too_many_costly', 5]])
    const other = send('w2')
    await clock.advance(100)
    expect(await other).toBe('handled')
  })

  test('begins after the one before it, of any world, and a pause as long as that took', async () => {
    const clock = new StoppedClock()
    const rates = new WorldRates(LIMITS, clock)
    const began: string[] = []
    const take = (world: string, ms: number) =>
      rates.takeCostly(world, async () => {
        began.push(world)
        await clock.wait(ms)
      })
    const failing = rates.takeCostly('w1', async () => {
      await clock.wait(50)
      throw new Error('the bug')
    })
    const failed = expect(failing).rejects.toThrow('the bug')
    void take('w2', 100)
    void take('w3', 1)
    await clock.advance(99)
    await failed
    expect(began).toEqual([])
    await clock.advance(1)
    expect(began).toEqual(['w2'])
    await clock.advance(199)
    expect(began).toEqual(['w2'])
    await clock.advance(1)
    expect(began).toEqual(['w2', 'w3'])
  })

  test('is refused while 32 others wait', async () => {
    const clock = new StoppedClock()
    const rates = new WorldRates(LIMITS, clock)
    const worlds = Array.from({ length: 32 }, (_, index) => `w${index}`)
    const all = Promise.all(worlds.map((world) => rates.takeCostly(world, nothing)))
    await expect(rates.takeCostly('late', nothing)).rejects.toMatchObject({ code: 'too_busy' })
    await clock.advance(100)
    await all
    await expect(rates.takeCostly('later', nothing)).resolves.toBeUndefined()
  })
})

test('any other request is one of those that the world has in a second', async () => {
  const clock = new StoppedClock()
  const rates = new WorldRates(LIMITS, clock)
  for (let count = 0; count < 3; count += 1) rates.take('w1')
  expect(() => rates.take('w1')).toThrow('a world has 3 requests and changes a second')
  rates.take('w2')
  await clock.advance(1000)
  rates.take('w1')
})
