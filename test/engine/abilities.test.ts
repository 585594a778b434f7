import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { aToken, aWorld } from '../support/worlds.ts'

/** G-012: access that `abilities: enforced` leaves to a token with few abilities. */

test.each<[path: string, abilities: string[], status: number]>([
  ['/me', [], 200],
  ['/me', ['users:read'], 200],
  ['/users', ['users:read'], 200],
  ['/users', ['me:read'], 403],
  ['/projects/1', ['projects:read'], 200],
  ['/projects/1', ['projects'], 403],
])('%s with the abilities %j is %i', async (path, abilities, status) => {
  const sandbox = await createSandbox({
    fixtures: aWorld({ tokens: [aToken({ id: 1, token: 'few-abilities', abilities })] }),
    policies: { abilities: 'enforced' },
  })
  const headers = { authorization: 'Bearer few-abilities' }
  expect((await sandbox.fetch(`/api/v1${path}`, { headers })).status).toBe(status)
})
