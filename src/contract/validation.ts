import type { z } from 'zod'
import { describe } from './describe.ts'
import { suggest } from './suggestion.ts'

/** A location in a document: keys and indexes from its root. */
export type Path = readonly PropertyKey[]

/** One error in a document, and how to correct it. */
export interface Problem {
  path: Path
  message: string
  /** Whether the key at the path is wrong, rather than its value. */
  isKey?: boolean
}

export type Validated<T> = { value: T } | { problems: Problem[] }

/** Checks a document against a schema; every problem is a sentence that says what to write instead. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Validated<z.output<Schema>> {
  const result = schema.safeParse(input, { error: toSentence, reportInput: true })
  if (result.success) return { value: result.data }
  return { problems: boundProblems(result.error.issues.flatMap((issue) => toProblems(issue, []))) }
}

/** The most problems reported per document, as every part of it could have one. */
export const MAXIMUM_PROBLEMS = 20

/** The problems to report: all of them, or the first ones and how many more there are. */
export function boundProblems(problems: readonly Problem[]): Problem[] {
  if (problems.length <= MAXIMUM_PROBLEMS) return [...problems]
  const first = problems.slice(0, MAXIMUM_PROBLEMS - 1)
  return [...first, { path: [], message: `… and ${problems.length - first.length} more.` }]
}

/** `projects[2].reports[0].status` */
export function formatPath(path: Path): string {
  const text = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
  return text.replace(/^\./, '')
}

/** Problems as the message of an error: `status: "done" is not …`. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => (path.length > 0 ? `${formatPath(path)}: ${message}` : message))
    .join(' ')
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

/** The branch of a union that the input is meant for: the one whose outer type fits. */
function nearestBranch(branches: Issue[][]): Issue[] | undefined {
  return branches.find((issues) =>
    issues.some(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  )
}

/** A line for each unknown key to report. Only the raw issue has the schema with the known keys. */
function unknownKeys(issue: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const { shape = {} } = issue.inst as { shape?: Record<string, unknown> }
  return issue.keys
    .slice(0, MAXIMUM_PROBLEMS)
    .map((key) => `"${key}" is not a field here. ${suggest(key, Object.keys(shape))}`)
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

/** What a schema's values are called: its title, if it has one. */
function titleOf({ inst }: z.core.$ZodRawIssue): string {
  const { title } = (inst as z.ZodType | undefined)?.meta() ?? {}
  return title ?? 'possible value'
}

function toSentence(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue
  switch (issue.code) {
    case 'invalid_type': {
      const noun = NOUNS[issue.expected] ?? issue.expected
      if (input === undefined) return `This is required: give ${noun}.`
      return `${describe(input)} is not ${noun}. Write ${noun}.`
    }
    case 'invalid_value': {
      if (input === undefined) return `This is required. Use one of: ${issue.values.join(', ')}.`
      const candidates = issue.values.map(String)
      if (candidates.length === 1)
        return `${describe(input)} is not possible. Write ${candidates[0]}.`
      return `${describe(input)} is not a ${titleOf(issue)}. ${suggest(typeof input === 'string' ? input : describe(input), candidates)}`
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

/** The problems of a part, with their paths in the whole. */
export function atPlace(place: Path, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: [...place, ...problem.path] }))
}
