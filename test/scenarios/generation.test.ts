import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toFixture } from '../../src/fixtures/format-fixture.ts'
import { createSandbox } from '../../src/index.ts'
import type { FixtureInput, Sandbox, SandboxOptions } from '../../src/index.ts'
import { LOCALES, TEXT_LOCALES } from '../../src/contract/locales.ts'
import { createRandom } from '../../src/records/random.ts'
import { aProject, aReport } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'

/** Generated worlds: the same for the same seed, believable, and progressing with time. */

const NOW = '2026-03-15T12:00:00Z'
const SUPER = { authorization: 'Bearer sandbox-super' }
const FAST = 'sandbox-unlimited'

function generated(options: SandboxOptions = {}): Promise<Sandbox> {
  return createSandbox({ now: NOW, frozen: true, rateLimit: 'unlimited', ...options })
}

async function read(sandbox: Sandbox, path: string): Promise<any> {
  const response = await sandbox.fetch(`/api/v1${path}`, { headers: SUPER })
  return response.status === 200 ? await response.json() : response.status
}

/** Everything that the API shows of a project, as text. */
async function projectText(sandbox: Sandbox, id: number): Promise<string> {
  const project = await read(sandbox, `/projects/${id}`)
  const reports = await read(sandbox, `/projects/${id}/reports`)
  const keywords = await read(sandbox, `/projects/${id}/keywords`)
  const contents: unknown[] = []
  for (const { report_number } of reports.data) {
    contents.push(await read(sandbox, `/projects/${id}/reports/${report_number}/content`))
  }
  return JSON.stringify([project, reports, keywords, contents])
}

describe('a project is a pure function of the seed, its id and the time of the load', () => {
  test('whatever else is generated, and in whatever order it is read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1, maxLength: 9 }),
        fc.shuffledSubarray([1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008], { minLength: 3 }),
        async (seed, ids) => {
          const [small, large] = await Promise.all([
            generated({ seed, generate: { projects: 8 } }),
            generated({ seed, generate: { projects: 12 } }),
          ])
          const forwards = await textsOf(small, ids)
          expect(await textsOf(large, ids.toReversed())).toEqual(forwards)
        },
      ),
      { numRuns: runs(8) },
    )
  })

  test('and differs between seeds', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((seed) => generated({ seed, generate: { projects: 1 } })),
    )
    expect(await projectText(one as Sandbox, 1001)).not.toBe(
      await projectText(other as Sandbox, 1001),
    )
  })

  async function textsOf(sandbox: Sandbox, ids: number[]): Promise<Map<number, string>> {
    const texts: [number, string][] = []
    for (const id of ids) texts.push([id, await projectText(sandbox, id)])
    return new Map(texts.toSorted(([one], [two]) => one - two))
  }
})

/**
 * Digest of a thousand responses. It changes with the texts and the selection, as users' generated worlds do: the release
 * notes mention that.
 */
const DIGEST = '5510b1f051482ffe097bfafe9fa6934a0455948f5e9b051f208269aaa692f3e1'

test('the responses to a thousand requests are the same on every machine, Node version and day', async () => {
  const sandbox = await generated({ seed: 'digest', generate: { projects: 500, locale: 'da' } })
  const random = createRandom('requests')
  const digest = createHash('sha256')
  for (let count = 0; count < 1000; count += 1) {
    const project = `/projects/${random.integer(1001, 1500)}`
    const path = random.pick([
      project,
      `${project}/keywords`,
      `${project}/reports`,
      `${project}/reports/latest`,
      `${project}/reports/last-generated`,
      `${project}/reports/${random.integer(1, 26)}/content`,
      `/projects?per_page=20&page=${random.integer(1, 25)}`,
      '/users',
    ])
    const response = await sandbox.fetch(`/api/v1${path}`, { headers: SUPER })
    digest.update(`${path} ${response.status} ${await response.text()}\n`)
    if (count % 100 === 99) await sandbox.clock.advance('P11D')
  }
  expect(digest.digest('hex')).toBe(DIGEST)
})

