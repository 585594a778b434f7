import { expect, test } from 'vitest'
import { resolvePolicies } from '../../src/contract/policies.ts'
import { DerivedLists } from '../../src/engine/derived-lists.ts'
import { PolicyUsage } from '../../src/engine/policy-usage.ts'
import { createSandbox } from '../../src/index.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

test('G-058 with stale data, a list that was read before a change stays the same until the refresh', async () => {
  const policies = { 'data-refresh': 'stale' } as const
  const sandbox = await createSandbox({ fixtures: aWorld(), policies })
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${AGENCY}` }
    return (await sandbox.fetch(`/api/v1${path}`, { headers })).text()
  }
  const before = await read('/projects')
  const patch = { name: 'Other' }
  await sandbox.command({ type: 'record.patch', collection: 'projects', id: 1, patch })
  // `/me` is never stale: it is computed from the new revision, which clears the cached bodies.
  await read('/me')
  expect(await read('/projects')).toBe(before)
})

test.each([
  { length: 0, isKept: true },
  { length: 100, isKept: true },
  { length: 100_000, isKept: false },
])('a list is kept with fifty others of $length items: $isKept', ({ length, isKept }) => {
  const lists = new DerivedLists(new PolicyUsage(resolvePolicies()))
  const others = Array.from({ length }, (_, index) => index)
  let computed = 0
  const read = () =>
    lists.get('first', 1, () => {
      computed += 1
      return [computed]
    })
  read()
  for (let other = 0; other < 50; other += 1) lists.get(`other ${other}`, 1, () => others)
  read()
  expect(computed).toBe(isKept ? 1 : 2)
})
