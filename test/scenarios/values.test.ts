import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import type { z } from 'zod'
import { startServer } from '../../src/server.ts'
import { escapeHtml } from '../../src/contract/text.ts'
import { Keyword } from '../../src/contract/keyword.ts'
import { Project, ProjectListItem } from '../../src/contract/project.ts'
import { KeywordEntry, ReportContent } from '../../src/contract/report-content.ts'
import { Report } from '../../src/contract/report.ts'
import { TokenIdentity } from '../../src/contract/token.ts'
import { User } from '../../src/contract/reference-data.ts'
import type { Client } from '../support/transports.ts'
import { openScenario, read, readScenario } from './scenario.ts'

/** Specification 2: field values in the scenarios about data. */

describe('all-null', () => {
  async function objectsOf(client: Client): Promise<Record<string, any[]>> {
    const asSuper = async (path: string) => {
      const { body } = await client.send({ path, token: 'sandbox-super' })
      return body.data ?? body
    }
    const contents = await Promise.all([
      read(client, '/projects/102/reports/1/content'),
      read(client, '/projects/103/reports/1/content'),
    ])
    return {
      project: [await read(client, '/projects/101'), await read(client, '/projects/102')],
      item: await read(client, '/projects'),
      report: await read(client, '/projects/102/reports'),
      content: contents,
      links: contents.map(({ links }) => links),
      entry: contents.flatMap(({ keywords }) => keywords),
      keyword: await read(client, '/projects/102/keywords'),
      user: await asSuper('/users'),
      token: [await asSuper('/me')],
    }
  }

  const SCHEMAS: Record<string, z.ZodObject> = {
    project: Project,
    item: ProjectListItem,
    report: Report,
    content: ReportContent,
    links: ReportContent.shape.links,
    entry: KeywordEntry,
    keyword: Keyword,
    user: User,
    token: TokenIdentity,
  }

  test('2 every nullable field is null somewhere, except the agency of a project', async () => {
    await using client = await openScenario('all-null')
    const objects = await objectsOf(client)
    const neverNull = Object.entries(SCHEMAS).flatMap(([name, { shape }]) =>
      Object.entries(shape as Record<string, z.ZodType>)
        .filter(([, schema]) => schema.safeParse(null).success)
        .filter(([field]) => !objects[name]?.some((object) => object[field] === null))
        .map(([field]) => `${name}.${field}`),
    )
    expect(neverNull).toEqual(['project.agency'])
  })

  test('2.5 the lists are empty instead', async () => {
    await using client = await openScenario('all-null')
    expect(await read(client, '/projects/101')).toMatchObject({ client_emails: [] })
    expect(await read(client, '/projects/102/keywords')).toMatchObject([
      { content_action_ids: [1] },
      { content_action_ids: [] },
    ])
  })
})

describe('long-values', () => {
  test('2 names have 255 characters, links 2,000, addresses 254', async () => {
    await using client = await openScenario('long-values')
    const { name, company_name, plan, gsc_status, agency, ...project } = await read(
      client,
      '/projects/101',
    )
    const [{ keyword, url }] = await read(client, '/projects/101/keywords')
    const { report_name, pdf_link, web_link, approved_by } = await read(
      client,
      '/projects/101/reports/latest',
    )
    const names = [name, company_name, plan, gsc_status, agency, keyword, report_name]
    const more = [approved_by.name, approved_by.role, project.country.label]
    expect([...names, ...more].map((text) => text.length)).toEqual(Array(10).fill(255))
    expect([project.domain, url, pdf_link, web_link].map((text) => text.length)).toEqual(
      Array(4).fill(2000),
    )
    const addresses = [project.cc_email, project.contact_email, ...project.client_emails]
    expect(addresses.map((text) => text.length)).toEqual(Array(52).fill(254))
  })

  test('2.7 texts have 65,536 characters, with and without spaces, and there are 200 blocks', async () => {
    await using client = await openScenario('long-values')
    const { keywords } = await read(client, '/projects/101/reports/1/content')
    const [prose, word, many] = keywords
    expect([prose, word].map(({ content: [{ h3, text }] }) => [h3.length, text.length])).toEqual([
      [255, 65_536],
      [255, 65_536],
    ])
    expect(word.content[0].text).not.toMatch(/\s/)
    expect(new TextEncoder().encode(word.content[0].text).length).toBeGreaterThan(70_000)
    expect(word.html[0].h3_and_text.length).toBeGreaterThan(80_000)
    expect(many.content).toHaveLength(200)
  })

  test('2.1 the largest ids are exact', async () => {
    await using client = await openScenario('long-values')
    const { body, text } = await client.send({
      path: '/projects/9007199254740991/reports/latest',
      token: 'sandbox-agency',
    })
    expect(body.data).toMatchObject({
      id: Number.MAX_SAFE_INTEGER,
      project_id: Number.MAX_SAFE_INTEGER,
    })
    expect(text).toContain('"id":9007199254740991,')
  })
})

