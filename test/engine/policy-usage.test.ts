import { expect, test } from 'vitest'
import { Cache } from '../../src/contract/cache.ts'
import { POLICIES } from '../../src/contract/gaps.ts'
import { resolvePolicies } from '../../src/contract/policies.ts'
import type { PolicyName } from '../../src/contract/policies.ts'
import { PolicySets, PolicyUsage } from '../../src/engine/policy-usage.ts'
import type { PolicySet } from '../../src/engine/policy-usage.ts'

/** Which policies a response used (gaps.md): those in X-Sandbox-Gaps and the journal. */

const NAMES = POLICIES.map(({ policy }) => policy)

test('names every policy that was read, in the order of the gaps', () => {
  const usage = new PolicyUsage(resolvePolicies())
  for (const name of NAMES.toReversed()) usage.read(name)
  expect(usage.used).toEqual(NAMES)
  usage.begin()
  expect(usage.used).toEqual([])
})

test('the policies that one computation read are recorded separately, and count for the whole response', () => {
  const usage = new PolicyUsage(resolvePolicies())
  usage.read('list-order')
  const { used } = usage.during(() => usage.read('foreign-project'))
  expect(used.names).toEqual(['foreign-project'])
  expect(usage.used.toSorted()).toEqual(['foreign-project', 'list-order'])
  usage.begin()
  usage.add(used)
  expect(usage.used).toEqual(['foreign-project'])
})

test('finds a cached value with other options unless it depends on one of those', () => {
  const cache = new Cache<string, { text: string; used: PolicySet }>(10)
  const inForce = resolvePolicies()
  const usual = new PolicyUsage(inForce)
  const changed = new PolicyUsage(inForce, { 'list-order': 'label' })
  const keep = (usage: PolicyUsage, key: string, policy: PolicyName) => {
    const { value: text, used } = usage.during(() => usage.read(policy))
    usage.keep(cache, key, { text, used })
  }
  keep(usual, 'dependent', 'list-order')
  keep(usual, 'independent', 'page-links')
  expect(changed.find(cache, 'dependent')).toBeUndefined()
  expect(changed.find(cache, 'independent')?.text).toBe('relative')
  keep(changed, 'dependent', 'list-order')
  expect(changed.find(cache, 'dependent')?.text).toBe('label')
  expect(usual.find(cache, 'dependent')?.text).toBe('id')
})

test('works with twenty more policies than exist', () => {
  const more = Array.from({ length: 20 }, (_, index) => `further-policy-${index}`)
  const names = [...NAMES, ...more]
  const sets = new PolicySets<string>(names)
  for (const chosen of [
    more,
    names,
    names.filter((_, index) => index % 3 === 0),
    names.slice(-2),
  ]) {
    const set = chosen.toReversed().reduce((used, name) => sets.add(used, name), sets.empty)
    expect(set.names).toEqual(chosen)
    expect(sets.union(sets.empty, set)).toBe(set)
  }
})
