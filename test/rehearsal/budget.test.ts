import { expect, test } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '../../src/contract/limits.ts'
import { planBudget } from '../../src/rehearsal/run-rehearsal.ts'
import { Budget } from '../../src/review/review.ts'
import { describeBudget } from '../../src/review/reports/rehearsal.ts'

type Limits = Parameters<typeof planBudget>[1]

/** Runs as `[requests, projects]`, and the sentence about their budget. */
test.for<[what: string, runs: [number, number][], sentence: string | undefined, limits?: Limits]>([
  [
    'the run with the most requests counts',
    [
      [43, 40],
      [412, 40],
      [105, 103],
    ],
    'A run made at most 412 requests for 40 projects: at 1,000 an hour there is room for about 97.',
  ],
  [
    'a run that fits into a minute is within both limits',
    [
      [41, 40],
      [40, 40],
    ],
    'A run made at most 41 requests for 40 projects: at 1,000 an hour there is room for about 975, at 60 a minute for about 58.',
  ],
  [
    'an hour without a limit',
    [
      [41, 40],
      [40, 40],
    ],
    'A run made at most 41 requests for 40 projects: at 50 a minute there is room for about 48.',
    { per_minute: 50, per_hour: 'unlimited' },
  ],
  [
    'fewer projects than there are',
    [
      [2000, 40],
      [41, 40],
    ],
    'A run made at most 2,000 requests for 40 projects: at 1,000 an hour there is room for about 20.',
  ],
  ['no run', [], undefined],
  ['no request', [[0, 40]], undefined],
  [
    'the same number of requests in each run',
    [
      [120, 40],
      [120, 103],
    ],
    undefined,
  ],
  [
    'less than a request for each project',
    [
      [39, 40],
      [12, 40],
    ],
    undefined,
  ],
  [
    'a single project',
    [
      [12, 1],
      [3, 1],
    ],
    undefined,
  ],
  [
    'no limit',
    [
      [412, 40],
      [43, 40],
    ],
    undefined,
    { per_minute: 'unlimited', per_hour: 'unlimited' },
  ],
])('the room for projects: %s', ([, runs, sentence, limits = DEFAULT_RATE_LIMITS]) => {
  const sizes = runs.map(([requests, projects]) => ({ requests, projects }))
  const budget = planBudget(sizes, limits)
  if (budget) expect(Budget.parse(budget)).toEqual(budget)
  expect(describeBudget(budget ? { budget } : {})).toBe(sentence)
})
