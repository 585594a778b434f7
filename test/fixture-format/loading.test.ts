import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSandbox, FixtureError } from '../../src/index.ts'
import type { FixtureInput, FixtureProblem, Sandbox } from '../../src/index.ts'
import { loadFixtures } from '../../src/server.ts'
import { AGENCY, aProject, aReport, aToken, aWorld } from '../support/worlds.ts'

describe('loadFixtures reads', () => {
  test('one file, named as it was given', async () => {
    await using folder = await aFolder({ 'world.yaml': agencies(1) })
    const path = folder.path('world.yaml')
    expect(await loadFixtures(path)).toEqual({ files: [{ name: path, text: agencies(1) }] })
    expect(idsOf(await createSandbox({ fixtures: await loadFixtures(path) }))).toEqual([1])
  })

  test('several files in the order they are given', async () => {
    await using folder = await aFolder({
      'a.yaml': `${agencies(1)}now: 2026-01-01\n`,
      'b.yaml': `${agencies(2)}now: 2026-02-02\n`,
    })
    const fixtures = loadFixtures(folder.path('b.yaml'), folder.path('a.yaml'))
    const sandbox = await createSandbox({ fixtures, frozen: true })
    expect(sandbox.clock.read().now).toBe('2026-01-01T00:00:00.000000Z')
    expect(idsOf(sandbox)).toEqual([1, 2])
  })

  test('a folder: its YAML and JSON files by name, and nothing else', async () => {
    await using folder = await aFolder({
      'c.json': '{ "now": "2026-03-03" }',
      'a.yaml': agencies(1),
      'b.yml': `now: 2026-02-02\n`,
      'B.YAML': `now: 2026-01-01\n`,
      'README.md': '# not a fixture: [',
      'a.yaml.bak': 'not: [a fixture',
      'inner/d.yaml': 'not: [a fixture',
    })
    const { files } = await loadFixtures(folder.path())
    const expected = ['B.YAML', 'a.yaml', 'b.yml', 'c.json']
    expect(files.map(({ name }) => name)).toEqual(expected.map((name) => folder.path(name)))
    const sandbox = await createSandbox({ fixtures: { files }, frozen: true })
    expect(sandbox.clock.read().now).toBe('2026-03-03T00:00:00.000000Z')
  })

  test('a folder without the files that editors and systems hide in it', async () => {
    await using folder = await aFolder({
      'a.yaml': agencies(1),
      '._a.yaml': Buffer.from([0, 5, 0x16, 7, 0xff]),
    })
    await symlink('nobody@nowhere:1', folder.path('.#a.yaml'))
    const { files } = await loadFixtures(folder.path())
    expect(files.map(({ name }) => name)).toEqual([folder.path('a.yaml')])
  })

  test('paths with spaces and letters beyond ASCII', async () => {
    await using folder = await aFolder({ 'Süd wind/世界 1.yaml': agencies(1) })
    const path = folder.path('Süd wind/世界 1.yaml')
    const byFile = await loadFixtures(path)
    const byFolder = await loadFixtures(folder.path('Süd wind'))
    expect(byFile).toEqual({ files: [{ name: path, text: agencies(1) }] })
    expect(byFolder).toEqual(byFile)
  })

  test.each([
    { title: 'indented by spaces', text: (world: object) => JSON.stringify(world, null, 2) },
    { title: 'indented by tabs', text: (world: object) => JSON.stringify(world, null, '\t') },
    { title: 'on one line', text: (world: object) => JSON.stringify(world) },
    {
      title: 'with the line ends of old Macs, which YAML does not have',
      text: (world: object) => JSON.stringify(world, null, 2).replaceAll('\n', '\r'),
    },
    {
      title: 'with every letter beyond ASCII escaped',
      text: (world: object) =>
        JSON.stringify(world).replaceAll(
          /[\u0080-\uFFFF]/g,
          (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        ),
    },
  ])('JSON $title', async ({ text }) => {
    const name = 'Südwind "\\/" 🐟\n\t'
    const world = { version: 1, agencies: [{ id: 1, name }] }
    await using folder = await aFolder({ 'world.json': text(world) })
    const sandbox = await createSandbox({ fixtures: loadFixtures(folder.path('world.json')) })
    expect(sandbox.world.records.get('agencies', 1)?.name).toBe(name)
  })

  test('a file that begins with a byte order mark, with the columns of an editor', async () => {
    await using folder = await aFolder({
      'good.yaml': `\uFEFF${agencies(1)}`,
      'bad.yaml': `\uFEFFverson: 1\nversion: 1\n`,
    })
    const sandbox = await createSandbox({ fixtures: loadFixtures(folder.path('good.yaml')) })
    expect(idsOf(sandbox)).toEqual([1])
    const [problem] = await problemsOf(createFrom(folder.path('bad.yaml')))
    expect(problem).toMatchObject({ line: 1, column: 1, path: 'verson' })
  })

  test('a file whose lines end as on Windows', async () => {
    await using folder = await aFolder({ 'world.yaml': agencies(1, 2).replaceAll('\n', '\r\n') })
    const sandbox = await createSandbox({ fixtures: loadFixtures(folder.path('world.yaml')) })
    expect(idsOf(sandbox)).toEqual([1, 2])
  })
})

describe('loadFixtures says in a sentence that', () => {
  test.each([
    { title: 'a file is missing', files: {}, path: 'none.yaml', says: 'no such file or folder' },
    {
      title: 'a file is taken for a folder',
      files: { 'a.yaml': agencies(1) },
      path: 'a.yaml/b.yaml',
      says: 'no such file or folder',
    },
    {
      title: 'a name is too long',
      files: {},
      path: `${'n'.repeat(5000)}.yaml`,
      says: 'too long',
    },
    { title: 'a folder is empty', files: { 'in/': '' }, path: 'in', says: '.yaml, .yml or .json' },
    {
      title: 'a folder has no fixtures',
      files: { 'in/README.md': '' },
      path: 'in',
      says: '.yaml, .yml or .json',
    },
    {
      title: 'a file is not UTF-8',
      files: { 'latin1.yaml': Buffer.from('version: 1 # Südwind', 'latin1') },
      path: 'latin1.yaml',
      says: 'not UTF-8 text. Save it as UTF-8.',
    },
    {
      title: 'a file is UTF-16, as Windows saves some',
      files: { 'utf16.yaml': Buffer.from('\uFEFFversion: 1', 'utf16le') },
      path: 'utf16.yaml',
      says: 'not UTF-8 text. Save it as UTF-8.',
    },
  ])('$title', async ({ files, path, says }) => {
    await using folder = await aFolder(files)
    const problems = await problemsOf(loadFixtures(folder.path(path)))
    expect(problems).toEqual([
      { file: folder.path(path), path: '', message: expect.stringContaining(says) },
    ])
  })

  test('a file is larger than 128 MB, without reading it', async () => {
    await using folder = await aFolder({ 'large.yaml': '' })
    const path = folder.path('large.yaml')
    await truncate(path, 128 * 1024 * 1024 + 1)
    const [problem, ...others] = await problemsOf(loadFixtures(path))
    expect([problem?.file, others]).toEqual([path, []])
    for (const phrase of ['129 MB', '128 MB is the most', 'Split it']) {
      expect(problem?.message).toContain(phrase)
    }
  })

  test('links lead in a circle', async () => {
    await using folder = await aFolder({})
    await symlink('loop.yaml', folder.path('loop.yaml'))
    const [problem] = await problemsOf(loadFixtures(folder.path('loop.yaml')))
    expect(problem?.message).toContain('lead in a circle')
  })

  test.each(['/dev/null', '/proc/self/mem'].filter((path) => existsSync(path)))(
    '%s cannot be read as a fixture',
    async (path) => {
      const problems = await problemsOf(loadFixtures(path))
      expect(problems).toEqual([{ file: path, path: '', message: expect.stringMatching(/\.$/) }])
    },
  )

  test('several paths cannot be read, each of them', async () => {
    await using folder = await aFolder({ 'good.yaml': agencies(1), 'empty/x': '' })
    const paths = ['none.yaml', 'good.yaml', 'empty', 'nor.yaml'].map((name) => folder.path(name))
    const problems = await problemsOf(loadFixtures(...paths))
    expect(problems.map(({ file }) => file)).toEqual([paths[0], paths[2], paths[3]])
  })

  test.each(['', ' \n\t\n', '\uFEFF', '\uFEFF\r\n'])('a file of %j is empty', async (text) => {
    await using folder = await aFolder({ 'empty.yaml': text })
    const problems = await problemsOf(createFrom(folder.path('empty.yaml')))
    expect(problems).toEqual([
      {
        file: folder.path('empty.yaml'),
        path: '',
        message: 'The fixture is empty. Begin with: version: 1',
      },
    ])
  })
})

describe('files merge', () => {
  const world = (...texts: string[]) =>
    createSandbox({ fixtures: { files: texts.map((text, index) => ({ name: `${index}`, text })) } })

  test('by putting the records of each section together', async () => {
    const { world: merged } = await world(
      `version: 1
agencies: [{ id: 1, name: North }]
projects:
  - { id: 7, agency: 2, name: Harbour, status: active, created_at: 2026-01-01 }
`,
      `agencies: [{ id: 2, name: South }]\nusers: [{ id: 3, name: Maja, agency: 1 }]\n`,
    )
    expect(merged.records.all('agencies').map(({ id }) => id)).toEqual([1, 2])
    expect(merged.records.get('projects', 7)?.agency).toBe(2)
    expect(merged.records.get('users', 3)?.agency).toBe(1)
  })

  test('by the last setting of the clock, wherever it stands', async () => {
    const sandbox = await world(
      'version: 1\nnow: 2026-01-01\nfrozen: false\n',
      'now: 2026-02-02\nfrozen: true\n',
      agencies(1),
    )
    expect(sandbox.clock.read()).toMatchObject({ now: '2026-02-02T00:00:00.000000Z', frozen: true })
  })

  test('by adding up policies, the last setting of each winning', async () => {
    const sandbox = await world(
      `version: 1
policies: { foreign-project: 403, missing-token: 403 }
agencies: [{ id: 1, name: North }, { id: 2, name: South }]
tokens: [{ id: 1, name: A, token: a, agency: 1 }]
projects: [{ id: 2, agency: 2, name: Mill, status: active, created_at: 2026-01-01 }]
`,
      'policies: { missing-token: 401 }\n',
    )
    expect((await get(sandbox, '/projects/2', 'a')).status).toBe(403)
    expect((await get(sandbox, '/me', 'unknown')).status).toBe(401)
  })

  test('by the last setting of a policy, whether by its name or its id', async () => {
    const byId = 'policies: { G-001: 401 }\n'
    const byName = 'policies: { missing-token: 403 }\n'
    const statusAfter = async (...texts: string[]) => {
      const answer = await get(await world('version: 1\n', ...texts), '/me', 'unknown')
      return answer.status
    }
    expect(await statusAfter(byId)).toBe(401)
    expect(await statusAfter(byId, byName)).toBe(403)
    expect(await statusAfter(byId, byName, byId)).toBe(401)
  })
})

describe('fixtures may be given', () => {
  const text = agencies(1)
  const object: FixtureInput = { version: 1, agencies: [{ id: 1, name: 'Agency 1' }] }

  test.each([
    { form: 'as an object', fixtures: object },
    { form: 'as a YAML text', fixtures: text },
    { form: 'as a JSON text', fixtures: JSON.stringify(object) },
    { form: 'as files that were read', fixtures: { files: [{ name: 'a.yaml', text }] } },
    { form: 'as a promise', fixtures: Promise.resolve(object) },
  ])('$form', async ({ fixtures }) => {
    const sandbox = await createSandbox({ fixtures })
    expect(sandbox.world.records.all('agencies')).toEqual([
      { id: 1, name: 'Agency 1', report_cc_email: null },
    ])
  })

  test('as the promise of loadFixtures', async () => {
    await using folder = await aFolder({ 'a.yaml': text })
    const sandbox = await createSandbox({ fixtures: loadFixtures(folder.path('a.yaml')) })
    expect(idsOf(sandbox)).toEqual([1])
  })

  test('as an object that stays as it is, whatever happens to the world', async () => {
    const fixtures = aWorld()
    const before = structuredClone(fixtures)
    const sandbox = await createSandbox({ fixtures })
    await sandbox.command({
      type: 'record.patch',
      collection: 'agencies',
      id: 1,
      patch: { name: 'West' },
    })
    expect(fixtures).toEqual(before)
    fixtures.agencies?.splice(0, 1, { id: 1, name: 'East' })
    await sandbox.reset()
    expect(sandbox.world.records.get('agencies', 1)?.name).toBe('North')
  })

  test('as a frozen object', async () => {
    const fixtures = Object.freeze({ version: 1, agencies: Object.freeze([]) })
    const sandbox = await createSandbox({ fixtures: fixtures as unknown as FixtureInput })
    expect(idsOf(sandbox)).toEqual([])
  })
})

describe('what a fixture leaves out', () => {
  const bare: FixtureInput = {
    version: 1,
    agencies: [{ id: 1, name: 'North' }],
    countries: [{ id: 1, label: 'Denmark' }],
    languages: [{ id: 1, label: 'Danish' }],
    users: [{ id: 1, name: 'Maja' }],
    tokens: [{ id: 1, name: 'Operator', token: 'operator' }],
    projects: [
      {
        id: 1,
        agency: 1,
        name: 'Harbour',
        status: 'active',
        created_at: '2026-01-01',
        keywords: [{ id: 1, keyword: 'fish', create_date: '2026-01-02' }],
        reports: [{ id: 1, report_number: 1, status: 'pending', created_at: '2026-01-03' }],
      },
    ],
  }

  test.each([
    ['agencies', { id: 1, name: 'North', report_cc_email: null }],
    ['countries', { id: 1, label: 'Denmark', applicable: true }],
    ['languages', { id: 1, label: 'Danish' }],
    ['users', { id: 1, name: 'Maja', role: null, agency: null }],
    [
      'tokens',
      {
        id: 1,
        name: 'Operator',
        token: 'operator',
        agency: null,
        status: 'active',
        abilities: ['*'],
        rate_limit: {},
      },
    ],
    [
      'projects',
      {
        id: 1,
        agency: 1,
        name: 'Harbour',
        status: 'active',
        created_at: '2026-01-01T00:00:00.000000Z',
        company_name: null,
        domain: null,
        country: null,
        text_language: null,
        report_language: null,
        managing_user: null,
        created_by: null,
        contact_email: null,
        client_emails: [],
        receives_monthly_reports: true,
        plan: null,
        gsc_status: null,
      },
    ],
    [
      'keywords',
      {
        id: 1,
        project: 1,
        keyword: 'fish',
        create_date: '2026-01-02',
        url: null,
        latest_position: null,
        status_200: null,
        active: true,
      },
    ],
    [
      'reports',
      {
        id: 1,
        project: 1,
        report_number: 1,
        status: 'pending',
        created_at: '2026-01-03T00:00:00.000000Z',
        report_name: null,
        date_to_create_texts: null,
        date_to_send_to_client: null,
        sent: false,
        approved_status: null,
        approved_by: null,
        managed_status: null,
        managed_by: null,
        pdf_link: null,
        web_link: null,
        level: 'project',
        action_type: 'regular',
      },
    ],
  ] as const)('%s have the defaults of the format', async (collection, record) => {
    const sandbox = await createSandbox({ fixtures: bare })
    expect(sandbox.world.records.get(collection, 1)).toEqual(record)
  })

  test('is null on the wire, never absent', async () => {
    const sandbox = await createSandbox({ fixtures: bare })
    const { body } = await get(sandbox, '/projects/1', 'operator')
    expect(body.data).toEqual({
      id: 1,
      name: 'Harbour',
      company_name: null,
      domain: null,
      created_at: '2026-01-01T00:00:00.000000Z',
      country: null,
      text_language: null,
      report_language: null,
      managing_user: null,
      created_by: null,
      contact_email: null,
      client_emails: [],
      cc_email: null,
      receives_monthly_reports: true,
      agency: 'North',
      plan: null,
      keyword_count: 1,
      gsc_status: null,
      latest_report_generated_at: null,
      latest_report_id: null,
      latest_report_number: null,
      latest_report_status: null,
      links: {
        latest_report: '/api/v1/projects/1/reports/latest',
        last_generated_report: '/api/v1/projects/1/reports/last-generated',
      },
    })
  })

  test('is the limit of section 8, which rateLimit replaces, leaving what a token states', async () => {
    const fixtures = aWorld({
      tokens: [
        { id: 1, name: 'Bare', token: 'bare' },
        { id: 2, name: 'Own minute', token: 'own', rate_limit: { per_minute: 7 } },
      ],
    })
    const limits = async (rateLimit?: string) => {
      const sandbox = await createSandbox({ fixtures, ...(rateLimit ? { rateLimit } : {}) })
      const answers = [await get(sandbox, '/me', 'bare'), await get(sandbox, '/me', 'own')]
      return answers.map(({ headers }) => headers.get('x-ratelimit-limit'))
    }
    expect(await limits()).toEqual(['60', '7'])
    expect(await limits('5/min')).toEqual(['5', '7'])
  })

  test('may be written as null where the wire has null', async () => {
    const written = createSandbox({
      fixtures: {
        ...bare,
        agencies: [{ id: 1, name: 'North', report_cc_email: null }],
        users: [{ id: 1, name: 'Maja', role: null, agency: null }],
        tokens: [{ id: 1, name: 'Operator', token: 'operator', agency: null }],
      },
    })
    const omitted = createSandbox({ fixtures: bare })
    for (const collection of ['agencies', 'users', 'tokens'] as const) {
      expect((await written).world.records.get(collection, 1)).toEqual(
        (await omitted).world.records.get(collection, 1),
      )
    }
  })

  test('is every section but the version: an empty world answers', async () => {
    const sandbox = await createSandbox({ fixtures: 'version: 1\n' })
    expect((await get(sandbox, '/projects', 'any')).status).toBe(401)
  })
})

describe('a relative date is resolved by the world clock', () => {
  test.each([
    ['2026-03-15T12:34:56.789Z', 'now', '2026-03-15T12:34:56.789000Z'],
    ['2026-03-15T12:00:00Z', 'now+30s', '2026-03-15T12:00:30.000000Z'],
    ['2026-03-15T12:00:00Z', 'now-45m', '2026-03-15T11:15:00.000000Z'],
    ['2026-03-15T12:00:00Z', 'now+2h', '2026-03-15T14:00:00.000000Z'],
    ['2026-03-15T12:00:00Z', 'now-3d', '2026-03-12T12:00:00.000000Z'],
    ['2026-03-15T12:00:00Z', 'now+1w', '2026-03-22T12:00:00.000000Z'],
    ['2026-03-15T12:00:00Z', 'now-0d', '2026-03-15T12:00:00.000000Z'],
    ['2026-12-31T23:30:00Z', 'now+2h', '2027-01-01T01:30:00.000000Z'],
    ['2027-01-01T00:00:00Z', 'now-1s', '2026-12-31T23:59:59.000000Z'],
    ['2028-03-01T00:00:00Z', 'now-1d', '2028-02-29T00:00:00.000000Z'],
    ['2026-03-01T00:00:00Z', 'now-1d', '2026-02-28T00:00:00.000000Z'],
    ['2026-03-15T12:00:00Z', 'month+0/05', '2026-03-05T00:00:00.000000Z'],
    ['2026-03-31T23:59:59.999Z', 'month+0/05', '2026-03-05T00:00:00.000000Z'],
    ['2026-04-01T00:00:00Z', 'month+0/05', '2026-04-05T00:00:00.000000Z'],
    ['2026-04-15T12:00:00Z', 'month-0/31', '2026-04-30T00:00:00.000000Z'],
    ['2026-03-15T12:00:00Z', 'month-1/31', '2026-02-28T00:00:00.000000Z'],
    ['2026-03-31T12:00:00Z', 'month-1/28', '2026-02-28T00:00:00.000000Z'],
    ['2028-03-15T12:00:00Z', 'month-1/31', '2028-02-29T00:00:00.000000Z'],
    ['2000-03-15T12:00:00Z', 'month-1/30', '2000-02-29T00:00:00.000000Z'],
    ['2100-03-15T12:00:00Z', 'month-1/29', '2100-02-28T00:00:00.000000Z'],
    ['2027-02-28T12:00:00Z', 'month+12/29', '2028-02-29T00:00:00.000000Z'],
    ['2028-02-29T12:00:00Z', 'month+12/29', '2029-02-28T00:00:00.000000Z'],
    ['2026-01-31T12:00:00Z', 'month-1/10', '2025-12-10T00:00:00.000000Z'],
    ['2026-12-31T12:00:00Z', 'month+1/31', '2027-01-31T00:00:00.000000Z'],
    ['2026-12-31T12:00:00Z', 'month+2/31', '2027-02-28T00:00:00.000000Z'],
    ['2026-03-15T12:00:00Z', 'month-15/01', '2024-12-01T00:00:00.000000Z'],
    ['0001-01-02T00:00:00Z', 'now-99999w', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-30T00:00:00Z', 'month+9999/31', '9999-12-31T23:59:59.999000Z'],
  ])('at %s, %s is %s', async (now, written, expected) => {
    const sandbox = await createSandbox({ fixtures: dated(written, { now }) })
    expect(datesOf(sandbox)).toEqual([expected, expected.slice(0, 10)])
  })

  test('the option now decides before the fixture', async () => {
    const fixtures = dated('month+0/05', { now: '2026-03-15' })
    const sandbox = await createSandbox({ fixtures, now: '2027-07-01' })
    expect(datesOf(sandbox)[1]).toBe('2027-07-05')
  })

  describe('under fake timers', () => {
    afterEach(() => {
      vi.useRealTimers()
    })

    test('a now of its own may be relative too: to the machine', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-15T12:00:00Z') })
      const sandbox = await createSandbox({ fixtures: dated('now-1d', { now: 'month-1/31' }) })
      expect(sandbox.clock.read().now).toBe('2026-02-28T00:00:00.000000Z')
      expect(datesOf(sandbox)).toEqual(['2026-02-27T00:00:00.000000Z', '2026-02-27'])
    })

    test('it stands while time passes, and a reset resolves it anew', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-31T12:00:00Z') })
      const { now: _, frozen: __, ...running } = dated('month+0/31')
      const sandbox = await createSandbox({ fixtures: running })
      expect(datesOf(sandbox)).toEqual(['2026-01-31T00:00:00.000000Z', '2026-01-31'])
      vi.setSystemTime(new Date('2026-02-10T12:00:00Z'))
      expect(datesOf(sandbox)[1]).toBe('2026-01-31')
      await sandbox.reset()
      expect(datesOf(sandbox)).toEqual(['2026-02-28T00:00:00.000000Z', '2026-02-28'])
    })

    test('a reset after advancing resolves it by the machine again', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-31T12:00:00Z') })
      const { now: _, frozen: __, ...running } = dated('now')
      const sandbox = await createSandbox({ fixtures: running })
      await sandbox.clock.advance('P1M')
      await sandbox.reset()
      expect(datesOf(sandbox)).toEqual(['2026-01-31T12:00:00.000000Z', '2026-01-31'])
    })

    test('a set now starts again from itself at a reset, however the machine has moved', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-31T12:00:00Z') })
      const sandbox = await createSandbox({ fixtures: dated('now', { now: '2020-02-29' }) })
      vi.setSystemTime(new Date('2027-02-10T12:00:00Z'))
      await sandbox.clock.set('2021-01-01')
      await sandbox.reset()
      expect(datesOf(sandbox)).toEqual(['2020-02-29T00:00:00.000000Z', '2020-02-29'])
    })
  })

  test('a record that is put later is resolved by the clock of that moment', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    await sandbox.clock.set('2028-02-10')
    const record = { ...aProject({ id: 9 }), created_at: 'month+0/31' }
    await sandbox.command({ type: 'record.put', collection: 'projects', record })
    expect(sandbox.world.records.get('projects', 9)?.created_at).toBe('2028-02-29T00:00:00.000000Z')
  })
})

