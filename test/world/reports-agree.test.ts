import fc from 'fast-check'
import { expect, test } from 'vitest'
import { REPORT_STEP_NAMES } from '../../src/contract/report-facts.ts'
import type { ReportStep } from '../../src/contract/report-facts.ts'
import type { ReportRecord } from '../../src/contract/report.ts'
import { CommandError, createSandbox, replay } from '../../src/index.ts'
import { isGeneratedProject } from '../../src/records/generated-ids.ts'
import type { Command, FixtureInput, Sandbox } from '../../src/index.ts'
import { isFullDepth, runs } from '../support/depth.ts'
import {
  contentBySpecification,
  coverageBySpecification,
  lastGeneratedBySpecification,
  latestBySpecification,
  listBySpecification,
} from '../support/rules.ts'
import { aProject, aReport, aToken, aWorld, SUPER } from '../support/worlds.ts'

/** Specification 4.4 to 4.8 after any commands and moves of time, and G-080: numbers are unique. */

const NOW = '2026-03-15T12:00:00Z'
const HEADERS = { authorization: `Bearer ${SUPER}` }

/** Two written projects: one with reports in every state, one without any. */
const WRITTEN: FixtureInput = aWorld({
  languages: [
    { id: 1, label: 'Danish' },
    { id: 2, label: 'Latin' },
  ],
  users: [
    { id: 7, name: 'Maja', agency: 1 },
    { id: 8, name: 'Lars', agency: 1 },
  ],
  tokens: [aToken({ id: 2, token: SUPER, agency: null })],
  projects: [
    aProject({
      id: 1,
      text_language: 1,
      keywords: [
        { id: 11, keyword: 'shoes', create_date: 'month-3/01' },
        { id: 12, keyword: 'boots', create_date: 'month+1/01' },
        { id: 13, keyword: 'hats', create_date: 'month-3/01', active: false },
      ],
      reports: [
        aReport({ id: 1, status: 'completed', date_to_create_texts: 'month-1/20' }),
        aReport({ id: 2, status: 'failed', date_to_create_texts: 'month+0/02' }),
        aReport({ id: 3, status: 'running', date_to_create_texts: 'month+0/15' }),
        aReport({
          id: 4,
          date_to_create_texts: 'month+0/25',
          date_to_send_to_client: 'month+1/01',
        }),
        aReport({ id: 5, date_to_create_texts: 'month+1/25', action_type: 'extra' }),
        aReport({ id: 7, date_to_create_texts: 'month+0/25' }),
        aReport({ id: 6, level: 'keyword', content_scheme: 'faq' }),
      ],
    }),
    aProject({ id: 2 }),
  ],
})

const GENERATED: FixtureInput = {
  ...WRITTEN,
  projects: [],
  generate: {
    projects: 2,
    keywords: 3,
    reports: { min: 1, max: 18 },
    companies: [{ name: 'Lake & Moor Dental', city: 'Windermere' }],
  },
}

/** A project of a world with each mode of progress: written, generated, and generated in a world that also has written ones. */
const PROJECTS = (['time', 'reads', 'manual'] as const).flatMap((mode) =>
  [
    { world: WRITTEN, project: 1 },
    { world: WRITTEN, project: 2 },
    { world: GENERATED, project: 1001 },
    { world: { ...GENERATED, projects: WRITTEN.projects! }, project: 1002 },
  ].map(({ world, project }) => ({
    world: { ...world, progress: { mode, reads: 2 } },
    project,
  })),
)

/** A change to a world; reports are chosen by their place in the list of a project. */
type Step =
  | { life: ReportStep; place: number }
  | { create: true }
  | { patch: Record<string, unknown>; place: number }
  | { put: number }
  | { remove: number }
  | { command: Command }
  | { read: number }

