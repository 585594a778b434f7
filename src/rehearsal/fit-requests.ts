/** What the number of requests of a run may depend on; `fixed` is what each run sends. */
export const TERMS = ['fixed', 'projects', 'pages', 'reports'] as const

type Term = (typeof TERMS)[number]

/** A number for each term: how much a run has of it, or how many requests each takes. */
export type Terms = Record<Term, number>

/** How often a run sent a request, and what that may depend on; `fixed` is 1. */
interface Sample {
  sizes: Terms
  requests: number
}

interface Fit {
  rates: Terms
  /** The sum of the squared differences from the runs. */
  error: number
}

interface FitOptions {
  /** What the requests can depend on. */
  terms: readonly Term[]
  /** What they are taken to depend on if the runs do not show it. */
  expected: Term
}

const NO_RATES: Terms = { fixed: 0, projects: 0, pages: 0, reports: 0 }

/** The share of the remaining error that each further term has to explain; a choice without the expected term has to explain as much again. */
const WORTH = 0.1

/** The relative error within which floating-point numbers count as equal. */
const PRECISION = 1e-9

const MOST_TERMS = 3

/**
 * Fits how many requests each project, page and report takes, by least squares without negative rates. Of the small sets of
 * terms, the simplest that explains the runs is taken.
 */
export function fitRequests(samples: readonly Sample[], { terms, expected }: FitOptions): Fit {
  const power = samples.reduce((sum, { requests }) => sum + requests ** 2, 0)
  let best: Fit & { score: number } = { rates: NO_RATES, error: power, score: Infinity }
  for (const chosen of listChoices(terms, expected)) {
    if (chosen.length > 1 && !isDetermined(samples, chosen)) continue
    const rates = solve(samples, chosen)
    if (!rates) continue
    const exact = samples.reduce(
      (sum, { sizes, requests }) => sum + (requests - requestsAt(rates, sizes)) ** 2,
      0,
    )
    const error = exact <= power * PRECISION ? 0 : exact
    const surprises = chosen.length + (chosen.length === 0 || chosen.includes(expected) ? 0 : 1)
    const score = error / (1 - WORTH) ** surprises
    if (score < best.score) best = { rates, error, score }
  }
  return { rates: best.rates, error: best.error }
}

/** How many requests a run of these sizes sends at these rates. */
function requestsAt(rates: Terms, sizes: Terms): number {
  return TERMS.reduce((sum, term) => sum + rates[term] * sizes[term], 0)
}

/** The sets of terms to try, the expected term first, then from the smallest to the largest. */
function listChoices(terms: readonly Term[], expected: Term): Term[][] {
  const all: Term[][] = [[]]
  for (const term of terms) all.push(...all.map((choice) => [...choice, term]))
  const few = all.filter(({ length }) => length <= MOST_TERMS)
  return [[expected], ...few.toSorted((one, other) => one.length - other.length)]
}

/** Whether there are more different sizes than terms; otherwise a fit may be a coincidence. */
function isDetermined(samples: readonly Sample[], terms: readonly Term[]): boolean {
  const seen = new Set<string>()
  for (const { sizes } of samples) {
    seen.add(terms.map((term) => sizes[term]).join(' '))
    if (seen.size > terms.length) return true
  }
  return false
}

/** The least-squares fit of these terms alone; undefined if it is not unique, or if a rate is negative. */
function solve(samples: readonly Sample[], terms: readonly Term[]): Terms | undefined {
  const columns = terms.map((term) => {
    const values = samples.map(({ sizes }) => sizes[term])
    const norm = Math.hypot(...values)
    return { norm, values: values.map((value) => value / norm) }
  })
  if (columns.some(({ norm }) => norm === 0)) return undefined
  const requestCounts = samples.map(({ requests }) => requests)
  // The normal equations, each with its right side last.
  const rows = columns.map(({ values }) => [
    ...columns.map((other) => product(values, other.values)),
    product(values, requestCounts),
  ])
  const solution = eliminate(rows)
  const rates = solution?.map((rate, index) => rate / columns[index]!.norm)
  if (!rates || rates.some((rate) => rate < -PRECISION)) return undefined
  return terms.reduce<Terms>(
    (found, term, index) => ({ ...found, [term]: Math.max(0, rates[index]!) }),
    NO_RATES,
  )
}

function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + value * other[index]!, 0)
}

/** The solution of linear equations; undefined unless there is exactly one. */
function eliminate(equations: readonly (readonly number[])[]): number[] | undefined {
  const rows = equations.map((row) => [...row])
  for (let column = 0; column < rows.length; column += 1) {
    const below = rows.slice(column)
    const pivot = below.reduce(
      (most, row) => (Math.abs(row[column]!) > Math.abs(most[column]!) ? row : most),
      below[0]!,
    )
    const divisor = pivot[column]!
    if (Math.abs(divisor) < PRECISION) return undefined
    rows.splice(rows.indexOf(pivot), 1)
    const scaled = pivot.map((value) => value / divisor)
    for (const row of rows) {
      const factor = row[column]!
      for (const [index, value] of scaled.entries()) row[index]! -= factor * value
    }
    rows.splice(column, 0, scaled)
  }
  return rows.map((row) => row.at(-1)!)
}
