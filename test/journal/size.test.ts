import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { aWorld } from '../support/worlds.ts'

/** Design, the library: `journal` is the number of requests that are kept. */

describe('a journal', () => {
  const cases = [
    { journal: 1, kept: [4] },
    { journal: 3, kept: [2, 3, 4] },
    { journal: undefined, kept: [1, 2, 3, 4] },
  ]
  test.each(cases)('of $journal keeps the latest requests', async ({ journal, kept }) => {
    const sandbox = await createSandbox({ fixtures: aWorld(), ...(journal && { journal }) })
    for (let count = 0; count < 4; count += 1) await sandbox.fetch('/api/v1/me')
    expect(sandbox.requests.all().map(({ sequence }) => sequence)).toEqual(kept)
  })

  test('also limits the session until a reset, and that of isolated worlds, which have no more than 1,000', async () => {
    const small = await createSandbox({ fixtures: aWorld(), journal: 2 })
    const { sandbox: isolated } = await small.worlds.create()
    for (const sandbox of [small, isolated]) {
      await sandbox.fetch('/api/v1/me')
      await sandbox.fetch('/api/v1/me')
      await expect(sandbox.session()).resolves.toHaveProperty('steps.length', 2)
      await sandbox.fetch('/api/v1/me')
      await expect(sandbox.session()).rejects.toThrow(/^The session has more than 2 steps.*Reset/)
      expect(sandbox.requests.count()).toBe(2)
      await sandbox.reset()
      await expect(sandbox.session()).resolves.toHaveProperty('steps.length', 1)
    }
    const large = await createSandbox({ fixtures: aWorld(), journal: 2000 })
    expect((await large.worlds.create()).sandbox.world.options.journalSize).toBe(1000)
  })

  test('is no part of a session, which another sandbox replays whatever it keeps', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld(), journal: 7 })
    expect(await sandbox.session()).not.toHaveProperty('beginning.journal')
  })

  test.each([0, -1, 1.5, 100_001, 'many'])('of %s is refused', async (journal) => {
    await expect(createSandbox({ journal: journal as number })).rejects.toThrow(
      /journal: .* is not a number of requests: use 1 to 100000\./,
    )
  })
})
