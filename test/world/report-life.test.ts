import { describe, expect, test } from 'vitest'
import { reportLinks, REPORT_STEP_NAMES, stepsFrom } from '../../src/contract/report-facts.ts'
import type { ReportStep } from '../../src/contract/report-facts.ts'
import type { ReportStatus } from '../../src/contract/report.ts'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { loadTextWriter } from '../../src/records/generation/text-writer.ts'
import { aLife, inState, open } from '../support/lives.ts'
import { AGENCY, aProject, aReport, aWorld } from '../support/worlds.ts'

/** G-086: the life of a report, a command for each step. */

const REPORT = { project: 1, report_number: 1 }
const NOW = '2026-03-15T12:00:00.000000Z'
const HEADERS = { authorization: `Bearer ${AGENCY}` }

async function read<Data>(sandbox: Sandbox, path: string): Promise<Data> {
  const response = await sandbox.fetch(`/api/v1/projects/1${path}`, { headers: HEADERS })
  return ((await response.json()) as { data: Data }).data
}

const STATES: ReportStatus[] = ['pending', 'running', 'completed', 'failed']

describe('a transition of a report', () => {
  test.each(STATES)(
    'follows %s where it can, and is refused with those that can',
    async (status) => {
      const followed: ReportStep[] = []
      for (const step of REPORT_STEP_NAMES) {
        const sandbox = await open([inState(status)])
        const before = sandbox.world.records.get('reports', 1)
        try {
          await sandbox.reports[step](REPORT)
          followed.push(step)
        } catch (error) {
          expect((error as Error).message).toMatch(
            new RegExp(
              `is ${status}, and ${step} can only follow .*: ${stepsFrom(status).join(', ')}\\.$`,
            ),
          )
          expect(sandbox.world.records.get('reports', 1)).toEqual(before)
        }
      }
      expect(followed).toEqual(stepsFrom(status))
    },
  )

  test.each([
    ['start', 'pending', 'running'],
    ['fail', 'pending', 'failed'],
    ['fail', 'running', 'failed'],
    ['retry', 'failed', 'running'],
  ] as const)('%s moves a %s report to %s, and changes nothing else', async (step, from, to) => {
    const sandbox = await open([inState(from)])
    const before = sandbox.world.records.get('reports', 1)
    expect(await sandbox.reports[step](REPORT)).toEqual({ ...before, status: to })
    expect(sandbox.world.records.get('reports', 1)).toEqual({ ...before, status: to })
  })

  test.each([
    ['approve', {}, { approved_status: 'approved', approved_by: 7 }],
    ['approve', { approved_by: 8 }, { approved_status: 'approved', approved_by: 8 }],
    ['manage', {}, { managed_status: 'completed', managed_by: 7 }],
    ['manage', { managed_by: 8 }, { managed_status: 'completed', managed_by: 8 }],
    ['reject', {}, { approved_status: null, approved_by: null }],
    ['reject', { approved_status: 'no' }, { approved_status: 'no', approved_by: null }],
    ['send', {}, { sent: true, date_to_send_to_client: '2026-03-15' }],
  ] as const)('%s with %j sets %j alone (G-065)', async (step, fields, changed) => {
    const sandbox = await open([inState('completed')])
    const before = sandbox.world.records.get('reports', 1)
    expect(await sandbox.reports[step](REPORT, fields)).toEqual({ ...before, ...changed })
  })

  test('a person is the one stated, otherwise the first user of the agency, otherwise nobody', async () => {
    const stated = await open([inState('completed', { approved_by: 8 })])
    expect(await stated.reports.approve(REPORT)).toMatchObject({ approved_by: 8 })
    const unmanaged = await open([inState('completed')])
    const patch = { managing_user: null }
    await unmanaged.command({ type: 'record.patch', collection: 'projects', id: 1, patch })
    expect(await unmanaged.reports.approve(REPORT)).toMatchObject({ approved_by: 6 })
    const alone = await createSandbox({
      fixtures: aWorld({ projects: [aProject({ id: 1, reports: [inState('completed')] })] }),
    })
    expect(await alone.reports.manage(REPORT)).toMatchObject({ managed_by: null })
  })

  test('send keeps the date of a report that has one', async () => {
    const sandbox = await open([inState('completed', { date_to_send_to_client: '2026-03-27' })])
    const sent = await sandbox.reports.send(REPORT)
    expect(sent).toMatchObject({ sent: true, date_to_send_to_client: '2026-03-27' })
  })

  test.each(['id', 'project', 'report_number', 'status'] as const)(
    'sets %s itself: to give it is refused',
    async (field) => {
      const sandbox = await open([inState('pending')])
      const fields = { [field]: field === 'status' ? 'failed' : 5 }
      await expect(sandbox.reports.complete(REPORT, fields)).rejects.toThrow(
        `${field}: The transition sets ${field} itself.`,
      )
    },
  )
})

