import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CommandError, createSandbox, replay } from '../../src/index.ts'
import type { FixtureInput, Sandbox, Snapshot } from '../../src/index.ts'
import { isFullDepth, runs } from '../support/depth.ts'
import { inState, open } from '../support/lives.ts'
import { aProject, aReport, aWorld } from '../support/worlds.ts'

/**
 * Ids of reports: no two reports of a world ever have the same, so that the links of a deleted report lead to no other (2.6).
 */

const LARGEST = Number.MAX_SAFE_INTEGER
const PROJECTS = [1, 2, 1001, 1002]

const WRITTEN: FixtureInput = aWorld({
  projects: [
    aProject({ id: 1, reports: [aReport({ id: 3, status: 'completed' }), aReport({ id: 5 })] }),
    aProject({ id: 2, agency: 2 }),
  ],
})
const GENERATED: FixtureInput = { ...WRITTEN, generate: { projects: 2, keywords: 1, reports: 3 } }
const MODES = ['manual', 'time', 'reads'] as const
const WORLDS = [WRITTEN, GENERATED].flatMap((world) =>
  MODES.map((mode): FixtureInput => ({ ...world, progress: { mode, reads: 2 } })),
)

type Step =
  | { create: number }
  | { regenerate: number }
  | { remove: number }
  | { put: number }
  | { removeProject: number }
  | { advance: string }
  | { restore: true }

const place = fc.nat(60)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ create: fc.constantFrom(...PROJECTS) }) },
  { weight: 3, arbitrary: fc.record({ regenerate: place }) },
  { weight: 6, arbitrary: fc.record({ remove: place }) },
  fc.record({ put: fc.constantFrom(1, 4, 9, 200_000, LARGEST) }),
  fc.record({ removeProject: fc.constantFrom(2, 1002) }),
  fc.record({ advance: fc.constantFrom('P1M', 'P6M') }),
  fc.constant({ restore: true as const }),
)

/** Takes a step; returns the id of the new report, if any. */
async function take(sandbox: Sandbox, taken: Exclude<Step, { restore: true }>) {
  const reports = sandbox.world.records.all('reports')
  const at = (index: number) => reports[index % reports.length]?.id ?? 0
  if ('create' in taken) {
    return (await sandbox.command({ type: 'report.create', project: taken.create, fields: {} })).id
  }
  if ('regenerate' in taken) {
    const report = at(taken.regenerate)
    return (await sandbox.command({ type: 'report.regenerate', report, fields: {} })).id
  }
  if ('put' in taken) {
    const record = { ...aReport({ id: taken.put, report_number: 26 }), project: 1 }
    await sandbox.command({ type: 'record.put', collection: 'reports', record })
  } else if ('advance' in taken) {
    await sandbox.clock.advance(taken.advance)
  } else {
    const id = 'remove' in taken ? at(taken.remove) : taken.removeProject
    const collection = 'remove' in taken ? 'reports' : 'projects'
    await sandbox.command({ type: 'record.delete', collection, id })
  }
  return undefined
}

test('2.6 no id is given twice, whatever was deleted, restored and replayed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...WORLDS),
      fc.array(step, { minLength: 4, maxLength: isFullDepth ? 30 : 12 }),
      async (fixtures, steps) => {
        let sandbox = await createSandbox({ fixtures })
        const used = new Set<number>()
        for (const taken of steps) {
          for (const { id } of sandbox.world.records.all('reports')) used.add(id)
          if ('restore' in taken) {
            expect((await replay(await sandbox.session())).difference).toBeNull()
            const snapshot = JSON.parse(JSON.stringify(await sandbox.snapshot())) as Snapshot
            sandbox = await createSandbox()
            await sandbox.restore(snapshot)
            continue
          }
          const given = await take(sandbox, taken).catch((error: unknown) => {
            // A project may be full, and a report or a number may be gone or taken.
            if (!(error instanceof CommandError)) throw error
          })
          if (given === undefined) continue
          expect(used).not.toContain(given)
        }
      },
    ),
    { numRuns: runs(1000) },
  )
})

test('2.6 where the largest id was used, the lowest that never was is given', async () => {
  const reports = [1, 2, 4].map((id) => aReport({ id }))
  const sandbox = await open([...reports, aReport({ id: LARGEST, report_number: 5 })])
  const remove = (id: number) =>
    sandbox.command({ type: 'record.delete', collection: 'reports', id })
  const create = async () => (await sandbox.reports.create({ project: 1 })).id
  await remove(2)
  expect(await create()).toBe(3)
  for (const id of [3, LARGEST]) await remove(id)
  expect(await create()).toBe(5)
  await sandbox.restore(await sandbox.snapshot())
  expect(await create()).toBe(6)
})

test('a reset begins the ids again', async () => {
  const sandbox = await open([inState('completed')])
  const regenerate = async () =>
    (await sandbox.reports.regenerate({ project: 1, report_number: 1 })).id
  for (let round = 0; round < 2; round += 1) {
    expect([await regenerate(), await regenerate()]).toEqual([2, 3])
    await sandbox.reset()
  }
})
