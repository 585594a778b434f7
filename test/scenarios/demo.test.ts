import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { parseMonth } from '../../src/contract/time.ts'
import { Generate } from '../../src/records/generation/generate.ts'
import { createDemoFixture, formatDemoFixture } from '../../src/world/demo-fixture.ts'
import { Positions } from '../../src/world/keyword-positions.ts'
import { listShowcase } from '../../src/world/list-showcase.ts'
import { runs } from '../support/depth.ts'
import { readScenario } from './scenario.ts'

/** The demo shows what its banner promises, whenever it starts, with any seed and in any locale. */

const LOCALES = ['da', 'de', 'en', 'nl', 'sv'] as const

const [LATE, FAILED, FINISHED, PAUSED, NEW] = [1004, 1011, 1017, 1025, 1039]

/** Days on which months are counted wrongly most easily, and the seconds around their ends. */
const STARTS = [
  '2026-03-15T12:00:00Z',
  '2026-01-01T00:00:00Z',
  '2025-12-31T23:59:59Z',
  '2024-02-29T00:10:30Z',
  '2026-02-28T23:59:00Z',
  '2026-03-01T00:00:01Z',
  '2026-03-29T08:00:00Z',
  '2026-05-31T17:45:00Z',
  '2026-07-05T00:24:59Z',
  '2026-08-12T23:59:59Z',
]

const DAY_MS = 86_400_000

interface Shown {
  status: number
  data: any
}

function demo(options: SandboxOptions = {}): Promise<Sandbox> {
  return createSandbox({ demo: true, frozen: true, rateLimit: 'unlimited', ...options })
}

async function get(sandbox: Sandbox, path: string): Promise<Shown> {
  const headers = { authorization: 'Bearer sandbox-agency' }
  const response = await sandbox.fetch(`/api/v1${path}`, { headers })
  return { status: response.status, ...((await response.json()) as { data: any }) }
}

const latestOf = async (sandbox: Sandbox, project: number) =>
  (await get(sandbox, `/projects/${project}/reports/latest`)).data

/** Age of a date in days, by the world clock. */
function daysSince(sandbox: Sandbox, date: string): number {
  return (Date.parse(sandbox.clock.read().now) - Date.parse(date)) / DAY_MS
}

