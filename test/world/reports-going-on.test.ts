import { describe, expect, test } from 'vitest'
import { reportLinks } from '../../src/contract/report-facts.ts'
import type { ReportRecord } from '../../src/contract/report.ts'
import { createSandbox } from '../../src/index.ts'
import type { FixtureInput, Sandbox } from '../../src/index.ts'
import { loadTextWriter } from '../../src/records/generation/text-writer.ts'
import type { Indexes } from '../../src/records/indexes.ts'
import { parseScenario, SCENARIO_NAMES } from '../scenarios/scenario.ts'
import { aLife, inState, open } from '../support/lives.ts'
import { AGENCY, aReport } from '../support/worlds.ts'

/** G-086: the progress of reports by themselves, from their load or from a step of their life. */

const REPORT = { project: 1, report_number: 1 }
const SEND = { date_to_send_to_client: '2026-03-27' }
const MODES = ['time', 'reads'] as const
type Mode = (typeof MODES)[number]

function moving(mode: Mode): Partial<FixtureInput> {
  return { progress: { mode, reads: 1 } }
}

/** The current row of report 1 of project 1. */
function now(sandbox: Sandbox, number = 1): ReportRecord {
  const report = sandbox.world.records
    .reportsOf(1)
    .find(({ report_number }) => report_number === number)
  if (!report) throw new Error(`There is no report ${number}.`)
  return report
}

/** The progress that a row shows. */
function stateOf({ status, approved_status, managed_status, sent }: ReportRecord): string {
  const done = [approved_status && 'approved', managed_status && 'managed', sent && 'sent']
  return [status, ...done.filter(Boolean)].join(' ')
}

/** The states that a report goes through by itself from now on, the current one first. */
async function follow(sandbox: Sandbox, mode: Mode, number = 1): Promise<string[]> {
  const states = [stateOf(now(sandbox, number))]
  const add = () => {
    const state = stateOf(now(sandbox, number))
    if (state !== states.at(-1)) states.push(state)
  }
  if (mode === 'time') {
    const moments = sandbox.world.records.reportMomentsOf(1).filter((ms) => ms < Infinity)
    for (const ms of moments.toSorted((one, other) => one - other)) {
      if (ms <= Date.parse(sandbox.clock.read().now)) continue
      await sandbox.clock.set(new Date(ms))
      add()
    }
  } else {
    const headers = { authorization: `Bearer ${AGENCY}` }
    for (let read = 0; read < 12; read += 1) {
      await sandbox.fetch('/api/v1/projects/1/reports', { headers })
      add()
    }
  }
  return states
}

const FINISHED = ['completed', 'completed approved managed', 'completed approved managed sent']

