import { z } from 'zod'
import { suggest } from '../../contract/suggestion.ts'
import { clockAdvance } from './clock-advance.ts'
import { clockFreeze } from './clock-freeze.ts'
import { clockSet } from './clock-set.ts'
import type { CommandDefinition } from './command.ts'
import { faultAdd } from './fault-add.ts'
import { faultRemove } from './fault-remove.ts'
import { faultRestore } from './fault-restore.ts'
import { faultSet } from './fault-set.ts'
import { fixturesLoad } from './fixtures-load.ts'
import { journalClear } from './journal-clear.ts'
import { policySet } from './policy-set.ts'
import { rateClear } from './rate-clear.ts'
import { recordDelete } from './record-delete.ts'
import { recordPatch } from './record-patch.ts'
import { recordPut } from './record-put.ts'
import { recordRestore } from './record-restore.ts'
import { REPORT_COMMANDS } from './report-commands.ts'
import { reset } from './reset.ts'
import { scenarioLoad } from './scenario-load.ts'
import { snapshotRestore } from './snapshot-restore.ts'

/** Every command, in the order of the documentation. */
const COMMANDS = [
  reset,
  clockSet,
  clockAdvance,
  clockFreeze,
  recordPut,
  recordPatch,
  recordDelete,
  recordRestore,
  ...REPORT_COMMANDS,
  policySet,
  rateClear,
  faultAdd,
  faultSet,
  faultRemove,
  faultRestore,
  journalClear,
  scenarioLoad,
  fixturesLoad,
  snapshotRestore,
] as const

type Definition = (typeof COMMANDS)[number]

export const COMMAND_DEFINITIONS: readonly CommandDefinition[] = COMMANDS

const COMMAND_TYPES = COMMANDS.map(({ type }) => type)

type SchemasOf<Definitions extends readonly { schema: unknown }[]> = {
  -readonly [Index in keyof Definitions]: Definitions[Index]['schema']
}

export const Command = z.discriminatedUnion(
  'type',
  COMMANDS.map(({ schema }) => schema) as unknown as SchemasOf<typeof COMMANDS>,
  {
    error: ({ input }) => {
      const type: unknown = (input as { type?: unknown } | null | undefined)?.type
      if (typeof type !== 'string')
        return `A command has a type. Use one of: ${COMMAND_TYPES.join(', ')}.`
      return `"${type}" is not a command. ${suggest(type, COMMAND_TYPES)}`
    },
  },
)
/** A command as it is sent. */
export type Command = z.input<typeof Command>
export type CommandType = Command['type']
export type ClockCommand = Extract<Command, { type: `clock.${string}` }>

export type CommandResults = {
  [One in Definition as One['type']]: z.output<One['result']>
}

export const CommandResult = z.union([...new Set(COMMAND_DEFINITIONS.map(({ result }) => result))])

const BY_TYPE = new Map(COMMAND_DEFINITIONS.map((definition) => [definition.type, definition]))

/** True for a command that may be slow in a large world; false for an unknown type. */
export function isCostly(command: Command): boolean {
  const { type } = Object(command) as Partial<Command>
  const { isCostly: mark = false } = (type && BY_TYPE.get(type)) ?? {}
  return typeof mark === 'boolean' ? mark : mark(command as never)
}

/** True for a command that discards the state of its world and so starts a new session; false for an unknown type. */
export function startsSession({ type }: { type: string }): boolean {
  return BY_TYPE.get(type)?.startsSession === true
}

/** Returns the definition of a validated command. @throws RangeError for an unknown type. */
export function definitionOf({ type }: { type: CommandType }): CommandDefinition {
  const definition = BY_TYPE.get(type)
  if (!definition) throw new RangeError(`${type} was not checked as a command.`)
  return definition
}
