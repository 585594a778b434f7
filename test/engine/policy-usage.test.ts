import { expect, test } from 'vitest'
import { POLICIES } from '../../src/contract/gaps.ts'
import { resolvePolicies } from '../../src/contract/policies.ts'
import { PolicySets, PolicyUsage } from '../../src/engine/policy-usage.ts'

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
