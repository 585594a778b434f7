import { z } from 'zod'
import { MAXIMUM_STEPS, problemsOf, readTimes } from './expectation.ts'
import { RequestFilter, schemaBy } from './request-filter-input.ts'

const Count = { type: 'integer', minimum: 0 }

/** What is expected of the requests so far: one of `requests`, `in_order` and `no_unknown_routes`. */
export const Expectation = z
  .strictObject({
    requests: RequestFilter.optional().describe('Which requests; at least one of them'),
    times: schemaBy(readTimes, {
      anyOf: [
        Count,
        { type: 'object', properties: { min: Count, max: Count }, additionalProperties: false },
      ],
    })
      .optional()
      .describe('How many of them: a number, or from `min` to `max`'),
    never: z.literal(true).optional().describe('That there are none of them'),
    in_order: z
      .array(RequestFilter)
      .min(1)
      .max(MAXIMUM_STEPS)
      .optional()
      .describe('Requests in this order, with any others in between'),
    no_unknown_routes: z
      .literal(true)
      .optional()
      .describe('That every requested path belongs to an endpoint'),
  })
  .superRefine((expectation, context) => {
    for (const { path, message } of problemsOf(expectation)) {
      context.addIssue({ code: 'custom', path: [...path], message })
    }
  })
