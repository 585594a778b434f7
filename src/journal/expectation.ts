import { describe } from '../contract/text.ts'
import { atPlace, boundProblems } from '../contract/validation.ts'
import type { Problem, Validated } from '../contract/validation.ts'
import { isMap, readCount, readFields, readTrue, refuse } from '../contract/read-fields.ts'
import type { InputsOf, Reader, ValuesOf } from '../contract/read-fields.ts'
import { readFilter } from './request-filter.ts'
import type { RequestFilter, RequestFilterInput } from './request-filter.ts'

/** Far more than a person would write. */
export const MAXIMUM_STEPS = 1000

const BOUNDS = { min: readCount, max: readCount }
type Bounds = ValuesOf<typeof BOUNDS>

/** Reads how many requests are expected: a number, or bounds. */
export const readTimes: Reader<number | Bounds> = (input) => {
  if (!isMap(input)) return readCount(input)
  const bounds = readFields(BOUNDS, input)
  if ('problems' in bounds) return bounds
  const { min, max } = bounds.value
  if (min === undefined && max === undefined) {
    return refuse('This has no number. Write min, max or both, or a single number.')
  }
  return (min ?? 0) > (max ?? Infinity)
    ? refuse('min is greater than max. Write a max that is at least min.')
    : bounds
}

const readSteps: Reader<RequestFilter[], RequestFilterInput[]> = (input) => {
  if (!Array.isArray(input)) return refuse(`${describe(input)} is not a list. Write a list.`)
  if (input.length === 0) return refuse('This list is empty. Write at least one filter.')
  if (input.length > MAXIMUM_STEPS) {
    return refuse(`This list has ${input.length} filters. Write at most ${MAXIMUM_STEPS}.`)
  }
  const steps: RequestFilter[] = []
  const problems: Problem[] = []
  for (const [index, step] of input.entries()) {
    const filter = readFilter(step)
    if ('value' in filter) steps.push(filter.value)
    else problems.push(...atPlace([index], filter.problems))
  }
  return problems.length > 0 ? { problems: boundProblems(problems) } : { value: steps }
}

/** What an expectation may have, with how it is read. */
const FIELDS = {
  requests: readFilter,
  times: readTimes,
  never: readTrue,
  in_order: readSteps,
  no_unknown_routes: readTrue,
} as const

/** What is expected of the requests so far: one of `requests`, `in_order` and `no_unknown_routes`. */
export type Expectation = ValuesOf<typeof FIELDS>
/** An expectation as it is written. */
export type ExpectationInput = InputsOf<typeof FIELDS>

/** Validates an expectation. */
export function readExpectation(input: unknown): Validated<Expectation> {
  const expectation = readFields(FIELDS, input)
  if ('problems' in expectation) return expectation
  const problems = problemsOf(expectation.value)
  return problems.length > 0 ? { problems } : expectation
}

const FORMS = ['requests', 'in_order', 'no_unknown_routes'] as const

/** What is wrong with an expectation whose fields do not fit together. */
export function problemsOf(expectation: Expectation): Problem[] {
  const used = FORMS.filter((name) => expectation[name] !== undefined)
  if (used.length !== 1) {
    return refuse(`An expectation has one of ${FORMS.join(', ')}. Write exactly one.`).problems
  }
  const { requests, times, never } = expectation
  const problems: Problem[] = []
  if (requests === undefined && (times !== undefined || never !== undefined)) {
    const path = [times === undefined ? 'never' : 'times']
    problems.push({ path, message: 'This only goes with requests. Leave it out.' })
  }
  if (times !== undefined && never !== undefined) {
    const message = 'This cannot go with times. Leave one of the two out.'
    problems.push({ path: ['never'], message })
  }
  return problems
}