test('2.7 unknown-content-scheme shows content as given, in six shapes', async () => {
  await using client = await openScenario('unknown-content-scheme')
  const [project] = parse(readScenario('unknown-content-scheme')).projects
  const contents = []
  for (const { report_number } of project.reports) {
    contents.push(await read(client, `/projects/101/reports/${report_number}/content`))
  }
  expect(
    contents.map((content) => [content.content_scheme, content.content_scheme_fields]),
  ).toEqual([
    ['h3_text_blocks', ['h3', 'text']],
    ['faq_pairs', ['question', 'answer']],
    ['article_tree', null],
    [null, null],
    ['h3_text_blocks_v2', ['h3', 'text', 'image']],
    ['empty_parts', []],
  ])
  for (const [index, { keywords }] of contents.entries()) {
    if (index === 0) continue
    const shown = keywords
      .filter(({ has_content }: any) => has_content)
      .map(({ keyword_id, content, html }: any) => [String(keyword_id), { content, html }])
    expect(shown).toEqual(Object.entries(project.reports[index].content))
  }
})

test('2.10 unknown-values has other values than the known ones in every open list', async () => {
  await using client = await openScenario('unknown-values')
  const rows = []
  for (const { id, status } of (await read(client, '/projects')).slice(0, 6)) {
    const { plan, gsc_status } = await read(client, `/projects/${id}`)
    const report = await read(client, `/projects/${id}/reports/latest`)
    rows.push([status, plan, gsc_status, report.approved_status, report.managed_status])
  }
  expect(rows).toEqual([
    ['active', 'Growth', 'connected', 'approved', 'completed'],
    ['onboarding', 'Orbit 2040', 'token_revoked', 'awaiting_client', 'escalated'],
    ['ACTIVE', 'GROWTH', 'Connected', 'Approved', 'COMPLETED'],
    ['on hold', ' Growth ', 'not connected yet', 'approved with remarks', 'half done, half not'],
    ['', '', '', '', ''],
    ['1', 'null', 'false', 'true', '0'],
  ])
  expect(await read(client, '/projects/107/reports/1/content')).toMatchObject({
    content_scheme: 'haiku_v1',
  })
  const me = await client.send({ path: '/me', token: 'sandbox-agency' })
  expect(me.body).toMatchObject({ abilities: ['projects:glance', 'reports.v2', 'beta'] })
})

test('4.7 unfinished-content responds whatever the status, with or without content (T10)', async () => {
  await using client = await openScenario('unfinished-content')
  const rows = []
  for (let number = 1; number <= 10; number += 1) {
    const { generation_status, is_generated, summary, content_scheme } = await read(
      client,
      `/projects/101/reports/${number}/content`,
    )
    const { keywords_with_content } = summary
    rows.push([number, generation_status, is_generated, keywords_with_content, content_scheme])
  }
  expect(rows).toEqual([
    [1, 'completed', true, 3, 'h3_text_blocks'],
    [2, 'completed', true, 1, 'h3_text_blocks'],
    [3, 'completed', true, 0, null],
    [4, 'completed', true, 1, 'h3_text_blocks'],
    [5, 'failed', false, 0, null],
    [6, 'failed', false, 1, 'h3_text_blocks'],
    [7, 'running', false, 2, 'h3_text_blocks'],
    [8, 'running', false, 0, null],
    [9, 'pending', false, 0, null],
    [10, 'pending', false, 0, 'h3_text_blocks'],
  ])
  expect((await read(client, '/projects/101/keywords'))[0]).toMatchObject({
    content_count: 4,
    content_action_ids: [1, 4, 6, 7],
  })
})

