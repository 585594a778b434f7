import { ClockState } from '../../journal/applied-command.ts'
import { toClockState } from '../clocks.ts'
import { defineCommand } from './command.ts'

export const journalClear = defineCommand({
  type: 'journal.clear',
  description: 'Clears the requests so far; keeps the commands',
  fields: {},
  result: ClockState,
  frees: () => true,
  prepare: ({ journal, state }) => ({
    apply: () => {
      journal.clear()
      return toClockState(state.clock)
    },
  }),
})
