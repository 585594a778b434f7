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

/** Values from the data that questions refer to. */
interface Subjects {
  /** Agency of the token; null for a super-admin's token. */
  agency: number | string | null
  project: number | string
  country: number | string
  language: number | string
  user: number | string
  status: string
  /**
   * Search texts: up to three letters of a project's name in inverted case, and up to three without accents. The report of the
   * comparison may show these texts, so longer ones would reveal names.
   */
  fragments: string[]
  /** Paths of reports whose contents may differ in kind. */
  reports: string[]
}

/** Returns requests whose answers show the service's policies, for the data that was read. */
export function questionsAbout(answers: Answers, contents: Contents): ServiceRequest[] {
  return listQuestions(findSubjects(answers, contents))
}

/** The questions of a plan, with placeholders in place of data. */
export const PLANNED_QUESTIONS = listQuestions({
  agency: '{agency}',
  project: '{project}',
  country: '{country}',
  language: '{language}',
  user: '{user}',
  status: '{status}',
  fragments: ['{letters}'],
  reports: ['/projects/{project}/reports/{report_number}'],
})

function listQuestions(subjects: Subjects): ServiceRequest[] {
  const { agency, project, country, language, user, status, fragments, reports } = subjects
  const content = (number: string | number, of: string | number = project) =>
    `/projects/${of}/reports/${number}/content`
  const toQuestion = (path: string): ServiceRequest => ({
    path: API_PREFIX + path,
    role: 'question',
  })
  const usual = [
    // Paths and ids
    '/nothing',
    '/me/',
    '/countries/abc',
    '/projects/abc',
    `/countries/0${country}`,
    `/projects/${project}abc`,
    `/countries/${country}`,
    `/languages/${language}`,
    `/users/${user}`,
    `/countries/${UNKNOWN_ID}`,
    `/users/${UNKNOWN_ID}`,
    `/projects/${UNKNOWN_ID}`,
    // Pages
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
    `/projects/${project}/reports?page=${UNKNOWN_ID}`,
    // Filters
    `/projects?search=${UNKNOWN_TEXT}`,
    '/projects?search=%25',
    '/projects?search=_',
    ...fragments.map((letters) => `/projects?search=${encodeURIComponent(letters)}`),
    `/projects?status=${encodeURIComponent(status)}`,
    `/projects?status=${encodeURIComponent(inOtherCase(status))}`,
    `/projects?status=${UNKNOWN_TEXT}`,
    ...(agency === null ? [] : [`/projects?agency_id=${agency}`]),
    `/projects?agency_id=${UNKNOWN_ID}`,
    '/projects?agency_id=abc',
    // Unknown parameters
    '/projects?sort=id',
    '/me?sort=id',
    `/projects/${project}?sort=id`,
    // Report numbers
    content(0),
    content(LAST_REPORT_NUMBER + 1),
    content('abc'),
    content('01'),
    content(LAST_REPORT_NUMBER + 1, UNKNOWN_ID),
    content('abc', UNKNOWN_ID),
    ...reports.map((report) => `${report}/content`),
  ].map(toQuestion)
  const withoutAccept = ['/nothing', `/projects/${UNKNOWN_ID}`, '/projects?sort=id'].map(
    (path) => ({
      ...toQuestion(path),
      acceptsJson: false as const,
    }),
  )
  // Questions without a token come last, because a service may count them.
  return [
    ...usual,
    ...withoutAccept,
    { ...toQuestion('/me'), authorization: 'lower-case' },
    { ...toQuestion('/me'), authorization: 'none' },
    { ...toQuestion('/me'), authorization: 'none', acceptsJson: false },
  ]
}

function inOtherCase(text: string): string {
  const upper = text.toUpperCase()
  return upper === text ? text.toLowerCase() : upper
}

