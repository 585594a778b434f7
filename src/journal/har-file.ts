import { z } from 'zod'

/** Headers, or parameters of a query, in the order in which they were sent. */
export const HeaderPairs = z.array(z.strictObject({ name: z.string(), value: z.string() }))
export type HeaderPairs = z.infer<typeof HeaderPairs>

const Message = z.strictObject({
  httpVersion: z.string(),
  cookies: z.array(z.never()),
  headers: HeaderPairs,
  headersSize: z.int().describe('-1: unknown'),
  bodySize: z.int(),
})

const HarEntry = z.strictObject({
  startedDateTime: z.string().describe('On the rate clock, which `Date` shows'),
  time: z.number(),
  request: Message.extend({ method: z.string(), url: z.string(), queryString: HeaderPairs }),
  response: Message.extend({
    status: z.int(),
    statusText: z.string(),
    content: z
      .strictObject({ size: z.int(), mimeType: z.string() })
      .describe('Bodies are not in the archive'),
    redirectURL: z.string(),
  }),
  cache: z.strictObject({}),
  timings: z.strictObject({ send: z.number(), wait: z.number(), receive: z.number() }),
  _sequence: z.int(),
  _route: z.string().nullable(),
  _token: z.string().nullable(),
  _decided_by: z.string(),
  _rule: z.string().nullable(),
  _gaps: z.array(z.string()),
  _faults: z.array(z.int()),
})
export type HarEntry = z.infer<typeof HarEntry>

/** An HTTP archive, version 1.2; custom fields begin with an underscore, as the format requires. */
export const HarFile = z.strictObject({
  log: z.strictObject({
    version: z.literal('1.2'),
    creator: z.strictObject({ name: z.string(), version: z.string() }),
    entries: z.array(HarEntry),
  }),
})
export type HarFile = z.infer<typeof HarFile>
