import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSandbox, FixtureError } from '../../src/index.ts'
import type { FixtureInput, Sandbox, SandboxOptions } from '../../src/index.ts'
import { LANGUAGES } from '../../src/records/generation/languages/index.ts'
import { LOCALES } from '../../src/contract/locales.ts'
import { Positions } from '../../src/world/keyword-positions.ts'
import { listShowcase } from '../../src/world/list-showcase.ts'
import { runs } from '../support/depth.ts'
import { lastGeneratedBySpecification, latestBySpecification } from '../support/rules.ts'

/** Worlds generated around the agency and the companies that a fixture names. */

type Generate = NonNullable<FixtureInput['generate']>
type Company = NonNullable<Generate['companies']>[number]

const NOW = '2026-03-15T12:00:00Z'
const [LATE, FAILING, FINISHED, PAUSED, NEW] = [1004, 1011, 1017, 1025, 1039] as const

function world(generate: Generate, options: SandboxOptions = {}): Promise<Sandbox> {
  const fixtures = { version: 1 as const, generate }
  return createSandbox({ fixtures, now: NOW, frozen: true, rateLimit: 'unlimited', ...options })
}

function demo(generate: Generate, options: SandboxOptions = {}): Promise<Sandbox> {
  const figures = { projects: 40, agencies: 1, reports: { min: 4, max: 20 } }
  return world({ ...figures, showcase: true, variety: true, ...generate }, options)
}

/** The projects of the companies by their names. */
function projectsOf({ world: { records } }: Sandbox, companies: readonly Company[]) {
  const projects = new Map(records.all('projects').map((project) => [project.name, project]))
  return companies.map(({ name }) => projects.get(name)!)
}

async function read(sandbox: Sandbox, path: string): Promise<any> {
  const headers = { authorization: 'Bearer sandbox-super' }
  const response = await sandbox.fetch(`/api/v1${path}`, { headers })
  return response.status === 200 ? ((await response.json()) as { data: unknown }).data : undefined
}

/** The texts of the completed reports of a project. */
function textsOf({ world: { records } }: Sandbox, project: number): string {
  const completed = records.reportsOf(project).filter(({ status }) => status === 'completed')
  return JSON.stringify(completed.map(({ content }) => content))
}

const FIVE = ['Kite Works', 'Moor Farm', 'Lakeside Print', 'Otter Press', 'Fern & Fell'].map(
  (name): Company => ({ name }),
)

describe('where companies are', () => {
  test.each<[string, Generate, number[], number[]]>([
    [
      'five have the five situations',
      { companies: FIVE },
      [LATE, FAILING, FINISHED, PAUSED, NEW],
      [],
    ],
    [
      'two have the first two',
      { companies: FIVE.slice(3) },
      [LATE, FAILING],
      [FINISHED, PAUSED, NEW],
    ],
    [
      'a sixth has none',
      { companies: [...FIVE, { name: 'Sixth' }] },
      [LATE, FAILING, FINISHED, PAUSED, NEW, 1001],
      [],
    ],
    [
      'one that states its situation has that',
      { companies: [{ name: 'Rushes', situation: 'paused' }, ...FIVE.slice(1)] },
      [PAUSED, LATE, FAILING, FINISHED, NEW],
      [],
    ],
    [
      'one without is healthy, and what nobody has stays with a generated company',
      { companies: [{ name: 'Rushes', situation: 'none' }, ...FIVE.slice(1)] },
      [1001, LATE, FAILING, FINISHED, PAUSED],
      [NEW],
    ],
    [
      'two may state the same',
      {
        companies: [
          { name: 'Rushes', situation: 'late' },
          { name: 'Reeds', situation: 'late' },
        ],
      },
      [LATE, 1001],
      [FAILING, FINISHED, PAUSED, NEW],
    ],
    [
      'with fewer projects the situations are those of the first five',
      { companies: FIVE.toReversed(), projects: 38 },
      [1001, 1002, 1003, 1004, 1005],
      [],
    ],
    [
      'with as many companies as projects every project is for one',
      { companies: FIVE.map((company) => ({ ...company, situation: 'none' })), projects: 5 },
      [1005, 1004, 1003, 1002, 1001],
      [],
    ],
    ['in a world of three', { companies: FIVE.slice(0, 3), projects: 3 }, [1001, 1002, 1003], []],
    [
      'without a showcase they come first',
      { companies: FIVE, showcase: false },
      [1001, 1002, 1003, 1004, 1005],
      [],
    ],
    [
      'without a showcase one may state a situation',
      { companies: [{ name: 'Rushes' }, { name: 'Reeds', situation: 'new' }], showcase: false },
      [1001, NEW],
      [],
    ],
  ])('%s', async (_, generate, places, generated) => {
    const sandbox = await demo(generate)
    const projects = projectsOf(sandbox, generate.companies!)
    expect(projects.map((project) => project.id)).toEqual(places)
    const shown = listShowcase(sandbox.world.options.seed.generate).map(({ project }) => project)
    const ofGenerated = shown.filter((project) => !places.includes(project))
    expect(ofGenerated).toEqual(generated)
    for (const [index, { situation }] of generate.companies!.entries())
      if (situation === 'none') expect(shown).not.toContain(places[index])
  })

  test('each situation is that of the demo', async () => {
    const sandbox = await demo({ companies: FIVE })
    const { records } = sandbox.world
    const latest = await Promise.all(
      [LATE, FAILING, FINISHED, NEW].map((id) => read(sandbox, `/projects/${id}/reports/latest`)),
    )
    const statuses = latest.map(({ status }) => status)
    expect(statuses).toEqual(['running', 'failed', 'completed', 'pending'])
    expect(records.get('projects', PAUSED)?.status).toBe('paused')
    expect(records.get('projects', NEW)?.created_at.slice(0, 10)).toBe('2026-03-12')
  })

  test('a company without one does well for as long as people watch', async () => {
    const companies = FIVE.map((company): Company => ({ ...company, situation: 'none' }))
    const sandbox = await demo({ companies })
    const { records } = sandbox.world
    const ids = projectsOf(sandbox, companies).map(({ id }) => id)
    for (let week = 0; week < 40; week += 1) {
      await sandbox.clock.advance('P7D')
      const now = Date.parse(sandbox.clock.read().now)
      const overdue = ids
        .flatMap((id) => records.reportsOf(id))
        .filter(({ status, date_to_create_texts: due }) => {
          const isLate = due !== null && Date.parse(due) < now - 2 * 86_400_000
          return status === 'failed' || (status !== 'completed' && isLate)
        })
      expect(overdue).toEqual([])
    }
  })
})

