import { expect, test } from 'vitest'
import type { z } from 'zod'
import { COLLECTION_NAMES, MOMENTS } from '../../src/contract/collection-facts.ts'
import type { MomentKind } from '../../src/contract/collection-facts.ts'
import { CalendarDateInput, DateTimeInput } from '../../src/contract/conventions.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { COLLECTIONS } from '../../src/contract/records.ts'
import { ROUTES } from '../../src/contract/routes.ts'
import type { OperationId } from '../../src/contract/routes.ts'

/** Facts that the engine needs at once, and that schemas have too, which are loaded on demand. */

test.each(COLLECTION_NAMES)('the dates of %s are those of its schema', (name) => {
  const fields = Object.entries<z.ZodType>(COLLECTIONS[name].shape).flatMap(([field, schema]) => {
    const kind = momentKindOf(schema)
    return kind ? [[field, kind]] : []
  })
  expect(Object.entries(MOMENTS[name])).toEqual(fields)
})

test.each(Object.keys(ROUTES) as OperationId[])(
  '%s is refreshed where its answer says when it was',
  (operation) => {
    const isShown = 'cache_refreshed_at' in OPERATIONS[operation].response.shape
    expect(ROUTES[operation].isRefreshed).toBe(isShown)
  },
)

/** The kind of a schema below `nullable`, `default`, `optional` and `describe`. */
function momentKindOf(schema: z.ZodType): MomentKind | undefined {
  const { innerType } = schema.def as { innerType?: z.ZodType }
  if (innerType) return momentKindOf(innerType)
  if (schema.def === DateTimeInput.def) return 'dateTime'
  return schema.def === CalendarDateInput.def ? 'date' : undefined
}