const place = fc.nat(30)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ life: fc.constantFrom(...REPORT_STEP_NAMES), place }) },
  fc.constant({ create: true as const }),
  fc.record({
    place,
    patch: fc.constantFrom(
      { status: 'completed' },
      { status: 'running', content: null },
      { status: 'pending', date_to_create_texts: 'month+0/28' },
      { date_to_create_texts: null },
      { created_at: 'now' },
      { level: 'keyword' },
      { action_type: 'extra' },
      { report_number: 5 },
      { report_number: 12 },
      { approved_status: 'rejected', sent: true },
    ),
  }),
  fc.record({ put: fc.integer({ min: 1, max: 26 }) }),
  fc.record({ remove: place }),
  fc.record({ read: fc.nat(5) }),
  fc
    .constantFrom('PT1H', 'P1D', 'P9D', 'P1M', 'P7M')
    .map((by) => ({ command: { type: 'clock.advance' as const, by } })),
  fc
    .constantFrom('2026-03-01', 'now-20d', 'month+1/01', '2026-02-28T23:59:59Z')
    .map((now) => ({ command: { type: 'clock.set' as const, now } })),
  fc
    .record({
      collection: fc.constant('keywords' as const),
      id: fc.constantFrom(11, 13, 1_001_001, 1_002_001),
      patch: fc.record({ active: fc.boolean() }),
    })
    .map((change) => ({ command: { type: 'record.patch' as const, ...change } })),
  fc
    .record({
      collection: fc.constant('projects' as const),
      id: fc.constantFrom(1, 1001, 1002),
      patch: fc.constantFrom({ text_language: 2 }, { text_language: null }, { managing_user: 8 }),
    })
    .map((change) => ({ command: { type: 'record.patch' as const, ...change } })),
)

async function get(sandbox: Sandbox, path: string): Promise<{ status: number; data: any }> {
  const response = await sandbox.fetch(`/api/v1${path}`, { headers: HEADERS })
  const { data } = (await response.json()) as { data: unknown }
  return { status: response.status, data }
}

function reportsOf(sandbox: Sandbox, project: number): ReportRecord[] {
  return [...sandbox.world.records.reportsOf(project)]
}

/** The reports of a project, with the keywords of their content instead of its texts, which are written when they are read. */
function factsOf(sandbox: Sandbox, project: number): object[] {
  return reportsOf(sandbox, project).map((report) => ({
    ...report,
    content: Object.keys(report.content ?? {}),
  }))
}

/** Takes a step in one project; a command that cannot be applied changes nothing. */
async function take(sandbox: Sandbox, project: number, taken: Step): Promise<void> {
  const before = reportsOf(sandbox, project)
  const chosen = 'place' in taken ? before[taken.place % Math.max(before.length, 1)] : undefined
  if ('read' in taken) {
    for (let read = 0; read < taken.read; read += 1) {
      await get(sandbox, `/projects/${project}/reports`)
    }
    return
  }
  const command = toCommand(taken, project, before)
  if (!command) return
  const facts = factsOf(sandbox, project)
  try {
    await sandbox.command(command)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    expect(factsOf(sandbox, project)).toEqual(facts)
    return
  }
  if ('life' in taken && chosen) checkStep(sandbox, chosen, taken.life)
  if (command.type.startsWith('re')) {
    const put = 'record' in command ? command.record['id'] : undefined
    const changed = 'report' in command ? command.report : 'id' in command ? command.id : put
    const isOther = (row: object) => (row as ReportRecord).id !== changed
    // A command about one report changes no other report of its project.
    expect(factsOf(sandbox, project)).toEqual(expect.arrayContaining(facts.filter(isOther)))
  }
}

function toCommand(taken: Step, project: number, reports: ReportRecord[]): Command | undefined {
  if ('command' in taken) return taken.command
  if ('create' in taken) return { type: 'report.create', project }
  if ('put' in taken) {
    const record = aReport({ id: project * 10 + taken.put, report_number: taken.put })
    return { type: 'record.put', collection: 'reports', record: { ...record, project } }
  }
  const index = 'remove' in taken ? taken.remove : 'place' in taken ? taken.place : 0
  const report = reports[index % Math.max(reports.length, 1)]
  if (!report) return undefined
  if ('life' in taken) return { type: `report.${taken.life}`, report: report.id }
  if ('patch' in taken) {
    return { type: 'record.patch', collection: 'reports', id: report.id, patch: taken.patch }
  }
  return { type: 'record.delete', collection: 'reports', id: report.id }
}

/**
 * A step leaves the number and the dates. A completed report covers every active keyword of a written project, and at least one
 * of a generated one, whose texts answer some of them each month.
 */
