import { z } from 'zod'
import { validate } from '../../contract/validation.ts'
import { invalidCommand } from '../command-error.ts'
import { orText, RequestFilter } from '../request-filter.ts'
import { Requests } from '../requests.ts'
import { Expectation } from '../verification.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlAnswer, ControlContext, ControlRequest, ControlRoute } from './route.ts'

/** A switch of a query: its name alone will do. */
const Flag = z.preprocess(
  (input) => (input === '' || input === 'true' ? true : input === 'false' ? false : input),
  z.boolean(),
)

/** The parameters of a query that choose requests; the one that names the world is for others to read. */
const FilterQuery = RequestFilter.extend({ world: z.string().optional() })

/** The same, and how much of what they choose is listed. */
const ListQuery = FilterQuery.extend({
  unknown: Flag.optional().describe('Those for paths that no endpoint has, in place of the others'),
  limit: orText(z.int().min(1)).optional().describe('How many, the latest of them'),
})

/** What was asked. */
export const REQUEST_ROUTES: readonly ControlRoute[] = [
  {
    method: 'get',
    path: '/requests',
    summary: 'The requests answered, the oldest first',
    answer: listRequests,
  },
  {
    method: 'delete',
    path: '/requests',
    summary: 'Forgets the requests; the commands stay',
    answer: async ({ world }) => {
      await new Requests(world).clear()
      return { status: 204 }
    },
  },
  {
    method: 'get',
    path: '/requests/stream',
    summary: 'The requests and commands as they come, as server-sent events',
    answer: streamRequests,
  },
  {
    method: 'get',
    path: '/requests.har',
    summary: 'The requests as an HTTP archive',
    answer: ({ world }, { query }) => {
      const { world: _, ...filter } = readQuery(FilterQuery, query)
      return ok(new Requests(world).toHar(filter))
    },
  },
  defineRoute({
    method: 'post',
    path: '/verify',
    summary: 'Whether the requests so far are as expected, and what there is instead',
    body: Expectation,
    answer: ({ world }, { body }) => ok(new Requests(world).verify(body)),
  }),
]

function listRequests({ world }: ControlContext, { query }: ControlRequest): ControlAnswer {
  const { world: _, unknown = false, limit, ...filter } = readQuery(ListQuery, query)
  const requests = new Requests(world)
  const found = unknown ? requests.unknown(filter) : requests.matching(filter)
  return ok(limit === undefined ? found : found.slice(-limit))
}

/** From then on, or from an event that was the last to arrive. */
function streamRequests(
  { world }: ControlContext,
  { query, lastEventId }: ControlRequest,
): ControlAnswer {
  const { world: _, ...asked } = readQuery(FilterQuery, query)
  const { since, ...filter } =
    lastEventId === undefined ? asked : readQuery(RequestFilter, { ...asked, since: lastEventId })
  const follow = new Requests(world).following({ since, filter })
  return {
    status: 200,
    stream: (send) =>
      follow(({ kind, ...entry }) => send({ id: entry.sequence, event: kind, data: entry })),
  }
}

/** @throws CommandError for a parameter that there is not, or a value that is none of its. */
function readQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  const checked = validate(schema, query)
  if ('problems' in checked) throw invalidCommand(...checked.problems)
  return checked.value
}
