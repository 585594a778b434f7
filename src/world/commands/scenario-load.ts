import { z } from 'zod'
import { describe } from '../../contract/text.ts'
import { suggest } from '../../contract/suggestion.ts'
import { ClockState } from '../../journal/applied-command.ts'
import { invalidCommand } from '../command-error.ts'
import { startState } from '../world-state.ts'
import { sizeOf, toReplace } from './additions.ts'
import { defineCommand } from './command.ts'
import type { LoadedSeed } from './command.ts'
import { restartWorld } from './reset.ts'

export const scenarioLoad = defineCommand({
  type: 'scenario.load',
  description: 'Loads a scenario in place of the world, until a reset',
  fields: { scenario: z.string().describe('The name of a scenario') },
  result: ClockState,
  isCostly: true,
  startsSession: true,
  load: async ({ scenarios }, { scenario }): Promise<LoadedSeed> => {
    const names = (await scenarios.list()).map(({ name }) => name)
    if (!names.includes(scenario)) {
      const message = `${describe(scenario)} is not a scenario. ${suggest(scenario, names)}`
      throw invalidCommand({ path: ['scenario'], message })
    }
    return { seed: await scenarios.load(scenario) }
  },
  adds: (parts, _, loaded) => toReplace(parts, sizeOf(loaded)),
  prepare: async (parts, _, { seed }) => {
    const start = await startState({ ...parts.options, seed })
    return { apply: () => restartWorld(parts, start()) }
  },
})
