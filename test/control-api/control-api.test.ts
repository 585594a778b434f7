import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { openServer, openTab } from '../support/control-transports.ts'
import type { ControlClient } from '../support/control-transports.ts'
import type { TestResponse } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aWorld } from '../support/worlds.ts'

/** Design, the control API: that of a server, and that of a page that has the sandbox in it. */

const NORWEGIAN = {
  version: 1,
  countries: [{ id: 7, label: 'Norway' }],
  agencies: [{ id: 1, name: 'Fjell' }],
  projects: [
    {
      id: 1,
      agency: 1,
      country: 7,
      name: 'Kaffebrenneriet',
      status: 'active',
      created_at: '2026-01-01T00:00:00Z',
    },
  ],
}

describe('the control API', () => {
  let client: ControlClient
  beforeAll(async () => {
    const fixtures = aWorld({
      projects: [aProject({ id: 1, reports: [aReport({ id: 21, report_number: 1 })] })],
      tokens: [{ id: 1, name: 'Small', token: AGENCY, agency: 1, rate_limit: { per_minute: 2 } }],
    })
    client = await openServer({ fixtures })
  })
  beforeEach(() => client.sandbox.reset())
  afterAll(() => client[Symbol.asyncDispose]())

  function control(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const target = `/_sandbox${path}`
    return client.send({ target, method, headers, ...(text === undefined ? {} : { body: text }) })
  }

  test('health shows the version and the routes', async () => {
    const { status, body } = await control('GET', '/health')
    expect([status, body]).toEqual([
      200,
      {
        status: 'ok',
        version: packageJson.version,
        worlds: 1,
        capabilities: [
          'reset',
          'origin',
          'clock',
          'rate-limits',
          'commands',
          'scenarios',
          'showcase',
          'demo',
          'snapshots',
          'worlds',
          'partners',
          'partner',
          'limits',
          'errors',
          'records',
          'projects',
          'reports',
          'agencies',
          'requests',
          'verify',
          'policies',
          'faults',
          'explain',
          'review',
          'session',
        ],
      },
    ])
  })

  test('a body with very many problems is refused with the first of them and the number of the rest', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`k${n}`, 1]))
    const bodies: [string, string, unknown][] = [
      ['PATCH', '/policies', unknown],
      ['POST', '/commands', { type: 'policy.set', policies: unknown }],
      ['POST', '/verify', unknown],
      ['PUT', '/records/agencies', { id: 3, name: 'x', ...unknown }],
      [
        'POST',
        '/commands',
        { type: 'fault.set', faults: [{ kind: 'status', status: 500, ...unknown }] },
      ],
    ]
    for (const [method, path, body] of bodies) {
      const { status, text, body: answer } = await control(method, path, body)
      expect([path, status, answer.error.problems.length]).toEqual([path, 422, 20])
      expect(answer.error.problems[18].message).toMatch(
        /^"k\d+" is not .* (Use one of: |seo-sandbox gaps )/,
      )
      expect(answer.error.problems[19].message).toMatch(/^… and 19\d\d more\.$/)
      expect(text.length).toBeLessThan(50_000)
    }
  })

  test.for([
    [
      '/commands',
      (deep: string) => `{"type":"record.put","collection":"agencies","record":${deep}}`,
    ],
    ['/faults', (deep: string) => `{"kind":"status","status":500,"body":${deep}}`],
  ] as const)(
    'a body to %s that is nested too deeply is refused with a reason',
    async ([path, toBody]) => {
      const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
      const { status, body } = await control('POST', path, toBody(deep))
      expect([status, body.error.code]).toEqual([400, 'body_too_deep'])
      expect(body.error.message).toMatch(
        /^Line 1, column \d{3} of the body: It is nested more than 64 levels deep\. Flatten it\.$/,
      )
    },
  )

  test('a path without a valid fault id disarms no fault', async () => {
    await control('POST', '/faults', { kind: 'status', status: 500 })
    const answers = await Promise.all(
      ['', 'abc', '1.5', '0x1', '1/'].map((id) => control('DELETE', `/faults/${id}`)),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(answers[1]?.body.error.message).toBe('"abc" is not an id. Write a whole number.')
    expect((await control('GET', '/faults')).body).toHaveLength(1)
  })

  test('the demo lists what is worth a look, and another world nothing', async () => {
    expect((await control('GET', '/showcase')).body).toEqual([])
    await control('POST', '/scenarios', { scenario: 'demo' })
    const { body } = await control('GET', '/showcase')
    expect(body).toHaveLength(5)
    expect(body).toContainEqual({
      project: 1039,
      shows: expect.stringContaining('new: created') as string,
    })
  })

  test('the demo is written with names, and served once it is sent as fixtures', async () => {
    const { body: own } = await control('POST', '/demo', { locale: 'da' })
    expect(own.names.companies).toEqual([])
    expect(own.trades).toContain('tandlæge')
    const names = {
      locale: 'da',
      agency: { name: 'Lake & Moor' },
      companies: [{ name: 'Odder Tænder', city: 'Odder', trade: 'tandlæge' }],
    }
    const { body: written } = await control('POST', '/demo', names)
    expect(written.names).toEqual(names)
    expect(written.yaml).toContain('- { name: Odder Tænder, city: Odder, trade: tandlæge }')
    const { body: created } = await control('POST', '/worlds', {})
    const inWorld = `?world=${created.id}`
    const command = { type: 'fixtures.load', fixtures: written.yaml }
    const { body: before } = await control('GET', `/snapshots${inWorld}`)
    await control('POST', `/commands${inWorld}`, command)
    const { body: agencies } = await control('GET', `/records/agencies${inWorld}`)
    expect(agencies).toMatchObject([names.agency])
    const { body: project } = await control('GET', `/records/projects/1004${inWorld}`)
    expect(project.name).toBe('Odder Tænder')
    // Without names it is written with those of the world, each with its situation; another country has none of them.
    const { body: again } = await control('POST', `/demo${inWorld}`, { agency: names.agency })
    const served = [{ ...names.companies[0], situation: 'late' }]
    expect(again.names).toEqual({ ...names, companies: served })
    const { body: reloaded } = await control('POST', `/demo${inWorld}`, again.names)
    expect(again.yaml).toBe(reloaded.yaml)
    expect(again.yaml).toContain('Odder Tænder')
    const { body: other } = await control('POST', `/demo${inWorld}`, { locale: 'sv' })
    expect(other.names.companies).toEqual([])
    // The restored world has other names than its fixtures, to which a reset returns.
    await control('POST', `/snapshots${inWorld}`, before)
    const { body: restored } = await control('POST', `/demo${inWorld}`, {})
    expect(restored.names).toMatchObject({ locale: 'en', companies: [] })
    expect((await control('GET', `/showcase${inWorld}`)).body).toEqual([])
    await control('DELETE', `/worlds/${created.id}`)

    const companies = [...names.companies, { name: 'odder tænder' }]
    const { status, body } = await control('POST', '/demo', { ...names, companies })
    expect([status, body.error.problems]).toEqual([
      422,
      [{ path: 'companies[1].name', message: expect.stringContaining('companies[0]') as string }],
    ])
  })

  test.each([
    [{ demo: true, locale: 'sv' }, 'sv'],
    [{ demo: true, locale: ['de', 'en'] }, ['de', 'en']],
    [{ fixtures: NORWEGIAN }, 'nb_NO'],
    [{ scenario: 'empty-agency' }, 'en'],
  ])('the demo has the country of the world unless another is named: %j', async (world, locale) => {
    const { body: created } = await control('POST', '/worlds', world)
    const { body } = await control('POST', `/demo?world=${created.id}`, {})
    expect(body.names.locale).toEqual(locale)
    await control('DELETE', `/worlds/${created.id}`)
  })

  test('scenarios are listed and loaded, until a reset', async () => {
    const { body: list } = await control('GET', '/scenarios')
    expect(list).toContainEqual({ name: 'empty-agency', purpose: expect.stringContaining('empty') })
    const projects = async () => (await control('GET', '/records/projects')).body.length
    const before = await projects()
    expect((await control('POST', '/scenarios', { scenario: 'empty-agency' })).status).toBe(200)
    expect(await projects()).toBe(0)
    const wrong = await control('POST', '/scenarios', { scenario: 'empty-agncy' })
    expect([wrong.status, wrong.body.error.message]).toEqual([
      422,
      expect.stringContaining('Did you mean "empty-agency"?'),
    ])
    await control('POST', '/reset')
    expect(await projects()).toBe(before)
  })

  test('the clock is read, set, frozen and advanced', async () => {
    expect((await control('GET', '/clock')).body).toMatchObject({
      now: '2026-03-15T12:00:00.000000Z',
      frozen: true,
    })
    const moved = await control('POST', '/clock', {
      now: '2026-04-30',
      frozen: true,
      advance: 'P1M',
    })
    expect([moved.status, moved.body.now]).toEqual([200, '2026-05-30T00:00:00.000000Z'])
    expect((await control('POST', '/clock', { frozen: false })).body.frozen).toBe(false)
    expect((await control('POST', '/clock', { advance: 1500 })).status).toBe(200)
  })

  test('a record is read, changed, made and deleted in the format of the fixture', async () => {
    const read = await control('GET', '/records/reports/21')
    expect([read.status, read.body]).toMatchObject([
      200,
      { id: 21, project: 1, report_number: 1, status: 'pending', level: 'project' },
    ])
    const patched = await control('PATCH', '/records/reports/21', { status: 'running' })
    expect([patched.status, patched.body.status]).toEqual([200, 'running'])
    const made = await control('PUT', '/records/reports/22', {
      project: 1,
      report_number: 2,
      status: 'failed',
      created_at: 'now-3d',
    })
    expect([made.status, made.body.created_at]).toEqual([201, '2026-03-12T12:00:00.000000Z'])
    const replaced = await control('PUT', '/records/reports', { ...made.body, sent: true })
    expect([replaced.status, replaced.body.sent]).toEqual([200, true])
    expect((await control('GET', '/records/reports')).body.map(({ id }: any) => id)).toEqual([
      21, 22,
    ])
    const deleted = await control('DELETE', '/records/reports/22')
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await control('GET', '/records/reports/22')).status).toBe(404)
  })

  test('keywords and reports are listed by project; a large generated world lists them in no other way', async () => {
    const one = await control('GET', '/records/reports?project=1')
    expect([one.status, one.body]).toEqual([200, client.sandbox.world.records.reportsOf(1)])
    expect((await control('GET', '/records/keywords?project=9')).status).toBe(404)

    await using large = await openServer({ generate: { projects: 501 } })
    const list = (query: string) => large.send({ target: `/_sandbox/records/reports${query}` })
    const refused = await list('')
    expect([refused.status, refused.body.error.message]).toEqual([
      422,
      'The reports of more than 500 projects are too many for a list. Ask for those of one, with ?project=ID.',
    ])
    expect((await list('?project=1001')).body).toEqual(large.sandbox.world.records.reportsOf(1001))
  })

  test('reset restores the records and the rate windows, and control requests are not counted', async () => {
    const ask = () =>
      client.send({
        target: '/api/v1/projects/1',
        headers: { authorization: `Bearer ${AGENCY}` },
      })
    await control('PATCH', '/records/projects/1', { name: 'Other' })
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([
      200, 200, 429,
    ])
    expect((await control('POST', '/reset')).status).toBe(200)
    const after = await ask()
    expect([after.body.data.name, after.headers['x-ratelimit-remaining']]).toEqual([
      'Project 1',
      '1',
    ])
  })

  test.each<[string, string, unknown, number, string]>([
    ['GET', '/records/report', undefined, 404, 'Did you mean "reports"?'],
    ['GET', '/records/reports/x', undefined, 404, '"x" is not an id.'],
    ['GET', '/records/reports/99', undefined, 404, 'There is no report 99.'],
    [
      'PATCH',
      '/records/reports/21',
      { status: 'done' },
      422,
      'Use one of: pending, running, completed, failed.',
    ],
    ['PATCH', '/records/reports/21', 'not json', 400, 'The body is not JSON'],
    ['PATCH', '/records/reports/21', [1], 422, 'is not a map'],
    ['PUT', '/records/reports/21', { id: 22 }, 422, 'Write the same id'],
    ['PUT', '/records/reports/21', 'null', 422, 'A record is a map of fields.'],
    ['DELETE', '/records/agencies/1', undefined, 422, 'still referenced by token 1, project 1'],
    ['POST', '/clock', {}, 422, 'Nothing to change.'],
    ['POST', '/clock', { advance: '-P1D' }, 422, 'never negative'],
    ['POST', '/clock', { advance: -1 }, 422, 'too small'],
    ['POST', '/clock', { nov: '2026-01-01' }, 422, 'Did you mean "now"?'],
    ['POST', '/commands', { type: 'resett' }, 422, 'Did you mean "reset"?'],
    ['POST', '/commands', 'null', 422, 'A command has a type.'],
    [
      'POST',
      '/commands',
      '{"type":"record.put","collection":"agencies","record":{"id":3,"name":"x","__proto__":{"y":1}}}',
      422,
      '"__proto__" is not a field',
    ],
    ['GET', '/nothing', undefined, 404, 'There is no GET /_sandbox/nothing.'],
    ['DELETE', '/records/reports', undefined, 404, 'There is no DELETE'],
    ['GET', '/records/%zz', undefined, 400, 'decode'],
  ])(
    '%s %s refuses a bad request in one sentence',
    async (method, path, body, status, sentence) => {
      const response = await control(method, path, body)
      expect(response.status).toBe(status)
      expect(response.body.error.message).toContain(sentence)
      expect(response.text).not.toMatch(/\bat .*\.[jt]s\b/)
    },
  )

  test('a clock change is atomic', async () => {
    const before = (await control('GET', '/clock')).body
    const change = { now: '2020-01-01', frozen: true, advance: 'P9000Y' }
    expect((await control('POST', '/clock', change)).status).toBe(422)
    expect((await control('GET', '/clock')).body.now).toBe(before.now)
    const days = ['2020-01-01', '2030-01-01', '2040-01-01']
    const answers = await Promise.all(
      days.map((now) => control('POST', '/clock', { now, frozen: true, advance: 'P1D' })),
    )
    expect(answers.map(({ body }) => body.now.slice(0, 10))).toEqual([
      '2020-01-02',
      '2030-01-02',
      '2040-01-02',
    ])
  })

  test('no advance takes a clock past the year 9999', async () => {
    const statuses = []
    for (let round = 0; round < 3; round += 1) {
      await control('POST', '/clock', { now: '0001-01-01' })
      statuses.push((await control('POST', '/clock', { advance: 'P7000Y' })).status)
    }
    expect(statuses).toEqual([200, 422, 422])
    expect((await control('GET', '/clock')).status).toBe(200)
  })
})