/** Digests of the first twenty projects in each language. They change whenever its texts do. */
const DIGESTS = {
  da: 'cd0e745f23cd7a0a05c56066411e5214fa87c602f4c27f28348b30c5b219ac68',
  de: 'f9816c298da87fd14c11fc043224406cb7c23a4af0e4394ebfb1046f9325a398',
  en: 'e9728af1f9bbc13bee650fe57b6ad32e9c59799d641c4012eb332fa8154a501a',
  nl: '60e8b1e714f5f557b5bd1c6dfd4e5948476e763fc92e51d1f995671e0673ecac',
  sv: '332000ca0e337128dc735b6a61f9f9925266787ed9faf77daf5573480d79edbc',
} as const

test.each(TEXT_LOCALES)(
  'people, keywords and texts in %s are the same on every machine',
  async (locale) => {
    const { world } = await generated({ seed: 'digest', generate: { projects: 20, locale } })
    const { records } = world
    const digest = createHash('sha256').update(JSON.stringify(records.all('users')))
    for (const project of records.all('projects')) {
      const { id } = project
      digest.update(JSON.stringify([project, records.keywordsOf(id), records.reportsOf(id)]))
    }
    expect(digest.digest('hex')).toBe(DIGESTS[locale])
  },
)

/**
 * Digest of the times at which the reports of the 500 projects move. It changes with any timeline: then users' generated
 * worlds change too.
 */
const DIGEST_OF_MOMENTS = 'a4410e88b152eec243115873306aa919e57a3457a8cdb05e8134f96565599c85'

test('the moments at which reports move are the same on every machine, Node version and day', async () => {
  const { world } = await generated({ seed: 'digest', generate: { projects: 500, locale: 'da' } })
  const digest = createHash('sha256')
  for (const { id } of world.records.all('projects')) {
    digest.update(`${id} ${world.records.reportMomentsOf(id).join(' ')}\n`)
  }
  expect(digest.digest('hex')).toBe(DIGEST_OF_MOMENTS)
})

test('an exported world passes validation and has the same responses', async () => {
  const figure = (max: number) => fc.integer({ min: 0, max })
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 1, maxLength: 9 }),
      fc.record({ projects: figure(200), agencies: fc.constantFrom(1, 3), keywords: figure(6) }),
      fc.constantFrom(...LOCALES),
      async (seed, figures, locale) => {
        const original = await generated({ seed, generate: { ...figures, reports: 3, locale } })
        const { head, projects } = toFixture(original.world.records, NOW)
        const fixtures = { ...head, projects: [...projects] }
        const written = await generated({ fixtures })
        for (const { id } of original.world.records.all('projects').slice(0, 5)) {
          expect(await projectText(written, id)).toBe(await projectText(original, id))
        }
        expect(await read(written, '/projects')).toEqual(await read(original, '/projects'))
      },
    ),
    { numRuns: runs(6) },
  )
})

test.each(['time', 'reads', 'manual'] as const)(
  'with progress by %s the list of all records has those of every project',
  async (mode) => {
    const generate = { projects: 3, keywords: 4, reports: 5 }
    const sandbox = await generated({ fixtures: { version: 1, generate, progress: { mode } } })
    const { records } = sandbox.world
    const ids = [1001, 1002, 1003]
    expect(records.all('projects').map(({ id }) => id)).toEqual(ids)
    expect(records.all('keywords')).toEqual(ids.flatMap((id) => records.keywordsOf(id)))
    expect(records.all('keywords')).toHaveLength(12)
    expect(records.all('reports')).toEqual(ids.flatMap((id) => records.reportsOf(id)))
  },
)

