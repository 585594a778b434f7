import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOpenApi } from '../../scripts/openapi/create-openapi.ts'
import { createControlOpenApi } from '../../scripts/openapi/create-control-openapi.ts'
import type { CollectionName } from '../../src/contract/collection-facts.ts'
import { LAST_REPORT_NUMBER } from '../../src/contract/limits.ts'
import type { AnyRecord } from '../../src/contract/records.ts'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { COUNTRIES, LOCALES } from '../../src/contract/locales.ts'
import { runs } from '../support/depth.ts'
import { createMisfitFinder } from '../support/misfits.ts'

/** Generated worlds respond as both documents state, and hold records that a fixture may have. */

const about = { version: '1', baseUrl: '' }
const findMisfit = createMisfitFinder(
  createOpenApi({
    ...about,
    examples: { responses: {}, problems: {}, htmlPage: '' } as never,
  }),
)
const findMisfitOfControl = createMisfitFinder(createControlOpenApi(about))
const SCHEMA = ['responses', '200', 'content', 'application/json', 'schema']

/** The documented path of a request for an existing record. */
function operationOf(path: string): string {
  const [, one = '', id, part, which, content] = path.replace(/\?.*/, '').split('/')
  const name = { countries: 'country', languages: 'language', users: 'user' }[one] ?? 'project'
  const number = content === undefined ? which : '{report_number}'
  return [`/${one}`, id && `{${name}}`, part, number, content].filter(Boolean).join('/')
}

const NOW = { now: '2026-03-15T12:00:00Z', frozen: true, rateLimit: 'unlimited' } as const
const WORLDS: [name: string, hasVariety: boolean, options: SandboxOptions][] = [
  ['the demo', true, { ...NOW, demo: true }],
  ['a usual world', false, { ...NOW, generate: { projects: 12, locale: ['sv', 'nl'] } }],
  [
    'a world that reads move',
    true,
    {
      ...NOW,
      fixtures: {
        version: 1,
        generate: { projects: 30, variety: true },
        progress: { mode: 'reads' },
      },
    },
  ],
]

/** All projects at full depth; otherwise some, with each scheme among them. */
function someProjects({ world: { records } }: Sandbox): number[] {
  const step = Math.round(10 / runs(10))
  const ids = records.all('projects').map(({ id }) => id)
  const schemeOf = (id: number) => records.reportsOf(id)[0]?.content_scheme
  const article = ids.find((id) => schemeOf(id) === 'article')
  return ids.filter((id, index) => index % step === 0 || id === article)
}

/** A function that gets the data of a path, undefined for 404, and expects the response to fit the document. */
function reader(sandbox: Sandbox) {
  const headers = { authorization: 'Bearer sandbox-super' }
  return async (path: string): Promise<any> => {
    const response = await sandbox.fetch(`/api/v1${path}`, { headers })
    const body: any = await response.json()
    if (response.status === 404) return undefined
    const at = ['paths', operationOf(path), 'get', ...SCHEMA]
    expect([path, findMisfit(at, body)]).toEqual([path, undefined])
    return body.data
  }
}

describe.each(LOCALES)('worlds in %s, of any seed,', (locale) => {
  test('have names and domains of their own, and answers that fit the document', async () => {
    const generate = { projects: 6, agencies: 2, keywords: 6, reports: 3, locale }
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 9 }), async (seed) => {
        const sandbox = await createSandbox({ ...NOW, seed, generate })
        const get = reader(sandbox)
        for (const list of ['/countries', '/languages', '/users', '/projects']) await get(list)
        const { records } = sandbox.world
        expect(records.all('countries').map(({ label }) => label)).toEqual([
          COUNTRIES[locale].label,
        ])
        const projects = records.all('projects')
        for (const field of ['name', 'domain'] as const)
          expect(new Set(projects.map((project) => project[field])).size).toBe(6)
        for (const { id, domain, contact_email, client_emails } of projects) {
          await get(`/projects/${id}`)
          expect(domain).toMatch(/^https:\/\/[a-z]+(?:-[a-z]+)*\.example$/)
          for (const address of [contact_email!, ...client_emails])
            expect(`https://${address.split('@')[1]}`).toBe(domain)
          const keywords = await get(`/projects/${id}/keywords`)
          expect(new Set(keywords.map(({ keyword }: any) => keyword)).size).toBe(6)
          await get(`/projects/${id}/reports/latest`)
          const content = await get(`/projects/${id}/reports/1/content`)
          expect(JSON.stringify(content)).not.toMatch(/\{\w+\}|undefined/)
        }
      }),
      { numRuns: runs(100, 2) },
    )
  })
})

describe.each(WORLDS)('%s', (_, hasVariety, options) => {
  test('2.7 gives answers that fit the document, with content and html that are lists or maps', async () => {
    const sandbox = await createSandbox(options)
    const get = reader(sandbox)
    const shapes = new Set<string>()
    for (const path of ['/me', '/projects']) await get(path)
    for (const list of ['/countries', '/languages', '/users'])
      for (const { id } of await get(list)) await get(`${list}/${id}`)
    for (const id of someProjects(sandbox)) {
      const path = `/projects/${id}`
      const lists = ['/keywords', '/reports', '/reports/latest', '/reports/last-generated']
      for (const part of ['', ...lists]) await get(`${path}${part}`)
      for (let number = 1; number <= LAST_REPORT_NUMBER; number += 1) {
        const data = await get(`${path}/reports/${number}/content`)
        for (const { content, html } of data?.keywords ?? [])
          if (content) shapes.add(`${data.content_scheme}: ${shapeOf(content)}, ${shapeOf(html)}`)
      }
    }
    const usual = 'h3_text_blocks: [{h3: text, text: text}], [{h3_and_text: text}]'
    const article =
      'article: {title: text, sections: [{heading: text, paragraphs: [text]}]}, {title: text, sections: [text]}'
    expect(shapes).toEqual(new Set(hasVariety ? [usual, article] : [usual]))
  })

  test('has records that stay as they are when they are put as they were got', async () => {
    const sandbox = await createSandbox(options)
    const { records } = sandbox.world
    const put = async (collection: CollectionName, record: AnyRecord): Promise<void> => {
      const got = JSON.parse(JSON.stringify(record))
      const at = ['paths', '/records/{collection}/{id}', 'get', ...SCHEMA]
      expect([got, findMisfitOfControl(at, got)]).toEqual([got, undefined])
      const { record: after } = await sandbox.command({
        type: 'record.put',
        collection,
        record: got,
      })
      expect(after).toEqual(got)
    }
    for (const name of ['agencies', 'countries', 'languages', 'users', 'tokens'] as const)
      for (const record of records.all(name)) await put(name, record)
    for (const id of someProjects(sandbox)) {
      const [keywords, reports] = [records.keywordsOf(id), records.reportsOf(id)]
      await put('projects', records.get('projects', id)!)
      for (const keyword of keywords) await put('keywords', keyword)
      for (const report of reports) await put('reports', report)
      expect(records.reportsOf(id)).toEqual(reports)
    }
  })
})

/** The shape of some JSON, by the first items of lists. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length > 0 ? shapeOf(value[0]) : ''}]`
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : 'text'
  const fields = Object.entries(value).map(([name, of]) => `${name}: ${shapeOf(of)}`)
  return `{${fields.join(', ')}}`
}