describe('an absolute date', () => {
  test.each([
    ['2026-03-15', '2026-03-15T00:00:00.000000Z'],
    ['2026-03-15T12:30Z', '2026-03-15T12:30:00.000000Z'],
    ['2026-03-15T12:30:45Z', '2026-03-15T12:30:45.000000Z'],
    ['2026-03-15T12:30:45.1Z', '2026-03-15T12:30:45.100000Z'],
    ['2026-03-15T12:30:45.12Z', '2026-03-15T12:30:45.120000Z'],
    ['2026-03-15T12:30:45.123Z', '2026-03-15T12:30:45.123000Z'],
    ['2026-03-15T12:30:45.1234Z', '2026-03-15T12:30:45.123400Z'],
    ['2026-03-15T12:30:45.12345Z', '2026-03-15T12:30:45.123450Z'],
    ['2026-03-15T12:30:45.123456Z', '2026-03-15T12:30:45.123456Z'],
    ['2026-03-15T12:30:45.000001Z', '2026-03-15T12:30:45.000001Z'],
    ['2026-03-15T23:59:59.999999Z', '2026-03-15T23:59:59.999999Z'],
    ['2026-03-15T00:30:00+01:00', '2026-03-14T23:30:00.000000Z'],
    ['2025-12-31T23:30:00.5-05:30', '2026-01-01T05:00:00.500000Z'],
    ['2026-03-15T12:00:00-00:00', '2026-03-15T12:00:00.000000Z'],
    ['2028-02-29T12:00:00+00:00', '2028-02-29T12:00:00.000000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s is served as %s', async (written, served) => {
    const fixtures = aWorld({ projects: [aProject({ id: 1, created_at: written })] })
    const sandbox = await createSandbox({ fixtures })
    const { body } = await get(sandbox, '/projects/1', AGENCY)
    expect(body.data.created_at).toBe(served)
  })

  test('with any offset is the moment that Date.parse reads, its microseconds kept', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(absoluteDateTime(), { minLength: 1, maxLength: 20 }),
        async (all) => {
          const projects = all.map((created_at, index) => aProject({ id: index + 1, created_at }))
          const sandbox = await createSandbox({ fixtures: aWorld({ projects }) })
          for (const [index, written] of all.entries()) {
            const served = sandbox.world.records.get('projects', index + 1)?.created_at ?? ''
            const fraction = /\.(\d+)/.exec(written)?.[1] ?? ''
            expect(Date.parse(served)).toBe(Date.parse(written))
            expect(served.slice(-7, -1)).toBe(fraction.padEnd(6, '0'))
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  /** Any datetime with an offset and up to six fractional digits, its year of four digits in UTC too. */
  function absoluteDateTime(): fc.Arbitrary<string> {
    const two = (number: number) => String(number).padStart(2, '0')
    return fc
      .record({
        localMs: fc.integer({
          min: Date.parse('0001-01-02T00:00:00Z'),
          max: Date.parse('9999-12-30T23:59:59Z'),
        }),
        fraction: fc.stringMatching(/^(\.\d{1,6})?$/),
        offsetMinutes: fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 }),
        isZulu: fc.boolean(),
      })
      .map(({ localMs, fraction, offsetMinutes, isZulu }) => {
        const local = new Date(localMs).toISOString().slice(0, 19)
        const [hours, minutes] = [Math.trunc(offsetMinutes / 60), offsetMinutes % 60].map(Math.abs)
        const sign = offsetMinutes < 0 ? '-' : '+'
        const zone = isZulu ? 'Z' : `${sign}${two(hours ?? 0)}:${two(minutes ?? 0)}`
        return `${local}${fraction}${zone}`
      })
  }
})

/** A fixture with these agencies, as YAML. */
function agencies(...ids: number[]): string {
  const items = ids.map((id) => `  - { id: ${id}, name: Agency ${id} }\n`)
  return `version: 1\nagencies:\n${items.join('')}`
}

/** A world whose project and report have the date in a field of datetimes and in one of days. */
function dated(text: string, changes: Partial<FixtureInput> = {}): FixtureInput {
  const reports = [aReport({ id: 1, date_to_create_texts: text })]
  return aWorld({
    tokens: [aToken({ id: 1, token: AGENCY })],
    projects: [aProject({ id: 1, created_at: text, reports })],
    ...changes,
  })
}

function datesOf({ world: { records } }: Sandbox): [string | undefined, unknown] {
  return [records.get('projects', 1)?.created_at, records.get('reports', 1)?.date_to_create_texts]
}

function idsOf({ world: { records } }: Sandbox): number[] {
  return records.all('agencies').map(({ id }) => id)
}

async function get(
  sandbox: Sandbox,
  path: string,
  token: string,
): Promise<{ status: number; headers: Headers; body: any }> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await sandbox.fetch(`/api/v1${path}`, { headers })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

function createFrom(path: string): Promise<Sandbox> {
  return createSandbox({ fixtures: loadFixtures(path) })
}

/** The problems for which something was refused. */
async function problemsOf(promise: Promise<unknown>): Promise<readonly FixtureProblem[]> {
  const error: unknown = await promise.then(
    () => expect.fail('Nothing was refused.'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(FixtureError)
  return (error as FixtureError).problems
}

interface Folder extends AsyncDisposable {
  /** The path of a file in it, or its own. */
  path: (name?: string) => string
}

/** A folder of its own with these files (a name that ends in `/` is a folder), removed at the end of its scope. */
async function aFolder(files: Record<string, string | Buffer | undefined>): Promise<Folder> {
  const root = await mkdtemp(join(tmpdir(), 'seo-sandbox-'))
  const path = (name?: string) => (name === undefined ? root : `${root}/${name}`)
  for (const [name, content = ''] of Object.entries(files)) {
    const isFolder = name.endsWith('/')
    await mkdir(isFolder ? path(name) : dirname(path(name)), { recursive: true })
    if (!isFolder) await writeFile(path(name), content)
  }
  return { path, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) }
}

test('a fixture may say that its reports move by commands alone, as they do unsaid', async () => {
  const { version, ...world } = aWorld()
  const sandbox = await createSandbox({
    fixtures: { version, progress: { mode: 'manual' }, ...world },
  })
  expect(sandbox.world.records.all('projects')).toHaveLength(1)
  const fixtures = 'version: 1\nprogress: { mode: polls }\n'
  await expect(createSandbox({ fixtures })).rejects.toThrow(
    '"polls" is not a possible value. Use one of: time, reads, manual.',
  )
})
