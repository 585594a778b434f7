import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { COLLECTION_NAMES } from '../../src/contract/collection-facts.ts'
import { COLLECTIONS } from '../../src/contract/records.ts'
import type { RecordOf } from '../../src/contract/records.ts'
import { collections, Query } from '../../src/data.ts'
import type { Collections } from '../../src/data.ts'
import { createSandbox, replay } from '../../src/index.ts'
import type { FixtureInput, Sandbox } from '../../src/index.ts'
import { aProject, aReport, aWorld, SUPER, withReports } from '../support/worlds.ts'

/** Contract of `seo-sandbox/data`: collections of @msw/data that are the world's records. */

const CREATED_AT = '2026-02-01T00:00:00.000000Z'

async function aSandbox(
  fixtures: FixtureInput = aWorld(),
): Promise<{ sandbox: Sandbox } & Collections> {
  const sandbox = await createSandbox({ fixtures })
  return { sandbox, ...(await collections(sandbox)) }
}

function namesOf(projects: readonly { name: string }[]): string[] {
  return projects.map(({ name }) => name)
}

afterEach(() => {
  vi.useRealTimers()
})

describe('reading', () => {
  test.each(COLLECTION_NAMES)('%s has the records of the world, by ascending id', async (name) => {
    const sandbox = await createSandbox()
    const collection = (await collections(sandbox))[name]
    const records = sandbox.world.records.all(name)
    expect(collection.all()).toEqual(records)
    expect(collection.count()).toBe(records.length)
    expect(collection.findMany()).toEqual(records)
    expect(collection.findFirst()).toEqual(records[0])
  })

  test('a promise of a sandbox is accepted, as the handlers for MSW accept it', async () => {
    const { agencies } = await collections(createSandbox({ fixtures: aWorld() }))
    expect(agencies.findFirst((query) => query.where({ id: 2 }))).toEqual({
      id: 2,
      name: 'South',
      report_cc_email: null,
    })
  })

  test('queries, order, pages and strictness are those of @msw/data', async () => {
    const ids = [1, 2, 3, 4, 5]
    const { projects } = await aSandbox(
      aWorld({ projects: ids.map((id) => aProject({ id, agency: id % 2 === 0 ? 2 : 1 })) }),
    )
    const odd = new Query<RecordOf<'projects'>>(({ agency }) => agency === 1)
    const cursor = projects.findFirst((query) => query.where({ id: 2 }), { strict: true })
    await projects.update(cursor, { data: (project) => void (project.name = 'Later') })

    expect(
      projects.findMany(odd as never, { orderBy: { id: 'desc' } }).map(({ id }) => id),
    ).toEqual([5, 3, 1])
    expect(projects.findMany(undefined, { cursor, take: 2 }).map(({ id }) => id)).toEqual([2, 3])
    expect(() => projects.findFirst((query) => query.where({ id: 9 }), { strict: true })).toThrow(
      'no record found matching the query',
    )
  })

  test('time moves reports without a command, and a reset restores them', async () => {
    const { sandbox, reports } = await aSandbox(
      withReports([aReport({ id: 1, date_to_create_texts: 'now+1d' })], {
        progress: { mode: 'time' },
      }),
    )
    const statusNow = () => reports.findFirst()?.status
    expect(statusNow()).toBe('pending')
    await sandbox.clock.advance('P3D')
    expect(statusNow()).toBe('completed')
    await sandbox.reset()
    expect(statusNow()).toBe('pending')
  })

  test('a clock that runs moves reports with the time of the machine', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { reports } = await aSandbox(
      withReports([aReport({ id: 1, date_to_create_texts: 'now+1d' })], {
        progress: { mode: 'time' },
        frozen: false,
      }),
    )
    expect(reports.findMany((query) => query.where({ status: 'pending' }))).toHaveLength(1)
    vi.setSystemTime(Date.now() + 3 * 24 * 3_600_000)
    expect(reports.findMany((query) => query.where({ status: 'completed' }))).toHaveLength(1)
  })

  test('records are frozen copies, and a list is a copy too', async () => {
    const { sandbox, projects } = await aSandbox()
    const [project] = projects.all()
    expect(() => {
      project!.name = 'Changed'
    }).toThrow(TypeError)
    expect(() => project!.client_emails.push('a@b.example')).toThrow(TypeError)
    expect(project).not.toBe(sandbox.world.records.get('projects', 1))
    const before = projects.all()
    await projects.create(aProject({ id: 2 }))
    expect([before.length, projects.all().length]).toEqual([1, 2])
  })

  test('the content of generated reports is frozen too, and that of the API', async () => {
    const sandbox = await createSandbox({ generate: { projects: 3 }, seed: 'content' })
    const { reports } = await collections(sandbox)
    const completed = reports.findMany((query) => query.where({ status: 'completed' }))
    expect(completed.length).toBeGreaterThan(0)
    for (const report of completed) {
      expect(report.content).toEqual(sandbox.world.records.get('reports', report.id)?.content)
      const [blocks] = Object.values(report.content ?? {})
      expect([report.content, blocks].every((part) => Object.isFrozen(part))).toBe(true)
    }
    const [report] = completed
    const data = (draft: { report_name: string | null }) => void (draft.report_name = 'Renamed')
    expect(await reports.update(report!, { data })).toEqual({ ...report, report_name: 'Renamed' })
  })

  test('an isolated world has collections of its own', async () => {
    const { sandbox, projects } = await aSandbox()
    const isolated = await collections((await sandbox.worlds.create()).sandbox)
    await isolated.projects.update((query) => query.where({ id: 1 }), {
      data: (project) => void (project.name = 'Isolated'),
    })
    expect(namesOf(isolated.projects.all())).toEqual(['Isolated'])
    expect(namesOf(projects.all())).toEqual(['Project 1'])
  })

  test('a collection of more than 10,000 records is refused with its count; others are not', async () => {
    const sandbox = await createSandbox({ generate: { projects: 1000, keywords: 11, reports: 1 } })
    const { keywords, projects } = await collections(sandbox)
    for (const read of ['all', 'count', 'findFirst', 'findMany'] as const) {
      expect(() => keywords[read]()).toThrow(
        expect.objectContaining({
          code: 'too_many_records',
          message: expect.stringContaining('This world has 11,000 keywords') as string,
        }),
      )
    }
    expect(projects.count()).toBe(1000)
    const [, ...countries] = Array.from({ length: 10_001 }, (_, id) => ({ id, label: `${id}` }))
    const full = await aSandbox(aWorld({ countries }))
    expect(full.countries.count()).toBe(10_000)
    await full.countries.create({ id: 10_001, label: 'One more' })
    expect(() => full.countries.count()).toThrow('10,001 countries')
  })
})

