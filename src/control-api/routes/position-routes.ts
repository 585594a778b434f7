import { z } from 'zod'
import { Id } from '../../contract/conventions.ts'
import { Keyword, KeywordRecord } from '../../contract/keyword.ts'
import { formatMonth, parseMonth } from '../../contract/time.ts'
import { invalidCommand, recordNotFound } from '../../world/command-error.ts'
import { noProject, PROJECT_ID } from './explain-routes.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'
import { Positions } from '../../world/keyword-positions.ts'

const MAXIMUM_MONTHS = 36
const DEFAULT_MONTHS = 12

const Month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'This is not a month. Write one like 2026-03.')

const PositionsQuery = z.strictObject({
  from: Month.optional().describe(
    `The first month, like \`2026-03\`; at most ${MAXIMUM_MONTHS} months, or ${DEFAULT_MONTHS} if omitted`,
  ),
  until: Month.optional().describe('The last month; the month of the latest positions if omitted'),
})

export const ProjectPositions = z.strictObject({
  project: Id.describe('The id of the project'),
  months: z.array(Month).describe('The months, the earliest first'),
  keywords: z.array(
    z.strictObject({
      id: Keyword.shape.id,
      keyword: Keyword.shape.keyword,
      create_date: Keyword.shape.create_date,
      active: KeywordRecord.shape.active.unwrap(),
      positions: z
        .array(Keyword.shape.latest_position)
        .describe('Its position in each of the months, from 1; null for none or unknown'),
    }),
  ),
})

export const POSITION_ROUTES: ControlRoutes = {
  tag: 'Positions',
  page: 'docs/fixtures.md',
  description: 'The positions of keywords by month',
  routes: [
    defineRoute({
      id: 'getPositions',
      role: 'world',
      method: 'get',
      path: '/projects/:id/positions',
      summary: 'Shows the positions of the keywords of a project by month',
      description:
        'Positions of a generated keyword follow from the seed, the keyword and the month, and the latest is its `latest_position`. For a keyword that a fixture or a command has written, only the latest position is known: its other months are null, as are future months.',
      params: { id: PROJECT_ID },
      query: PositionsQuery,
      responses: { 200: ProjectPositions },
      answer: ({ world: { records, positionSource } }, { params: { id }, query }) => {
        const positions = new Positions(positionSource)
        if (!records.get('projects', id)) throw recordNotFound(noProject(id))
        const months = readMonths(query, positions.latestMonth)
        return ok({
          project: id,
          months: months.map(formatMonth),
          keywords: records.keywordsOf(id).map((keyword) => ({
            id: keyword.id,
            keyword: keyword.keyword,
            create_date: keyword.create_date,
            active: keyword.active,
            positions: months.map((month) => positions.of(keyword, month) ?? null),
          })),
        })
      },
    }),
  ],
}

/**
 * Returns the requested months, numbered as in `monthOf`.
 *
 * @throws CommandError for more than `MAXIMUM_MONTHS`, and if the first month is after the last
 */
function readMonths(
  { from, until }: z.infer<typeof PositionsQuery>,
  latestMonth: number,
): number[] {
  const last = until === undefined ? latestMonth : parseMonth(until)
  const first = from === undefined ? Math.max(last - DEFAULT_MONTHS + 1, 0) : parseMonth(from)
  const count = last - first + 1
  if (count >= 1 && count <= MAXIMUM_MONTHS)
    return Array.from({ length: count }, (_, index) => first + index)
  const message =
    count < 1
      ? `${formatMonth(first)} is after ${formatMonth(last)}, the last month. Write an earlier one.`
      : `${formatMonth(first)} to ${formatMonth(last)} are ${count} months. Ask for ${MAXIMUM_MONTHS} at most.`
  throw invalidCommand({ path: ['from'], message })
}
