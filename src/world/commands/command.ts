import { z } from 'zod'
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
}

/** A command that is ready to be applied. */
export interface PreparedCommand<Result> {
  /**
   * Applies it in one step, and gives its result.
   *
   * @throws CommandError where the world cannot be changed so; nothing has changed then.
   */
  apply: () => Result
  /** What it loads; undefined for a command that loads nothing. */
  seed?: Seed
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
  /** What it takes beside its type. */
  fields: Fields
  /** What it gives. */
  result: Result
  /**
   * Does everything that takes time, and changes nothing yet.
   *
   * @throws CommandError for a command that this world cannot carry out, FixtureError for fixtures that are wrong.
   */
  prepare: (
    parts: WorldParts,
    command: z.output<z.ZodObject<Fields>>,
  ) => PreparedCommand<z.output<Result>> | Promise<PreparedCommand<z.output<Result>>>
  /** Whether nothing that happened before it matters after it, so that a session starts with it. */
  startsSession?: boolean
  /** How the journal lists it, where that is not as it was sent; null to leave it out. */
  toListed?: ((command: Record<string, unknown>) => object) | null
  /** How a session records it, where that is not as it was sent. */
  toRecorded?: (command: Record<string, unknown>, options: WorldOptions) => object
}

/** Defines a command: everything that there is to know of it. */
export function defineCommand<
  const Type extends string,
  Fields extends CommandFields,
  Result extends z.ZodType,
>(specification: CommandSpecification<Type, Fields, Result>) {
  const { type, description, fields } = specification
  const schema = z.strictObject({ type: z.literal(type), ...fields }).describe(description)
  return { ...specification, schema }
}

/** Any command, as those that deal with all of them see it. */
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
