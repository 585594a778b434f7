import { z } from 'zod'
import type { ReportRecord } from '../../contract/report.ts'
import type { TokenRecord } from '../../contract/token.ts'
import type { Path } from '../../contract/validation.ts'
import type { Seed } from '../../fixtures/seed.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Secrets } from '../../journal/secrets.ts'
import type { Snapshot } from '../snapshot.ts'
import type { WorldSize } from '../world-size.ts'
import type { WorldOptions, WorldState } from '../world-state.ts'

/** The parts of a world that commands change. */
export interface WorldParts {
  options: WorldOptions
  state: WorldState
  readonly journal: Journal
  readonly secrets: Secrets
}

/** Data that a command has loaded from outside its world. */
export type Loaded = LoadedSeed | LoadedSnapshot

export interface LoadedSeed {
  seed: Seed
  /** Names of the source files; undefined if the data was not read from files. */
  files?: readonly string[] | undefined
}

export interface LoadedSnapshot {
  snapshot: Snapshot
}

export type LoadSource = Pick<WorldOptions, 'readFixtures' | 'scenarios'>

/** Growth of a world that a command causes; negative for removals. */
export interface Additions extends Partial<Omit<WorldSize, 'removed'>> {
  /** Number of keywords of the changed project after the command; the largest number if several projects change. */
  keywords?: number
  written?: readonly WrittenRecord[]
}

/** A record as it will be stored, with the fields that the sender wrote and their path in the command. */
export interface WrittenRecord {
  path: Path
  fields: object
  record: object
}

export interface PreparedCommand<Result> {
  /** Tokens that the command adds or changes. Their bearer values become secrets before the command is applied. */
  tokens?: readonly TokenRecord[]
  /**
   * Applies the command in one step, and returns its result.
   *
   * @throws CommandError if the change is not possible; nothing has changed then.
   */
  apply: () => Result
}

export type CommandFields = Readonly<Record<string, z.core.$ZodType>>

/** Properties of a command, which other code reads instead of testing the command's type. */
interface CommandFacts<Command, Result, From> {
  /** Effect of the command, as a phrase for the documentation. */
  description: string
  /** True if the command discards the previous state; a session then starts with the command. */
  startsSession?: boolean
  /**
   * True for a command that may be slow in a large world; a function if that depends on its fields. Hosts limit the rate of
   * such commands.
   */
  isCostly?: boolean | ((command: Command) => boolean)
  /** True if the command moves time and changes nothing else. */
  movesTime?: boolean
  /** Loads the command's data from outside the world. @throws CommandError, FixtureError */
  load?: (source: LoadSource, command: Command) => Promise<From>
  /**
   * Field with the data to load, which hosts limit and logs store separately; undefined if the command loads nothing, or only names
   * the data.
   */
  loadedField?: string
  /** Returns the growth that the command causes; omitted for a command that never makes a world larger. */
  adds?: (parts: WorldParts, command: Command, loaded: From) => Additions | Promise<Additions>
  /** Returns true for a command that a full store still accepts, such as a removal; false if omitted. */
  frees?: (command: Command) => boolean
  /** Returns the report that the command has completed; undefined if there is none. */
  completes?: (command: Command, result: Result) => ReportRecord | undefined
  /** Returns the form of the command in the journal; as sent if omitted. Null leaves the command out. */
  toListed?: ((command: Record<string, unknown>, loaded: From) => object) | null
  /** Returns the form of the command in a session; as sent if omitted. */
  toRecorded?: (command: Record<string, unknown>, loaded: From, options: WorldOptions) => object
}

interface CommandSpecification<
  Type extends string,
  Fields extends CommandFields,
  Result extends z.ZodType,
  From,
> extends CommandFacts<z.output<z.ZodObject<Fields>>, z.output<Result>, From> {
  type: Type
  /** Fields of the command besides its type. */
  fields: Fields
  result: Result
  /**
   * Does all asynchronous work, without changing anything yet.
   *
   * @throws CommandError for a command that this world cannot apply.
   */
  prepare: (
    parts: WorldParts,
    command: z.output<z.ZodObject<Fields>>,
    loaded: From,
  ) => PreparedCommand<z.output<Result>> | Promise<PreparedCommand<z.output<Result>>>
}

export function defineCommand<
  const Type extends string,
  Fields extends CommandFields,
  Result extends z.ZodType,
  From = undefined,
>(specification: CommandSpecification<Type, Fields, Result, From>) {
  const { type, description, fields } = specification
  const schema = z.strictObject({ type: z.literal(type), ...fields }).describe(description)
  return { ...specification, schema }
}

/** Any command, for code that handles all of them. */
export interface CommandDefinition extends Omit<CommandFacts<never, never, never>, 'load'> {
  type: string
  schema: z.ZodObject
  result: z.ZodType
  load?: (source: LoadSource, command: never) => Promise<Loaded | undefined>
  prepare: (parts: WorldParts, command: never, loaded: never) => unknown
}