describe.each(MODES)('with progress by %s, a report', (mode) => {
  test.each([
    ['start', 'pending', ['running', ...FINISHED]],
    ['retry', 'failed', ['running', ...FINISHED]],
    ['regenerate', 'completed', ['running', ...FINISHED]],
    ['complete', 'pending', FINISHED],
    ['approve', 'completed', ['completed approved', 'completed approved sent']],
    ['manage', 'completed', ['completed managed', ...FINISHED.slice(1)]],
    ['send', 'completed', ['completed sent', FINISHED[2]]],
    ['fail', 'pending', ['failed']],
    ['reject', 'completed', ['completed']],
  ] as const)('goes on after %s', async (step, status, states) => {
    const sandbox = await open([inState(status, SEND)], moving(mode))
    await sandbox.clock.advance('P2D')
    await sandbox.reports[step](REPORT)
    expect(await follow(sandbox, mode)).toEqual(states)
  })

  test('that is created goes on when it is due', async () => {
    const sandbox = await open([], moving(mode))
    await sandbox.reports.create({ project: 1 })
    expect(await follow(sandbox, mode)).toEqual(['pending', 'running', ...FINISHED])
  })

  test('that was set stays as it is, until a step moves it', async () => {
    const sandbox = await open([inState('pending', SEND)], moving(mode))
    await sandbox.reports.set(REPORT, { status: 'running' })
    expect(await follow(sandbox, mode)).toEqual(['running'])
    await sandbox.reports.complete(REPORT)
    expect(await follow(sandbox, mode)).toEqual(FINISHED)
  })

  test.each(['completed', 'failed'] as const)(
    'that a fixture states as %s stays so',
    async (status) => {
      const sandbox = await open([inState(status, SEND)], moving(mode))
      expect(await follow(sandbox, mode)).toEqual([status])
    },
  )

  test('of a fixture is completed as by the steps, and what the fixture states stays', async () => {
    const stated = { web_link: 'https://own.example/', approved_by: 8, managed_status: 'mine' }
    const content = { 13: [{ h3: 'Mine', text: 'My own text.' }] }
    const sandbox = await open([inState('running', { ...SEND, ...stated, content })], moving(mode))
    await follow(sandbox, mode)
    const { records } = sandbox.world
    const writer = await loadTextWriter('da', '1')
    const keyword = records.get('keywords', 11)!
    const report = records.get('reports', 1)!
    const of = {
      report,
      project: records.get('projects', 1)!,
      keywords: [keyword],
      existingTexts: 1,
    }
    const written = writer.write(of).get(keyword)!()
    expect(now(sandbox)).toEqual({
      ...inState('completed', SEND),
      project: 1,
      created_at: '2026-01-01T00:00:00.000000Z',
      report_name: null,
      sent: true,
      approved_status: 'approved',
      managed_by: 7,
      pdf_link: reportLinks(1).pdf_link,
      level: 'project',
      action_type: 'regular',
      content_scheme: 'h3_text_blocks',
      ...stated,
      content: { 11: written, ...content },
    })
  })

  test('covers the keywords that were created by the day on which it is completed', async () => {
    const sandbox = await open([inState('pending', SEND)], moving(mode))
    for (const [id, create_date] of [
      [14, '2026-03-20'],
      [15, '2026-03-21'],
    ] as const) {
      const record = { id, project: 1, keyword: `phrase ${id}`, create_date }
      await sandbox.command({ type: 'record.put', collection: 'keywords', record })
    }
    await follow(sandbox, mode)
    expect(Object.keys(now(sandbox).content ?? {})).toEqual(['11', '13', '14'])
  })

  test('that a fixture states as rejected is neither approved nor sent', async () => {
    const rejected = { ...SEND, approved_status: 'rejected' }
    const sandbox = await open([inState('running', rejected)], moving(mode))
    const states = await follow(sandbox, mode)
    expect(states).toEqual(['running approved', 'completed approved'])
    expect(now(sandbox).approved_status).toBe('rejected')
  })

  test('that is completed stays as it was written when its project changes', async () => {
    const sandbox = await open([inState('running', SEND)], moving(mode))
    await follow(sandbox, mode)
    const before = structuredClone(now(sandbox))
    const patches = [
      { collection: 'projects', id: 1, patch: { company_name: 'Other', managing_user: 8 } },
      { collection: 'projects', id: 1, patch: { text_language: null } },
      { collection: 'keywords', id: 11, patch: { active: false } },
      { collection: 'keywords', id: 12, patch: { active: true } },
    ] as const
    for (const patch of patches) await sandbox.command({ type: 'record.patch', ...patch })
    expect(structuredClone(now(sandbox))).toEqual(before)
    expect(await follow(sandbox, mode)).toEqual([FINISHED[2]])
  })

  test.each([
    ['pending', '2026-03-20', '2026-03-27'],
    ['running', '2026-03-14', '2026-03-21'],
    ['running', '2025-12-01', 'after its approval'],
    ['running', null, 'after its approval'],
  ] as const)(
    'that is %s, due on %s and has no date to send is sent on %s, the day that it has then',
    async (status, due, sendsOn) => {
      const report = { date_to_create_texts: due, date_to_send_to_client: null }
      const sandbox = await open([inState(status, report)], moving(mode))
      const moments = (sandbox.world.records as Indexes)
        .reportMovesOf(1)
        .toSorted((one, other) => one - other)
      const approvedMs = moments.at(-2)!
      // Changes of the project leave the remaining steps unchanged.
      const patch = { type: 'record.patch', collection: 'keywords', id: 12 } as const
      const states: [string, string | null][] = []
      for (let move = 0; move < 8; move += 1) {
        const row = now(sandbox)
        states.push([stateOf(row), row.date_to_send_to_client])
        await sandbox.command({ ...patch, patch: { active: move % 2 === 0 } })
        const nextMs = moments.find((ms) => ms > Date.parse(sandbox.clock.read().now))
        if (nextMs && mode === 'time') await sandbox.clock.set(new Date(nextMs))
        if (mode === 'reads') await follow(sandbox, mode)
      }
      const afterApproval = new Date(approvedMs + 60 * 60_000).toISOString().slice(0, 10)
      const day = sendsOn === 'after its approval' ? afterApproval : sendsOn
      expect(states.at(-1)).toEqual([FINISHED[2], day])
      const unsent = states.filter(([state]) => !state.includes('sent'))
      expect(unsent.every(([, date]) => date === null)).toBe(true)
    },
  )

  test('goes on in a restored snapshot as it would have', async () => {
    const sandbox = await open(
      [inState('pending', SEND), inState('failed', { id: 2, report_number: 2 })],
      moving(mode),
    )
    await sandbox.clock.advance('P2D')
    await sandbox.reports.retry({ project: 1, report_number: 2 })
    await sandbox.fetch('/api/v1/projects/1/reports', {
      headers: { authorization: `Bearer ${AGENCY}` },
    })
    const other = await createSandbox()
    await other.restore(await sandbox.snapshot())
    const aheadOf = ({ world }: Sandbox) => new Set(world.records.reportMomentsOf(1))
    expect(aheadOf(other)).toEqual(aheadOf(sandbox))
    expect(stateOf(now(other, 2))).toBe(stateOf(now(sandbox, 2)))
    for (const number of [1, 2]) {
      const expected = await follow(sandbox, mode, number)
      if (number === 1) expect(await follow(other, mode, number)).toEqual(expected)
    }
    expect(structuredClone(other.world.records.reportsOf(1))).toEqual(
      structuredClone(sandbox.world.records.reportsOf(1)),
    )
  })
})

