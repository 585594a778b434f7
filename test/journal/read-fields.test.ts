import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readExplanationOptions } from '../../src/engine/explain.ts'
import { ExplanationOptions } from '../../src/contract/explanation.ts'
import { validate } from '../../src/contract/validate.ts'
import { ExpectationSchema, RequestFilterSchema } from '../../src/journal/journal-schemas.ts'
import { readExpectation } from '../../src/journal/verification.ts'
import { readFilter } from '../../src/journal/request-filter.ts'
import { runs } from '../support/depth.ts'

/** The library's readers without Zod accept the same inputs as the schemas of the control API. */

const NUMBERS = [0, 1, -1, 1.5, 500, 501, 2 ** 53, NaN, Infinity]
const ROUTES = ['/me', 'POST /me', 'GET /nowhere', 'getProject']
const GAPS = ['G-001', 'G-999', 'missing-token']
const TIMES = ['now', 'now-3d', 'tomorrow', '2026-02-30', '2026-03-15T12:00:00Z']
const TEXTS = ['', '7', '-7', '4xx', '6xx']
const value = fc.oneof(
  fc.constantFrom(true, false, null, ...NUMBERS, ...ROUTES, ...GAPS, ...TIMES, ...TEXTS),
  fc.constantFrom([], {}, [1], { page: 1 }, { page: [] }),
)

function mapOf(names: readonly string[], values: fc.Arbitrary<unknown>) {
  return fc.dictionary(fc.constantFrom(...names, 'other'), values, { maxKeys: 3 })
}

const filter = fc.oneof(mapOf(Object.keys(RequestFilterSchema.shape), value), value)
const bounds = mapOf(['min', 'max'], value)
const expectation = mapOf(
  Object.keys(ExpectationSchema.shape),
  fc.oneof(filter, bounds, value, fc.array(filter, { maxLength: 2 })),
)
const explanationOptions = mapOf(Object.keys(ExplanationOptions.shape), value)

test.each([
  { name: 'a filter', input: filter, read: readFilter, schema: RequestFilterSchema },
  { name: 'an expectation', input: expectation, read: readExpectation, schema: ExpectationSchema },
  {
    name: 'what to explain',
    input: explanationOptions,
    read: readExplanationOptions,
    schema: ExplanationOptions,
  },
])('$name is read as its schema validates it', ({ input, read, schema }) => {
  fc.assert(
    fc.property(input as fc.Arbitrary<unknown>, (sent) => {
      const [own, other] = [read(sent), validate(schema, sent)]
      expect('value' in other).toBe('value' in own)
      expect(pathsOf(other)).toEqual(expect.arrayContaining(pathsOf(own)))
      if ('value' in own) expect(other).toEqual({ value: own.value })
    }),
    { numRuns: runs(2000) },
  )
})

/** The paths of the problems. */
function pathsOf(checked: object): string[] {
  if (!('problems' in checked)) return []
  const paths = (checked.problems as { path: unknown[] }[]).map(({ path }) => JSON.stringify(path))
  return paths.toSorted()
}
