import { z } from 'zod'
import type { MemoryUse } from '../../contract/memory-use.ts'
import type { Seed } from '../../fixtures/seed.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Secrets } from '../../journal/secrets.ts'
import type { WorldOptions, WorldState } from '../world-state.ts'

/** The parts of a world that commands change. */
export interface WorldParts {
  options: WorldOptions
  state: WorldState
  readonly journal: Journal
  readonly secrets: Secrets
  /** What the world takes of the memory of the process. */
  readonly memory: MemoryUse
}

/** A command that is ready to be applied. */
export interface PreparedCommand<Result> {
  /**
   * Applies it in one step, and returns its result.
   *
   * @throws CommandError where the change is not possible; nothing has changed then.
   */
  apply: () => Result
  /** The seed that it loads; undefined for a command that loads nothing. */
  seed?: Seed
  /** The command as it was read, where that took more than its schema; as it was sent where omitted. */
  command?: Record<string, unknown>
}

export type CommandFields = Readonly<Record<string, z.core.$ZodType>>

export interface CommandSpecification<
  Type extends string,
  Fields extends CommandFields,
  Result extends z.ZodType,
> {
  type: Type
  /** What it does: a phrase for the documentation. */
  description: string
  /** Its fields besides its type. */
  fields: Fields
  /** The schema of its result. */
  result: Result
  /**
   * Does all asynchronous work, without changing anything yet.
   *
   * @throws CommandError for a command that this world cannot apply, FixtureError for invalid fixtures.
   */
  prepare: (
    parts: WorldParts,
    command: z.output<z.ZodObject<Fields>>,
  ) => PreparedCommand<z.output<Result>> | Promise<PreparedCommand<z.output<Result>>>
  /** Whether it discards the state before it, so that a session starts with it. */
  startsSession?: boolean
  /** Its form in the journal, where that differs from how it was sent; null to leave it out. */
  toListed?: ((command: Record<string, unknown>) => object) | null
  /** Its form in a session, where that differs from how it was sent. */
  toRecorded?: (command: Record<string, unknown>, options: WorldOptions) => object
}

/** Defines a command. */
export function defineCommand<
  const Type extends string,
  Fields extends CommandFields,
  Result extends z.ZodType,
>(specification: CommandSpecification<Type, Fields, Result>) {
  const { type, description, fields } = specification
  const schema = z.strictObject({ type: z.literal(type), ...fields }).describe(description)
  return { ...specification, schema }
}

/** Any command, for code that handles all of them. */
export interface CommandDefinition {
  type: string
  description: string
  schema: z.ZodObject
  result: z.ZodType
  prepare: (parts: WorldParts, command: never) => unknown
  startsSession?: boolean
  toListed?: ((command: Record<string, unknown>) => object) | null
  toRecorded?: (command: Record<string, unknown>, options: WorldOptions) => object
}