test('in each scenario, moving with time, what time approves is sent, on the day that the explanation says', async () => {
  const days: (string | null)[] = []
  for (const fixtures of SCENARIO_NAMES.map(parseScenario)) {
    // Some generated reports are never approved.
    if (fixtures.generate) continue
    const options = { now: '2026-03-15T12:00:00Z', frozen: true }
    const sandbox = await createSandbox({
      fixtures: { ...fixtures, ...moving('time') },
      ...options,
    })
    const { records } = sandbox.world
    const projects = records.all('projects').map(({ id }) => id)
    const before = new Map(records.all('reports').map((report) => [report.id, report]))
    const changes = projects.flatMap((id) => sandbox.explain(id, { changes: 500 }).changes)
    await sandbox.clock.advance('P2Y')
    for (const report of projects.flatMap((id) => records.reportsOf(id))) {
      const { sent, approved_status, date_to_send_to_client: date } = before.get(report.id)!
      if (report.approved_status !== 'approved' || approved_status === 'approved' || sent) continue
      const isSending = ({ reports }: (typeof changes)[number]) =>
        reports.some((row) => row.id === report.id && row.sent)
      const day = date ?? changes.find(isSending)?.at.slice(0, 10)
      expect(report).toMatchObject({ sent: true, date_to_send_to_client: day })
      days.push(date)
    }
  }
  expect(days).toContain(null)
  expect(days.length).toBeGreaterThan(50)
})

