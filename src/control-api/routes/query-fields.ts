import { z } from 'zod'
import { toNumber } from '../../contract/read-fields.ts'
import type { ListPage, ListRange } from '../../world/hosted-worlds.ts'
import { ok } from './route.ts'
import type { ControlResponse } from './route.ts'

const MAXIMUM_PAGE = 1000
export const DEFAULT_PAGE = 100

/**
 * Maximum number of items in a page. If omitted, the default is `DEFAULT_PAGE` for a query that requests a page by another
 * parameter, such as `after`. For any other query, the whole list is returned.
 */
export const PageLimit = numberOrText(z.int().min(1).max(MAXIMUM_PAGE))
  .optional()
  .describe(
    `Maximum number of items, as a page; ${DEFAULT_PAGE} if omitted while another parameter requests a page`,
  )

/** The query of a list that is sorted by age. The whole list is returned unless a page is requested. */
export const ListQuery = z.strictObject({
  limit: PageLimit,
  after: z
    .string()
    .regex(/^\d{1,15}-w\d{1,15}$/, 'This is not `next` of a page. Leave it out for the first page.')
    .optional()
    .describe('`next` of the previous page; the first page if omitted'),
})

/** Creates a schema for a whole list of `item`, or for a page with its items in the field `name`. */
export function listOf(name: string, item: z.ZodType): z.ZodType {
  const items = z.array(item)
  const next = z.string().nullable().describe('`after` of the next page; null for the last one')
  return z.union([items, z.strictObject({ [name]: items, total: z.int(), next })])
}

/**
 * Responds with the whole list, or with a page of it if the query has `limit` or `after`. A page has its items in the field
 * `name`.
 */
export async function answerList(
  name: string,
  { limit, after }: ListRange,
  read: (range: ListRange) => ListPage<unknown> | Promise<ListPage<unknown>>,
): Promise<ControlResponse> {
  if ((limit ?? after) === undefined) return ok((await read({})).items)
  const { items, total, next } = await read({ limit: limit ?? DEFAULT_PAGE, after })
  return ok({ [name]: items, total, next })
}

/** Creates a schema for a number that may also be a decimal string, as in a query. */
export function numberOrText(schema: z.ZodType<number>): z.ZodType<number, number | `${number}`> {
  return z.preprocess(toNumber, schema) as z.ZodType<number, number | `${number}`>
}

/** A boolean in a query. A parameter without a value is true. */
export const Flag = z.preprocess(
  (input) => (input === '' || input === 'true' ? true : input === 'false' ? false : input),
  z.boolean(),
)