test('in a page the control API has the responses of a server', async () => {
  const fixtures = aWorld({ projects: [aProject({ id: 1, reports: [aReport({ id: 21 })] })] })
  await using server = await openServer({ fixtures })
  await using tab = await openTab({ fixtures })
  const requests: [method: string, path: string, body?: unknown][] = [
    ['GET', '/health'],
    ['PATCH', '/records/reports/21', { status: 'running' }],
    ['PUT', '/records/reports/22', { project: 1, report_number: 2, created_at: 'now-3d' }],
    ['GET', '/records/reports?project=1'],
    ['POST', '/faults', { kind: 'status', status: 500 }],
    ['DELETE', '/faults/1'],
    ['POST', '/clock', { now: '2026-04-30', frozen: true, advance: 'P1M' }],
    ['POST', '/commands', { type: 'record.delete', collection: 'reports', id: 22 }],
    ['POST', '/commands', { type: 'resett' }],
    ['PATCH', '/records/reports/21', 'not json'],
    ['POST', '/scenarios', { scenario: 'empty-agncy' }],
    ['POST', '/reset'],
    ['GET', '/nothing'],
    ['GET', '/records/%zz'],
  ]
  for (const [method, path, body] of requests) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request = {
      method,
      target: `/_sandbox${path}`,
      ...(text !== undefined && { body: text }),
    }
    const [expected, { status, text: shown }] = [
      await server.send(request),
      await tab.send(request),
    ]
    const withoutTime = (shownText: string) => shownText.replace(/"rate_clock":"[^"]*"/, '')
    expect([path, status, withoutTime(shown)]).toEqual([
      path,
      expected.status,
      withoutTime(expected.text),
    ])
  }
})
