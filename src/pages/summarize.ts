import type { PageLabels } from './page-labels.ts'
import type { PageKeyword, ReportPage } from './report-page.ts'
import { fillIn } from './sentence.ts'
import type { Sentence } from './sentence.ts'

const FIRST_PAGE = 10

/** A rise is mentioned if it is of at least this many positions, and ends at this position or a better one. */
const LEAST_RISE = 2
const LAST_OF_RISES = 20

/** A longer one would bury the sentence. */
const LONGEST_KEYWORD = 60

type Known = PageKeyword & { position: number | null }

/** A report in a sentence: how its keywords stand, how they stood in the report before, and which has risen most. */
export function summarize({ keywords }: ReportPage, { summary }: PageLabels): Sentence {
  const known = keywords.filter((keyword): keyword is Known => keyword.position !== undefined)
  const [first] = known
  if (!first) return [`${summary.unknown}.`]
  if (known.length === 1) {
    const { position, before } = first
    if (position === null) return [`${summary.absent}.`]
    return [...fillIn(summary.single, { position }), ...compare(position, before, summary), '.']
  }
  const top = countFirst(known.map(({ position }) => position))
  const before = known.map((keyword) => keyword.before)
  const isComparable = !before.includes(undefined)
  return [
    ...fillIn(summary[amount(top, known.length)], { top, count: known.length }),
    ...compare(top, isComparable ? countFirst(before) : undefined, summary),
    ...praise(known, summary),
    '.',
  ]
}

function amount(top: number, count: number): 'none' | 'one' | 'several' | 'all' {
  if (top === count) return 'all'
  return top === 0 ? 'none' : top === 1 ? 'one' : 'several'
}

function countFirst(positions: readonly (number | null | undefined)[]): number {
  return positions.filter((position) => (position ?? Infinity) <= FIRST_PAGE).length
}

function compare(
  now: number,
  before: number | null | undefined,
  summary: PageLabels['summary'],
): Sentence {
  if (before === null || before === undefined) return []
  return before === now ? [summary.same] : fillIn(summary.before, { before })
}

/** The keyword that has risen most, if there is only one. */
function praise(keywords: readonly Known[], summary: PageLabels['summary']): Sentence {
  const rises = keywords
    .flatMap(({ keyword, position: to, before: from }) =>
      to !== null && from ? [{ keyword, from, to, by: from - to }] : [],
    )
    .toSorted((one, other) => other.by - one.by)
  const [best, second] = rises
  if (!best || best.by < LEAST_RISE || best.by === second?.by) return []
  const { keyword, from, to } = best
  const isName = keyword.length <= LONGEST_KEYWORD && !/\p{Cc}/u.test(keyword)
  if (!isName || to > LAST_OF_RISES) return []
  return fillIn(summary.best, { from, to, keyword: { name: keyword } })
}