describe('writing', () => {
  test('create awaits the command record.put and returns the record of the world', async () => {
    const { sandbox, reports } = await aSandbox()
    const created = await reports.create({
      id: 7,
      project: 1,
      report_number: 3,
      status: 'completed',
      created_at: 'now-3d',
    })
    expect(created).toEqual(sandbox.world.records.get('reports', 7))
    expect(created).toMatchObject({ sent: false, level: 'project' })
    expect(created.created_at).toMatch(/^2026-03-12T12:00:00/)
    expect(Object.isFrozen(created)).toBe(true)
    expect(sandbox.world.journal.commands.map(({ command }) => command)).toMatchObject([
      { type: 'record.put', collection: 'reports', record: { id: 7 } },
    ])
  })

  test('what is created is in the responses of the API', async () => {
    const { sandbox, countries } = await aSandbox()
    await countries.createMany(2, (index) => ({ id: index + 1, label: `Country ${index + 1}` }))
    const headers = { authorization: `Bearer ${SUPER}` }
    const response = await sandbox.fetch('/api/v1/countries/2', { headers })
    expect(await response.json()).toMatchObject({ data: { id: 2, label: 'Country 2' } })
  })

  test('an invalid record is refused, with a sentence for each problem', async () => {
    const { sandbox, reports } = await aSandbox()
    const invalid = { id: 7, project: 9, report_number: 3, status: 'done' as 'failed' }
    await expect(reports.create({ ...invalid, created_at: CREATED_AT })).rejects.toMatchObject({
      name: 'CommandError',
      message: expect.stringContaining('"done" is not a report status') as string,
    })
    const dangling = { ...invalid, status: 'failed' as const, created_at: CREATED_AT }
    await expect(reports.create(dangling)).rejects.toThrow('There is no project 9.')
    expect(sandbox.world.journal.commands).toEqual([])
  })

  test('a taken id is refused, even by a command that was sent just before', async () => {
    const { sandbox, agencies } = await aSandbox()
    await expect(agencies.create({ id: 1, name: 'Again' })).rejects.toThrow(
      'agency 1 already exists',
    )
    const record = { id: 3, name: 'By a command' }
    const put = sandbox.command({ type: 'record.put', collection: 'agencies', record })
    await expect(agencies.create({ id: 3, name: 'Too late' })).rejects.toMatchObject({
      code: 'invalid_command',
    })
    await put
    expect(namesOf(agencies.all())).toEqual(['North', 'South', 'By a command'])
  })

  test('update sends the changed fields alone, so that others keep what commands gave them', async () => {
    const { sandbox, projects } = await aSandbox()
    const update = projects.update((query) => query.where({ id: 1 }), {
      data: async (project) => {
        await sandbox.command({
          type: 'record.patch',
          collection: 'projects',
          id: 1,
          patch: { plan: 'Large' },
        })
        project.name = 'Renamed'
        project.client_emails.push('client@example.com')
      },
    })
    expect(await update).toMatchObject({ name: 'Renamed', plan: 'Large' })
    expect(await update).toEqual(sandbox.world.records.get('projects', 1))
    expect(sandbox.world.journal.commands.at(-1)?.command).toEqual({
      type: 'record.patch',
      collection: 'projects',
      id: 1,
      patch: { name: 'Renamed', client_emails: ['client@example.com'] },
    })
  })

  test('update takes a record read earlier, and returns undefined where there is none', async () => {
    const { sandbox, projects } = await aSandbox()
    const project = projects.findFirst(undefined, { strict: true })
    const data = (draft: { name: string }) => void (draft.name += '!')
    await projects.update(project, { data })
    expect(await projects.update(project, { data })).toMatchObject({ name: 'Project 1!!' })
    await sandbox.command({ type: 'record.delete', collection: 'projects', id: 1 })
    expect(await projects.update(project, { data })).toBeUndefined()
    await expect(projects.update(project, { data, strict: true })).rejects.toThrow('no record')
  })

  test('update can remove a field, and sends nothing where nothing changes', async () => {
    const { sandbox, reports } = await aSandbox(
      withReports([aReport({ id: 1, content_scheme: 'other', content: {} })]),
    )
    await reports.update((query) => query.where({ id: 1 }), { data: () => undefined })
    expect(sandbox.world.journal.commands).toEqual([])
    const updated = await reports.update((query) => query.where({ id: 1 }), {
      data: (report) => {
        delete report.content_scheme
      },
    })
    expect(updated).not.toHaveProperty('content_scheme')
    expect(updated).toEqual(sandbox.world.records.get('reports', 1))
  })

  test.each<[title: string, change: (project: RecordOf<'projects'>) => void, message: RegExp]>([
    ['a wrong type', (project) => Object.assign(project, { name: 5 }), /5 is not a text/],
    ['an unknown field', (project) => Object.assign(project, { nam: '' }), /"nam" is not a field/],
    ['another id', (project) => void (project.id = 9), /An id cannot change/],
    ['a dangling reference', (project) => void (project.agency = 9), /There is no agency 9/],
  ])('an update to %s is refused, and nothing changes', async (_, change, message) => {
    const { sandbox, projects } = await aSandbox()
    const before = projects.all()
    const update = projects.update((query) => query.where({ id: 1 }), { data: change })
    await expect(update).rejects.toThrow(message)
    expect(projects.all()).toEqual(before)
    expect(sandbox.world.journal.commands).toEqual([])
  })

  test('updateMany changes every record found, and returns them in the order asked for', async () => {
    const { sandbox, projects } = await aSandbox(
      aWorld({ projects: [1, 2, 3].map((id) => aProject({ id })) }),
    )
    const updated = await projects.updateMany((query) => query.where({ id: (id) => id > 1 }), {
      data: (project) => void (project.status = 'paused'),
      orderBy: { id: 'desc' },
    })
    expect(updated.map(({ id, status }) => [id, status])).toEqual([
      [3, 'paused'],
      [2, 'paused'],
    ])
    expect(sandbox.world.journal.commands).toHaveLength(2)
    const none = (query: Query<never>) => query.where(() => false)
    const data = () => undefined
    expect(await projects.updateMany(none, { data })).toEqual([])
    await expect(projects.updateMany(none, { data, strict: true })).rejects.toThrow('no records')
  })

  test('a session with writes of collections replays without a difference', async () => {
    const { sandbox, countries } = await aSandbox()
    await countries.create({ id: 1, label: 'One' })
    await countries.update((query) => query.where({ id: 1 }), {
      data: (country) => void (country.label = 'Two'),
    })
    await sandbox.fetch('/api/v1/countries', { headers: { authorization: `Bearer ${SUPER}` } })
    const { difference } = await replay(await sandbox.session())
    expect(difference).toBeNull()
  })
})

