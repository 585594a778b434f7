import { describe, expect, test } from 'vitest'
import { formatReport, rehearse } from '../../src/rehearse.ts'
import type { RehearseOptions } from '../../src/rehearse.ts'
import { createRightClient, RIGHT } from '../clients/right-client.ts'
import type { ClientParts } from '../clients/right-client.ts'

/** The reports that a client has to fetch: all of them, or those that are completed after its first run. */

const SMOKE: RehearseOptions = { start: '2026-01-01', profile: 'smoke' }

/** Creates a client that counts the reports of its first day as known. */
function createForNew(parts: Partial<ClientParts> = {}) {
  const known = new Set<number>()
  const isWanted: ClientParts['isWanted'] = (report, sync) => {
    if (sync.context.run === 1 && report.status === 'completed') known.add(report.id)
    return RIGHT.isWanted(report, sync) && !known.has(report.id)
  }
  return createRightClient({ isWanted, ...parts }).run
}

describe('a client for new reports alone', () => {
  test('passes, as its first run shows what it is, and the report says so', async () => {
    const report = await rehearse(createForNew(), SMOKE)
    expect(report.verdict).toBe('passed')
    const { known } = report.expect
    expect(report.expect).toEqual({ what: 'new', by: 'first-run', known })
    expect(known).toBeGreaterThan(400)
    expect(formatReport(report).split('\n')[1]).toBe(
      `Expected: only new reports, because run 1 looked and fetched none of the ${known} that were complete before run 1. For all: expect: 'all'`,
    )
    for (const { finished_at } of report.ledger) expect(finished_at).not.toBeNull()
  })

  test('fails where all are expected, for one reason', async () => {
    const report = await rehearse(createForNew(), { ...SMOKE, expect: 'all' })
    expect(report.expect).toMatchObject({ what: 'all', by: 'option' })
    expect(report.causes.map(({ check }) => check)).toEqual(['undelivered'])
    expect(report.causes[0]!.finding.message).toContain('it was completed before the first run')
  })

  test('owes what is regenerated later', async () => {
    const keyOf: ClientParts['keyOf'] = ({ project_id, report_number }) =>
      `${project_id}-${report_number}`
    const known = new Set<string>()
    const isWanted: ClientParts['isWanted'] = (report, sync) => {
      if (sync.context.run === 1 && report.status === 'completed') known.add(keyOf(report))
      return RIGHT.isWanted(report, sync) && !known.has(keyOf(report))
    }
    const report = await rehearse(createForNew({ keyOf, isWanted }), SMOKE)
    expect([report.verdict, report.expect.what]).toEqual(['failed', 'new'])
    expect(report.causes[0]!.finding.message).toMatch(/regenerated with a new id/)
  })
})

test.for<[what: string, client: Partial<ClientParts>]>([
  ['fetches contents in its first run', {}],
  [
    'ends its first run with an error',
    {
      async run(sync) {
        await RIGHT.listProjects(sync)
        throw new Error('Not yet.')
      },
    },
  ],
  [
    'does not look for reports in its first run',
    {
      async run(sync) {
        if (sync.context.run === 1) await RIGHT.listProjects(sync)
        else await RIGHT.run(sync)
      },
    },
  ],
])('all reports are expected of a client that %s', async ([, parts]) => {
  const report = await rehearse(createRightClient(parts).run, { ...SMOKE, until: 2 })
  expect(report.expect).toMatchObject({ what: 'all', by: 'first-run' })
})

test('what is expected can be given, unless delivered is required too', async () => {
  const report = await rehearse(createRightClient().run, { ...SMOKE, until: 2, expect: 'new' })
  expect(report.expect).toMatchObject({ what: 'new', by: 'option' })
  const wrong: [RehearseOptions, RegExp][] = [
    [{ expect: 'newest' as 'new' }, /^expect: "newest" is not a choice .+ Use all or new\.$/],
    [
      { expect: 'new', require: ['delivered:new'] },
      /^expect: It cannot be combined with require deliv/,
    ],
    [
      { expect: 'all', require: ['delivered'] },
      /^expect: It cannot be combined with require delivered,/,
    ],
  ]
  for (const [options, message] of wrong)
    await expect(rehearse(() => {}, { ...SMOKE, ...options })).rejects.toThrow(message)
})