describe('what is stated', () => {
  const company: Company = {
    name: 'Windermere Smiles',
    domain: 'www.Smiles.co.uk',
    city: 'Windermere',
    trade: 'Dentist',
    keywords: ['Invisible braces Windermere', 'dental implants cost'],
    situation: 'finished',
  }
  const agency = { name: 'Lake & Moor' }

  test('is in projects, keywords, texts, addresses and pages', async () => {
    const sandbox = await demo({ agency, companies: [company] })
    const { records } = sandbox.world
    expect(records.all('agencies')).toEqual([
      { id: 1, name: 'Lake & Moor', report_cc_email: 'reports@lake-moor.example' },
    ])
    const project = records.get('projects', FINISHED)!
    expect(project).toMatchObject({
      name: 'Windermere Smiles',
      company_name: 'Windermere Smiles',
      domain: 'https://www.smiles.co.uk',
    })
    for (const address of [project.contact_email!, ...project.client_emails])
      expect(address).toMatch(/@windermere-smiles\.example$/)
    const keywords = records.keywordsOf(FINISHED).map(({ keyword }) => keyword)
    expect(keywords.slice(0, 4)).toEqual([
      'Invisible braces Windermere',
      'dental implants cost',
      'windermere smiles',
      'windermere smiles reviews',
    ])
    expect(keywords.filter((keyword) => keyword.includes('windermere')).length).toBeGreaterThan(3)
    for (const { url } of records.keywordsOf(FINISHED))
      expect(url ?? 'https://www.smiles.co.uk/').toMatch(/^https:\/\/www\.smiles\.co\.uk\//)
    const texts = textsOf(sandbox, FINISHED)
    expect(texts).toContain('Windermere Smiles')
    expect(texts).toMatch(/in Windermere/)
    expect(texts).not.toMatch(/Bristol|Leeds|Sheffield|Norwich|Exeter/)
  })

  test('is among the first for its own name, in every month', async () => {
    const companies = FIVE.map((each): Company => ({ ...each, situation: 'none' }))
    for (const showcase of [true, false]) {
      const sandbox = await demo({ companies, showcase })
      const positions = new Positions(sandbox.world.positionSource)
      for (const { id, name } of projectsOf(sandbox, companies)) {
        const keywords = sandbox.world.records
          .keywordsOf(id)
          .filter(({ keyword }) => keyword.includes(name.toLowerCase()))
        expect(keywords.length).toBeGreaterThan(1)
        for (const keyword of keywords) {
          const months = Array.from({ length: 30 }, (_, back) => positions.latestMonth - back)
          const known = months.flatMap((month) => positions.of(keyword, month) ?? [])
          expect(Math.max(...known)).toBeLessThanOrEqual(8)
          expect(known[0] ?? 1).toBeLessThanOrEqual(5)
        }
      }
    }
  })

  test('is the same after a snapshot is restored, and in reports that a command completes', async () => {
    const sandbox = await demo({ agency, companies: [company] })
    const open = sandbox.world.records
      .reportsOf(FINISHED)
      .find(({ status }) => status === 'pending')!
    const completed = await sandbox.reports.complete({
      project: FINISHED,
      report_number: open.report_number,
    })
    expect(JSON.stringify(completed.content)).toMatch(/Windermere/)
    expect(JSON.stringify(completed.content)).not.toMatch(/Bristol|Leeds|Sheffield|Norwich|Exeter/)
    const restored = await createSandbox()
    await restored.restore(await sandbox.snapshot())
    expect(textsOf(restored, FINISHED)).toBe(textsOf(sandbox, FINISHED))
    expect(restored.world.records.get('projects', FINISHED)).toEqual(
      sandbox.world.records.get('projects', FINISHED),
    )
  })

  test('leaves all other projects as they are in a world without it', async () => {
    const [named, usual] = [await demo({ companies: [company] }), await demo({})]
    for (const { id } of usual.world.records.all('projects')) {
      if (id === FINISHED) continue
      expect(named.world.records.get('projects', id)).toEqual(
        usual.world.records.get('projects', id),
      )
    }
  })

  test('no generated company takes a name or a domain of a fixture', async () => {
    const usual = await world({ projects: 60 })
    const taken = usual.world.records.all('projects').slice(20, 40)
    const companies = taken.map(({ name }): Company => ({ name }))
    const sandbox = await world({ projects: 60, companies })
    const projects = sandbox.world.records.all('projects')
    expect(new Set(projects.map(({ domain }) => domain)).size).toBe(60)
    expect(new Set(projects.map(({ name }) => name)).size).toBe(60)
  })
})

describe('a trade is recognised', () => {
  test.each<[Generate['locale'], Omit<Company, 'name'> & { name?: string }, string]>([
    [
      'en',
      { keywords: ['teeth whitening leeds', 'restaurant leeds', 'dental implants'] },
      'dent|teeth|root canal|crown|gum',
    ],
    ['en', { name: 'Otter Cycles' }, 'bike|bicycle|cycle'],
    ['en', { name: 'Otter Cycles', trade: 'dentist' }, 'dent|teeth|root canal|crown|gum'],
    [
      'en',
      { name: 'Otter Cycles', keywords: ['teeth whitening'] },
      'dent|teeth|root canal|crown|gum',
    ],
    ['de', { trade: 'zahnarzt' }, 'zahn|krone|brücke|prothese'],
    ['da', { name: 'Odder Cykler' }, 'cyk|dæk'],
    [['da', 'sv'], { trade: 'tandläkare' }, 'tand|rotfyllning'],
    [['da', 'sv'], { name: 'Utterns Cyklar' }, 'cykl|punktering'],
  ])('in %j of %j', async (locale, stated, words) => {
    const company = { name: 'Otter & Kite', ...stated }
    const keywords = 20
    const sandbox = await world({ projects: 1, keywords, locale: locale!, companies: [company] })
    const all = sandbox.world.records.keywordsOf(1001).map(({ keyword }) => keyword.toLowerCase())
    const others = all.slice((stated.keywords?.length ?? 0) + 3)
    expect(all).toHaveLength(keywords)
    const isAbout = new RegExp(words)
    expect(others.filter((keyword) => isAbout.test(keyword)).length).toBeGreaterThan(
      others.length / 2,
    )
  })

  test('and without any, keywords and texts are about the company alone', async () => {
    for (const locale of LOCALES) {
      const companies = [{ name: 'Otter & Kite' }, { name: 'Salon Otter', trade: 'none' }]
      const sandbox = await world({ projects: 2, reports: 6, locale, companies })
      const all = sandbox.world.records.keywordsOf(1001)
      expect(all.length).toBeGreaterThan(3)
      for (const { keyword } of all) expect(keyword).toMatch(/^otter & kite/)
      for (const { keyword } of sandbox.world.records.keywordsOf(1002))
        expect(keyword).toMatch(/^salon otter/)
      expect(textsOf(sandbox, 1001)).toContain('Otter & Kite')
    }
  })
})

describe('is refused with its place', () => {
  const PROBLEMS: [section: string, path: string, message: string][] = [
    ['companies: [{ name: A }, { name: ^a }]', 'companies[1].name', 'also that of companies[0]'],
    ['companies: [{ name: Møl }, { name: ^Moel }]', 'companies[1].name', 'moel.example'],
    ['agency: { name: A }, companies: [{ name: ^A }]', 'companies[0].name', 'of the agency'],
    [
      'companies: [{ name: A, domain: a.de }, { name: B, domain: ^WWW.A.de }]',
      'companies[1].domain',
      'This domain is also that of companies[0]',
    ],
    [
      'companies: [{ name: A }, { name: B, domain: ^a.example }]',
      'companies[1].domain',
      'This domain is also that of companies[0]',
    ],
    [
      'projects: 1, companies: ^[{ name: A }, { name: B }]',
      'companies',
      'There are more companies than projects.',
    ],
    [
      'companies: [{ name: A, trade: ^bakery }]',
      'companies[0].trade',
      '"bakery" is not a trade in en.',
    ],
    [
      'locale: da, companies: [{ name: A, trade: ^dentist }]',
      'companies[0].trade',
      'Use one of: tandlæge',
    ],
    ['companies: [{ name: A, trade: ^dentists }]', 'companies[0].trade', 'Did you mean "dentist"?'],
    [
      'companies: [{ name: A, domain: ^"https://a.de" }]',
      'companies[0].domain',
      'is not a host name',
    ],
    ['companies: [{ name: A, domain: ^10.0.0.1 }]', 'companies[0].domain', 'is not a host name'],
    ['companies: [{ name: A, domain: ^a }]', 'companies[0].domain', 'is not a host name'],
    ['companies: [{ name: A, situation: ^lat }]', 'companies[0].situation', 'Did you mean "late"?'],
    [
      'companies: [{ name: A, keywords: [a, ^A] }]',
      'companies[0].keywords[1]',
      'already keywords[0]',
    ],
    ['companies: [{ name: ^"" }]', 'companies[0].name', 'is not a name'],
    ['companies: [^{ city: Leeds }]', 'companies[0].name', 'This is required'],
    ['companies: [{ name: A, ^town: Leeds }]', 'companies[0].town', 'is not a field here'],
    ['agency: ^Lake & Moor', 'agency', 'is not a map of fields'],
  ]

  test.each(PROBLEMS)('%s, at the mark', async (section, path, message) => {
    const line = `  { ${section} }`
    const fixtures = `version: 1\ngenerate:\n${line.replace('^', '')}\n`
    const error = await createSandbox({ fixtures }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FixtureError)
    const [first, second] = (error as FixtureError).message.split('\n')
    expect(first).toBe(`fixtures:3:${line.indexOf('^') + 1}  generate.${path}`)
    expect(second).toContain(message)
  })

  test('an agency besides others', async () => {
    const fixtures =
      'version: 1\ngenerate: { agency: { name: A } }\nagencies: [{ id: 1, name: B }]\n'
    await expect(createSandbox({ fixtures })).rejects.toThrow(
      'fixtures:3:12  agencies[0]\n  A world with an agency named under generate has no others.',
    )
  })
})

/** Names and hosts that may clash, be empty or be none. */
const name = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'Kite',
      'kite',
      'Otter & Sons',
      'Müller',
      'Mueller',
      '木村',
      'Hotel {city}',
      '<b>Salon</b>',
      '$& Cycles',
    ),
  },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' Kite', 'Kite\n', 5, null) },
)
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined })
const companySection = fc.record(
  {
    name,
    domain: maybe(
      fc.oneof(
        fc.domain(),
        fc.constantFrom(
          'www.kite.example',
          'kite.example',
          'müller.de',
          'kite',
          'a..b',
          'https://kite.de',
        ),
      ),
    ),
    city: maybe(
      fc.oneof(
        fc.constantFrom('Leeds', 'Windermere', 'Aarhus', '$&', '{service}'),
        fc.string({ maxLength: 12 }),
      ),
    ),
    trade: maybe(fc.constantFrom('dentist', 'restaurant', 'tandlæge', 'Zahnarzt', 'bakery', '')),
    keywords: maybe(
      fc.array(
        fc.oneof(
          fc.constantFrom('teeth whitening leeds', 'x', 'X', 'best {city}'),
          fc.string({ minLength: 1, maxLength: 30 }),
        ),
        { maxLength: 6 },
      ),
    ),
    situation: maybe(
      fc.constantFrom('late', 'failing', 'finished', 'paused', 'new', 'none', 'gone'),
    ),
  },
  { requiredKeys: ['name'] },
)
const section = fc.record(
  {
    projects: fc.constantFrom(0, 1, 3, 5, 12, 40),
    keywords: fc.constantFrom(0, 3, { min: 8, max: 24 }),
    reports: fc.constantFrom(0, 2, { min: 4, max: 20 }),
    locale: fc.oneof(fc.constantFrom(...LOCALES), fc.constant(['da', 'en'])),
    showcase: fc.boolean(),
    variety: fc.boolean(),
    agency: maybe(fc.record({ name })),
    companies: fc.array(companySection, { maxLength: 8 }),
  },
  { requiredKeys: ['projects', 'keywords', 'reports'] },
)

