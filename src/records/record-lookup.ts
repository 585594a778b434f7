import type { CollectionName } from '../contract/collections.ts'
import type { Problem } from '../contract/validation.ts'

/** An unvalidated record: the rules between records check whatever fields it has. */
export type Fields = Readonly<Record<string, unknown>>

/** What the rules between records need to look up. */
export interface RecordLookup {
  get: (name: CollectionName, id: number) => Fields | undefined
  all: (name: CollectionName) => readonly Fields[]
  reportsOf: (project: number) => readonly Fields[]
  tokensOf: (bearer: string) => readonly Fields[]
}

/** A violation of a rule between records. */
export interface Violation extends Problem {
  /** Whether a record is missing, rather than one too many. */
  isDangling?: boolean
}
