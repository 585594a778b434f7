import { expect, test } from 'vitest'
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
