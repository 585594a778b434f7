import type { KeywordRecord } from '../contract/keyword.ts'
import { monthOf } from '../contract/time.ts'
import type { WorldState } from './world-state.ts'

/** What positions are read from. Pages load no more of them than this. */
export type PositionSource = Pick<WorldState, 'records' | 'progress'>

/** The positions of keywords by month. Months are counted from the year 0. */
export class Positions {
  /** The month of the latest positions: the world clock's where time moves the records, else the month of the load. */
  readonly latestMonth: number
  readonly #source: PositionSource

  constructor(source: PositionSource) {
    this.#source = source
    this.latestMonth = monthOf(source.progress.worldTime())
  }

  /**
   * The position of a keyword in a month; null where it had none, undefined where it is not known: in a month to come,
   * and in any but the latest of a keyword that a fixture or a command has written.
   */
  of(keyword: KeywordRecord, month: number): number | null | undefined {
    const { indexes } = this.#source.records
    if (month > this.latestMonth) return undefined
    if (!indexes.held('keywords', keyword.id)) return indexes.generated?.positionOf(keyword, month)
    return month === this.latestMonth ? keyword.latest_position : undefined
  }
}