test('any section is a world that lives, or errors with their places', async () => {
  let [living, refused] = [0, 0]
  await fc.assert(
    fc.asyncProperty(section, fc.string({ minLength: 1 }), async (generate, seed) => {
      const fixtures = `version: 1\ngenerate:\n  ${JSON.stringify(generate)}\n`
      const options = { fixtures, seed, now: NOW, frozen: true, rateLimit: 'unlimited' } as const
      const sandbox = await createSandbox(options).catch((error: unknown) => {
        if (!(error instanceof FixtureError)) throw error
        for (const { line, column, path, more } of error.problems) {
          if (more === undefined)
            expect([line, column! > 2, path.startsWith('generate.')]).toEqual([3, true, true])
        }
        return undefined
      })
      if (!sandbox) {
        refused += 1
        return
      }
      living += 1
      const { records } = sandbox.world
      const projects = records.all('projects')
      expect(projects).toHaveLength(generate.projects)
      expect(new Set(projects.map(({ domain }) => domain)).size).toBe(projects.length)
      for (const company of generate.companies ?? []) {
        const project = projects.find((each) => each.name === company.name)!
        expect(project.contact_email).toMatch(/^[a-z.-]+@[a-z0-9.-]+\.example$/)
        expect(new URL(project.domain!).pathname).toBe('/')
        const keywords = records.keywordsOf(project.id).map(({ keyword }) => keyword)
        expect(keywords.slice(0, company.keywords?.length ?? 0)).toEqual(company.keywords ?? [])
        expect(new Set(keywords.map((keyword) => keyword.toLowerCase())).size).toBe(keywords.length)
        expect(textsOf(sandbox, project.id)).not.toMatch(/\{(?:company|phrase|place|name)\}/i)
      }
      await sandbox.clock.advance('P1M')
      const id = 1000 + generate.projects
      const latest = await read(sandbox, `/projects/${id}/reports/latest`)
      const expected = latestBySpecification(
        records.reportsOf(id),
        Date.parse('2026-04-15T12:00:00Z'),
      )
      expect(latest?.id).toBe(expected.id)
    }),
    { numRuns: runs(1000, 40) },
  )
  expect(Math.min(living, refused)).toBeGreaterThan(2)
})

