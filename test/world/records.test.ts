import { describe, expect, test } from 'vitest'
import { COLLECTION_NAMES } from '../../src/contract/collection-facts.ts'
import { createSandbox } from '../../src/index.ts'
import type { Command, Sandbox } from '../../src/index.ts'
import { AGENCY, aProject, aReport, aWorld } from '../support/worlds.ts'

/** A project with a keyword and a report that has content for it, a user who approved it, a country. */
const world = aWorld({
  users: [{ id: 7, name: 'Maja', agency: 1 }],
  countries: [{ id: 45, label: 'Denmark' }],
  projects: [
    aProject({
      id: 1,
      country: 45,
      keywords: [{ id: 11, keyword: 'fish', create_date: '2026-01-01' }],
      reports: [
        aReport({
          id: 21,
          report_number: 1,
          approved_by: 7,
          content: { 11: [{ h3: 'Fish', text: 'Fresh.' }] },
        }),
        aReport({ id: 22, report_number: 2 }),
      ],
    }),
    aProject({ id: 2 }),
  ],
})

async function everything(sandbox: Sandbox): Promise<unknown> {
  return structuredClone(COLLECTION_NAMES.map((name) => sandbox.world.records.all(name)))
}

describe('an invalid command changes nothing and says why', () => {
  test.each<[string, object, string, string]>([
    [
      'an unknown command',
      { type: 'record.pach' },
      'invalid_command',
      'Did you mean "record.patch"?',
    ],
    ['no type', {}, 'invalid_command', 'A command has a type.'],
    [
      'an unknown collection',
      { type: 'record.delete', collection: 'report', id: 1 },
      'invalid_command',
      'Did you mean "reports"?',
    ],
    [
      'an unknown field',
      { type: 'record.patch', collection: 'reports', id: 21, patch: { state: 'failed' } },
      'invalid_command',
      '"state" is not a field here. Did you mean "status"?',
    ],
    [
      'a report number that is taken',
      { type: 'record.patch', collection: 'reports', id: 22, patch: { report_number: 1 } },
      'invalid_command',
      'already has number 1',
    ],
    [
      'a report that moves away from its keywords',
      { type: 'record.patch', collection: 'reports', id: 21, patch: { project: 2 } },
      'invalid_command',
      'Project 2 has no keyword 11.',
    ],
    [
      'a keyword that moves away from its content',
      { type: 'record.patch', collection: 'keywords', id: 11, patch: { project: 2 } },
      'invalid_command',
      'keyword 11 is still referenced by report 21.',
    ],
    [
      'a dangling reference',
      { type: 'record.patch', collection: 'projects', id: 1, patch: { country: 46 } },
      'invalid_command',
      'There is no country 46.',
    ],
    [
      'another id',
      { type: 'record.patch', collection: 'projects', id: 1, patch: { id: 3 } },
      'invalid_command',
      'An id cannot change.',
    ],
    [
      'a bearer value that is taken',
      { type: 'record.put', collection: 'tokens', record: { id: 9, name: 'Twin', token: AGENCY } },
      'invalid_command',
      'Token 1 has the same bearer value.',
    ],
    [
      'a record that does not exist',
      { type: 'record.patch', collection: 'reports', id: 99, patch: {} },
      'record_not_found',
      'There is no report 99.',
    ],
    [
      'a country in use',
      { type: 'record.delete', collection: 'countries', id: 45 },
      'record_in_use',
      'referenced by project 1',
    ],
    [
      'a user in use',
      { type: 'record.delete', collection: 'users', id: 7 },
      'record_in_use',
      'referenced by report 21',
    ],
    [
      'a keyword in use',
      { type: 'record.delete', collection: 'keywords', id: 11 },
      'record_in_use',
      'referenced by report 21',
    ],
    [
      'an agency in use',
      { type: 'record.delete', collection: 'agencies', id: 1 },
      'record_in_use',
      'referenced by user 7, token 1, project 1, project 2',
    ],
  ])('%s', async (_, command, code, sentence) => {
    const sandbox = await createSandbox({ fixtures: world })
    const before = await everything(sandbox)
    const refusal = sandbox.command(command as Extract<Command, { type: 'reset' }>)
    await expect(refusal).rejects.toMatchObject({ name: 'CommandError', code })
    await expect(refusal).rejects.toThrow(sentence)
    expect(await everything(sandbox)).toEqual(before)
    expect(sandbox.world.journal.commands).toEqual([])
  })
})

