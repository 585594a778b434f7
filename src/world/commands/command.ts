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

/** What a command has loaded from outside its world. */
export type Loaded = LoadedSeed | LoadedSnapshot

export interface LoadedSeed {
  seed: Seed
  /** The names of the files that it was read from; undefined where there were none. */
  files?: readonly string[] | undefined
}

export interface LoadedSnapshot {
  snapshot: Snapshot
}

/** Where a command loads from. */
export type LoadSource = Pick<WorldOptions, 'readFixtures' | 'scenarios'>

/** How much a command adds to a world; negative for what it removes. */
export interface Additions extends Partial<Omit<WorldSize, 'removed'>> {
  /** The number of keywords that a project has afterwards, of the project with most. */
  keywords?: number
  /** The records that it writes. */
  written?: readonly WrittenRecord[]
}

/** A record as it will be stored, with the fields that the sender has written, and their place. */
export interface WrittenRecord {
  path: Path
  fields: object
  record: object
}

/** A command that is ready to be applied. */
export interface PreparedCommand<Result> {
  /** Tokens that it adds or changes, so that their bearer values are hidden before it is applied. */
  tokens?: readonly TokenRecord[]
  /**
   * Applies it in one step, and returns its result.
   *
   * @throws CommandError where the change is not possible; nothing has changed then.
   */
  apply: () => Result
}

export type CommandFields = Readonly<Record<string, z.core.$ZodType>>

/** What the rest of the code has to know about a command, so that it need not know any by name. */
interface CommandFacts<Command, Result, From> {
  /** What it does: a phrase for the documentation. */
  description: string
  /** Whether it discards the state before it, so that a session starts with it. */
  startsSession?: boolean
  /** True for one that may take long in a large world, for all values of its fields or some. Hosts limit its rate. */
  isCostly?: boolean | ((command: Command) => boolean)
  /** Whether it moves time, and changes nothing else. */
  movesTime?: boolean
  /** Reads what it loads from outside the world. @throws CommandError, FixtureError */
  load?: (source: LoadSource, command: Command) => Promise<From>
  /** The field with what it loads, which hosts limit and logs store separately; undefined where it only has a name. */
  loadedField?: string
  /** How much it adds to a world; undefined for one that never makes a world larger. */
  adds?: (parts: WorldParts, command: Command, loaded: From) => Additions | Promise<Additions>
  /** Whether it only removes, so that it is accepted even where a store has no room. */
  frees?: (command: Command) => boolean
  /** The report that it has completed, if any. */
  completes?: (command: Command, result: Result) => ReportRecord | undefined
  /** Its form in the journal, where that differs from how it was sent; null to leave it out. */
  toListed?: ((command: Record<string, unknown>, loaded: From) => object) | null
  /** Its form in a session, where that differs from how it was sent. */
  toRecorded?: (command: Record<string, unknown>, loaded: From, options: WorldOptions) => object
}

interface CommandSpecification<
  Type extends string,
  Fields extends CommandFields,
  Result extends z.ZodType,
  From,
> extends CommandFacts<z.output<z.ZodObject<Fields>>, z.output<Result>, From> {
  type: Type
  /** Its fields besides its type. */
  fields: Fields
  /** The schema of its result. */
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

/** Defines a command. */
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
