import { ClockState } from '../../journal/clock-state.ts'
import { bytesToLoad } from '../../records/records.ts'
import { toClockState } from '../clock.ts'
import { FixturesInput } from '../fixtures-input.ts'
import { LargeInput } from '../large-input.ts'
import { replaceState } from '../world-memory.ts'
import { swapFixtures } from '../world-state.ts'
import { defineCommand } from './command.ts'

/** The names of the files that fixtures are read from; undefined where they are given as they are. */
export function fileNamesOf(fixtures: unknown): readonly string[] | undefined {
  if (fixtures instanceof LargeInput) return fixtures.fileNames
  const { files } = fixtures as { files?: { name: string }[] }
  return files?.map(({ name }) => name)
}

export const fixturesLoad = defineCommand({
  type: 'fixtures.load',
  description:
    'Loads other fixtures, which a reset then restores; both clocks and the rate windows continue',
  fields: { fixtures: FixturesInput },
  result: ClockState,
  prepare: async (parts, { fixtures }) => {
    const seed = await parts.options.readFixtures(fixtures)
    const bytes = bytesToLoad(seed.records, seed.generate?.projects)
    parts.options.requireRoom(bytes - parts.state.records.memory.bytes)
    const options = { ...parts.options, seed }
    const swap = await swapFixtures(options, parts.state)
    return {
      apply: () => {
        replaceState(parts, swap())
        parts.options = options
        return toClockState(parts.state.clock)
      },
      seed,
    }
  },
  // Fixtures may be large, and are loaded again with each change of a file: only their names are listed.
  toListed: (command) => {
    const { fixtures } = command
    return { ...command, fixtures: fileNamesOf(fixtures) ?? 'inline' }
  },
  // A session has the seed instead.
  toRecorded: (command) => ({ ...command, fixtures: {} }),
})
