import { expect, test } from 'vitest'
import { rehearse } from '../../src/rehearse.ts'
import type { RehearsalReport } from '../../src/rehearse.ts'
import { isFullDepth } from '../support/depth.ts'
import { createRightClient } from '../clients/right-client.ts'
import { WRONG_CLIENTS } from '../clients/wrong-clients.ts'

const OPTIONS = { profile: 'smoke', start: '2026-01-01', seed: '1' } as const

test('a rehearsal finds nothing wrong with a client that is right', async () => {
  const report = await rehearse(createRightClient().run, OPTIONS)
  expect(report.verdict).toBe('passed')
  expect(findingsOf(report)).toEqual([])
})

/** `PROPERTY_DEPTH=1`, as in .ci/nightly, uses all of them; otherwise every fifth one. */
const CHOSEN = WRONG_CLIENTS.filter((_, index) => isFullDepth || index % 5 === 0)

test.for(CHOSEN)('a rehearsal names a client that $name', async ({ create, ...client }) => {
  const { options, expect: expected } = client
  const report = await rehearse(create(), { ...OPTIONS, ...options })
  const findings = findingsOf(report)
  const [main] = expected.checks
  const own = findings.filter(({ check }) => check === main)

  expect([...new Set(findings.map(({ check }) => check))]).toEqual(expected.checks.toSorted())
  // A mistake is reported once, even if several checks find it.
  expect(report.causes).toHaveLength(1)
  expect(own.map(({ message }) => message)).toContainEqual(expect.stringMatching(expected.message))
  // The first run is calm, and shows nothing.
  expect(Math.min(...findings.map(({ run }) => run))).toBeGreaterThan(1)
  if (expected.run)
    expect(own.map(({ events }) => events)).toContainEqual(expect.stringMatching(expected.run))
})

/** Lists all findings, with the plan of their run, in the order of the checks' names. */
function findingsOf({ checks, plan }: RehearsalReport) {
  return checks
    .filter(({ result }) => result === 'failed')
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .flatMap(({ id, findings }) =>
      findings.map(({ run = 0, message }) => {
        const { events = [] } = plan.runs[run - 1] ?? {}
        return { check: id, run, message, events: events.join('; ') }
      }),
    )
}
