import { ClockState } from '../../journal/clock-state.ts'
import { toClockState } from '../clock.ts'
import { FixturesInput } from '../fixtures-input.ts'
import { swapFixtures } from '../world-state.ts'
import { defineCommand } from './command.ts'

export const fixturesLoad = defineCommand({
  type: 'fixtures.load',
  description:
    'Loads other fixtures, which a reset then restores; both clocks and the rate windows continue',
  fields: { fixtures: FixturesInput },
  result: ClockState,
  prepare: async (parts, { fixtures }) => {
    const seed = await parts.options.readFixtures(fixtures)
    const options = { ...parts.options, seed }
    const swap = await swapFixtures(options, parts.state)
    return {
      apply: () => {
        parts.state = swap()
        parts.options = options
        return toClockState(parts.state.clock)
      },
      seed,
    }
  },
  // Fixtures may be large, and are loaded again with each change of a file: only their names are listed.
  toListed: (command) => {
    const { files } = command['fixtures'] as { files?: { name?: unknown }[] }
    return { ...command, fixtures: files?.map((file) => file.name) ?? 'inline' }
  },
  // A session has the seed instead.
  toRecorded: (command) => ({ ...command, fixtures: {} }),
})