test('reads move no report beyond the year 9999', async () => {
  const due = aReport({ id: 1, date_to_create_texts: '9999-12-31' })
  const sandbox = await open([due], moving('reads'))
  expect((await follow(sandbox, 'reads')).at(-1)).toMatch(/^(running|completed)$/)
  const patch = { active: false }
  await sandbox.command({ type: 'record.patch', collection: 'keywords', id: 11, patch })
  const other = await createSandbox()
  await other.restore(await sandbox.snapshot())
  expect(structuredClone(now(other))).toEqual(structuredClone(now(sandbox)))
})

test('a language that a project is given is loaded for the reports that are still to be completed', async () => {
  const sandbox = await createSandbox({
    fixtures: aLife([inState('running')], {
      ...moving('time'),
      languages: [
        { id: 1, label: 'Danish' },
        { id: 2, label: 'German' },
      ],
    }),
  })
  const patch = { text_language: 2 }
  await sandbox.command({ type: 'record.patch', collection: 'projects', id: 1, patch })
  await sandbox.command({
    type: 'record.patch',
    collection: 'languages',
    id: 2,
    patch: { label: 'Svenska' },
  })
  await sandbox.clock.advance('P1D')
  const { records } = sandbox.world
  const writer = await loadTextWriter('sv', '1')
  const keyword = records.get('keywords', 11)!
  const report = { id: 1, report_number: 1, date_to_create_texts: null }
  const of = { report, project: records.get('projects', 1)!, keywords: [keyword], existingTexts: 0 }
  const written = writer.write(of).get(keyword)!()
  expect(now(sandbox).content?.[11]).toEqual(written)
})

test.each([
  ['projects', { country: null }],
  ['projects', { text_language: null }],
  ['countries', { label: 'Germany' }],
  ['languages', { label: 'English' }],
] as const)(
  'after a patch of %s with %j, a generated project is written about as after a restore',
  async (collection, patch) => {
    const generate = { projects: 1, locale: 'de_AT' } as const
    const fixtures = { version: 1, generate, ...moving('time') } as const
    const patched = await createSandbox({ fixtures, now: '2026-03-15T12:00:00Z', frozen: true })
    const { country, text_language } = patched.world.records.get('projects', 1001)!
    const id = { projects: 1001, countries: country!, languages: text_language! }[collection]
    const textsIn = async (sandbox: Sandbox) => {
      await sandbox.clock.advance('P2M')
      return sandbox.world.records.reportsOf(1001).map(({ content }) => structuredClone(content))
    }
    const restore = async () => {
      const sandbox = await createSandbox()
      await sandbox.restore(await patched.snapshot())
      return sandbox
    }
    const { report_number } = await patched.reports.create({ project: 1001 })
    await patched.reports.start({ project: 1001, report_number })
    const usual = await restore()
    await patched.command({ type: 'record.patch', collection, id, patch })
    const restored = await restore()
    const texts = await textsIn(patched)
    expect(texts).toEqual(await textsIn(restored))
    expect(texts).not.toEqual(await textsIn(usual))
  },
)

test('a command does not move the other reports that reads have moved', async () => {
  const due = (id: number) => aReport({ id, date_to_create_texts: `2026-0${id + 2}-20` })
  const sandbox = await open([due(1), due(2), due(3), due(4)], moving('reads'))
  const headers = { authorization: `Bearer ${AGENCY}` }
  for (let read = 0; read < 4; read += 1) {
    await sandbox.fetch('/api/v1/projects/1/reports', { headers })
  }
  const others = () => [1, 3].map((number) => stateOf(now(sandbox, number)))
  const before = others()
  await sandbox.reports.complete({ project: 1, report_number: 2 })
  await sandbox.command({ type: 'record.delete', collection: 'reports', id: 4 })
  expect(others()).toEqual(before)
})
