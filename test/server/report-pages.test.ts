import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportLinks } from '../../src/contract/report-facts.ts'
import { replay } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import type { SandboxServer, ServerOptions } from '../../src/server.ts'
import { runs } from '../support/depth.ts'
import { sendRaw } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aWorld } from '../support/worlds.ts'

/** The pages behind `pdf_link` and `web_link` over HTTP (specification 2.6, 2.7, G-068; design: `/reports/…`). */

const OWN = { id: 4, status: 'completed', ...reportLinks(4) } as const
const STATED = {
  id: 5,
  status: 'completed',
  pdf_link: 'https://cdn.klitrose.example/5.pdf',
  web_link: 'https://klitrose.example/reports/5',
} as const

/** A world with reports of every kind, whose texts could be taken for markup, or for links of the sandbox. */
const WORLD = aWorld({
  languages: [{ id: 1, label: 'Danish' }],
  projects: [
    aProject({
      id: 1,
      name: 'Rødspætte & <b>Rugbrød</b>',
      domain: 'https://roedspaette.example',
      text_language: 1,
      report_language: 1,
      keywords: [
        {
          id: 1,
          keyword: 'smørrebrød',
          create_date: '2026-01-01',
          latest_position: 3,
          url: 'javascript:alert(1)',
        },
        { id: 2, keyword: 'שלום <script>', create_date: '2026-01-01' },
        { id: 3, keyword: 'udgået', create_date: '2026-01-01', active: false },
      ],
      reports: [
        aReport({
          ...OWN,
          report_name: 'Månedsrapport',
          date_to_create_texts: '2026-03-10',
          content: {
            1: [{ h3: 'Om "smørrebrød"', text: `<img src=x> "web_link":"${OWN.web_link}"` }],
            3: [{ h3: 'Udgået', text: 'Vises ikke' }],
          },
        }),
        aReport(STATED),
        aReport({ id: 6 }),
        aReport({ id: 7, status: 'completed', ...reportLinks(7) }),
      ],
    }),
  ],
})

interface Links {
  web: string | null
  pdf: string | null
}

interface ReportBody {
  report_number: number
  web_link: string | null
  pdf_link: string | null
}

interface Asking {
  token?: string
  headers?: Record<string, string>
}

/** The links of project 1's reports, by their numbers, as a client over HTTP gets them. */
async function linksOf(
  { port }: SandboxServer,
  { token = AGENCY, headers = {} }: Asking = {},
): Promise<Record<number, Links>> {
  const { body } = await sendRaw(port, {
    target: '/api/v1/projects/1/reports',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json', ...headers },
  })
  return Object.fromEntries(
    (body.data as ReportBody[]).map(({ report_number, web_link: web, pdf_link: pdf }) => [
      report_number,
      { web, pdf },
    ]),
  )
}

async function linkOf(server: SandboxServer, number = 4, asking?: Asking): Promise<string> {
  return (await linksOf(server, asking))[number]?.web ?? ''
}

async function serve(options: ServerOptions = {}): Promise<SandboxServer & AsyncDisposable> {
  const server = await startServer({ port: 0, fixtures: WORLD, ...options })
  return { ...server, [Symbol.asyncDispose]: () => server.close() }
}

let server: SandboxServer
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: WORLD })
})
afterAll(() => server.close())

