import { API_PREFIX } from '../contract/url.ts'
import { estimateMs } from './ask.ts'
import type { Rate } from './ask.ts'
import { QUESTIONS } from './questions.ts'
import { LISTS, OF_PROJECT } from './reading.ts'
import type { Contents } from './reading.ts'

/** Size of an agency, assumed before any request is sent. */
const ASSUMED = { projects: 40, reports_per_project: 12 }

const CONTENTS_OF_PROJECT: Record<Contents, number> = {
  latest: 1,
  all: ASSUMED.reports_per_project,
  none: 0,
}

const OF_AGENCY = ['/me', ...LISTS]

interface AskingPlan {
  /** Requests of the comparison. Values that are not known yet are placeholders in braces. */
  requests: { method: 'GET'; path: string }[]
  per_project: number
  estimate_s: number
  assumes: typeof ASSUMED
}

export function toPlan(contents: Contents, rate: Rate, share: number): AskingPlan {
  const ofProject = [
    ...OF_PROJECT,
    ...(contents === 'none' ? [] : ['/reports/{report_number}/content']),
  ].map((part) => `/projects/{project}${part}`)
  const paths = [...OF_AGENCY, ...ofProject].map((path) => API_PREFIX + path)
  const requests = [...paths, ...QUESTIONS.map(({ path }) => path)]
  const count = countRequests(ASSUMED.projects, contents)
  return {
    requests: requests.map((path) => ({ method: 'GET', path })),
    per_project: countOfProject(contents),
    estimate_s: Math.ceil(estimateMs(count, rate, share) / 1000),
    assumes: ASSUMED,
  }
}

/** Returns the approximate number of requests of a comparison. */
export function countRequests(projects: number, contents: Contents): number {
  return OF_AGENCY.length + projects * countOfProject(contents) + QUESTIONS.length
}

function countOfProject(contents: Contents): number {
  return OF_PROJECT.length + CONTENTS_OF_PROJECT[contents]
}
