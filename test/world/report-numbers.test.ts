import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { CommandError, createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { aReport } from '../support/worlds.ts'

/** G-080: numbers are unique within a project, even if both commands and time create reports. */

const NOW = new Date('2026-05-20T10:00:00Z')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})

afterEach(() => {
  vi.useRealTimers()
})

/** A world in which report 10 of project 1007 is regenerated within a month. */
const OPTIONS = {
  generate: { projects: 20 },
  seed: 'x',
  now: NOW.toISOString(),
  frozen: true,
  rateLimit: 'unlimited',
} as const

const HEADERS = { authorization: 'Bearer sandbox-super' }

interface Row {
  id: number
  report_number: number
  report_name: string
}

async function reportsOf(sandbox: Sandbox, project: number): Promise<Row[]> {
  const path = `/api/v1/projects/${project}/reports?per_page=100`
  const response = await sandbox.fetch(path, { headers: HEADERS })
  return response.status === 200 ? ((await response.json()) as { data: Row[] }).data : []
}

function numbersOf(rows: readonly Row[]): [number: number, id: number][] {
  return rows
    .map(({ report_number, id }): [number, number] => [report_number, id])
    .toSorted(([one], [other]) => one - other)
}

describe('a report that a command has set', () => {
  test('keeps its number, and is not regenerated', async () => {
    const untouched = await createSandbox(OPTIONS)
    await untouched.clock.advance('P1M')
    expect(numbersOf(await reportsOf(untouched, 1007))).toContainEqual([10, 100_760])

    const sandbox = await createSandbox(OPTIONS)
    await sandbox.reports.set({ project: 1007, report_number: 10 }, { report_name: 'Mine' })
    await sandbox.clock.advance('P1M')
    const rows = await reportsOf(sandbox, 1007)
    expect(rows.filter(({ report_number }) => report_number === 10)).toMatchObject([
      { id: 100_710, report_name: 'Mine' },
    ])
    expect(sandbox.world.records.get('reports', 100_760)).toBeUndefined()
  })

  test('takes the place of the generated one that would have had its number, until it is deleted', async () => {
    const sandbox = await createSandbox(OPTIONS)
    const before = numbersOf(await reportsOf(sandbox, 1007))
    const next = before.length + 1
    const record = { ...aReport({ id: 5, report_number: next }), project: 1007 }
    await sandbox.command({ type: 'record.put', collection: 'reports', record })
    await sandbox.clock.advance('P3M')
    const numbers = numbersOf(await reportsOf(sandbox, 1007))
    expect(numbers).toContainEqual([next, 5])
    expect(new Set(numbers.map(([number]) => number)).size).toBe(numbers.length)

    await sandbox.command({ type: 'record.delete', collection: 'reports', id: 5 })
    expect(numbersOf(await reportsOf(sandbox, 1007))).toContainEqual([next, 100_700 + next])
  })
})

test('a generated report can be changed although a keyword of its content has been deleted before', async () => {
  const sandbox = await createSandbox(OPTIONS)
  const { world } = sandbox
  const projects = world.records.all('projects').map(({ id }) => id)
  const hasInactive = (id: number) => world.records.keywordsOf(id).some(({ active }) => !active)
  const project = projects.find(hasInactive) ?? 0
  const keywords = world.records.keywordsOf(project).map(({ id }) => id)
  for (const id of keywords) {
    // A keyword with content is refused.
    await sandbox
      .command({ type: 'record.delete', collection: 'keywords', id })
      .catch((error: unknown) => {
        if (!(error instanceof CommandError)) throw error
      })
  }
  expect(world.records.keywordsOf(project).length).toBeLessThan(keywords.length)
  await sandbox.clock.advance('P6M')
  for (const { id } of world.records.reportsOf(project)) {
    const patch = { report_name: 'Mine' }
    await sandbox.command({ type: 'record.patch', collection: 'reports', id, patch })
  }
  await sandbox.restore(await sandbox.snapshot())
  expect(new Set((await reportsOf(sandbox, project)).map((row) => row.report_name))).toEqual(
    new Set(['Mine']),
  )
})

test.each([{ report_number: 1 }, { project: 'first', report_number: 1 }, 'first', 1])(
  'a name that is not one of a report is refused in a generated world: %j',
  async (name) => {
    const sandbox = await createSandbox({ generate: { projects: 1 } })
    await expect(sandbox.reports.set(name as never, {})).rejects.toBeInstanceOf(CommandError)
  },
)
