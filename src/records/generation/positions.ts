import type { KeywordRecord } from '../../contract/keyword.ts'
import { parseMonth } from '../../contract/months.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'

/** Ups and downs are drawn this many months apart, and positions go straight from one to the next. */
const MONTHS_APART = 4
/** How far they go either way, and how much is gained in the end, as shares of a standing. */
const DRIFT = 0.12
const GAIN = 0.3
/** After this many months half of that is gained. */
const MONTHS_TO_HALF = 10
/** Keywords begin at a standing from 0 to this; above 1 they are not found among the first hundred. */
const WORST_STANDING = 1.25
const LAST_POSITION = 100

/** The keywords with the positions that were measured in a month. */
export function withPositions(
  keywords: readonly KeywordRecord[],
  month: number,
  seed: string,
): KeywordRecord[] {
  return keywords.map((keyword) => ({
    ...keyword,
    latest_position: positionIn(month, keyword, seed),
  }))
}

/**
 * The position of a keyword in a month: a function of the seed, the keyword and the month, computed without those of
 * earlier months: a standing that was drawn once, what was gained since, and ups and downs. Standings are spread evenly,
 * positions are not: half of them are among the first twenty, the others thin out, and the better a position is, the
 * less it moves. Null in the month in which the keyword was created and before, and beyond the hundredth place.
 */
export function positionIn(
  month: number,
  { id, create_date: created }: KeywordRecord,
  seed: string,
): number | null {
  const age = month - parseMonth(created)
  if (age <= 0) return null
  const gained = (GAIN * age) / (age + MONTHS_TO_HALF)
  const drift = driftIn(month, (anchor) => createRandom(seed, 'drift', id, anchor))
  const first = createRandom(seed, 'position', id).next() * WORST_STANDING
  const standing = first * (1 - gained + drift)
  if (standing > 1) return null
  return (
    1 + Math.floor((LAST_POSITION - 1) * (0.15 * standing + 0.85 * standing * standing * standing))
  )
}

/** A value between those drawn for the two places around a month. */
function driftIn(month: number, randomAt: (anchor: number) => Random): number {
  const anchor = Math.floor(month / MONTHS_APART)
  const share = month / MONTHS_APART - anchor
  const at = (place: number) => (randomAt(place).next() * 2 - 1) * DRIFT
  return at(anchor) * (1 - share) + at(anchor + 1) * share
}
