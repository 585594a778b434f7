import { LAST_REPORT_NUMBER } from '../contract/limits.ts'
import { API_PREFIX } from '../contract/url.ts'
import { foldAccents } from '../engine/search.ts'
import { fieldOf } from './question.ts'
import type { Answers, ServiceRequest } from './question.ts'
import { isId } from '../records/integrity.ts'
import { idsIn, listAt } from './reading.ts'
import type { Contents } from './reading.ts'

const UNKNOWN_ID = 999_999_999
const UNKNOWN_TEXT = 'qxzqxz'

const toQuestion = (path: string): ServiceRequest => ({ path: API_PREFIX + path, role: 'question' })

/** Requests whose answers show the service's policies, with placeholders in braces. */
export const QUESTIONS: readonly ServiceRequest[] = [
  ...[
    '/nothing',
    '/me/',
    '/countries/abc',
    '/projects/abc',
    '/countries/0{country}',
    '/projects/{project}abc',
    '/countries/{country}',
    '/languages/{language}',
    '/users/{user}',
    `/countries/${UNKNOWN_ID}`,
    `/users/${UNKNOWN_ID}`,
    `/projects/${UNKNOWN_ID}`,
    '/projects?page=0',
    '/projects?page=abc',
    `/projects?page=${UNKNOWN_ID}`,
    '/projects?per_page=0',
    '/projects?per_page=abc',
    '/projects?per_page=101',
    '/projects?per_page=1',
    '/projects?per_page=1&page=2',
    '/projects?per_page=1&per_page=2',
    '/projects?page=1&page=2',
    '/projects?page=',
    '/projects?status=',
    '/projects?search=',
    '/countries?per_page=1',
    `/projects/{project}/reports?page=${UNKNOWN_ID}`,
    `/projects?search=${UNKNOWN_TEXT}`,
    '/projects?search=%25',
    '/projects?search=_',
    '/projects?search={letters}',
    '/projects?status={status}',
    '/projects?status={status_in_other_case}',
    `/projects?status=${UNKNOWN_TEXT}`,
    '/projects?agency_id={agency}',
    `/projects?agency_id=${UNKNOWN_ID}`,
    '/projects?agency_id=abc',
    '/projects?sort=id',
    '/me?sort=id',
    '/projects/{project}?sort=id',
    ...[0, LAST_REPORT_NUMBER + 1, 'abc', '01'].map(
      (number) => `/projects/{project}/reports/${number}/content`,
    ),
    ...[LAST_REPORT_NUMBER + 1, 'abc'].map(
      (number) => `/projects/${UNKNOWN_ID}/reports/${number}/content`,
    ),
    '{report}/content',
  ].map(toQuestion),
  ...['/nothing', `/projects/${UNKNOWN_ID}`, '/projects?sort=id'].map((path) => ({
    ...toQuestion(path),
    acceptsJson: false as const,
  })),
  // Last, because a service may limit failed authentications.
  { ...toQuestion('/me'), authorization: 'lower-case' },
  { ...toQuestion('/me'), authorization: 'none' },
  { ...toQuestion('/me'), authorization: 'none', acceptsJson: false },
]

/**
 * Returns the questions. A question with a placeholder is asked once for each value of the placeholder that was read, and left out
 * if there is no value.
 */
export function questionsAbout(answers: Answers, contents: Contents): ServiceRequest[] {
  const subjects = findSubjects(answers, contents)
  return QUESTIONS.flatMap((question) => {
    const [placeholder = '', name] = /\{(\w+)\}/.exec(question.path) ?? []
    if (name === undefined) return [question]
    const values = subjects[name] ?? []
    return values.map((value) => ({
      ...question,
      path: question.path.replace(placeholder, String(value)),
    }))
  })
}

function inOtherCase(text: string): string {
  const upper = text.toUpperCase()
  return upper === text ? text.toLowerCase() : upper
}

function findSubjects(
  answers: Answers,
  contents: Contents,
): Readonly<Record<string, readonly (number | string)[]>> {
  const projects = listAt('/projects', answers)
  const first = (list: string) => [idsIn(listAt(list, answers))[0] ?? UNKNOWN_ID]
  const agency = fieldOf(answers.bodyOf('/me'), 'agency_id')
  const status = projects.map((project) => fieldOf(project, 'status')).find(isText) ?? 'active'
  const names = projects.map((project) => fieldOf(project, 'name')).filter(isText)
  return {
    // A super-admin's token has no agency.
    agency: agency === null ? [] : [isId(agency) ? agency : UNKNOWN_ID],
    project: first('/projects'),
    country: first('/countries'),
    language: first('/languages'),
    user: first('/users'),
    status: [encodeURIComponent(status)],
    status_in_other_case: [encodeURIComponent(inOtherCase(status))],
    letters: findFragments(names).map(encodeURIComponent),
    report: findReports(idsIn(projects), contents, answers),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/**
 * Returns up to two search texts from the projects' names: one in another case, and one without its accents. Each has two or
 * three letters, because the report of the comparison may show it, and a longer text would reveal a name.
 */
function findFragments(names: readonly string[]): string[] {
  const parts = names.flatMap((name) => name.normalize('NFC').match(/\p{L}{2,3}/gu) ?? [])
  const [plain] = parts
  const accented = parts.find((part) => foldAccents(part) !== part.toLowerCase())
  return [...(plain ? [inOtherCase(plain)] : []), ...(accented ? [foldAccents(accented)] : [])]
}

const MAXIMUM_SEARCHED_PROJECTS = 10

/**
 * Returns the paths of reports whose contents may differ in kind: one for each combination of status and missing links, and one
 * report that lists omit.
 */
function findReports(projects: readonly number[], contents: Contents, answers: Answers): string[] {
  const found = new Map<string, string>()
  const note = (kind: string, project: number, number: unknown) => {
    if (!found.has(kind) && isId(number)) found.set(kind, `/projects/${project}/reports/${number}`)
  }
  for (const project of projects.slice(0, MAXIMUM_SEARCHED_PROJECTS)) {
    const listed = listAt(`/projects/${project}/reports`, answers)
    const numbers = listed.map((report) => fieldOf(report, 'report_number')).filter(isId)
    for (const report of listed) {
      const status = fieldOf(report, 'status')
      if (status === 'completed' && contents === 'none') continue
      const links = [fieldOf(report, 'web_link') === null, fieldOf(report, 'pdf_link') === null]
      note([status, ...links].join(' '), project, fieldOf(report, 'report_number'))
    }
    const holes = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => index + 1)
    note(
      'unlisted',
      project,
      holes.find((number) => !numbers.includes(number)),
    )
  }
  return [...found.values()]
}
