import { expect, test } from 'vitest'
import { toHavePassed } from '../../src/matchers.ts'
import { rehearse } from '../../src/rehearse.ts'
import { isFullDepth, runs } from '../support/depth.ts'
import { createRightClient } from '../clients/right-client.ts'

expect.extend({ toHavePassed })

/**
 * `PROPERTY_DEPTH=1`, as in .ci/nightly, runs 20 seeds of each profile; otherwise the first seed has a year, and the second is
 * `smoke`.
 */
const SEEDS = Array.from({ length: 20 }, (_, index) => String(index + 1)).slice(0, runs(20))

const PROFILES = ['year', 'smoke'] as const
const CASES = SEEDS.flatMap((seed, index) =>
  (isFullDepth ? PROFILES : [PROFILES[index % 2]!]).map((profile) => ({ seed, profile })),
)

test.for(CASES)(
  'a right client passes %j, and nothing is found in any run but what was planned',
  { timeout: 120_000 },
  async ({ seed, profile }) => {
    const client = createRightClient()
    const report = await rehearse((context) => client.run(context), {
      start: '2026-01-01',
      seed,
      profile,
    })
    expect(report).toHavePassed()
    const failed = report.checks.filter(({ result }) => result === 'failed')
    expect(failed.map(({ id, findings }) => [id, findings[0]?.message])).toEqual([])
    expect(report.runs.filter(({ findings }) => findings.length > 0)).toEqual([])
    expect(new Set(report.ledger.map(({ state }) => state))).toEqual(new Set(['delivered']))
  },
)
