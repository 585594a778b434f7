/** A location in a document: keys and indexes from its root. */
export type Path = readonly PropertyKey[]

/** One error in a document, and its remedy. */
export interface Problem {
  path: Path
  message: string
  /** True if the key at the path is wrong, rather than its value. */
  isKey?: boolean
  /** Number of further problems that this one stands for, which are not listed. */
  more?: number
}

export type Validated<T> = { value: T } | { problems: Problem[] }

/** Maximum number of problems reported per document, as every part of it could have one. */
export const MAXIMUM_PROBLEMS = 20

/** Returns the problems to report: all of them, or the first ones and the number of the others. */
export function boundProblems(problems: readonly Problem[]): Problem[] {
  if (problems.length <= MAXIMUM_PROBLEMS) return [...problems]
  const first = problems.slice(0, MAXIMUM_PROBLEMS - 1)
  const more = problems.length - first.length
  return [...first, { path: [], message: andMore(more), more }]
}

/** Returns the last line of an incomplete list. */
export function andMore(count: number): string {
  return `… and ${count} more.`
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

/** Returns the problems of a part, with their paths in the whole. */
export function atPlace(place: Path, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: [...place, ...problem.path] }))
}
