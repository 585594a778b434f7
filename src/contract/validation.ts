/** A location in a document: keys and indexes from its root. */
export type Path = readonly PropertyKey[]

/** One error in a document, and its remedy. */
export interface Problem {
  path: Path
  message: string
  /** True if the key at the path is wrong, rather than its value. */
  isKey?: boolean
  /** Number of omitted problems that this one counts; undefined for any other problem. */
  more?: number
}

export type Validated<T> = { value: T } | { problems: Problem[] }

/** Maximum number of problems reported for a document, including the one that counts the omitted problems. */
export const MAXIMUM_PROBLEMS = 20

/** Limits problems to {@link MAXIMUM_PROBLEMS}. If there are more, the last one states the number of omitted problems. */
export function boundProblems(problems: readonly Problem[]): Problem[] {
  if (problems.length <= MAXIMUM_PROBLEMS) return [...problems]
  const first = problems.slice(0, MAXIMUM_PROBLEMS - 1)
  const more = problems.length - first.length
  return [...first, { path: [], message: andMore(more), more }]
}

export function andMore(count: number): string {
  return `… and ${count} more.`
}

/** Formats a path as `projects[2].reports[0].status`. */
export function formatPath(path: Path): string {
  const text = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
  return text.replace(/^\./, '')
}

/** Joins problems into one error message: `status: "done" is not …`. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => (path.length > 0 ? `${formatPath(path)}: ${message}` : message))
    .join(' ')
}

/** Prefixes the path of each problem with `place`. */
export function atPlace(place: Path, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: [...place, ...problem.path] }))
}