test('2.7 inactive-keywords are tracked, but not in content (T22)', async () => {
  await using client = await openScenario('inactive-keywords')
  const rows = []
  for (const { id, keyword_count } of await read(client, '/projects')) {
    const { keywords, summary } = await read(client, `/projects/${id}/reports/1/content`)
    const shown = keywords.map(({ keyword_id }: any) => keyword_id)
    const { keyword_count: active, keywords_with_content } = summary
    rows.push([id, keyword_count, active, keywords_with_content, shown])
  }
  expect(rows).toEqual([
    [101, 4, 2, 1, [10_101, 10_102]],
    [102, 2, 0, 0, []],
    [103, 0, 0, 0, []],
  ])
  const counts = (await read(client, '/projects/101/keywords')).map(
    ({ content_count }: any) => content_count,
  )
  expect(counts).toEqual([1, 0, 1, 0])
})

describe('unicode-and-html', () => {
  /** Every text of a document. */
  function textsIn(value: unknown): string[] {
    if (typeof value === 'string') return [value]
    if (typeof value !== 'object' || value === null) return []
    return Object.values(value).flatMap(textsIn)
  }

  const world = parse(readScenario('unicode-and-html'))

  test.each([
    ['a script element', /<script>/],
    ['an ampersand', /&/],
    ['quotes', /"[^]*'|'[^]*"/],
    ['an emoji of several code points', /\u200D/],
    ['a character outside the basic plane', /[\u{10000}-\u{10FFFF}]/u],
    ['Arabic', /\p{Script=Arabic}/u],
    ['Hebrew', /\p{Script=Hebrew}/u],
    ['marks that reverse the text direction', /\u202E/],
    ['combining marks', /\p{Mn}/u],
    ['a newline', /\n/],
    ['a carriage return', /\r/],
    ['U+2028', /\u2028/],
    ['U+2029', /\u2029/],
    ['a zero-width space', /\u200B/],
    ['a byte order mark', /\uFEFF/],
    ['a NUL', /\0/],
  ])('2 has %s', (_, pattern) => {
    expect(textsIn(world).filter((text) => pattern.test(text))).not.toEqual([])
  })

  test('2 what is not ready to embed is plain text, exactly as given', async () => {
    await using client = await openScenario('unicode-and-html')
    const answers = []
    for (const path of ['/me', '/projects', '/users', '/countries', '/languages']) {
      answers.push((await client.send({ path, token: 'sandbox-unlimited' })).body)
    }
    for (const { id } of world.projects) {
      const base = `/projects/${id}`
      const below = ['', '/reports', '/reports/1/content', '/keywords']
      for (const path of below) answers.push(await read(client, base + path))
    }
    const shown = new Set(textsIn(answers))
    const stated = [world.agencies, world.countries, world.languages, world.users, world.projects]
    const isDate = (text: string) => /^month[+-]\d+\/\d\d$/.test(text)
    const texts = textsIn(stated).filter((text) => !isDate(text))
    expect(texts.length).toBeGreaterThan(120)
    expect(texts.filter((text) => !shown.has(text))).toEqual([])
    expect(shown).toContain(world.tokens[2].name)
  })

  test('2.7 what is ready to embed has only the elements h3 and p (T18)', async () => {
    await using client = await openScenario('unicode-and-html')
    const fragments: string[] = []
    for (const { id } of world.projects) {
      const { keywords } = await read(client, `/projects/${id}/reports/1/content`)
      fragments.push(...textsIn(keywords.map(({ html }: any) => html)))
    }
    expect(fragments).toHaveLength(11)
    const inside = fragments.map((html) =>
      /^<h3>([^]*)<\/h3>\n<p>([^]*)<\/p>$/.exec(html)?.slice(1),
    )
    expect(inside.flat().filter((text) => text === undefined || /[<>"]/.test(text))).toEqual([])
    expect(fragments[0]).toBe(
      "<h3>Why &lt;em&gt;not&lt;/em&gt; &amp; &quot;how&quot;?</h3>\n<p>&lt;script&gt;alert(&quot;text&quot;)&lt;/script&gt;\n5 &lt; 6 &amp;&amp; 7 &gt; 6, it's &amp;amp; it was &amp;lt;b&amp;gt;</p>",
    )
  })
})

test('4.9 empty-agency has nothing to list, not even for a super-admin', async () => {
  await using client = await openScenario('empty-agency')
  for (const token of ['sandbox-unlimited', 'sandbox-super']) {
    for (const path of ['/countries', '/languages', '/users']) {
      expect((await client.send({ path, token })).body).toEqual({ data: [] })
    }
    const { body } = await client.send({ path: '/projects', token })
    expect(body).toMatchObject({
      data: [],
      meta: { current_page: 1, total: 0, last_page: 1 },
      links: { prev: null, next: null },
    })
  }
})

describe('five-agencies', () => {
  test.each([
    ['sandbox-super', '', [101, 102, 103, 104, 105, 106, 107, 108, 109]],
    ['sandbox-super', 'agency_id=1', [101, 106, 109]],
    ['sandbox-super', 'agency_id=2', [103, 107]],
    ['sandbox-super', 'agency_id=3', []],
    ['sandbox-super', 'agency_id=4', [102]],
    ['sandbox-super', 'agency_id=5', [104, 105, 108]],
    ['sandbox-agency', '', [101, 106, 109]],
  ])('4.3 %s with "%s" sees %j', async (token, query, expected) => {
    await using client = await openScenario('five-agencies')
    const { body } = await client.send({ path: '/projects', token, query })
    expect(body.data.map(({ id }: any) => id)).toEqual(expected)
  })

  test('5(7) an agency has its own users, even if others manage its projects', async () => {
    await using client = await openScenario('five-agencies')
    const users = await read(client, '/users')
    expect(users.map(({ id }: any) => id)).toEqual([11, 12])
    expect(await read(client, '/projects/109')).toMatchObject({
      managing_user: { id: 31, agency: null },
    })
    const { body } = await client.send({ path: '/projects/107', token: 'sandbox-super' })
    expect(body.data).toMatchObject({
      agency: 'Agentur Wiesenkauz',
      managing_user: { id: 11, agency: { id: 1 } },
    })
  })
})

describe('the whole sequence', () => {
  test('2.6 all-26-reports has 26 reports of each project', async () => {
    await using client = await openScenario('all-26-reports')
    for (const project of [101, 102, 103, 104]) {
      expect(await read(client, `/projects/${project}/reports`)).toHaveLength(26)
    }
  })

  test('2.8 large-project has 400 keywords with up to 26 reports each', async () => {
    await using client = await openScenario('large-project')
    const keywords = await read(client, '/projects/101/keywords')
    const counts = keywords.map(({ content_count }: any) => content_count)
    expect(counts).toHaveLength(400)
    expect(counts.filter((count: number) => count === 26)).toHaveLength(343)
    expect(counts.filter((count: number) => count === 13)).toHaveLength(57)
    const odd = await client.send({
      path: '/projects/101/reports/25/content',
      token: 'sandbox-agency',
    })
    expect(odd.text.length).toBeGreaterThan(100_000)
    const { summary } = await read(client, '/projects/101/reports/26/content')
    expect(summary).toEqual({ keyword_count: 400, keywords_with_content: 343 })
  })
})

describe('names-of-the-world', () => {
  const world = parse(readScenario('names-of-the-world'))

  test.each([
    ['Arabic', 101],
    ['Hebrew', 102],
    ['Greek', 103],
    ['Cyrillic', 104],
    ['Han', 105],
    ['Hangul', 106],
    ['Devanagari', 107],
  ])('2 has %s in each text of project %i', async (script, id) => {
    await using client = await openScenario('names-of-the-world')
    const { name, text_language, keywords } = await read(client, `/projects/${id}`)
    const content = await read(client, `/projects/${id}/reports/1/content`)
    const [{ keyword, content: blocks }] = content.keywords
    const pattern = new RegExp(`\\p{Script=${script}}`, 'u')
    for (const text of [name, text_language.label, keyword, blocks[0].h3, blocks[0].text])
      expect(text).toMatch(pattern)
    expect(keywords).not.toEqual([])
  })

  test('2.7 the web page of a report shows every character, and the PDF says that it cannot', async () => {
    const server = await startServer({
      port: 0,
      scenario: 'names-of-the-world',
      rateLimit: 'unlimited',
    })
    onTestFinished(() => server.close())
    for (const { id, name, keywords, reports } of world.projects) {
      const headers = { authorization: 'Bearer sandbox-agency' }
      const { data }: any = await (
        await fetch(`${server.url}/api/v1/projects/${id}/reports/latest`, { headers })
      ).json()
      const page = await (await fetch(data.web_link)).text()
      const blocks = Object.values<any>(reports[0].content).flat()
      const texts = [
        name,
        reports[0].report_name,
        ...keywords.map(({ keyword }: any) => keyword),
        ...blocks.flatMap(({ h3, text }) => [h3, text]),
      ]
      for (const text of texts) expect(page).toContain(escapeHtml(text))
      const pdf = Buffer.from(await (await fetch(data.pdf_link)).arrayBuffer()).toString('latin1')
      expect(pdf).toContain('The web page shows all of them.')
    }
  })
})
