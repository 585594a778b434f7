import { isMap, readCount, readFields, readTrue, refuseInput } from '../contract/read-fields.ts'
import type { InputsOf, Reader, ValuesOf } from '../contract/read-fields.ts'
import { describe } from '../contract/text.ts'
import { atPlace, boundProblems } from '../contract/validation.ts'
import type { Path, Validated, Problem } from '../contract/validation.ts'
import { describeCriteria, meetsAll, toCriteria } from './criteria.ts'
import type { Criterion, FilterContext } from './criteria.ts'
import type { JournalRequest, Verification } from './journal-request.ts'
import { readFilter } from './request-filter.ts'
import type { RequestFilter, RequestFilterInput } from './request-filter.ts'

/** Compares requests with an expectation. Returns problems if the expectation names an unknown token. */
export function verify(
  requests: readonly JournalRequest[],
  expectation: Expectation,
  context: FilterContext,
): Validated<Verification> {
  const { requests: filter, in_order: filters, times, never } = expectation
  if (filter) {
    const criteria = readCriteria(filter, context, ['requests'])
    if ('problems' in criteria) return criteria
    return { value: verifyCount(requests, criteria.value, toRange({ times, never })) }
  }
  if (filters) {
    const steps: Criterion[][] = []
    for (const [index, step] of filters.entries()) {
      const criteria = readCriteria(step, context, ['in_order', index])
      if ('problems' in criteria) return criteria
      steps.push(criteria.value)
    }
    return { value: verifyOrder(requests, steps) }
  }
  return { value: verifyRoutes(requests) }
}

function readCriteria(
  filter: RequestFilter,
  context: FilterContext,
  path: Path,
): Validated<Criterion[]> {
  const criteria = toCriteria(filter, context)
  return 'value' in criteria ? criteria : { problems: atPlace(path, criteria.problems) }
}

/** Bounds for the number of requests, inclusive. */
interface Range {
  min: number
  max: number
}

function toRange({ times, never }: Pick<Expectation, 'times' | 'never'>): Range {
  if (never) return { min: 0, max: 0 }
  if (times === undefined) return { min: 1, max: Infinity }
  if (typeof times === 'number') return { min: times, max: times }
  return { min: times.min ?? 0, max: times.max ?? Infinity }
}

function verifyCount(
  requests: readonly JournalRequest[],
  criteria: readonly Criterion[],
  { min, max }: Range,
): Verification {
  const matching = requests.filter((request) => isKnown(request) && meetsAll(request, criteria))
  const subject = describeCriteria(criteria)
  const count = matching.length
  if (count >= min && count <= max) {
    const message = withLines(`${subject} was ${requested(count)}.`, matching.map(toLine))
    return { passed: true, message, matching, nearest: [] }
  }
  const nearest = count < min ? findNearest(requests, criteria) : []
  const expected = `Expected ${subject} ${inRange({ min, max })}, but it was ${requested(count)}.`
  const lines = nearestLines(nearest, criteria, { requests })
  return failed(expected, lines, { matching, nearest })
}

function verifyOrder(
  requests: readonly JournalRequest[],
  steps: readonly (readonly Criterion[])[],
): Verification {
  const known = requests.filter(isKnown)
  const matching: JournalRequest[] = []
  let position = 0
  for (const criteria of steps) {
    const found = known.findIndex((one, index) => index >= position && meetsAll(one, criteria))
    const request = known[found]
    if (!request) break
    matching.push(request)
    position = found + 1
  }
  const order = steps.map((criteria) => describeCriteria(criteria)).join(', then ')
  const missing = steps[matching.length]
  if (!missing) {
    const message = withLines(`Requested in this order: ${order}.`, matching.map(toLine))
    return { passed: true, message, matching, nearest: [] }
  }
  const last = matching.at(-1)?.sequence
  const after = last === undefined ? 'there was no' : `after #${last} there was no`
  const expected = `Expected ${order}, in this order, but ${after} ${describeCriteria(missing)}.`
  const nearest = findNearest(requests, missing, last)
  const lines = nearestLines(nearest, missing, { requests, last })
  return failed(expected, lines, { matching, nearest })
}

function failed(
  expected: string,
  lines: readonly string[],
  found: Pick<Verification, 'matching' | 'nearest'>,
): Verification {
  const message = [withLines(expected, found.matching.map(toLine)), ...lines].join('\n')
  return { passed: false, message, ...found }
}

function verifyRoutes(requests: readonly JournalRequest[]): Verification {
  const matching = requests.filter((request) => !isKnown(request))
  const passed = matching.length === 0
  const message = passed
    ? 'Every requested path belongs to an endpoint.'
    : `Expected every requested path to belong to an endpoint, but ${matching.length === 1 ? 'one does' : `${matching.length} do`} not.`
  return { passed, message: withLines(message, matching.map(toLine)), matching, nearest: [] }
}

/** True if the requested path belongs to an endpoint. */
export function isKnown({ route }: JournalRequest): boolean {
  return route !== null
}

const MAXIMUM_NEAREST = 5

/**
 * Returns up to `MAXIMUM_NEAREST` requests, those with the fewest unmet criteria first; among equals, the latest. Requests that
 * meet all criteria are included only if they came too early: before the sequence `last`.
 */
function findNearest(
  requests: readonly JournalRequest[],
  criteria: readonly Criterion[],
  last = 0,
): JournalRequest[] {
  return requests
    .map((request) => ({ request, unmet: unmetBy(request, criteria).length }))
    .filter(({ request, unmet }) => unmet > 0 || (isKnown(request) && request.sequence < last))
    .toSorted(
      (one, other) => one.unmet - other.unmet || other.request.sequence - one.request.sequence,
    )
    .slice(0, MAXIMUM_NEAREST)
    .map(({ request }) => request)
}