function checkStep(sandbox: Sandbox, before: ReportRecord, life: ReportStep): void {
  const { records } = sandbox.world
  const after = reportsOf(sandbox, before.project).find(
    ({ report_number }) => report_number === before.report_number,
  )
  expect(after?.date_to_create_texts).toBe(before.date_to_create_texts)
  if (life === 'regenerate') {
    expect(records.get('reports', before.id)).toBeUndefined()
    expect(after?.created_at).toBe(sandbox.clock.read().now)
  } else {
    expect(after).toMatchObject({ id: before.id, created_at: before.created_at })
  }
  if (life !== 'complete' || before.content_scheme === 'faq') return
  const active = records.keywordsOf(before.project).filter((keyword) => keyword.active)
  const known = [...Object.keys(before.content ?? {}), ...active.map(({ id }) => String(id))]
  const covered = Object.keys(after?.content ?? {})
  expect(known).toEqual(expect.arrayContaining(covered))
  const least = isGeneratedProject({ id: before.project })
    ? Math.min(1, active.length)
    : new Set(known).size
  expect(covered.length).toBeGreaterThanOrEqual(least)
  expect(after).toMatchObject({ status: 'completed', content_scheme: 'h3_text_blocks' })
  expect([after?.pdf_link, after?.web_link]).not.toContain(null)
}

/** Compares every response about a project with the rules; each request may move reports after its response. */
async function check(sandbox: Sandbox, project: number): Promise<void> {
  const { records } = sandbox.world
  if (!records.get('projects', project)) return
  const path = `/projects/${project}`
  const nowMs = () => Date.parse(sandbox.clock.read().now)
  const keywords = records.keywordsOf(project)
  const toRow = (id: number | undefined) => reportsOf(sandbox, project).find((row) => row.id === id)

  const numbers = reportsOf(sandbox, project).map(({ report_number }) => report_number)
  expect(new Set(numbers).size).toBe(numbers.length)

  const latest = toRow(latestBySpecification(reportsOf(sandbox, project), nowMs()).id)
  const mirrored = {
    latest_report_id: latest?.id ?? null,
    latest_report_number: latest?.report_number ?? null,
    latest_report_status: latest?.status ?? null,
    latest_report_generated_at: latest?.created_at ?? null,
  }
  expect((await get(sandbox, path)).data).toMatchObject(mirrored)
  const { data: listed } = await get(sandbox, '/projects')
  expect(listed.find(({ id }: { id: number }) => id === project)).toMatchObject(mirrored)

  for (const [name, select] of [
    ['latest', (rows) => latestBySpecification(rows, nowMs()).id],
    ['last-generated', lastGeneratedBySpecification],
  ] as const satisfies [string, (rows: ReportRecord[]) => number | undefined][]) {
    const row = toRow(select(reportsOf(sandbox, project)))
    const { status, data } = await get(sandbox, `${path}/reports/${name}`)
    expect(status).toBe(row ? 200 : 404)
    if (row) expect(data).toMatchObject({ id: row.id, status: row.status, sent: row.sent })
  }

  const rows = reportsOf(sandbox, project)
  const { data: list } = await get(sandbox, `${path}/reports`)
  expect(list.map(({ id }: { id: number }) => id)).toEqual(listBySpecification(rows))

  expect((await get(sandbox, `${path}/keywords`)).data).toMatchObject(
    coverageBySpecification(reportsOf(sandbox, project), keywords),
  )
  for (const number of [...numbers.slice(-4), 26]) {
    const report = reportsOf(sandbox, project).find((row) => row.report_number === number)
    const { status, data } = await get(sandbox, `${path}/reports/${number}/content`)
    expect(status).toBe(report ? 200 : 404)
    if (report) expect(data).toMatchObject(contentBySpecification(report, keywords))
  }
}

test('4.4 to 4.8 agree after any commands and moves of time, snapshots restore, and the session replays', async () => {
  const steps = fc.array(step, { minLength: 6, maxLength: isFullDepth ? 24 : 10 })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PROJECTS),
      steps,
      fc.nat(24),
      async ({ world, project }, list, middle) => {
        const sandbox = await createSandbox({ fixtures: world, now: NOW, frozen: true })
        const restored = await createSandbox({ fixtures: aWorld() })
        const sandboxes = [sandbox]
        for (const [index, taken] of list.entries()) {
          if (index === middle % list.length) {
            await restored.restore(await sandbox.snapshot())
            sandboxes.push(restored)
          }
          for (const one of sandboxes) {
            await take(one, project, taken)
            await check(one, project)
          }
        }
        expect(structuredClone(reportsOf(restored, project))).toEqual(
          structuredClone(reportsOf(sandbox, project)),
        )
        expect((await replay(await sandbox.session())).difference).toBeNull()
      },
    ),
    { numRuns: runs(60) },
  )
})