describe('the links of reports', () => {
  test('lead over HTTP to the server itself, and in process to a reserved host', async () => {
    const { 4: own } = await linksOf(server)
    expect(own?.web).toMatch(new RegExp(`^${server.url}/reports/default/4-[\\w-]{22}$`))
    expect(own?.pdf).toBe(`${own?.web}.pdf`)
    const response = await server.sandbox.fetch('/api/v1/projects/1/reports', {
      headers: { authorization: `Bearer ${AGENCY}` },
    })
    const { data } = (await response.json()) as { data: ReportBody[] }
    expect(data.find(({ report_number }) => report_number === 4)).toMatchObject(reportLinks(4))
  })

  test('are those of the fixture where it states others, and null before completion', async () => {
    const { 5: stated, 6: pending } = await linksOf(server)
    expect(stated).toEqual({ web: STATED.web_link, pdf: STATED.pdf_link })
    expect(pending).toEqual({ web: null, pdf: null })
  })

  test('are the same in the content of a report, whose texts stay as they are', async () => {
    const { body } = await sendRaw(server.port, {
      target: '/api/v1/projects/1/reports/4/content',
      headers: { authorization: `Bearer ${AGENCY}` },
    })
    const { 4: own } = await linksOf(server)
    expect(body.data.links).toMatchObject({ report_web: own?.web, report_pdf: own?.pdf })
    const [{ content }] = body.data.keywords
    expect(content[0].text).toBe(`<img src=x> "web_link":"${OWN.web_link}"`)
  })

  test('are the same in the control API, which the console shows them by', async () => {
    const { id, tokens } = await server.sandbox.worlds.create()
    for (const [world, token = ''] of [
      ['default', AGENCY],
      [id, tokens[AGENCY]],
    ] as const) {
      const links = Object.entries(await linksOf(server, { token }))
      expect(links.map(([number]) => number)).toEqual(['4', '5', '6', '7'])
      for (const [number, { web, pdf }] of links) {
        const path = `/_sandbox/reports/${number}/links?world=${world}`
        const response = await fetch(server.url + path)
        expect(await response.json()).toEqual({ web_link: web, pdf_link: pdf })
      }
    }
    expect((await fetch(`${server.url}/_sandbox/reports/8/links`)).status).toBe(404)
  })

  test('begin with the public URL instead where there is one', async () => {
    await using other = await serve({
      publicUrl: 'https://seo.example.com/demo/',
      policies: { 'page-links': 'absolute' },
    })
    expect(await linkOf(other)).toMatch(/^https:\/\/seo\.example\.com\/demo\/reports\/default\/4-/)
    const { body } = await sendRaw(other.port, {
      target: '/api/v1/projects',
      headers: { authorization: `Bearer ${AGENCY}` },
    })
    expect(body.links.first).toBe('https://seo.example.com/demo/api/v1/projects?page=1')
  })

  test('name the host of each request, whatever was asked for before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.domain(), async (host) => {
        expect(new URL(await linkOf(server, 4, { headers: { host } })).host).toBe(host)
      }),
      { numRuns: runs(100) },
    )
  })

  test('are the same with the same seed, also from a snapshot, and others with another seed', async () => {
    await using same = await serve()
    await using other = await serve({ seed: 'spring' })
    const path = async (one: SandboxServer) => new URL(await linkOf(one)).pathname
    expect(await path(same)).toBe(await path(server))
    expect(await path(other)).not.toBe(await path(server))
    await other.sandbox.restore(await server.sandbox.snapshot())
    expect(await path(other)).toBe(await path(server))
  })

  test('cannot be guessed in an isolated world, even from those of another one', async () => {
    const [one, another] = [
      await server.sandbox.worlds.create(),
      await server.sandbox.worlds.create(),
    ]
    const pathIn = async ({ tokens }: { tokens: Record<string, string> }) =>
      new URL(await linkOf(server, 4, { token: tokens[AGENCY] ?? '' })).pathname
    const path = await pathIn(one)
    expect(path.startsWith(`/reports/${one.id}/4-`)).toBe(true)
    expect(path.split('/').at(-1)).not.toBe((await pathIn(another)).split('/').at(-1))
    expect((await sendRaw(server.port, { target: path })).status).toBe(200)
    const elsewhere = path.replace(one.id, another.id)
    expect((await sendRaw(server.port, { target: elsewhere })).status).toBe(404)
    server.sandbox.worlds.drop(one.id)
    expect((await sendRaw(server.port, { target: path })).status).toBe(404)
  })

  test('do not matter to a replay: a session has the same responses at any address', async () => {
    await using other = await serve({ publicUrl: 'https://seo.example.com' })
    const answers = async (one: SandboxServer) => {
      await linksOf(one)
      const { steps } = await one.sandbox.session()
      return steps.flatMap((step) => ('answer' in step ? [step.answer?.body] : []))
    }
    await server.sandbox.reset()
    expect(await answers(other)).toEqual(await answers(server))
    expect(await replay(await other.sandbox.session())).toMatchObject({ difference: null })
  })
})

