import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { aWorld } from '../support/worlds.ts'

/** Commands in a journal and in a session, bounded by a number and by characters. */

const rename = (length: number, letter = 'x') =>
  ({
    type: 'record.patch',
    collection: 'projects',
    id: 1,
    patch: { name: letter.repeat(length) },
  }) as const

test('the journal forgets the oldest commands beyond 2,000 characters for each request it keeps', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld(), journal: 1000 })
  for (let count = 0; count < 30; count += 1) await sandbox.command(rename(100_000))
  const { commands } = sandbox.world.journal
  expect(commands.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 19 }, (_, at) => at + 12),
  )
  await sandbox.command(rename(3_000_000))
  expect(commands).toHaveLength(1)
  const restored = await createSandbox({ fixtures: aWorld(), journal: 1000 })
  await restored.restore(await sandbox.snapshot())
  expect(restored.world.journal.commands).toHaveLength(1)
})

test('a session with more characters is no longer kept, until a command begins another one', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld(), journal: 1000 })
  for (let count = 0; count < 19; count += 1) await sandbox.command(rename(100_000))
  expect((await sandbox.session()).steps).toHaveLength(19)
  await sandbox.command(rename(200_000))
  await expect(sandbox.session()).rejects.toThrow(/more than 2000000 characters of commands/)
  await sandbox.reset()
  await sandbox.command(rename(100_000))
  expect((await sandbox.session()).steps).toHaveLength(2)
})

test('what fixtures have loaded counts, and not the snapshot that a session begins with', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld(), journal: 1000 })
  const fixtures = aWorld({ countries: [{ id: 1, label: 'x'.repeat(1_500_000) }] })
  await sandbox.command({ type: 'fixtures.load', fixtures })
  await sandbox.restore(await sandbox.snapshot())
  await sandbox.command({ type: 'fixtures.load', fixtures })
  expect((await sandbox.session()).steps).toHaveLength(2)
  await sandbox.command({ type: 'fixtures.load', fixtures })
  await expect(sandbox.session()).rejects.toThrow(/characters of commands and fixtures/)
})
