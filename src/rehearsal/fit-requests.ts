/** What the number of requests of a run may depend on; `fixed` is what each run sends. */
export const TERMS = ['fixed', 'projects', 'pages', 'reports'] as const

type Term = (typeof TERMS)[number]

/** A number for each term: how much a run has of it, or how many requests each takes. */
export type Terms = Record<Term, number>

/** How often a run sent a request, and what that may depend on; `fixed` is 1. */
export interface Sample {
  sizes: Terms
  requests: number
}

export interface Fit {
  rates: Terms
  /** The sum of the squares of what they do not explain. */
  error: number
}

interface FitOptions {
  /** What the requests can depend on. */
  terms: readonly Term[]
  /** What they depend on where the runs do not tell. */
  expected: Term
}

const NO_RATES: Terms = { fixed: 0, projects: 0, pages: 0, reports: 0 }

/** Each further term has to explain this share of what is left, and so has one that is not expected. */
const WORTH = 0.1

/** Floating-point numbers are taken as equal within this share. */
const PRECISION = 1e-9

const MOST_TERMS = 3

/**
 * How many requests each project, each page and each report takes: the least squares for each few of the terms without
 * negative rates. The simplest that explains the runs is taken.
 */
export function fitRequests(
  samples: readonly Sample[],
  { terms, expected }: FitOptions,
): Fit {
  const power = samples.reduce((sum, { requests }) => sum + requests ** 2, 0)
  let best: Fit & { score: number } = { rates: NO_RATES, error: power, score: Infinity }
  for (const chosen of listChoices(terms, expected)) {
    if (chosen.length > 1 && countDistinct(samples, chosen) <= chosen.length) continue
    const rates = solve(samples, chosen)
    if (!rates) continue
    const exact = samples.reduce(
      (sum, { sizes, requests }) => sum + (requests - expect(rates, sizes)) ** 2,
      0,
    )
    const error = exact <= power * PRECISION ? 0 : exact
    const surprises = chosen.length + (chosen.length === 0 || chosen.includes(expected) ? 0 : 1)
    const score = error / (1 - WORTH) ** surprises
    if (score < best.score) best = { rates, error, score }
  }
  return { rates: best.rates, error: best.error }
}

/** How many requests a run of these sizes sends. */
export function expect(rates: Terms, sizes: Terms): number {
  return TERMS.reduce((sum, term) => sum + rates[term] * sizes[term], 0)
}

/** Each few of the terms, the expected one first, and then those that are fewer. */
function listChoices(terms: readonly Term[], expected: Term): Term[][] {
  const all = terms.reduce<Term[][]>(
    (choices, term) => [...choices, ...choices.map((choice) => [...choice, term])],
    [[]],
  )
  const few = all.filter(({ length }) => length <= MOST_TERMS)
  return [[expected], ...few.toSorted((one, other) => one.length - other.length)]
}

function countDistinct(samples: readonly Sample[], terms: readonly Term[]): number {
  return new Set(samples.map(({ sizes }) => terms.map((term) => sizes[term]).join(' '))).size
}

/** The least squares of these terms alone; undefined where several rates are as good, or one is negative. */
function solve(samples: readonly Sample[], terms: readonly Term[]): Terms | undefined {
  const norms = terms.map((term) => Math.hypot(...samples.map(({ sizes }) => sizes[term])))
  if (norms.includes(0)) return undefined
  const valueOf = ({ sizes }: Sample, index: number) => sizes[terms[index]!] / norms[index]!
  // The normal equations, each with its right side last.
  const rows = terms.map((_, row) => [
    ...terms.map((_, column) =>
      samples.reduce((sum, one) => sum + valueOf(one, row) * valueOf(one, column), 0),
    ),
    samples.reduce((sum, one) => sum + valueOf(one, row) * one.requests, 0),
  ])
  const solution = eliminate(rows)
  const rates = solution?.map((rate, index) => rate / norms[index]!)
  if (!rates || rates.some((rate) => rate < -PRECISION)) return undefined
  return terms.reduce<Terms>(
    (found, term, index) => ({ ...found, [term]: Math.max(0, rates[index]!) }),
    NO_RATES,
  )
}

/** The solution of linear equations; undefined where there is not exactly one. */
function eliminate(equations: readonly (readonly number[])[]): number[] | undefined {
  const rows = equations.map((row) => [...row])
  for (let column = 0; column < rows.length; column += 1) {
    const below = rows.slice(column)
    const pivot = below.reduce((most, row) =>
      Math.abs(row[column]!) > Math.abs(most[column]!) ? row : most,
    below[0]!)
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
