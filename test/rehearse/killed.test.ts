import { describe, expect, test } from 'vitest'
import { rehearse } from '../../src/rehearse.ts'
import type { RehearseOptions } from '../../src/rehearse.ts'
import { createRightClient, RIGHT } from '../clients/right-client.ts'
import type { ClientParts } from '../clients/right-client.ts'

/** A client with a state is killed in three runs, and begins again with the state saved by then. */

const SMOKE: RehearseOptions = { start: '2026-01-01', profile: 'smoke' }
const KILLED = 'a client that is killed in the middle of a run'

/** Creates a client that keeps its contents as if in a folder, and everything else in memory. */
function createStored(parts: Partial<ClientParts> = {}, kept: { lock: boolean } = { lock: false }) {
  const client = createRightClient(parts)
  const state = {
    save: () => ({ reports: [...client.reports], lock: kept.lock }),
    load: (saved: { reports: [string, unknown][]; lock: boolean }) => {
      client.reports.clear()
      for (const [key, value] of saved.reports) client.reports.set(key, value)
      kept.lock = saved.lock
    },
  }
  return { run: client.run, state, reports: client.reports }
}

test('a right client passes, is killed three times, and fetches what it had not saved', async () => {
  const { run, state } = createStored()
  const report = await rehearse(run, { ...SMOKE, state })
  expect(report.verdict).toBe('passed')
  expect(report.lacks).toEqual([])
  const killed = report.runs.filter(({ message }) => message?.startsWith('It was killed'))
  expect(killed.map(({ ended, kind }) => [ended, kind])).toEqual(
    Array.from({ length: 3 }, () => ['failed', 'fault']),
  )
})

test('without a state it is not killed, and the report says so', async () => {
  const report = await rehearse(createRightClient().run, SMOKE)
  expect(report.lacks.map(({ event }) => event)).toEqual([KILLED])
})

describe('a client that is not ready to be killed', () => {
  test('is named if its lock stays', async () => {
    const kept = { lock: false }
    const lockedRun: ClientParts['run'] = async (sync) => {
      if (kept.lock) throw new Error('Another sync is running.')
      kept.lock = true
      try {
        await RIGHT.run(sync)
      } finally {
        kept.lock = false
      }
    }
    const { run, state } = createStored({ run: lockedRun }, kept)
    const report = await rehearse(run, { ...SMOKE, state })
    expect(report.causes.map(({ check }) => check)).toEqual(['recovery'])
    expect(report.causes[0]!.finding.message).toMatch(
      /^No run has ended well since run \d+, which was killed, .+: Another sync is running\.$/,
    )
    // An error alone does not leave the lock behind.
    kept.lock = false
    expect((await rehearse(createRightClient({ run: lockedRun }).run, SMOKE)).verdict).toBe(
      'passed',
    )
  })

  test('is named if it notes a report before it has it', async () => {
    const { run, state } = createStored({
      async fetchContent(sync, report) {
        const { reports, parts } = sync
        reports.set(parts.keyOf(report), null)
        try {
          await RIGHT.fetchContent(sync, report)
        } catch (error) {
          reports.delete(parts.keyOf(report))
          throw error
        }
      },
    })
    const report = await rehearse(run, { ...SMOKE, state })
    expect(report.verdict).toBe('failed')
    const findings = report.checks.flatMap((check) => check.findings)
    expect(findings.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/content, which waited when the run was killed, and no later one/),
    )
    expect(report.causes).toHaveLength(1)
  })
})
