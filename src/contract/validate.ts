import { z } from 'zod'
import { describe } from './text.ts'
import { refuseAsText } from './read-fields.ts'
import type { Reader } from './read-fields.ts'
import { suggest, unknownField } from './suggestion.ts'
import { boundProblems, MAXIMUM_PROBLEMS } from './validation.ts'
import type { Path, Problem, Validated } from './validation.ts'

/**
 * Validates a document against a schema. Every problem is a sentence with a remedy. An empty list is read as an empty map where
 * only a map is valid, because PHP encodes both as `[]`.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Validated<z.output<Schema>> {
  const parse = (document: unknown) =>
    schema.safeParse(document, { error: toSentence, reportInput: true })
  const result = parse(input)
  if (result.success) return { value: result.data }
  const { issues } = result.error
  const empty = emptyListsIn(input, issues)
  if (empty.length > 0 && empty.length <= MAXIMUM_PROBLEMS) {
    const retried = parse(empty.reduce(withEmptyMap, input))
    if (retried.success) return { value: retried.data }
    if (!retried.error.issues.some(({ path }) => empty.some((list) => isWithin(path, list))))
      return toRefusal(retried.error.issues)
  }
  return toRefusal(issues)
}

function toRefusal(issues: readonly Issue[]): { problems: Problem[] } {
  return { problems: boundProblems(issues.flatMap((issue) => toProblems(issue, []))) }
}

/** Returns the paths of the empty lists that issues are about. */
function emptyListsIn(input: unknown, issues: readonly Issue[], base: Path = []): Path[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path]
    const value = path.reduce<unknown>((at, step) => (at as Fields | undefined)?.[step], input)
    if (Array.isArray(value) && value.length === 0) return [path]
    return issue.code === 'invalid_union'
      ? issue.errors.flatMap((branch) => emptyListsIn(input, branch, path))
      : []
  })
}

type Fields = Readonly<Record<PropertyKey, unknown>>

function withEmptyMap(document: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return {}
  const child = withEmptyMap((document as Fields)[step], rest)
  return Array.isArray(document)
    ? document.with(Number(step), child)
    : { ...(document as Fields), [step]: child }
}

function isWithin(path: Path, around: Path): boolean {
  return around.every((step, index) => path[index] === step)
}

export function readerOf<Value, Input>(schema: z.ZodType<Value, Input>): Reader<Value, Input> {
  return (input) => validate(schema, input)
}

export type JsonSchema = Record<string, unknown>

/** Returns a schema that validates with a reader; `documented` is the JSON Schema of the input. */
export function schemaBy<Value>(
  read: Reader<Value, unknown>,
  documented: JsonSchema,
): z.ZodType<Value> {
  return z
    .unknown()
    .transform((input, context): Value => {
      const checked = read(input)
      if ('value' in checked) return checked.value
      for (const { path, message, isKey } of checked.problems) {
        context.addIssue({ code: 'custom', path: [...path], message, params: { isKey } })
      }
      return z.NEVER
    })
    .meta(documented)
}

type Issue = z.core.$ZodIssue

function toProblems(issue: Issue, base: Path): Problem[] {
  const path = [...base, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n')
    return issue.keys.map((key, index) => ({
      path: [...path, key],
      message: messages[index] ?? issue.message,
      isKey: true,
    }))
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path, message, isKey: true }))
  }
  if (issue.code === 'invalid_union') {
    const branch = nearestBranch(issue.errors)
    if (branch) return branch.flatMap((inner) => toProblems(inner, path))
  }
  return [
    {
      path,
      message: issue.message,
      isKey: issue.code === 'custom' && issue.params?.['isKey'] === true,
    },
  ]
}

/**
 * Returns the issues of the first union branch that accepts the type of the input, but not its contents; undefined if there is
 * none.
 */
function nearestBranch(branches: Issue[][]): Issue[] | undefined {
  return branches.find((issues) =>
    issues.some(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  )
}

/**
 * Returns one line for each unknown key, up to {@link MAXIMUM_PROBLEMS}. Needs the raw issue, because only that has the schema
 * with the known keys.
 */
function unknownKeys(issue: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const { shape = {} } = issue.inst as { shape?: Record<string, unknown> }
  return issue.keys
    .slice(0, MAXIMUM_PROBLEMS)
    .map((key) => unknownField(key, Object.keys(shape)))
    .join('\n')
}

const NOUNS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of fields',
  record: 'a map',
  null: 'null',
}

/** Returns the noun for a schema's values: its title, or `one of the values` if it has none. */
function titleOf({ inst }: z.core.$ZodRawIssue): string {
  const { title } = (inst as z.ZodType | undefined)?.meta() ?? {}
  return title === undefined ? 'one of the values' : `a ${title}`
}

/** Describes the numbers that a schema accepts, such as `a whole number` and `from 1 to 26`. */
function describeNumbers(schema: z.ZodNumber): { noun: string; range: string } {
  const { isInt, minValue, maxValue } = schema
  const noun = isInt ? 'a whole number' : 'a number'
  const isBounded = (bound: number | null) =>
    Number.isFinite(bound) && Math.abs(bound ?? 0) < Number.MAX_SAFE_INTEGER
  if (!isBounded(minValue)) return { noun, range: isInt ? 'like 3' : 'like 0.5' }
  const least = Number(minValue) + (isInt && !schema.safeParse(minValue).success ? 1 : 0)
  return { noun, range: isBounded(maxValue) ? `from ${least} to ${maxValue}` : `from ${least}` }
}

/** Returns the message for a missing number, or for input that is not a number. */
function toNumberSentence(input: unknown, schema: z.ZodNumber): string {
  const { noun, range } = describeNumbers(schema)
  if (input === undefined) return `This is required: give ${noun} ${range}.`
  const isQuoted = typeof input === 'string' && schema.safeParse(Number(input || NaN)).success
  const remedy = isQuoted ? `${Number(input)} without quotes` : `one ${range}`
  return `${describe(input)} is not ${noun}. Write ${remedy}.`
}

function toSentence(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.inst instanceof z.ZodNumber) return toNumberSentence(input, issue.inst)
      const noun = NOUNS[issue.expected] ?? issue.expected
      if (input === undefined) return `This is required: give ${noun}.`
      if (issue.expected === 'string') return refuseAsText(input)
      return `${describe(input)} is not ${noun}. Write ${noun}.`
    }
    case 'invalid_value': {
      if (input === undefined) return `This is required. Use one of: ${issue.values.join(', ')}.`
      const candidates = issue.values.map(String)
      if (candidates.length === 1)
        return `${describe(input)} is not ${candidates[0]}. Write ${candidates[0]}.`
      return `${describe(input)} is not ${titleOf(issue)}. ${suggest(typeof input === 'string' ? input : describe(input), candidates)}`
    }
    case 'unrecognized_keys':
      return unknownKeys(issue)
    case 'too_small':
      return issue.origin === 'string'
        ? 'This must not be empty. Write a text.'
        : `${describe(input)} is too small. Write ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}.`
    case 'too_big':
      return `${describe(input)} is too large. Write ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}.`
    case 'invalid_union':
      return input === undefined ? 'This is required.' : `${describe(input)} does not fit here.`
    default:
      return undefined
  }
}
