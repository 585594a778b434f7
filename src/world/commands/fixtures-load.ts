import { ClockState } from '../../journal/applied-command.ts'
import { withNamespacedTokens } from '../../records/bearer-tokens.ts'
import { toClockState } from '../clocks.ts'
import { FixturesInput } from '../fixtures-input.ts'
import { swapFixtures } from '../world-state.ts'
import { sizeOf, toReplace } from './additions.ts'
import { defineCommand } from './command.ts'
import type { LoadedSeed } from './command.ts'

export const fixturesLoad = defineCommand({
  type: 'fixtures.load',
  description:
    'Loads other fixtures, which later resets restore; both clocks and the rate windows continue',
  fields: { fixtures: FixturesInput },
  result: ClockState,
  load: async ({ readFixtures }, { fixtures }): Promise<LoadedSeed> => ({
    seed: await readFixtures(fixtures),
    files: fileNamesOf(fixtures),
  }),
  isCostly: true,
  loadedField: 'fixtures',
  adds: (parts, _, loaded) => toReplace(parts, sizeOf(loaded)),
  prepare: async (parts, _, { seed }) => {
    const options = { ...parts.options, seed }
    const swap = await swapFixtures(options, parts.state)
    return {
      tokens: withNamespacedTokens(seed.records, options.tokenSuffix).tokens,
      apply: () => {
        parts.state = swap()
        parts.options = options
        return toClockState(parts.state.clock)
      },
    }
  },
  // Only the names of files are listed, because fixtures may be large and are reloaded with each change of a file.
  toListed: (command, { files = 'inline' }) => ({ ...command, fixtures: files }),
  // A session contains the seed instead.
  toRecorded: (command) => ({ ...command, fixtures: {} }),
})

/** Returns the names of the files that fixtures are read from; undefined for inline fixtures. */
function fileNamesOf(fixtures: string | object): readonly string[] | undefined {
  const { files } = fixtures as { files?: { name: string }[] }
  return files?.map(({ name }) => name)
}
