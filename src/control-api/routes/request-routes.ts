import { z } from 'zod'
import { setTimeoutUnheld } from '../../contract/timers.ts'
import {
  HarFile,
  RequestFilterSchema,
  ExpectationSchema,
  RequestDetail,
} from '../../journal/journal-schemas.ts'
import { JournalRequest, Verification } from '../../journal/journal-request.ts'
import { Flag, numberOrText } from './query-fields.ts'
import { journalClear } from '../../world/commands/journal-clear.ts'
import { Requests } from '../../world/requests.ts'
import type { World } from '../../world/world.ts'
import { recordNotFound } from '../../world/command-error.ts'
import { defineCommandRoute, defineRoute, idParameter, noContent, ok, readInput } from './route.ts'
import type { ControlResponse, ControlRoutes } from './route.ts'

/** Time for which bodies are kept after a stream ends, so that a reloaded page still finds them. */
const RELOAD_MS = 10_000

/** A request filter as a query, in which `query` is a string. In a body, it may also be a map of parameters. */
const FilterQuery = RequestFilterSchema.extend({
  query: z.string().optional().describe('Part of the query as sent'),
})

const ListQuery = FilterQuery.extend({
  unknown: Flag.optional().describe('Lists requests for unknown paths instead of all others'),
  limit: numberOrText(z.int().min(1))
    .optional()
    .describe('Maximum number of requests, the latest ones; all if omitted'),
})

const StreamQuery = FilterQuery.extend({
  bodies: Flag.optional().describe(
    'True to keep the bodies of responses while the stream is open, for GET /requests/{sequence}',
  ),
})

const EventStream = z
  .string()
  .describe(
    'Events `request` and `command`, whose `data` is a JournalRequest or an AppliedCommand and whose `id` is its sequence; Last-Event-ID continues after that event',
  )

export const REQUEST_ROUTES: ControlRoutes = {
  tag: 'Requests',
  page: 'docs/journal.md',
  description: 'The request journal',
  routes: [
    defineRoute({
      id: 'listRequests',
      role: 'world',
      method: 'get',
      path: '/requests',
      summary: 'Lists the answered requests, the oldest first',
      description:
        'The journal keeps the latest requests, without bearer values. Requests for unknown paths are left out unless `unknown` asks for them.',
      query: ListQuery,
      responses: { 200: z.array(JournalRequest) },
      answer: ({ world }, { query: { unknown = false, limit, ...filter } }) => {
        const found = new Requests(world).list(filter, { unknown })
        return ok(limit === undefined ? found : [...found].slice(-limit))
      },
    }),
    defineCommandRoute({
      id: 'clearRequests',
      role: 'world',
      method: 'delete',
      path: '/requests',
      summary: 'Clears the requests; keeps the commands',
      description: 'Lists and verifications start from here.',
      command: journalClear,
      toCommand: () => ({ type: 'journal.clear' }),
      toResponse: noContent,
      responses: { 204: null },
    }),
    defineRoute({
      id: 'followRequests',
      role: 'world',
      method: 'get',
      path: '/requests/stream',
      summary: 'Streams requests and commands as they happen, as server-sent events',
      description:
        'The stream stays open until the client closes it. With `Last-Event-ID` it starts after that event, otherwise with the next one.',
      query: StreamQuery,
      responses: { 200: EventStream },
      mediaType: 'text/event-stream',
      answer: ({ world }, { query, lastEventId }) =>
        lastEventId === undefined
          ? streamRequests(world, query)
          : streamRequests(world, readInput(StreamQuery, { ...query, since: lastEventId })),
    }),
    defineRoute({
      id: 'getRequest',
      role: 'world',
      method: 'get',
      path: '/requests/:sequence',
      summary: 'Returns a request with its headers and, if kept, the body of its response',
      description:
        'Credentials, cookies and bearer values are not shown. The bodies of the last 200 responses are kept, at most 8 MB in all, while a stream with `bodies` is open and for ten seconds after.',
      params: {
        sequence: idParameter(
          JournalRequest.shape.sequence.describe('The sequence of the request'),
          toMissing,
        ),
      },
      responses: { 200: RequestDetail },
      answer: ({ world }, { params: { sequence } }) => {
        const detail = world.journal.detail(sequence)
        if (detail) return ok(detail)
        throw recordNotFound(toMissing(sequence))
      },
    }),
    defineRoute({
      id: 'exportRequests',
      role: 'world',
      method: 'get',
      path: '/requests.har',
      summary: 'Returns the requests as an HTTP archive',
      description:
        'The format is HAR 1.2, which the developer tools of browsers can import. It has the headers of requests and responses, but no bodies and no bearer values.',
      isCostly: true,
      query: FilterQuery,
      responses: { 200: HarFile },
      answer: ({ world }, { query }) => ok(new Requests(world).toHar(query)),
    }),
    defineRoute({
      id: 'verifyRequests',
      role: 'world',
      method: 'post',
      path: '/verify',
      summary:
        'Checks the requests so far against an expectation, and shows the closest ones if it fails',
      description:
        'A failed verification is a 200 too: `passed` is false, `matching` has the requests that match and, if too few do, `nearest` those that came closest.',
      body: ExpectationSchema,
      isReadOnly: true,
      responses: { 200: Verification },
      answer: ({ world }, { body }) => ok(new Requests(world).verify(body)),
    }),
  ],
}

function toMissing(sequence: string | number): string {
  return `There is no request ${sequence} in the journal, which keeps the latest ones.`
}

/** Streams requests and commands from now on, or after the last event that the client received. */
function streamRequests(
  world: World,
  { since, bodies = false, ...filter }: z.output<typeof StreamQuery>,
): ControlResponse {
  const { next, follow } = new Requests(world).read({ since, filter })
  return {
    status: 200,
    stream: {
      next: () => {
        const entry = next()
        if (!entry) return undefined
        const { kind, ...data } = entry
        return { id: data.sequence, event: kind, data }
      },
      follow: (subscriber) => {
        const stop = follow(subscriber)
        const stopKeeping = bodies ? world.journal.keepBodies() : undefined
        return () => {
          stop()
          if (stopKeeping) setTimeoutUnheld(stopKeeping, RELOAD_MS)
        }
      },
    },
  }
}