describe('complete', () => {
  test.each(['pending', 'running'] as const)(
    'fills in a %s report what the service would, and leaves its dates (T3, T8)',
    async (status) => {
      const sandbox = await open([inState(status)])
      const before = sandbox.world.records.get('reports', 1)
      const completed = await sandbox.reports.complete(REPORT)
      const { content, ...rest } = completed
      expect(rest).toEqual({
        ...before,
        status: 'completed',
        content_scheme: 'h3_text_blocks',
        ...reportLinks(1),
      })
      expect(Object.keys(content ?? {})).toEqual(['11', '13'])
      expect(await read(sandbox, '/reports/1/content')).toMatchObject({
        is_generated: true,
        content_scheme_fields: ['h3', 'text'],
        links: { report_web: reportLinks(1).web_link, report_pdf: reportLinks(1).pdf_link },
        summary: { keyword_count: 2, keywords_with_content: 2 },
        keywords: [
          { keyword_id: 11, has_content: true },
          { keyword_id: 13, has_content: true },
        ],
      })
      expect(await read(sandbox, '/keywords')).toMatchObject([
        { id: 11, content_count: 1, content_action_ids: [1] },
        { id: 12, content_count: 0, content_action_ids: [] },
        { id: 13, content_count: 1, content_action_ids: [1] },
      ])
    },
  )

  test("writes in the project's language, by the seed, the report and the keyword", async () => {
    const sandbox = await createSandbox({ fixtures: aLife([inState('pending')]), seed: 'mine' })
    const { records } = sandbox.world
    const { content } = await sandbox.reports.complete(REPORT)
    const writer = await loadTextWriter('da', 'mine')
    const keywords = [records.get('keywords', 11)!, records.get('keywords', 13)!]
    const of = {
      report: records.get('reports', 1)!,
      project: records.get('projects', 1)!,
      keywords,
      existingTexts: 0,
    }
    expect(content?.[13]).toEqual(writer.write(of).get(keywords[1]!)!())
  })

  const BLOCKS = [{ h3: 'Mine', text: 'My own text.' }]

  test('keeps what the report states; null and empty are not stated', async () => {
    const sandbox = await open([
      inState('pending', {
        web_link: 'https://own.example/1',
        pdf_link: '',
        content: { 11: BLOCKS, 12: BLOCKS, 13: [] },
      }),
    ])
    const { content, ...rest } = await sandbox.reports.complete(REPORT)
    expect(rest).toMatchObject({
      web_link: 'https://own.example/1',
      pdf_link: reportLinks(1).pdf_link,
    })
    expect(content).toMatchObject({ 11: BLOCKS, 12: BLOCKS })
    expect(content?.[13]).not.toEqual([])
  })

  test('adds no content to a scheme that it does not know', async () => {
    const own = { 11: { content: ['mine'], html: ['<p>mine</p>'] } }
    const sandbox = await open([inState('pending', { content_scheme: 'faq', content: own })])
    expect(await sandbox.reports.complete(REPORT)).toMatchObject({
      status: 'completed',
      content_scheme: 'faq',
      content: own,
    })
    const bare = await open([inState('pending', { content_scheme: 'faq' })])
    expect(await bare.reports.complete(REPORT)).not.toHaveProperty('content')
  })

  test.each(['complete', 'regenerate'] as const)(
    'with another scheme given, %s has no content, or what is given, as a record that states the scheme',
    async (step) => {
      const own = { 11: { content: ['mine'], html: ['<p>mine</p>'] } }
      for (const given of [null, '', 'faq'])
        for (const stated of [undefined, null, 'faq', 'h3_text_blocks']) {
          const report = inState('running', stated === undefined ? {} : { content_scheme: stated })
          const sandbox = await open([report])
          const completed = await sandbox.reports[step](REPORT, { content_scheme: given })
          expect(completed).toMatchObject({ status: 'completed', content_scheme: given })
          expect(completed).not.toHaveProperty('content')
          const other = await open([report])
          const fields = { content_scheme: given, content: own }
          expect(await other.reports[step](REPORT, fields)).toMatchObject(fields)
        }
      const sandbox = await open([inState('running', { content_scheme: 'faq' })])
      const { content } = await sandbox.reports[step](REPORT, { content_scheme: 'h3_text_blocks' })
      expect(Object.keys(content ?? {})).toEqual(['11', '13'])
    },
  )

  test('covers every active keyword, also one that is created later', async () => {
    const sandbox = await open([inState('running')])
    const record = { id: 14, project: 1, keyword: 'late', create_date: '2027-01-01' }
    await sandbox.command({ type: 'record.put', collection: 'keywords', record })
    const { content } = await sandbox.reports.complete(REPORT)
    expect(Object.keys(content ?? {})).toEqual(['11', '13', '14'])
  })

  test('takes the fields that are given instead (T10)', async () => {
    const sandbox = await open([inState('pending')])
    const fields = { content: { 13: BLOCKS }, web_link: null, created_at: '2026-03-01' }
    expect(await sandbox.reports.complete(REPORT, fields)).toMatchObject({
      content: { 13: BLOCKS },
      web_link: null,
      created_at: '2026-03-01T00:00:00.000000Z',
    })
  })
})