function findSubjects(answers: Answers, contents: Contents): Subjects {
  const projects = listAt('/projects', answers)
  const ids = idsIn(projects)
  const first = (list: string) => idsIn(listAt(list, answers))[0] ?? UNKNOWN_ID
  const agency = fieldOf(answers.bodyOf('/me'), 'agency_id')
  const status = projects.map((project) => fieldOf(project, 'status')).find(isText)
  return {
    agency: agency === null || isId(agency) ? agency : UNKNOWN_ID,
    project: ids[0] ?? UNKNOWN_ID,
    country: first('/countries'),
    language: first('/languages'),
    user: first('/users'),
    status: status ?? 'active',
    fragments: findFragments(projects.map((project) => fieldOf(project, 'name')).filter(isText)),
    reports: findReports(ids, contents, answers),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

const LETTERS = 3

function findFragments(names: readonly string[]): string[] {
  const [plain] = names.flatMap((name) => /\p{L}{2,3}/u.exec(name)?.[0] ?? [])
  const accented = names
    .flatMap((name) => name.match(/\p{L}+/gu) ?? [])
    .map(
      (word) =>
        [Array.from(word.toLowerCase().normalize('NFC')), Array.from(foldAccents(word))] as const,
    )
    .flatMap(([word, folded]) => {
      const at = word.findIndex((letter, place) => letter !== folded[place])
      const isShort = at === -1 || word.length < 2
      return isShort
        ? []
        : [
            folded
              .slice(Math.max(0, at - 1))
              .slice(0, LETTERS)
              .join(''),
          ]
    })
  return [...new Set([...(plain ? [inOtherCase(plain)] : []), ...accented.slice(0, 1)])]
}

const MAXIMUM_SEARCHED_PROJECTS = 10

/**
 * Returns the paths of reports whose contents may differ in kind: one for each combination of status and links, one that lists
 * omit, and one with an inactive keyword.
 */
function findReports(projects: readonly number[], contents: Contents, answers: Answers): string[] {
  const found = new Map<string, string>()
  const note = (kind: string, project: number, number: unknown) => {
    const path = `/projects/${project}/reports/${String(number)}`
    if (!found.has(kind) && isId(number)) found.set(kind, path)
  }
  for (const project of projects.slice(0, MAXIMUM_SEARCHED_PROJECTS)) {
    const listed = listAt(`/projects/${project}/reports`, answers)
    const numbers = listed
      .map((report) => fieldOf(report, 'report_number'))
      .filter((one) => isId(one))
    for (const report of listed) {
      const isOpen = fieldOf(report, 'status') !== 'completed'
      if (!isOpen && contents === 'none') continue
      const links = [fieldOf(report, 'web_link') === null, fieldOf(report, 'pdf_link') === null]
      const kind = [fieldOf(report, 'status'), ...links].join(' ')
      note(kind, project, fieldOf(report, 'report_number'))
    }
    const holes = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => index + 1)
    note(
      'unlisted',
      project,
      holes.find((number) => !numbers.includes(number)),
    )
  }
  if (contents === 'none') return [...found.values()]
  for (const project of projects) {
    const path = inactiveContent(project, answers)
    if (path !== undefined) found.set('inactive', path)
  }
  return [...found.values()]
}

/**
 * Returns the path of a report with content for a keyword that the last generated content omits; undefined if there is none.
 */
function inactiveContent(project: number, answers: Answers): string | undefined {
  const path = `/projects/${project}`
  const last = fieldOf(
    fieldOf(answers.bodyOf(`${path}/reports/last-generated`), 'data'),
    'report_number',
  )
  const content = answers.bodyOf(`${path}/reports/${String(last)}/content`)
  const entries = fieldOf(fieldOf(content, 'data'), 'keywords')
  if (!Array.isArray(entries)) return undefined
  const shown = new Set(entries.map((entry) => fieldOf(entry, 'keyword_id')))
  const numbers = listAt(`${path}/keywords`, answers)
    .filter((keyword) => !shown.has(fieldOf(keyword, 'id')))
    .map((keyword) => fieldOf(keyword, 'content_action_ids'))
  const [number] = numbers.flat()
  return isId(number) ? `${path}/reports/${number}` : undefined
}