test.each(['da', 'sv'] as const)(
  'over 24 months in %s the reports of named companies follow the specification',
  async (locale) => {
    const [trade] = LANGUAGES[locale].trades
    const companies = [{ ...FIVE[0]!, trade: trade! }, ...FIVE.slice(1)]
    const sandbox = await demo({ locale, agency: { name: 'Lake & Moor' }, companies })
    const { records } = sandbox.world
    const ids = projectsOf(sandbox, companies).map(({ id }) => id)
    const before = new Map<number, string>()
    for (let month = 0; month < 24; month += 1) {
      const nowMs = Date.parse(sandbox.clock.read().now)
      for (const id of ids) {
        const reports = records.reportsOf(id)
        const numbers = reports.map(({ report_number }) => report_number)
        expect(new Set(numbers).size).toBe(numbers.length)
        for (const { id: report, status, sent, content } of reports) {
          if (before.get(report) === 'completed') expect(status).toBe('completed')
          if (status !== 'completed') expect([sent, content]).toEqual([false, undefined])
          before.set(report, status)
        }
        const latest = await read(sandbox, `/projects/${id}/reports/latest`)
        expect(latest?.id).toBe(latestBySpecification(reports, nowMs).id)
        const last = await read(sandbox, `/projects/${id}/reports/last-generated`)
        expect(last?.id).toBe(lastGeneratedBySpecification(reports))
      }
      await sandbox.clock.advance('P1M')
    }
    // All but the paused one have gone through all of their reports.
    const done = ids.map((id) =>
      records.reportsOf(id).filter(({ status }) => status === 'completed'),
    )
    expect(done.filter(({ length }) => length > 20).length).toBeGreaterThanOrEqual(4)
  },
)
