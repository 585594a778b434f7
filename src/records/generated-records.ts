import type { Caching } from '../contract/memory-use.ts'
import type { RecordOf } from '../contract/records.ts'
import type { GenerationInput } from './generation/plan.ts'

/** A generated row of a report, and when it changes: Infinity for what never happens. */
export interface RowMoves {
  id: number
  project: number
  report_number: number
  createdMs: number
  /** When it moves from state to state, is approved and is sent, in any order. */
  moves: readonly number[]
}

/** Records that are generated when they are read, rather than stored. Lists are by ascending id. */
export interface GeneratedRecords extends Caching {
  /** What they are generated from. */
  readonly input: GenerationInput
  projects: () => Iterable<RecordOf<'projects'>>
  keywordsOf: (project: number) => readonly RecordOf<'keywords'>[]
  /** As they are now, or at a time of the world clock. */
  reportsOf: (project: number, atMs?: number) => readonly RecordOf<'reports'>[]
  /** No report that it ever generates has a higher id. */
  readonly lastReportId: number
  /** When the reports change that a project will ever have. */
  reportMovesOf: (project: number) => readonly RowMoves[]
  keyword: (id: number) => RecordOf<'keywords'> | undefined
  report: (id: number) => RecordOf<'reports'> | undefined
}
