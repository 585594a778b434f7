import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

afterEach(() => {
  vi.useRealTimers()
})

const REAL = '2026-03-15T12:00:00.000Z'

/** A world whose clock runs with the machine's, which is set to {@link REAL}. */
async function running(options: { now?: string; frozen?: boolean } = {}): Promise<Sandbox> {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(REAL) })
  const { now: _now, frozen: _frozen, ...fixtures } = aWorld()
  return createSandbox({ fixtures, ...options })
}

function get(sandbox: Sandbox, path: string): Promise<Response> {
  return sandbox.fetch(`/api/v1${path}`, { headers: { authorization: `Bearer ${AGENCY}` } })
}

async function refreshedAt(sandbox: Sandbox): Promise<unknown> {
  const { cache_refreshed_at } = (await (await get(sandbox, '/projects/1')).json()) as any
  return cache_refreshed_at
}

describe('two clocks', () => {
  test('both start at the time of the machine, and follow fake timers at each use', async () => {
    const sandbox = await running()
    const before = {
      now: '2026-03-15T12:00:00.000000Z',
      frozen: false,
      rate_clock: '2026-03-15T12:00:00.000000Z',
    }
    expect(sandbox.clock.read()).toEqual(before)
    vi.setSystemTime(new Date('2027-01-01T00:00:30.500Z'))
    expect(sandbox.clock.read()).toMatchObject({
      now: '2027-01-01T00:00:30.500000Z',
      rate_clock: '2027-01-01T00:00:30.500000Z',
    })
    expect(await refreshedAt(sandbox)).toBe('2027-01-01T00:00:00.000000Z')
  })

  test('setting now changes only the world clock, which keeps running (T21)', async () => {
    const sandbox = await running({ now: '2020-02-29' })
    vi.advanceTimersByTime(1500)
    expect(sandbox.clock.read()).toEqual({
      now: '2020-02-29T00:00:01.500000Z',
      frozen: false,
      rate_clock: '2026-03-15T12:00:01.500000Z',
    })
    const response = await get(sandbox, '/me')
    expect(response.headers.get('date')).toBe('Sun, 15 Mar 2026 12:00:01 GMT')
  })

  test('freezing stops only the world clock, which later continues from where it stopped', async () => {
    const sandbox = await running({ frozen: true })
    vi.advanceTimersByTime(60_000)
    expect(sandbox.clock.read()).toEqual({
      now: '2026-03-15T12:00:00.000000Z',
      frozen: true,
      rate_clock: '2026-03-15T12:01:00.000000Z',
    })
    await sandbox.clock.freeze(false)
    vi.advanceTimersByTime(1000)
    expect(sandbox.clock.read()).toMatchObject({
      now: '2026-03-15T12:00:01.000000Z',
      frozen: false,
    })
  })

  test.each([
    ['2026-03-15T12:00:00Z', 'PT30S', '2026-03-15T12:00:30.000000Z'],
    ['2026-01-31T12:00:00Z', 'P1M', '2026-02-28T12:00:00.000000Z'],
    ['2024-01-31T12:00:00Z', 'P1M', '2024-02-29T12:00:00.000000Z'],
    ['2024-02-29T00:00:00Z', 'P1Y', '2025-02-28T00:00:00.000000Z'],
    ['2026-10-31T00:00:00Z', 'P1M1D', '2026-12-01T00:00:00.000000Z'],
    ['2026-12-31T23:59:59.999Z', 'PT0.001S', '2027-01-01T00:00:00.000000Z'],
    ['2026-03-15T12:00:00Z', 'P1Y2M3W4DT5H6M7.5S', '2027-06-09T17:06:07.500000Z'],
    ['2026-03-15T12:00:00Z', 1, '2026-03-15T12:00:00.001000Z'],
    ['2026-03-15T12:00:00Z', 0, '2026-03-15T12:00:00.000000Z'],
  ])(
    'advancing %s by %s results in %s, and moves the rate clock by the same amount',
    async (now, by, expected) => {
      const sandbox = await running({ now, frozen: true })
      const before = sandbox.clock.read()
      const after = await sandbox.clock.advance(by)
      expect(after.now).toBe(expected)
      const moved = (clock: string, other: string) => Date.parse(other) - Date.parse(clock)
      expect(moved(before.rate_clock, after.rate_clock)).toBe(moved(before.now, after.now))
    },
  )

  test.each([
    ['-P1D'],
    ['P-1D'],
    ['P'],
    ['PT'],
    ['1 day'],
    [''],
    [-1],
    [1.5],
    [Number.NaN],
    ['P9999Y'],
  ])('advancing by %s is refused, and moves nothing', async (by) => {
    const sandbox = await running({ frozen: true })
    const before = sandbox.clock.read()
    await expect(sandbox.clock.advance(by)).rejects.toMatchObject({ name: 'CommandError' })
    expect(sandbox.clock.read()).toEqual(before)
  })

  test('now may be a Date, or relative to the clock', async () => {
    const sandbox = await running()
    expect((await sandbox.clock.set(new Date('2030-05-05T05:05:05Z'))).now).toBe(
      '2030-05-05T05:05:05.000000Z',
    )
    expect((await sandbox.clock.set('month+1/31')).now).toBe('2030-06-30T00:00:00.000000Z')
    const invalid = new Date(Number.NaN)
    await expect(sandbox.clock.set(invalid)).rejects.toThrow('now: This Date is invalid.')
    expect(() => sandbox.explain(101, { at: invalid })).toThrow('at: This Date is invalid.')
    for (const wrong of [{}, [], 2147483648, null]) {
      await expect(sandbox.clock.set(wrong as never)).rejects.toThrow('is not a date and time')
    }
    await expect(sandbox.clock.set('2030-02-30')).rejects.toThrow('not a date')
  })

  test('nothing waits on a timer: requests and commands complete with every timer faked', async () => {
    vi.useFakeTimers()
    const sandbox = await createSandbox({ fixtures: aWorld() })
    await sandbox.clock.advance('P1D')
    expect((await get(sandbox, '/projects')).status).toBe(200)
    expect(vi.getTimerCount()).toBe(0)
  })
})
