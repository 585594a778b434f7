import type { KeywordRecord } from '../contract/keyword.ts'
import { monthOf } from '../contract/time.ts'
import type { WorldState } from './world-state.ts'

/** The parts of a world that positions are read from. */
export type PositionSource = Pick<WorldState, 'records' | 'progress'>

/** The positions of keywords by month. A month is the number of months since January of the year 0. */
export class Positions {
  /** Month of the latest positions: that of the world clock if it moves reports, otherwise the month of the load. */
  readonly latestMonth: number
  readonly #source: PositionSource

  constructor(source: PositionSource) {
    this.#source = source
    this.latestMonth = monthOf(source.progress.worldTime())
  }

  /**
   * Returns the position of a keyword in a month; null if the keyword had none, undefined if its position is unknown. No position
   * after the latest month is known. For a keyword from a fixture or a command, only that of the latest month is known.
   */
  of(keyword: KeywordRecord, month: number): number | null | undefined {
    const { indexes } = this.#source.records
    if (month > this.latestMonth) return undefined
    if (!indexes.stored('keywords', keyword.id))
      return indexes.generated?.positionOf(keyword, month)
    return month === this.latestMonth ? keyword.latest_position : undefined
  }
}