describe.each(STARTS.slice(0, Math.max(4, runs(STARTS.length))))('started at %s', (now) => {
  const seed = now
  const locale = LOCALES[STARTS.indexOf(now) % LOCALES.length]!

  test('one report is late, and is completed a week later', async () => {
    const sandbox = await demo({ now, seed, locale })
    const late = await latestOf(sandbox, LATE)
    expect(late).toMatchObject({ status: 'running', sent: false, approved_status: null })
    const days = daysSince(sandbox, late.date_to_create_texts)
    expect(days).toBeGreaterThanOrEqual(12)
    expect(days).toBeLessThan(16)
    await sandbox.clock.advance('P7D')
    const { data } = await get(sandbox, `/projects/${LATE}/reports`)
    expect(data.find(({ id }: any) => id === late.id).status).toBe('completed')
  })

  test('one has failed, and is retried some days later', async () => {
    const sandbox = await demo({ now, seed, locale })
    const failed = await latestOf(sandbox, FAILED)
    expect(failed.status).toBe('failed')
    await sandbox.clock.advance('P5D')
    const { data } = await get(sandbox, `/projects/${FAILED}/reports`)
    expect(data.find(({ id }: any) => id === failed.id).status).toBe('completed')
  })

  test('one was completed within half an hour, has content, and is approved a day later', async () => {
    const sandbox = await demo({ now, seed, locale })
    const finished = await latestOf(sandbox, FINISHED)
    expect(finished).toMatchObject({ status: 'completed', sent: false, approved_status: null })
    const lastGenerated = await get(sandbox, `/projects/${FINISHED}/reports/last-generated`)
    expect(lastGenerated.data.id).toBe(finished.id)
    const number = finished.report_number
    const content = await get(sandbox, `/projects/${FINISHED}/reports/${number}/content`)
    expect(content.data.summary.keywords_with_content).toBeGreaterThan(0)
    const before = new Date(Date.parse(now) - 30 * 60_000).toISOString()
    await sandbox.clock.set(before)
    const { data } = await get(sandbox, `/projects/${FINISHED}/reports`)
    const then = data.find(({ id }: any) => id === finished.id).status
    expect(['pending', 'running']).toContain(then)
    await sandbox.clock.set(now)
    await sandbox.clock.advance('P1D')
    const after = (await get(sandbox, `/projects/${FINISHED}/reports`)).data
    const approved = after.find(({ id }: any) => id === finished.id)
    expect(approved.approved_status).toBe('approved')
  })

  test('one is new: keywords, without a position in their first month, and pending reports', async () => {
    const sandbox = await demo({ now, seed, locale })
    const { created_at, status } = sandbox.world.records.get('projects', NEW)!
    expect(status).toBe('active')
    expect(daysSince(sandbox, created_at)).toBeGreaterThan(2)
    expect(daysSince(sandbox, created_at)).toBeLessThan(4)
    const reports = (await get(sandbox, `/projects/${NEW}/reports`)).data
    expect(new Set(reports.map((report: any) => report.status))).toEqual(new Set(['pending']))
    const keywords = sandbox.world.records.keywordsOf(NEW)
    expect(keywords.length).toBeGreaterThan(0)
    const created = keywords.map((keyword) => keyword.create_date)
    expect(created.every((day) => day >= created_at.slice(0, 10) && day <= now.slice(0, 10))).toBe(
      true,
    )
    const sameMonth = keywords.filter(({ create_date }) => create_date.startsWith(now.slice(0, 7)))
    expect(sameMonth.every(({ latest_position }) => latest_position === null)).toBe(true)
  })

  test('one is paused, and nothing happens to it while time passes', async () => {
    const sandbox = await demo({ now, seed, locale })
    expect(sandbox.world.records.get('projects', PAUSED)?.status).toBe('paused')
    const before = (await get(sandbox, `/projects/${PAUSED}/reports`)).data
    const statuses = new Set(before.map((report: any) => report.status))
    expect(statuses).toEqual(new Set(['completed', 'pending']))
    await sandbox.clock.advance('P3M')
    expect((await get(sandbox, `/projects/${PAUSED}/reports`)).data).toEqual(before)
  })

  test('all others are healthy, and sandbox-agency sees them all', async () => {
    const sandbox = await demo({ now, seed, locale })
    const projects = (await get(sandbox, '/projects')).data
    expect(projects).toHaveLength(40)
    for (const { id, status } of projects) {
      if ([LATE, FAILED, FINISHED, PAUSED, NEW].includes(id)) continue
      expect(status).toBe('active')
      const reports = sandbox.world.records.reportsOf(id)
      const completed = reports.filter((report) => report.status === 'completed')
      expect(completed.length).toBeGreaterThanOrEqual(3)
      const overdue = reports.filter((report) => {
        const isOpen = report.status !== 'completed' && report.id % 100 === report.report_number
        return isOpen && daysSince(sandbox, report.date_to_create_texts!) > 1
      })
      expect(overdue).toEqual([])
    }
  })
})