test('keywords differ within a project, and links use reserved domains', async () => {
  const generate = { projects: runs(30, 8), keywords: { min: 0, max: 200 } }
  const sandbox = await generated({ generate })
  for (const { id } of sandbox.world.records.all('projects')) {
    const keywords = sandbox.world.records.keywordsOf(id)
    expect(new Set(keywords.map(({ keyword }) => keyword)).size).toBe(keywords.length)
    const text = await projectText(sandbox, id)
    const hosts = [...text.matchAll(/https?:\/\/([^/"]+)/g)].map(([, host = '']) => host)
    expect(hosts.filter((host) => !host.endsWith('.example'))).toEqual([])
    expect(text).not.toMatch(/\{\w+\}/)
  }
})

describe('reports progress with the world clock', () => {
  test('a month shows completed work, rollovers, late finishers and failures', async () => {
    const sandbox = await generated({ generate: { projects: 60, reports: { min: 3, max: 12 } } })
    const before = allReports(sandbox)
    await sandbox.clock.advance('P1M')
    const after = allReports(sandbox)
    const finished = (reports: typeof before) =>
      reports.filter(({ status }) => status === 'completed').length
    expect(finished(after) - finished(before)).toBeGreaterThan(30)
    const statuses = new Set<string>()
    for (let day = 0; day < 60 && statuses.size < 4; day += 1) {
      await sandbox.clock.advance('PT13H')
      for (const { status } of allReports(sandbox)) statuses.add(status)
    }
    expect([...statuses].toSorted()).toEqual(['completed', 'failed', 'pending', 'running'])
  })

  test('only by the transitions of G-086, and sent only when completed (G-069)', async () => {
    const sandbox = await generated({ generate: { projects: 15 } })
    const allowed = ['pending>running', 'running>completed', 'running>failed', 'failed>running']
    let known = new Map(allReports(sandbox).map((report) => [report.id, report]))
    const wrong: unknown[] = []
    for (let step = 0; step < runs(400, 60); step += 1) {
      await sandbox.clock.advance('PT4M')
      const reports = allReports(sandbox)
      for (const report of reports) {
        const { status, sent, content } = report
        const before = known.get(report.id)?.status ?? status
        const isAllowed = before === status || allowed.includes(`${before}>${status}`)
        const isFinished = status === 'completed'
        if (!isAllowed || (!isFinished && (sent || content))) wrong.push([before, report])
      }
      known = new Map(reports.map((report) => [report.id, report]))
    }
    expect(wrong).toEqual([])
  })

  test('late finishers, regenerated reports and failures that block latest all occur (T3 to T9)', async () => {
    const sandbox = await generated({ generate: { projects: 150, reports: { min: 6, max: 18 } } })
    const reports = allReports(sandbox)
    expect(reports.some(({ status }) => status === 'failed')).toBe(true)
    expect(reports.some(({ id, report_number }) => id % 100 !== report_number)).toBe(true)
    const blocked = sandbox.world.records.all('projects').filter(({ id }) => {
      const own = sandbox.world.records.reportsOf(id)
      return own.some(
        ({ status, date_to_create_texts: date }) => status !== 'completed' && date! < '2026-03-01',
      )
    })
    expect(blocked.length).toBeGreaterThan(0)
  })

  test('a regenerated report replaces the one before at once, so that its number stays unique (G-080)', async () => {
    const sandbox = await generated({ generate: { projects: 150, reports: { min: 6, max: 18 } } })
    const regenerated = allReports(sandbox).filter(({ id, report_number }) => {
      return id % 100 !== report_number
    })
    expect(regenerated.length).toBeGreaterThan(0)
    for (const { id, project, report_number, created_at } of regenerated) {
      const idsAt = async (ms: number) => {
        await sandbox.clock.set(new Date(ms).toISOString())
        const reports = sandbox.world.records.reportsOf(project)
        return reports
          .filter((report) => report.report_number === report_number)
          .map((report) => report.id)
      }
      const replacedMs = Date.parse(created_at)
      expect(await idsAt(replacedMs - 1)).toEqual([id - 50])
      expect(await idsAt(replacedMs)).toEqual([id])
    }
  })

  test('with mode manual they stay as loaded, with mode reads they progress when they are read', async () => {
    const world = { version: 1 as const, generate: { projects: 5, reports: 4 } }
    const manual = await generated({ fixtures: { ...world, progress: { mode: 'manual' } } })
    const before = await projectText(manual, 1001)
    await manual.clock.advance('P3M')
    expect(statusesIn(await projectText(manual, 1001))).toEqual(statusesIn(before))

    const reads = await generated({ fixtures: { ...world, progress: { mode: 'reads', reads: 2 } } })
    const seen = new Set<string>()
    for (let count = 0; count < 12; count += 1) {
      seen.add(JSON.stringify((await read(reads, '/projects/1001/reports')).data))
    }
    expect(seen.size).toBe(6)
  })
})

test('2.1 with mode reads, a read counts whichever way its id is written, and snapshots restore', async () => {
  const options = {
    fixtures: { version: 1, generate: { projects: 5, reports: 4 }, progress: { mode: 'reads' } },
    policies: { 'loose-id': 'cast' },
  } as const
  const [plain, loose] = [await generated(options), await generated(options)]
  const before = await read(plain, '/projects/1001')
  for (let count = 0; count < 6; count += 1) {
    await read(plain, '/projects/1001/reports')
    await read(loose, '/projects/1001abc/reports')
  }
  const after = await read(plain, '/projects/1001')
  expect(after).not.toEqual(before)
  expect(await read(loose, '/projects/1001')).toEqual(after)
  await loose.restore(await loose.snapshot())
  expect(await read(loose, '/projects/1001')).toEqual(after)
})

describe('reports of a fixture progress too, depending on its mode', () => {
  const fixture = (mode: 'time' | 'manual') => ({
    version: 1 as const,
    progress: { mode },
    agencies: [{ id: 1, name: 'North' }],
    tokens: [{ id: 1, name: 'Test', token: 'sandbox-super' }],
    projects: [
      aProject({
        id: 1,
        reports: [
          aReport({ id: 1, status: 'pending', date_to_create_texts: '2026-03-20' }),
          aReport({ id: 2, status: 'running', date_to_create_texts: '2026-03-15' }),
          aReport({ id: 3, status: 'failed', date_to_create_texts: '2026-02-15' }),
          aReport({ id: 4, status: 'pending' }),
        ],
      }),
    ],
  })

  test.each([
    ['manual', ['pending', 'running', 'failed', 'pending']],
    ['time', ['completed', 'completed', 'failed', 'pending']],
  ] as const)('with mode %s', async (mode, statuses) => {
    const sandbox = await generated({ fixtures: fixture(mode) })
    const list = async () => (await read(sandbox, '/projects/1/reports')).data
    expect(inOrder(await list())).toEqual(['pending', 'running', 'failed', 'pending'])
    await sandbox.clock.advance('P10D')
    expect(inOrder(await list())).toEqual(statuses)
    expect(sandbox.clock.read().now).toBe('2026-03-25T12:00:00.000000Z')
  })

  test('except for a status that a command has set', async () => {
    const sandbox = await generated({ fixtures: fixture('time') })
    await sandbox.reports.set({ project: 1, report_number: 1 }, { status: 'failed' })
    await sandbox.clock.advance('P1M')
    expect(inOrder((await read(sandbox, '/projects/1/reports')).data)[0]).toBe('failed')
    await sandbox.reset()
    expect(inOrder((await read(sandbox, '/projects/1/reports')).data)[0]).toBe('pending')
  })

  function inOrder(reports: { id: number; status: string }[]): string[] {
    return reports.toSorted((one, other) => one.id - other.id).map(({ status }) => status)
  }

  test('and continue after a snapshot is restored, from the same state', async () => {
    const sandbox = await generated({ fixtures: fixture('time') })
    const list = async () => inOrder((await read(sandbox, '/projects/1/reports')).data)
    const before = await list()
    await sandbox.restore(await sandbox.snapshot())
    expect(await list()).toEqual(before)
    await sandbox.clock.advance('P10D')
    expect(await list()).toEqual(['completed', 'completed', 'failed', 'pending'])
  })

  test('and a project whose reports have progressed can be deleted with them', async () => {
    const sandbox = await generated({ fixtures: fixture('time') })
    await sandbox.clock.advance('P10D')
    await sandbox.command({ type: 'record.delete', collection: 'projects', id: 1 })
    expect(sandbox.world.records.all('reports')).toEqual([])
  })
})

describe('changing a generated world', () => {
  test('replaces what was generated, until a reset', async () => {
    const sandbox = await generated({ generate: { projects: 3, keywords: 5, reports: 4 } })
    const before = await projectText(sandbox, 1002)
    await sandbox.reports.set({ project: 1002, report_number: 1 }, { report_name: 'Changed' })
    await sandbox.command({ type: 'record.delete', collection: 'reports', id: 100202 })
    await sandbox.command({
      type: 'record.patch',
      collection: 'projects',
      id: 1002,
      patch: { name: 'Renamed' },
    })
    const { data: reports } = await read(sandbox, '/projects/1002/reports')
    expect(reports.map(({ report_number }: any) => report_number)).not.toContain(2)
    expect(reports.find(({ report_number }: any) => report_number === 1)).toMatchObject({
      report_name: 'Changed',
    })
    expect(await read(sandbox, '/projects/1002')).toMatchObject({ data: { name: 'Renamed' } })
    await sandbox.reset()
    expect(await projectText(sandbox, 1002)).toBe(before)
  })

  test('of another field of a report leaves its content as it was', async () => {
    const sandbox = await generated({ generate: { projects: 3, keywords: 5, reports: 4 } })
    const path = '/projects/1002/reports/1/content'
    const { data: before } = await read(sandbox, path)
    expect(before.is_generated).toBe(true)
    await sandbox.reports.set({ project: 1002, report_number: 1 }, { sent: false })
    expect((await read(sandbox, path)).data).toEqual(before)
  })

  test('a user who may be in generated reports cannot be deleted, and any other user can', async () => {
    const fixtures: FixtureInput = {
      version: 1,
      agencies: [{ id: 1, name: 'North' }],
      users: [
        { id: 7, name: 'Maja', agency: 1 },
        { id: 8, name: 'Everywhere', agency: null },
      ],
    }
    const sandbox = await generated({ fixtures, generate: { projects: 3 } })
    const remove = (id: number) =>
      sandbox.command({ type: 'record.delete', collection: 'users', id })
    const manage = (managing_user: number) =>
      sandbox.command({
        type: 'record.patch',
        collection: 'projects',
        id: 1001,
        patch: { managing_user, created_by: managing_user },
      })
    await manage(8)
    await expect(remove(8)).rejects.toThrow('user 8 is still referenced by project 1001.')
    await manage(7)
    await expect(remove(8)).resolves.toMatchObject({ id: 8 })
    for (const id of [1001, 1002, 1003]) {
      const patch = { managing_user: null, created_by: null }
      await sandbox.command({ type: 'record.patch', collection: 'projects', id, patch })
    }
    await expect(remove(7)).rejects.toThrow('user 7 may be in generated reports.')
  })

  test('deleting a project also deletes its keywords and reports', async () => {
    // More projects than are cached, so that each is generated again.
    const generate = { projects: 300, keywords: 2, reports: 1 }
    const sandbox = await generated({ generate })
    await sandbox.command({ type: 'record.delete', collection: 'projects', id: 1002 })
    const { records } = sandbox.world
    expect(await read(sandbox, '/projects/1002/reports')).toBe(404)
    expect([records.keywordsOf(1002), records.get('reports', 100201)]).toEqual([[], undefined])
    expect((await read(sandbox, '/projects')).meta.total).toBe(299)
  })
})

test('magic tokens are the same as in the default world', async () => {
  const [sandbox, usual] = await Promise.all([generated({ generate: {} }), createSandbox()])
  const comparable = ({ world }: Sandbox) =>
    world.records.all('tokens').map((token) => ({ ...token, agency: null }))
  expect(comparable(sandbox)).toEqual(comparable(usual))
})

test('magic tokens have the same access to a generated world as to the default one', async () => {
  const sandbox = await createSandbox({
    generate: { projects: 30, agencies: 3 },
    rateLimit: 'unlimited',
  })
  const send = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await sandbox.fetch('/api/v1/projects', { headers })
    const { meta } = (await response.json()) as { meta: { total: number } }
    return meta.total
  }
  const own = await send('sandbox-agency')
  expect([own > 0, own < 30, await send('sandbox-super'), await send(FAST)]).toEqual([
    true,
    true,
    30,
    own,
  ])
})

test.each([
  [{ projects: -1 }, 'generate: projects'],
  [{ projects: 1e9 }, 'generate: projects'],
  [{ keywords: { min: 5, max: 2 } }, 'The minimum is above the maximum.'],
  [{ locale: 'ja' }, 'generate: locale'],
  [{ project: 3 }, 'Did you mean "projects"?'],
  [5, 'generate'],
])('generate %j is rejected with a sentence', async (generate, sentence) => {
  await expect(generated({ generate: generate as never })).rejects.toThrow(sentence)
})

test.each([
  ['generate: { projects: 10 }', {}],
  ['', { generate: { projects: 10 } }],
  ['generate: { projects: 2 }', { generate: { projects: 10 } }],
])(
  'the id of a generated project is not available to a fixture: %j with %j',
  async (line, options) => {
    const fixtures = `version: 1
${line}
agencies: [{ id: 1, name: North }]
projects: [{ id: 1003, agency: 1, name: A, status: active, created_at: now }]`
    await expect(createSandbox({ fixtures, ...options })).rejects.toThrow(
      'This id belongs to one of the generated projects 1001 to 1010',
    )
  },
)

function allReports(sandbox: Sandbox) {
  return sandbox.world.records.all('reports')
}

function statusesIn(text: string): string[] {
  return [...text.matchAll(/"status":"(\w+)"/g)].map(([, status = '']) => status)
}
