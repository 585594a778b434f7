import { z } from 'zod'
import { Id } from '../../contract/conventions.ts'
import { reviewOf } from '../../review/record-review.ts'
import { Review } from '../../review/review.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

const ReviewQuery = z.strictObject({
  since: z
    .literal('start')
    .optional()
    .describe(
      'Reviews the sessions before a reset, a scenario or a restored snapshot too, each by itself',
    ),
  projects: z
    .string()
    .regex(/^[1-9]\d*(,[1-9]\d*)*$/, 'Projects are ids, separated by commas: 101,102.')
    .transform((text) => text.split(',').map(Number))
    .pipe(z.array(Id))
    .optional()
    .describe(
      'The ids of the projects of the ledger, separated by commas; those that the client has read where omitted',
    ),
})

export const REVIEW_ROUTES: ControlRoutes = {
  tag: 'Review',
  description: 'What the client did well and badly',
  routes: [
    defineRoute({
      id: 'getReview',
      role: 'world',
      method: 'get',
      path: '/review',
      summary:
        'Reviews the client by its requests since the world was created or reset, and lists which finished reports it fetched',
      description:
        'It is as of the last request or command. A check that the client never met is `not-exercised`; only checks of severity `error` fail the review. What a reset cut short is `unsettled`: nothing is claimed about it.',
      query: ReviewQuery,
      responses: { 200: Review },
      answer: ({ world }, { query }) => ok(reviewOf(world, query)),
    }),
  ],
}
