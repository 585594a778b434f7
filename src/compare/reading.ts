import { isId } from '../records/integrity.ts'
import { REFERENCES } from '../contract/collection-facts.ts'
import { API_PREFIX, parseUrl } from '../contract/url.ts'
import { fieldOf, itemsOf, toJsonValue, toRead } from './question.ts'
import type { Answers, ServiceRequest } from './question.ts'

/**
 * Reports whose content is read: `latest` for the last generated report of each project, `all` for all listed reports. Both
 * include unlisted reports that keywords name.
 */
export type Contents = 'latest' | 'all' | 'none'

/** Lists for the whole agency, which may have several pages. */
export const LISTS = ['/countries', '/languages', '/users', '/projects'] as const

/** Paths to read below each project, in addition to report contents. */
export const OF_PROJECT = [
  '',
  '/reports',
  '/reports/latest',
  '/reports/last-generated',
  '/keywords',
] as const

/**
 * Yields the requests that provide the data of a fixture, in order. Later requests depend on earlier answers, so take each
 * request only after the answer to the previous one has been added to `answers`.
 */
export function* readingRequests(answers: Answers, contents: Contents): Generator<ServiceRequest> {
  yield toRead('/me')
  for (const list of LISTS) yield* pagesOf(list, answers)
  for (const project of idsIn(listAt('/projects', answers))) {
    const path = `/projects/${project}`
    for (const part of OF_PROJECT) yield* pagesOf(path + part, answers)
    for (const number of numbersOf(path, contents, answers)) {
      yield toRead(`${path}/reports/${number}/content`)
    }
  }
  yield* requestsForReferences(answers)
}

/** Yields the requests for the pages of a list, as far as the answers link to them. */
function* pagesOf(path: string, answers: Answers): Generator<ServiceRequest> {
  const seen = new Set<string>()
  let next: string | undefined = path
  while (next !== undefined && !seen.has(next)) {
    seen.add(next)
    yield toRead(next)
    next = nextPage(path, answers.bodyOf(next))
  }
}

/** Returns the path of the next page, below `/api/v1`; undefined without a link to another page of the same list. */
function nextPage(path: string, body: unknown): string | undefined {
  const link = fieldOf(fieldOf(body, 'links'), 'next')
  const url = typeof link === 'string' ? parseUrl(link.replace(/^(?=\/)/, 'http://x')) : undefined
  return url?.pathname.endsWith(API_PREFIX + path) ? path + url.search : undefined
}

/** Returns the items of a list from all its pages. */
export function listAt(path: string, answers: Answers): unknown[] {
  return [...pagesOf(path, answers)].flatMap((page) =>
    itemsOf(answers.bodyOf(page.path.slice(API_PREFIX.length))),
  )
}

function numbersOf(project: string, contents: Contents, answers: Answers): number[] {
  if (contents === 'none') return []
  const listed = listAt(`${project}/reports`, answers).map(numberOf)
  const last = numberOf(fieldOf(answers.bodyOf(`${project}/reports/last-generated`), 'data'))
  // A keyword may name the number of a report that the list omits.
  const named = listAt(`${project}/keywords`, answers).flatMap((keyword) => {
    const numbers = fieldOf(keyword, 'content_action_ids')
    return Array.isArray(numbers) ? numbers.filter((number) => !listed.includes(number)) : []
  })
  const wanted = [...(contents === 'all' ? listed : [last]), ...named]
  return [...new Set(wanted)].filter((number) => isId(number))
}

function numberOf(report: unknown): unknown {
  return fieldOf(report, 'report_number')
}

/** Yields a request for each user, country and language that an answer refers to but no list contains. */
function* requestsForReferences(answers: Answers): Generator<ServiceRequest> {
  const bodies = answers.all
    .filter(({ status }) => status === 200)
    .map(({ body }) => toJsonValue(body))
  const records = bodies.flatMap((body) => [fieldOf(body, 'data'), ...itemsOf(body)])
  for (const [field, kind] of Object.entries({ ...REFERENCES.projects, ...REFERENCES.reports })) {
    // Agencies have no endpoint.
    if (kind === 'agencies') continue
    const listed = new Set(idsIn(listAt(`/${kind}`, answers)))
    const named = idsIn(records.map((record) => fieldOf(record, field)))
    for (const id of named) if (!listed.has(id)) yield toRead(`/${kind}/${id}`)
  }
}

export function idsIn(items: readonly unknown[]): number[] {
  return [...new Set(items.map((item) => fieldOf(item, 'id')))].filter((id) => isId(id))
}
