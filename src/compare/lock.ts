import type { LockedPolicy, PolicyLock } from '../fixtures/policy-lock.ts'
import { daySeen } from './results.ts'
import type { PolicyResult } from './results.ts'

export interface LockOutcome {
  file: string
  result: 'written' | 'updated' | 'holds' | 'contradicted'
  contradictions: { policy: string; locked: string[]; seen: string[] }[]
}

export function toLock(
  results: readonly PolicyResult[],
  { service, checked }: { service: string; checked: string },
): PolicyLock {
  const policies = results.flatMap((result) => {
    const seen = daySeen(result)
    if (seen === undefined) return []
    const { policy, gap, value, options, evidence } = result
    const setting = value === undefined ? { one_of: options ?? [] } : { value }
    return [[policy, { ...setting, gap, seen, evidence }] as const]
  })
  return { version: 1, service, checked, policies: Object.fromEntries(policies) }
}

/**
 * Returns the policies whose observed options all differ from those in a lock. A policy that was not observed, or is not in the
 * lock, contradicts nothing.
 */
export function findContradictions(
  { policies }: PolicyLock,
  results: readonly PolicyResult[],
): LockOutcome['contradictions'] {
  return results.flatMap(({ policy, value, options = [] }) => {
    const locked = policies[policy] ? optionsIn(policies[policy]) : []
    const seen = value === undefined ? options : [value]
    const isContradicted =
      locked.length > 0 && seen.length > 0 && !seen.some((option) => locked.includes(option))
    return isContradicted ? [{ policy, locked, seen }] : []
  })
}

function optionsIn({ value, one_of = [] }: LockedPolicy): string[] {
  return value === undefined ? one_of : [value]
}