describe('a page', () => {
  async function page(path: string, options: { method?: string } = {}) {
    return sendRaw(server.port, { target: path, ...options })
  }

  const pathOf = async () => new URL(await linkOf(server)).pathname

  test('needs no token, is not counted and not recorded', async () => {
    const path = await pathOf()
    await server.sandbox.reset()
    const { status, headers } = await page(path)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    expect([...server.sandbox.world.journal.requests()]).toEqual([])
  })

  test('may load nothing and run nothing; its own style is allowed by its hash', async () => {
    const { headers, text } = await page(await pathOf())
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(text) ?? []
    const hash = Buffer.from(
      await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style)),
    ).toString('base64')
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })

  test('shows the report in its language, with the project, the month, keywords, positions and texts', async () => {
    const { text } = await page(await pathOf())
    expect(text).toContain('<html lang="da">')
    for (const part of [
      'Rødspætte &amp; &lt;b&gt;Rugbrød&lt;/b&gt;</h1>',
      'Månedsrapport · marts 2026 · Rapport 4',
      '<p class="agency" dir="auto">North</p>',
      'For ét af de 2 søgeord ligger websitet blandt de ti første søgeresultater.',
      'Søgeord (1)',
      '<td>3',
      'smørrebrød</h2>',
      'Om &quot;smørrebrød&quot;</h3>',
      '&lt;img src=x&gt;',
      'Øvrige søgeord, uden tekst denne måned (1)',
    ]) {
      expect(text).toContain(part)
    }
    expect(text).not.toMatch(/<(script|img|b)\b|href="javascript|udgået/)
  })

  test('has a PDF beside it, of the same bytes each time', async () => {
    const path = await pathOf()
    const { text: html } = await page(path)
    const [, href = ''] = /<a href="([^"]+)">PDF/.exec(html) ?? []
    const target = new URL(href, `${server.url}${path}`).pathname
    expect(target).toBe(`${path}.pdf`)
    const [one, other] = [await page(target), await page(target)]
    expect(one.text).toMatch(/^%PDF-/)
    expect(one.text).toBe(other.text)
    expect(one.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="report-4.pdf"; filename*=UTF-8''R%C3%B8dsp%C3%A6tte%20%26%20%3Cb%3ERugbr%C3%B8d%3C-b%3E%204.pdf`,
    })
  })

  test('has a HEAD with the same headers, and no other method', async () => {
    const path = await pathOf()
    const { headers } = await page(path)
    const head = await page(path, { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      headers['content-length'],
    ])
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      const refused = await page(path, { method })
      expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD'])
      expect(refused.text).toContain('<title>Read-only</title>')
    }
  })

  test.each([
    ['another signature', (path: string) => path.replace(/.{22}$/, 'A'.repeat(22))],
    ['another report', (path: string) => path.replace('/4-', '/7-')],
    ['another world', (path: string) => path.replace('/default/', '/w999/')],
    ['a file name', (path: string) => `${path}.txt`],
    ['nothing more', () => '/reports'],
    ['a path that climbs', () => '/reports/../../etc/passwd'],
    ['bytes that are no text', () => '/reports/%ff%00'],
  ])('is not found with %s, which a plain page says', async (_, change) => {
    const { status, headers, text } = await page(change(await pathOf()))
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(text).toContain('There is no page here.')
  })

  test('is gone once its report is', async () => {
    await using other = await serve()
    const target = new URL(await linkOf(other)).pathname
    await other.sandbox.reports.set({ project: 1, report_number: 4 }, { status: 'running' })
    const running = await sendRaw(other.port, { target })
    expect([running.status, running.text.includes('This report is not completed.')]).toEqual([
      404,
      true,
    ])
    await other.sandbox.command({ type: 'record.delete', collection: 'reports', id: 4 })
    const deleted = await sendRaw(other.port, { target })
    expect([deleted.status, deleted.text.includes('regenerated or deleted')]).toEqual([410, true])
  })
})

describe('the positions on a page', () => {
  const GENERATED = {
    version: 1,
    now: '2026-03-31T12:00:00Z',
    frozen: true,
    generate: { projects: 1, reports: 6, keywords: 10 },
  } as const

  /** The reports of a project with a page, by the month of their content. */
  async function pagesOf(one: SandboxServer, project: number, token = 'sandbox-super') {
    const { body } = await sendRaw(one.port, {
      target: `/api/v1/projects/${project}/reports`,
      headers: { authorization: `Bearer ${token}` },
    })
    const rows = (body.data as (ReportBody & { date_to_create_texts: string })[]).filter(
      ({ web_link }) => web_link !== null,
    )
    return new Map(
      rows.map((row) => [row.date_to_create_texts.slice(0, 7), new URL(row.web_link!).pathname]),
    )
  }

  /** Shown values of each keyword, by its id: its position and, if there was a report before, its change. */
  async function shownOn(one: SandboxServer, path: string | undefined) {
    const { text } = await sendRaw(one.port, { target: path ?? '' })
    const rows = text.matchAll(/<tr>.*?keyword-(\d+)".*?<td>([\d–]+)(?:<td class="\w+">(\S+))?\n/g)
    return [...rows].map(([, id, position, change]) => ({ id: Number(id), position, change }))
  }

  async function measured(one: SandboxServer, month: string) {
    const target = `/_sandbox/projects/1001/positions?from=${month}&until=${month}`
    const { body } = await sendRaw(one.port, { target })
    const keywords = body.keywords as { id: number; positions: (number | null)[] }[]
    return new Map(keywords.map(({ id, positions }) => [id, positions[0] ?? null]))
  }

  test('are those of the month of each report, with the change since the report before, whenever it is read', async () => {
    await using one = await serve({ fixtures: GENERATED })
    const pages = await pagesOf(one, 1001)
    const months = [...pages.keys()].toSorted()
    expect(months.length).toBeGreaterThan(3)
    const seen = new Set<string>()
    for (const now of ['2026-03-31', '2026-08-01']) {
      await one.sandbox.clock.set(now)
      for (const [index, month] of months.entries()) {
        const shown = await shownOn(one, pages.get(month))
        const [positions, before] = [await measured(one, month), months[index - 1]]
        const earlier = before === undefined ? undefined : await measured(one, before)
        expect(shown.length).toBeGreaterThan(0)
        for (const { id, position, change } of shown) {
          const own = positions.get(id) ?? null
          expect(position).toBe(String(own ?? '–'))
          if (!earlier) expect(change).toBeUndefined()
          else expect(change).toBe(toChange(own, earlier.get(id) ?? null))
        }
        seen.add(JSON.stringify(shown))
      }
    }
    expect(seen.size).toBe(months.length)
  })

  function toChange(own: number | null, before: number | null): string {
    if (own === null) return '–'
    if (before === null) return 'new'
    if (own === before) return '±0'
    return own < before ? `+${before - own}` : `−${own - before}`
  }

  test('are a dash for a keyword that was edited, but in the latest month', async () => {
    await using one = await serve({ fixtures: GENERATED })
    const pages = await pagesOf(one, 1001)
    const [latest = '', earlier = ''] = [...pages.keys()].toSorted().toReversed()
    const [{ id } = { id: 0 }] = await shownOn(one, pages.get(earlier))
    const patch = { latest_position: 2 }
    await one.sandbox.command({ type: 'record.patch', collection: 'keywords', id, patch })
    const find = async (month: string) =>
      (await shownOn(one, pages.get(month))).find((row) => row.id === id)
    expect(latest).toBe('2026-03')
    expect(await find('2026-03')).toMatchObject({ position: '2', change: '–' })
    expect(await find(earlier)).toMatchObject({ position: '–', change: '–' })
  })

  test('of written keywords are those of the latest month alone, and there is no chart of them', async () => {
    const reports = ['2026-02-10', '2026-03-10', '2026-04-10'].map((due, index) => {
      const id = index + 11
      const status = 'completed' as const
      return aReport({
        id,
        report_number: id,
        status,
        date_to_create_texts: due,
        ...reportLinks(id),
      })
    })
    const keywords = [
      { id: 1, keyword: 'old', create_date: '2025-01-01', latest_position: 3 },
      { id: 2, keyword: 'of March', create_date: '2026-03-31', latest_position: 2 },
    ]
    const fixtures = aWorld({ projects: [aProject({ id: 1, keywords, reports })] })
    await using one = await serve({ fixtures })
    const pages = await pagesOf(one, 1, AGENCY)
    const shown = async (month: string) =>
      (await shownOn(one, pages.get(month))).map(({ id, position }) => `${id}: ${position}`)
    // Keywords created later did not exist in the month of a report.
    expect(await shown('2026-02')).toEqual(['1: –'])
    expect(await shown('2026-03')).toEqual(['2: 2', '1: 3'])
    // There are no positions of a month to come: a report that is early has the latest.
    expect(await shown('2026-04')).toEqual(['2: 2', '1: 3'])
    const { text } = await sendRaw(one.port, { target: pages.get('2026-02')! })
    expect(text).toContain('There are no positions for this month.')
    expect(text).not.toContain('<svg')
  })

  test('are in a chart of the months up to that of the report, with as many keywords as have a position', async () => {
    await using one = await serve({ fixtures: GENERATED })
    const pages = await pagesOf(one, 1001)
    const { text } = await sendRaw(one.port, { target: pages.get('2026-03')! })
    const counts = [...text.matchAll(/<li class="band-\d"><span>\S+<\/span> <b>(\d+)<\/b>/g)]
    const shown = await shownOn(one, pages.get('2026-03'))
    const total = counts.reduce((sum, [, count]) => sum + Number(count), 0)
    expect(total).toBe(shown.filter(({ position }) => position !== '–').length)
    expect(text).toMatch(/>Mar<\/text>(<rect|<\/svg>|\n)/)
  })

  test('do not change what the API returns', async () => {
    await using one = await serve({ fixtures: GENERATED })
    const target = '/api/v1/projects/1001/keywords'
    const headers = { authorization: 'Bearer sandbox-super' }
    const { body } = await sendRaw(one.port, { target, headers })
    for (const path of (await pagesOf(one, 1001)).values()) await shownOn(one, path)
    expect((await sendRaw(one.port, { target, headers })).body).toEqual(body)
    const latest = await measured(one, '2026-03')
    for (const { id, latest_position } of body.data as { id: number; latest_position: number }[])
      expect(latest_position).toBe(latest.get(id))
  })

  test('are under the name of the agency, by the person who manages the report, or else the project', async () => {
    await using one = await serve({ fixtures: GENERATED })
    const { records } = one.sandbox.world
    const project = records.get('projects', 1001)!
    const target = (await pagesOf(one, 1001)).get('2026-03')!
    const report = records
      .reportsOf(1001)
      .find(({ date_to_create_texts }) => date_to_create_texts?.startsWith('2026-03'))!
    for (const managed_by of [null, ...records.all('users').map(({ id }) => id)]) {
      const patch = { managed_by }
      await one.sandbox.command({
        type: 'record.patch',
        collection: 'reports',
        id: report.id,
        patch,
      })
      const { text } = await sendRaw(one.port, { target })
      expect(text).toContain(records.get('agencies', project.agency)!.name)
      const author = records.get('users', managed_by ?? project.managing_user!)!
      expect(text).toContain(`Prepared by <bdi>${author.name}`)
    }
  })
})
