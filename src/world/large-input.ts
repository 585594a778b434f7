import type { Seed } from '../fixtures/seed.ts'
import type { Snapshot } from './snapshot.ts'

/** What a request says about a world besides its fixtures. */
export interface StatedSource {
  demo?: boolean | undefined
  scenario?: string | undefined
  generate?: unknown
  /** One locale or several, of what is generated. */
  locale?: unknown
}

/** Fixtures or a snapshot in a request, so large that a worker of the server reads them when they are needed. */
export abstract class LargeInput {
  /** The names of its files; undefined where it has none. */
  abstract readonly fileNames: readonly string[] | undefined

  /** Its seed as fixtures, with what else the request states. @throws FixtureError, OptionError */
  abstract readSeed(stated: StatedSource): Promise<Seed>

  /** @throws CommandError where it is not a snapshot. */
  abstract readSnapshot(): Promise<Snapshot>
}
