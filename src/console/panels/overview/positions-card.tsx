import { drawShares, toPercent } from '../../../drawing/shares.ts'
import type { Overview } from '../../api/types.ts'
import { Card } from '../../parts/card.tsx'
import { count } from '../../parts/texts.ts'
import { toMonth } from '../../../wording/times.ts'
import { ofProjects } from './counts.tsx'

/** The share of keywords on the first page of results, over 13 months. */
export function PositionsCard({ overview }: { overview: Overview }) {
  const { months, keywords, first_page } = overview.positions
  const shares = months.map((month, index) => {
    const [of = 0, first = 0] = [keywords[index], first_page[index]]
    return { month: toMonth(month), share: of > 0 ? first / of : null }
  })
  const known = shares.flatMap(({ month, share }) => (share === null ? [] : [{ month, share }]))
  const [first, last] = [known[0], known.at(-1)]
  return (
    <Card
      title="Keywords on the first page of results"
      aside={
        <span class="soft small">
          {count(keywords.at(-1) ?? 0, 'keyword')} of{' '}
          {ofProjects(overview.projects.length, overview.total)}
        </span>
      }
    >
      <div class="note positions">
        {first && last ? (
          <>
            <p>
              <b>{toPercent(last.share)}</b> in {last.month}
              {first === last ? (
                <span class="soft">. Earlier positions of keywords in fixtures are not known.</span>
              ) : (
                <span class="soft">
                  , {toPercent(first.share)} in {first.month}
                </span>
              )}
            </p>
            {first !== last && (
              // src/drawing escapes every text.
              <div
                dangerouslySetInnerHTML={{
                  __html: drawShares(
                    shares,
                    `Share of keywords on the first page of results: ${toPercent(first.share)} in ${first.month}, ${toPercent(last.share)} in ${last.month}`,
                  ),
                }}
              />
            )}
          </>
        ) : (
          <p class="soft">No keyword has a position yet.</p>
        )}
      </div>
    </Card>
  )
}