test('it has values that the specification does not name, and the default generated world has none (G-064)', async () => {
  const valuesOf = ({ world: { records } }: Sandbox) => {
    const projects = records.all('projects')
    const schemes = projects.flatMap(({ id }) =>
      records.reportsOf(id).map((report) => report.content_scheme),
    )
    const values = (list: unknown[]) => new Set(list.filter((value) => value !== null))
    return {
      statuses: values(projects.map(({ status }) => status)),
      plans: values(projects.map(({ plan }) => plan)),
      gsc: values(projects.map(({ gsc_status }) => gsc_status)),
      schemes: values(schemes),
    }
  }
  const options = { now: STARTS[0]!, frozen: true }
  expect(valuesOf(await demo(options))).toEqual({
    statuses: new Set(['active', 'paused']),
    plans: new Set(['Basic', 'Growth', 'Premium']),
    gsc: new Set(['connected', 'disconnected', 'pending']),
    schemes: new Set(['article', 'h3_text_blocks']),
  })
  const generate = { projects: 60 }
  expect(valuesOf(await createSandbox({ ...options, generate }))).toEqual({
    statuses: new Set(['active']),
    plans: new Set([]),
    gsc: new Set(['connected']),
    schemes: new Set(['h3_text_blocks']),
  })
  const various = { projects: 120, reports: 0, variety: true }
  const { statuses } = valuesOf(await createSandbox({ ...options, generate: various }))
  expect(statuses).toEqual(new Set(['active', 'ended', 'onboarding', 'paused']))
})

test('content of another scheme is escaped in its HTML, and restored by a snapshot', async () => {
  const sandbox = await demo({ now: STARTS[0]! })
  const { records } = sandbox.world
  const project = records
    .all('projects')
    .find(({ id }) => records.reportsOf(id).some((report) => report.content_scheme === 'article'))!
  const path = `/projects/${project.id}/reports/1/content`
  const shown = await get(sandbox, path)
  expect(shown.data.content_scheme_fields).toEqual(['title', 'sections'])
  const entry = shown.data.keywords.find(({ has_content }: any) => has_content)
  expect(entry.content.title).toBe(entry.keyword)
  expect(entry.html.title).toMatch(/^<h1>[^<]*<\/h1>$/)
  expect(entry.html.sections).toHaveLength(entry.content.sections.length)
  for (const section of entry.html.sections)
    expect(section).toMatch(/^<section><h2>[^<]+<\/h2><p>[^<]+<\/p><\/section>$/)
  const other = await createSandbox()
  await other.restore(await sandbox.snapshot())
  expect(await get(other, path)).toEqual(shown)
  const report = { project: project.id, report_number: 1 }
  for (const step of ['approve', 'reject', 'manage', 'send'] as const)
    await expect(other.reports[step](report)).resolves.toMatchObject({ content_scheme: 'article' })
})

test('the documentation and the scenario list what there is to see', async () => {
  const { world } = await demo()
  const listed = listShowcase(world.options.seed.generate)
  expect(listed.map(({ project }) => project)).toEqual([LATE, FAILED, FINISHED, PAUSED, NEW])
  const guide = await readFile(new URL('../../docs/fixtures.md', import.meta.url), 'utf8')
  const rows = listed.map(({ project, shows }) => `| ${project} | ${shows} |`)
  const inWords = (text: string) =>
    text.replace(/ 12 days/, ' twelve days').replace(/ 3 days/, ' three days')
  for (const row of rows) expect(guide).toContain(inWords(row))
  const scenario = readScenario('demo')
  for (const { project } of listed) expect(scenario).toContain(`\n# ${project}  `)
  expect(listShowcase((await createSandbox()).world.options.seed.generate)).toEqual([])
})

test.each(['en', 'da', 'sv', 'pl'] as const)(
  'in %s it is what the file of `generate --demo` gives, served as it is',
  async (locale) => {
    const options = {
      seed: 'spring',
      now: STARTS[0]!,
      frozen: true,
      rateLimit: 'unlimited',
    } as const
    const one = await demo({ ...options, locale })
    const generate = Generate.parse({ ...one.world.seed.generate, locale })
    const fixture = await createDemoFixture({ generate, seed: 'spring' })
    const fixtures = await formatDemoFixture(fixture, 'schema.json')
    const other = await createSandbox({ ...options, fixtures })
    for (const name of ['agencies', 'users', 'projects', 'keywords', 'reports'] as const)
      expect(JSON.stringify(other.world.records.all(name))).toBe(
        JSON.stringify(one.world.records.all(name)),
      )
  },
)