describe('what cannot be a command is refused with what to send instead', () => {
  test.each<[method: string, call: (all: Collections) => unknown, command: string]>([
    ['delete', ({ projects }) => projects.delete((query) => query.where({ id: 1 })), 'delete'],
    ['deleteMany', ({ projects }) => projects.deleteMany(new Query(() => true)), 'delete'],
    ['clear', ({ projects }) => projects.clear(), 'delete'],
    ['defineRelations', ({ projects }) => projects.defineRelations(() => ({})), 'patch'],
  ])('%s', async (method, call, command) => {
    const { sandbox, ...all } = await aSandbox()
    expect(() => call(all)).toThrow(
      expect.objectContaining({
        code: 'not_a_command',
        message: expect.stringMatching(
          new RegExp(`^projects\\.${method} .*type: 'record\\.${command}'`),
        ) as string,
      }),
    )
    expect(all.projects.count()).toBe(1)
    expect(sandbox.world.journal.commands).toEqual([])
  })

  test.each(['create', 'update', 'delete'] as const)('a hook for %s', async (hook) => {
    const { projects } = await aSandbox()
    expect(() => projects.hooks.on(hook, () => undefined)).toThrow('projects.hooks is not possible')
  })
})

describe('over any steps', () => {
  type Step = (all: Collections, sandbox: Sandbox) => unknown

  const id = fc.integer({ min: 1, max: 6 })
  const name = fc.constantFrom('Shoes', 'Hats', 'Gloves')
  const status = fc.constantFrom('pending', 'running', 'completed', 'failed')

  /** Two simultaneous attempts to add a record: at most one of them succeeds, and none if the id is taken. */
  const twoCreates: fc.Arbitrary<Step> = id.map((number) => async ({ projects }, sandbox) => {
    const other = await collections(sandbox)
    const isTaken = sandbox.world.records.get('projects', number) !== undefined
    const outcomes = await Promise.allSettled(
      [projects, other.projects].map((collection, index) =>
        collection.create({ ...aProject({ id: number }), name: `Created ${index}` }),
      ),
    )
    const created = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value] : [],
    )
    expect(created).toHaveLength(isTaken ? 0 : 1)
    if (created[0]) expect(sandbox.world.records.get('projects', number)).toEqual(created[0])
  })

  const createReport: fc.Arbitrary<Step> = fc
    .record({ id, project: id, report_number: id, status })
    .map((fields) => async ({ reports }, sandbox) => {
      const isTaken = sandbox.world.records.get('reports', fields.id) !== undefined
      const values = { ...fields, created_at: 'now-1d', date_to_create_texts: 'now' }
      const created = await reports.create(values).catch(() => undefined)
      if (isTaken) expect(created).toBeUndefined()
      if (created) expect(created).toEqual(sandbox.world.records.get('reports', fields.id))
    })

  const updateProjects: fc.Arbitrary<Step> = fc
    .record({ id, name })
    .map((wanted) => async ({ projects }, sandbox) => {
      const updated = await projects.updateMany(
        (query) => query.where({ id: (value) => value <= wanted.id }),
        { data: (project) => void (project.name = wanted.name) },
      )
      const records = sandbox.world.records.all('projects').filter((one) => one.id <= wanted.id)
      expect(updated).toEqual(records)
      expect(updated.every((project) => project.name === wanted.name)).toBe(true)
    })

  const updateReport: fc.Arbitrary<Step> = fc
    .record({ id, status })
    .map((wanted) => async ({ reports }, sandbox) => {
      const updated = await reports.update((query) => query.where({ id: wanted.id }), {
        data: (report) => void (report.status = wanted.status),
      })
      expect(updated).toEqual(sandbox.world.records.get('reports', wanted.id))
      if (updated) expect(updated.status).toBe(wanted.status)
    })

  const command: fc.Arbitrary<Step> = id.chain((number) =>
    fc.constantFrom<Step>(
      (_, sandbox) => removed(sandbox, 'projects', number),
      (_, sandbox) => removed(sandbox, 'reports', number),
      (_, sandbox) => sandbox.clock.advance('P1D'),
      (_, sandbox) => sandbox.reset(),
    ),
  )

  const pass: fc.Arbitrary<Step> = fc
    .integer({ min: 0, max: 40 * 3_600_000 })
    .map((ms) => () => vi.setSystemTime(Date.now() + ms))

  test('collections are the records of the world, and the reports those of the API', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const reports = [1, 2].map((number) =>
      aReport({ id: number, date_to_create_texts: `now+${number}d` }),
    )
    const fixtures = withReports(reports, { progress: { mode: 'time' }, frozen: false })
    const step = fc.oneof(twoCreates, createReport, updateProjects, updateReport, command, pass)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const sandbox = await createSandbox({ fixtures })
        const all = await collections(sandbox)
        for (const play of steps) {
          await play(all, sandbox)
          for (const kind of COLLECTION_NAMES) {
            expect(all[kind].all()).toEqual(sandbox.world.records.all(kind))
          }
          expect(all.reports.findMany((query) => query.where({ project: 1 })).map(shown)).toEqual(
            await reportsInApi(sandbox),
          )
        }
        for (const kind of COLLECTION_NAMES) {
          for (const record of all[kind].all()) COLLECTIONS[kind].parse(record)
        }
      }),
    )
  })
})

/** Removes a record; nothing happens if it does not exist, or is in use. */
function removed(
  sandbox: Sandbox,
  collection: 'projects' | 'reports',
  id: number,
): Promise<unknown> {
  return sandbox.command({ type: 'record.delete', collection, id }).catch(() => undefined)
}

function shown({ id, report_number, status, sent }: ShownReport): ShownReport {
  return { id, report_number, status, sent }
}

type ShownReport = Pick<RecordOf<'reports'>, 'id' | 'report_number' | 'status' | 'sent'>

/** Returns the reports of project 1 as a client sees them, in order of id; none if the project does not exist. */
async function reportsInApi(sandbox: Sandbox): Promise<ShownReport[]> {
  const headers = { authorization: `Bearer ${SUPER}` }
  const response = await sandbox.fetch('/api/v1/projects/1/reports', { headers })
  const { data = [] } = (await response.json()) as { data?: ShownReport[] }
  return data.map(shown).toSorted((one, other) => one.id - other.id)
}
