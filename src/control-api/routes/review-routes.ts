import { z } from 'zod'
import { Id } from '../../contract/conventions.ts'
import { toDateTime } from '../../contract/time.ts'
import { judgeRequirements } from '../../review/judge.ts'
import { reviewOf, reviewStartOf } from '../../review/record-review.ts'
import { findUnknown } from '../../review/requirements.ts'
import { RequiredReview } from '../../review/review.ts'
import type { Review } from '../../review/review.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

const ReviewQuery = z.strictObject({
  since: z
    .literal('start')
    .optional()
    .describe(
      'Also reviews earlier sessions, which a reset, a scenario or a restored snapshot ended, each by itself',
    ),
  projects: z
    .string()
    .regex(/^[1-9]\d*(,[1-9]\d*)*$/, 'Projects are ids, separated by commas: 101,102.')
    .transform((text) => text.split(',').map(Number))
    .pipe(z.array(Id))
    .optional()
    .describe(
      'The ids of the projects in the ledger, separated by commas; those that the client has read if omitted',
    ),
  require: z
    .string()
    .transform((text) => text.split(','))
    .pipe(
      z.array(
        z.string().refine((what) => findUnknown(what) === undefined, {
          error: ({ input }) => findUnknown(String(input)),
        }),
      ),
    )
    .optional()
    .describe(
      'Requirements of the review, separated by commas, as in `exec --require`: ids of checks that have to pass, `delivered`, `delivered:new` (since the last reset), `delivered:101`, `warnings`. The verdict is `failed` if one is not met',
    ),
})

export const REVIEW_ROUTES: ControlRoutes = {
  tag: 'Review',
  page: 'docs/judging.md',
  description: 'The review of the client',
  routes: [
    defineRoute({
      id: 'getReview',
      role: 'world',
      method: 'get',
      path: '/review',
      summary:
        'Reviews the client by its requests since the world was created, reset, or replaced by a scenario or snapshot, and lists the finished reports with their delivery',
      description:
        'The review is as of the last request or command. A check whose situation the client never met is `not-exercised`; only checks of severity `error` fail the review. A check that such a command cut short is `unsettled`: nothing is claimed about it.',
      query: ReviewQuery,
      responses: { 200: RequiredReview },
      answer: ({ world }, { query: { require, since, projects } }) => {
        const review = (of: readonly number[] | undefined = projects): Review =>
          reviewOf(world, { since, projects: of })
        if (require === undefined) return ok(review())
        const startedAt = toDateTime(reviewStartOf(world))
        return ok(judgeRequirements(require, { review, startedAt }))
      },
    }),
  ],
}