function unmetBy(request: JournalRequest, criteria: readonly Criterion[]): Criterion[] {
  return criteria.filter(({ isMet }) => !isMet(request))
}

const MAXIMUM_LINES = 20

function withLines(sentence: string, lines: readonly string[]): string {
  const hidden = lines.length - MAXIMUM_LINES
  const shown = hidden > 0 ? [...lines.slice(0, MAXIMUM_LINES), `  and ${hidden} more`] : lines
  return [sentence, ...shown].join('\n')
}

/** Describes a request: `  #12 GET /api/v1/projects/101 → 404 project_not_found, token "Northlight"` */
function toLine(request: JournalRequest): string {
  const { sequence, method, path, query, status, decided_by, token } = request
  const target = query === '' ? path : `${path}?${query}`
  const caller = token === null ? 'no known token' : `token "${token}"`
  return `  #${sequence} ${method} ${target} → ${status} ${decided_by}, ${caller}`
}

function nearestLines(
  nearest: readonly JournalRequest[],
  criteria: readonly Criterion[],
  { requests, last }: { requests: readonly JournalRequest[]; last?: number | undefined },
): string[] {
  if (nearest.length === 0) return requests.length === 0 ? ['There were no requests at all.'] : []
  const lines = nearest.map((request) => {
    const fields = unmetBy(request, criteria).map(({ field }) => field)
    const reason = fields.length === 0 ? `came before #${last}` : `differs in ${fields.join(', ')}`
    return `${toLine(request)} (${reason})`
  })
  return [withLines('Nearest:', lines)]
}

function requested(count: number): string {
  return count === 0 ? 'never requested' : `requested ${inTimes(count)}`
}

function inTimes(count: number): string {
  if (count === 1) return 'once'
  return count === 2 ? 'twice' : `${count} times`
}

function inRange({ min, max }: Range): string {
  if (max === 0) return 'never to be requested'
  if (min === max) return `to be requested ${inTimes(min)}`
  if (max === Infinity) return `to be requested at least ${inTimes(min)}`
  if (min === 0) return `to be requested at most ${inTimes(max)}`
  return `to be requested ${min} to ${max} times`
}

/** Maximum number of filters in `in_order`, far more than a person would write. */
export const MAXIMUM_STEPS = 1000

const BOUNDS = { min: readCount, max: readCount }
type Bounds = ValuesOf<typeof BOUNDS>

/** Reads an expected number of requests: a number, or a map with `min`, `max` or both. */
const readTimes: Reader<number | Bounds> = (input) => {
  if (!isMap(input)) return readCount(input)
  const bounds = readFields(BOUNDS, input)
  if ('problems' in bounds) return bounds
  const { min, max } = bounds.value
  if (min === undefined && max === undefined) {
    return refuseInput('This has no number. Write min, max or both, or a single number.')
  }
  return (min ?? 0) > (max ?? Infinity)
    ? refuseInput('min is greater than max. Write a max that is at least min.')
    : bounds
}

const readSteps: Reader<RequestFilter[], RequestFilterInput[]> = (input) => {
  if (!Array.isArray(input)) return refuseInput(`${describe(input)} is not a list. Write a list.`)
  const steps: RequestFilter[] = []
  const problems: Problem[] = []
  for (const [index, step] of input.entries()) {
    const filter = readFilter(step)
    if ('value' in filter) steps.push(filter.value)
    else problems.push(...atPlace([index], filter.problems))
  }
  return problems.length > 0 ? { problems: boundProblems(problems) } : { value: steps }
}

/** The fields of an expectation, each with its reader. `journal-schemas.ts` documents them. */
export const EXPECTATION_FIELDS = {
  requests: readFilter,
  times: readTimes,
  never: readTrue,
  in_order: readSteps,
  no_unknown_routes: readTrue,
} as const

export type Expectation = ValuesOf<typeof EXPECTATION_FIELDS>
/** An expectation of the requests so far: exactly one of `requests`, `in_order` and `no_unknown_routes`. */
export type ExpectationInput = InputsOf<typeof EXPECTATION_FIELDS>

export function readExpectation(input: unknown): Validated<Expectation> {
  const expectation = readFields(EXPECTATION_FIELDS, input)
  if ('problems' in expectation) return expectation
  const problems = problemsOf(expectation.value)
  return problems.length > 0 ? { problems } : expectation
}

const FORMS = ['requests', 'in_order', 'no_unknown_routes'] as const

/** Returns the problems of an expectation whose fields cannot be combined; empty if they can. */
export function problemsOf(expectation: Expectation): Problem[] {
  const used = FORMS.filter((name) => expectation[name] !== undefined)
  if (used.length !== 1) {
    return refuseInput(`An expectation has one of ${FORMS.join(', ')}. Write exactly one.`).problems
  }
  const { requests, times, never, in_order: steps } = expectation
  const problems: Problem[] = []
  const addProblem = (field: keyof Expectation, message: string) =>
    problems.push({ path: [field], message })
  if (steps?.length === 0) addProblem('in_order', 'This list is empty. Write at least one filter.')
  if (steps && steps.length > MAXIMUM_STEPS)
    addProblem('in_order', `This list has ${steps.length} filters. Write at most ${MAXIMUM_STEPS}.`)
  if (requests === undefined && (times ?? never) !== undefined)
    addProblem(
      times === undefined ? 'never' : 'times',
      'This only goes with requests. Leave it out.',
    )
  if (times !== undefined && never !== undefined)
    addProblem('never', 'This cannot go with times. Leave one of the two out.')
  return problems
}
