import { describe, expect, test } from 'vitest'
import { resolvePolicies } from '../../src/contract/policies.ts'
import { ResponseHeaders } from '../../src/engine/response-headers.ts'
import type { Described } from '../../src/engine/response-headers.ts'

/**
 * The headers of section 8 and `Date`: responses within a second share one object if these are
 * equal.
 */

const policies = resolvePolicies()

const counted = { allowed: true, limit: 60, remaining: 59, resetMs: null, exhausted: [] }
const rejected = { ...counted, allowed: false, remaining: 0, resetMs: 61_000 }

const DESCRIBED: Described = {
  type: 'application/json',
  verdict: rejected,
  problem: undefined,
  rateMs: 1_000,
}

const OTHERS: Record<string, Partial<Described>> = {
  'another type': { type: 'text/html' },
  'another second': { rateMs: 2_000 },
  'no limit shown': { verdict: undefined },
  'no limit': { verdict: { ...counted, limit: 'unlimited', remaining: null } },
  'another limit': { verdict: { ...rejected, limit: 61 } },
  'another number remaining': { verdict: { ...rejected, remaining: 1 } },
  'another end of the window': { verdict: { ...rejected, resetMs: 62_000 } },
  'no rejection': { verdict: { ...counted, remaining: 0 } },
  'a method that is not allowed': { problem: 'method_not_allowed' },
  'a login that is required': { problem: 'login_required' },
}

describe('headers of the previous response', () => {
  const write = (described: Described) =>
    new ResponseHeaders((name) => policies[name]).write(described)

  test('are the same frozen object within a second', () => {
    const headers = new ResponseHeaders((name) => policies[name])
    const first = headers.write(DESCRIBED)
    expect(headers.write({ ...DESCRIBED, rateMs: 1_999, problem: 'rate_limit_exceeded' })).toBe(
      first,
    )
    expect(() => Object.assign(first.headers, { Date: 'never' })).toThrow(TypeError)
  })

  test.each(Object.entries(OTHERS))('are not reused for %s', (_, other) => {
    const headers = new ResponseHeaders((name) => policies[name])
    const first = headers.write(DESCRIBED)
    const described = { ...DESCRIBED, ...other }
    expect(headers.write(described)).toEqual(write(described))
    expect(headers.write(described)).not.toEqual(first)
  })
})
