import { z } from 'zod'
import { HarFile } from '../../journal/har-file.ts'
import { JournalRequest } from '../../journal/journal-request.ts'
import { Verification } from '../../journal/verification.ts'
import { orText, RequestFilter } from '../../journal/request-filter.ts'
import { Requests } from '../../world/requests.ts'
import { Expectation } from '../../journal/verify.ts'
import { defineRoute, ok, readInput } from './route.ts'
import type { ControlAnswer, ControlContext, ControlRequest, ControlRoutes } from './route.ts'

/** A switch of a query: its name alone will do. */
const Flag = z.preprocess(
  (input) => (input === '' || input === 'true' ? true : input === 'false' ? false : input),
  z.boolean(),
)

/** Which requests; parameters that they must have can only be asked for as text here. */
const FilterQuery = RequestFilter.extend({
  query: z.string().optional().describe('A part of the query as sent'),
})

/** The same, and how much of what they choose is listed. */
const ListQuery = FilterQuery.extend({
  unknown: Flag.optional().describe('Those for paths that no endpoint has, in place of the others'),
  limit: orText(z.int().min(1)).optional().describe('How many, the latest of them'),
})

const EventStream = z
  .string()
  .describe(
    'Events `request` and `command`, whose `data` is a JournalRequest or an AppliedCommand and whose `id` is its sequence; Last-Event-ID goes on after one',
  )

export const REQUEST_ROUTES: ControlRoutes = {
  tag: 'Requests',
  description: 'What was asked',
  routes: [
    defineRoute({
      id: 'listRequests',
      method: 'get',
      path: '/requests',
      summary: 'The requests answered, the oldest first',
      query: ListQuery,
      answers: { 200: z.array(JournalRequest) },
      answer: listRequests,
    }),
    {
      id: 'clearRequests',
      method: 'delete',
      path: '/requests',
      summary: 'Forgets the requests; the commands stay',
      answers: { 204: null },
      answer: async ({ world }) => {
        await new Requests(world).clear()
        return { status: 204 }
      },
    },
    defineRoute({
      id: 'followRequests',
      method: 'get',
      path: '/requests/stream',
      summary: 'The requests and commands as they come, as server-sent events',
      query: FilterQuery,
      answers: { 200: EventStream },
      mediaType: 'text/event-stream',
      answer: streamRequests,
    }),
    defineRoute({
      id: 'exportRequests',
      method: 'get',
      path: '/requests.har',
      summary: 'The requests as an HTTP archive',
      query: FilterQuery,
      answers: { 200: HarFile },
      answer: ({ world }, { query }) => ok(new Requests(world).toHar(query)),
    }),
    defineRoute({
      id: 'verifyRequests',
      method: 'post',
      path: '/verify',
      summary: 'Whether the requests so far are as expected, and what there is instead',
      body: Expectation,
      isQuestion: true,
      answers: { 200: Verification },
      answer: ({ world }, { body }) => ok(new Requests(world).verify(body)),
    }),
  ],
}

function listRequests(
  { world }: ControlContext,
  { query }: ControlRequest<unknown, z.output<typeof ListQuery>>,
): ControlAnswer {
  const { unknown = false, limit, ...filter } = query
  const requests = new Requests(world)
  const found = unknown ? requests.unknown(filter) : requests.matching(filter)
  return ok(limit === undefined ? found : found.slice(-limit))
}

/** From then on, or from an event that was the last to arrive. */
function streamRequests(
  { world }: ControlContext,
  { query, lastEventId }: ControlRequest<unknown, RequestFilter>,
): ControlAnswer {
  const { since, ...filter } =
    lastEventId === undefined ? query : readInput(RequestFilter, { ...query, since: lastEventId })
  const follow = new Requests(world).prepareFollow({ since, filter })
  return {
    status: 200,
    stream: (send) =>
      follow(({ kind, ...entry }) => send({ id: entry.sequence, event: kind, data: entry })),
  }
}