describe('records', () => {
  test('a patch changes the fields that it names and keeps the rest; null removes an optional field', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    await sandbox.reports.set(
      { project: 1, report_number: 1 },
      { status: 'completed', date_to_create_texts: 'month+0/31' },
    )
    expect(sandbox.world.records.get('reports', 21)).toMatchObject({
      status: 'completed',
      date_to_create_texts: '2026-03-31',
      approved_by: 7,
    })
    const patch = { approved_by: null, content: null }
    await sandbox.command({ type: 'record.patch', collection: 'reports', id: 21, patch })
    const report = sandbox.world.records.get('reports', 21)
    expect(report).toMatchObject({ approved_by: null })
    expect(report).not.toHaveProperty('content')
  })

  test('a project is deleted with its keywords and reports', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    await sandbox.command({ type: 'record.delete', collection: 'projects', id: 1 })
    const { records } = sandbox.world
    expect([
      records.all('projects').length,
      records.all('keywords').length,
      records.all('reports').length,
    ]).toEqual([1, 0, 0])
    await sandbox.command({ type: 'record.delete', collection: 'users', id: 7 })
    expect(records.all('users')).toEqual([])
  })

  test('a keyword can move to another project while no report has content for it', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    const { command, world: own } = sandbox
    await sandbox.reports.set({ project: 1, report_number: 1 }, { content: {} })
    const patch = { project: 2 }
    await command({ type: 'record.patch', collection: 'keywords', id: 11, patch })
    expect([1, 2].map((id) => own.records.keywordsOf(id).length)).toEqual([0, 1])
  })

  test('content that is added to a report later has the scheme of its blocks', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    await sandbox.reports.set(
      { project: 1, report_number: 2 },
      { content: { 11: [{ h3: 'A', text: 'B' }] } },
    )
    const response = await sandbox.fetch('/api/v1/projects/1/reports/2/content', {
      headers: { authorization: `Bearer ${AGENCY}` },
    })
    expect(((await response.json()) as any).data).toMatchObject({
      content_scheme: 'h3_text_blocks',
      content_scheme_fields: ['h3', 'text'],
    })
  })

  test('concurrent commands are applied one after the other, in order', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    const names = Array.from({ length: 20 }, (_, index) => `Name ${index}`)
    await Promise.all(
      names.map((name) =>
        sandbox.command({ type: 'record.patch', collection: 'projects', id: 1, patch: { name } }),
      ),
    )
    expect(sandbox.world.records.get('projects', 1)?.name).toBe('Name 19')
    expect(sandbox.world.journal.commands.map(({ sequence }) => sequence)).toEqual(
      names.map((_, index) => index + 1),
    )
  })

  test('a command is copied when it is sent', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    const patch = { name: 'First' }
    const done = sandbox.command({ type: 'record.patch', collection: 'projects', id: 1, patch })
    patch.name = 'Second'
    await done
    expect(sandbox.world.records.get('projects', 1)?.name).toBe('First')
    const odd = { name: () => 'x' }
    await expect(
      sandbox.command({ type: 'record.patch', collection: 'projects', id: 1, patch: odd }),
    ).rejects.toMatchObject({ name: 'CommandError' })
  })

  test('a report is looked up when its turn comes', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    const record = { ...aReport({ id: 23, report_number: 3 }), project: 1 }
    const put = sandbox.command({ type: 'record.put', collection: 'reports', record })
    const set = sandbox.reports.set({ project: 1, report_number: 3 }, { sent: true })
    await put
    expect((await set).sent).toBe(true)
  })

  test('the result of a command is a copy: changing it changes no record', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    const report = await sandbox.reports.set({ project: 1, report_number: 2 }, { sent: true })
    report.status = 'failed'
    expect(sandbox.world.records.get('reports', 22)?.status).toBe('pending')
  })

  test('the error names a report that does not exist', async () => {
    const sandbox = await createSandbox({ fixtures: world })
    await expect(sandbox.reports.set({ project: 1, report_number: 9 }, {})).rejects.toThrow(
      'Project 1 has no report 9.',
    )
  })
})
