import { expectTypeOf, test } from 'vitest'
import type { WireFault } from '../../src/contract/wire-fault.ts'
import { requireHandled } from '../../src/sandbox/delivery.ts'

/** Node's adapter, and that of fetch, which msw's handlers use too, pass on what they leave of a wire fault. */

test('an adapter that handles every property of a wire fault leaves nothing', () => {
  const { delayMs: _1, bodyMs: _2, bodyShare: _3, end: _4, ...rest } = {} as WireFault
  expectTypeOf(requireHandled).toBeCallableWith(rest)
})

test('a property that an adapter does not handle is a type error', () => {
  const { delayMs: _1, bodyMs: _2, bodyShare: _3, ...rest } = {} as WireFault
  // @ts-expect-error The end is not handled.
  requireHandled(rest)
  const {
    delayMs: _4,
    bodyMs: _5,
    bodyShare: _6,
    end: _7,
    ...others
  } = {} as WireFault & {
    speed?: number
  }
  // @ts-expect-error Nor is a property that is new.
  requireHandled(others)
})
