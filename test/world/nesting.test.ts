import { expect, test } from 'vitest'
import { TOO_DEEP } from '../../src/contract/nesting.ts'
import { createSandbox, replay } from '../../src/index.ts'
import type { Fixtures, Session, Snapshot } from '../../src/index.ts'
import { aReport, withReports } from '../support/worlds.ts'

/** Lists in lists. */
function nest(levels: number): unknown[] {
  let lists: unknown[] = []
  for (let level = 1; level < levels; level += 1) lists = [lists]
  return lists
}

/** Creates a world whose report 1 has content of this many levels, which is also in its stale view and its commands. */
async function aDeepWorld(levels: number) {
  const keywords = [{ id: 1, keyword: 'fish', create_date: '2026-01-01' }]
  const form = nest(levels) as never
  const content = { 1: { content: form, html: form } }
  const report = aReport({ id: 1, status: 'completed', content_scheme: 'faq', content })
  const { projects = [], ...rest } = withReports([report])
  const sandbox = await createSandbox({
    fixtures: { ...rest, projects: projects.map((project) => ({ ...project, keywords })) },
    policies: { 'data-refresh': 'stale' },
  })
  await sandbox.reports.set({ project: 1, report_number: 1 }, { content, sent: true })
  return sandbox
}

test('content of the most levels comes through a snapshot, and a session that restores it', async () => {
  const sandbox = await aDeepWorld(50)
  const snapshot = await sandbox.snapshot()
  expect(snapshot.published).not.toBeNull()
  await sandbox.restore(JSON.parse(JSON.stringify(snapshot)) as Snapshot)
  const { content = {} } = snapshot.records.reports[0] ?? {}
  await sandbox.reports.set({ project: 1, report_number: 1 }, { content: content ?? {} })
  const session = JSON.parse(JSON.stringify(await sandbox.session())) as Session
  expect(await replay(session)).toEqual({ steps: session.steps.length, difference: null })
})

test('content of one level more is refused', async () => {
  await expect(aDeepWorld(51)).rejects.toThrow('nested more than 50 deep')
})

const circular: { version: number; agencies: unknown[] } = { version: 1, agencies: [] }
circular.agencies.push({ id: 1, name: circular })
const deep = { version: 1, agencies: nest(20_000) }

/** Lists that double at each level. */
function double(levels: number): unknown[] {
  return Array.from({ length: levels }).reduce((lists: unknown[]) => [lists, lists], [])
}
const doubled = { version: 1, agencies: double(50) }

test.each([
  ['that is nested too deeply', deep, TOO_DEEP],
  ['that contains itself', circular, 'This contains itself.'],
  ['whose parts double at each level', doubled, 'more than 64 MB'],
])('an object %s is refused wherever the library takes one', async (_, object, sentence) => {
  const sandbox = await createSandbox()
  const fixtures = object as Fixtures
  const snapshot = { ...(await sandbox.snapshot()), records: object } as unknown as Snapshot
  const session = { ...(await sandbox.session()), beginning: object }
  for (const attempt of [
    () => createSandbox({ fixtures }),
    () => sandbox.worlds.create({ fixtures }),
    () => sandbox.command({ type: 'fixtures.load', fixtures }),
    () => sandbox.command({ type: 'record.put', collection: 'agencies', record: object }),
    () => sandbox.reports.set({ project: 101, report_number: 1 }, object as never),
    () => sandbox.restore(snapshot),
    () => replay(session),
  ]) {
    await expect(attempt()).rejects.toThrow(sentence)
  }
})