describe('regenerate', () => {
  const REGENERATED = {
    report_number: 1,
    created_at: NOW,
    date_to_create_texts: '2026-03-20',
    sent: false,
    approved_status: null,
    approved_by: null,
    managed_status: null,
  }

  test('replaces the row by one with an id of its own, as often as asked (G-080)', async () => {
    const sandbox = await open([
      inState('completed', { approved_status: 'approved', approved_by: 7, sent: true }),
      aReport({ id: 5, report_number: 2 }),
    ])
    const rows = [
      await sandbox.reports.regenerate(REPORT),
      await sandbox.reports.regenerate(REPORT),
    ]
    expect(rows).toMatchObject([
      { ...REGENERATED, id: 6, status: 'completed', ...reportLinks(6) },
      { ...REGENERATED, id: 7, status: 'completed', ...reportLinks(7) },
    ])
    expect(Object.keys(rows[1]?.content ?? {})).toEqual(['11', '13'])
    expect(rows[1]?.content).not.toEqual(rows[0]?.content)
    const ids = sandbox.world.records.reportsOf(1).map(({ id }) => id)
    expect(ids).toEqual([5, 7])
  })

  test('keeps the number, the name, both dates, who manages it, level and action type; a scheme is not kept', async () => {
    const kept = {
      report_number: 7,
      report_name: 'Extra',
      date_to_create_texts: '2026-03-20',
      date_to_send_to_client: '2026-03-29',
      managed_by: 8,
      level: 'keyword',
      action_type: 'extra',
    }
    const scheme = { content_scheme: 'faq', content_scheme_fields: ['q'] }
    const content = { 11: { content: ['mine'], html: ['<p>mine</p>'] } }
    const sandbox = await open([inState('completed', { ...kept, ...scheme, content })])
    const { content: written, ...row } = await sandbox.reports.regenerate({
      ...REPORT,
      report_number: 7,
    })
    expect(row).toEqual({
      ...kept,
      ...REGENERATED,
      report_number: 7,
      id: 2,
      project: 1,
      status: 'completed',
      content_scheme: 'h3_text_blocks',
      ...reportLinks(2),
    })
    expect(Object.keys(written ?? {})).toEqual(['11', '13'])
  })

  test.each(['time', 'reads'] as const)('leaves it running with progress by %s', async (mode) => {
    const sandbox = await open([inState('completed')], { progress: { mode } })
    expect(await sandbox.reports.regenerate(REPORT)).toMatchObject({
      ...REGENERATED,
      id: 2,
      status: 'running',
      pdf_link: null,
    })
  })

  test('that is refused leaves the row that there was', async () => {
    const sandbox = await open([inState('completed')])
    const { records } = await sandbox.snapshot()
    const fields = { approved_by: 99 }
    await expect(sandbox.reports.regenerate(REPORT, fields)).rejects.toThrow('no user 99')
    expect(await sandbox.snapshot()).toMatchObject({ records, commands: [] })
  })
})

describe('create', () => {
  test.each([
    ['2026-03-20', '2026-04-20', '2026-04-27'],
    ['2026-01-31', '2026-02-28', '2026-03-07'],
    ['2023-12-31', '2024-01-31', '2024-02-07'],
    ['9999-12-31', '9999-12-31', '9999-12-31'],
  ])('after a report due on %s is one due on %s and sent on %s', async (last, due, send) => {
    const sandbox = await open([
      aReport({ id: 1, date_to_create_texts: last, report_name: 'Report', managed_by: 8 }),
      aReport({ id: 2, report_number: 4, report_name: 'Report', managed_by: 8 }),
    ])
    expect(await sandbox.reports.create({ project: 1 })).toEqual({
      ...aReport({ id: 3, report_number: 5 }),
      project: 1,
      created_at: NOW,
      report_name: 'Report',
      date_to_create_texts: due,
      date_to_send_to_client: send,
      sent: false,
      approved_status: null,
      approved_by: null,
      managed_status: null,
      managed_by: 8,
      pdf_link: null,
      web_link: null,
      level: 'project',
      action_type: 'regular',
    })
  })

  test('makes the first report of a project due a month from now', async () => {
    const sandbox = await open([])
    expect(await sandbox.reports.create({ project: 1 })).toMatchObject({
      report_number: 1,
      date_to_create_texts: '2026-04-15',
    })
  })

  test('is refused after report 26', async () => {
    const sandbox = await open([aReport({ id: 1, report_number: 25 })])
    await sandbox.reports.create({ project: 1 })
    await expect(sandbox.reports.create({ project: 1 })).rejects.toThrow(
      'Project 1 has report 26, the last of its sequence. Regenerate one of its reports',
    )
  })

  test('takes the number of the report that would be generated next', async () => {
    const sandbox = await createSandbox({ generate: { projects: 1, reports: 3 } })
    const numbers = () =>
      sandbox.world.records.reportsOf(1001).map((report) => report.report_number)
    const before = numbers()
    const { id, report_number } = await sandbox.reports.create({ project: 1001 })
    expect(report_number).toBe(Math.max(...before) + 1)
    await sandbox.clock.advance('P24M')
    expect(numbers().toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 26 }, (_, index) => index + 1),
    )
    expect(sandbox.world.records.get('reports', id)).toMatchObject({ report_number })
  })
})