test.each(['da', 'de', 'en', 'nl', 'sv'] as const)(
  'in %s the first project has risen, another one fell and recovered, and the agency has grown',
  async (locale) => {
    for (let seed = 0; seed < runs(20, 3); seed += 1) {
      const sandbox = await demo({ now: STARTS[0]!, seed, locale })
      const { records, positionSource } = sandbox.world
      const positions = new Positions(positionSource)
      /** The number of keywords on the first page some months back, of those that were known `since` months back. */
      const countOf = (ids: readonly number[], back: number, since: number) =>
        ids
          .flatMap((id) => records.keywordsOf(id))
          .filter(({ create_date }) => parseMonth(create_date) < positions.latestMonth - since)
          .filter((keyword) => (positions.of(keyword, positions.latestMonth - back) ?? 99) <= 10)
          .length
      const all = records.all('projects').map(({ id }) => id)
      expect(countOf([1001], 0, 10)).toBeGreaterThan(countOf([1001], 10, 10))
      expect(countOf([1001], 0, 0) - countOf([1001], 10, 10)).toBeGreaterThan(2)
      expect(countOf([1007], 5, 9)).toBeLessThan(countOf([1007], 9, 9) + 1)
      expect(countOf([1007], 0, 5)).toBeGreaterThan(countOf([1007], 5, 5) + 1)
      expect(countOf(all, 0, 12)).toBeGreaterThan(countOf(all, 12, 12) * 1.1)
    }
  },
)

describe('the options demo and locale', () => {
  test.each([
    [{ demo: true, scenario: 'late-finisher' }, /^demo: The demo is a whole world/],
    [{ demo: true, generate: { projects: 3 } }, /^demo: The demo is a whole world/],
    [{ demo: true, fixtures: { version: 1 } }, /^demo: The demo is a whole world/],
    [{ demo: 'perhaps' }, /^demo: "perhaps" is not true or false/],
    [{ locale: 'da' }, /^locale: Only generated data has a locale/],
    [{ locale: 'da', fixtures: { version: 1 } }, /^locale: Only generated data has a locale/],
    [{ locale: 'da', scenario: 'late-finisher' }, /^locale: Only generated data/],
    [
      { locale: 'ja', demo: true },
      /^locale: "ja" is not a locale: use one or several of de_AT, .*/,
    ],
    [{ locale: ['da', 'da'], generate: {} }, /twice/],
  ])('refuse %j', async (options, message) => {
    await expect(createSandbox(options as SandboxOptions)).rejects.toThrow(message)
  })

  test('demo is the scenario of that name, in the locale that is asked for', async () => {
    const options = { now: STARTS[0]!, locale: 'nl' as const }
    const projectsOf = ({ world }: Sandbox) => world.records.all('projects')
    const one = projectsOf(await demo(options))
    expect(one[0]).toMatchObject({ country: 31 })
    expect(projectsOf(await createSandbox({ ...options, scenario: 'demo' }))).toEqual(one)
  })

  test('an isolated world may be a demo too, and other fixtures replace it', async () => {
    const sandbox = await createSandbox()
    const { sandbox: own } = await sandbox.worlds.create({ demo: true, locale: ['da', 'sv'] })
    expect(own.world.records.all('projects')).toHaveLength(40)
    await own.command({ type: 'fixtures.load', fixtures: { version: 1 } })
    expect(own.world.records.all('projects')).toHaveLength(0)
  })

  test('locale is that of generated projects, also after other fixtures are loaded', async () => {
    const sandbox = await createSandbox({ generate: { projects: 1 }, locale: 'da' })
    const countries = () => sandbox.world.records.all('countries').map(({ id }) => id)
    expect(countries()).toEqual([45])
    await sandbox.command({ type: 'fixtures.load', fixtures: { version: 1 } })
    expect(countries()).toEqual([45])
  })
})
