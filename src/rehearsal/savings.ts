import { toEndpoint } from '../contract/endpoint.ts'
import { MAXIMUM_PER_PAGE } from '../contract/limits.ts'
import type { OperationId } from '../contract/routes.ts'
import type { Asked, RunLoad } from './run-load.ts'

/** How a client could send fewer requests for an endpoint. */
interface Saving {
  /** The share of them that it could leave out. */
  share: number
  /** In sentences. */
  instead: string
}

/** Lists with the same fields as each of their records (specification 4.9). */
const LISTS: Partial<Record<Asked, OperationId>> = {
  getCountry: 'listCountries',
  getLanguage: 'listLanguages',
  getUser: 'listUsers',
}

/** Which other response has the same data, for more projects or without a further request (specification 2.4, 2.7). */
const ELSEWHERE: Partial<Record<Asked, string>> = {
  getProject: `A page of GET /projects has the name, the status, the number of keywords and the latest report of ${MAXIMUM_PER_PAGE} projects. Read single projects only for their other fields.`,
  getLatestReport: `A page of GET /projects has the id, the number and the status of the same report, for ${MAXIMUM_PER_PAGE} projects. Read single reports only for their other fields.`,
  listKeywords:
    'The content of a report has its keywords too, each with its id and URL. Read the list only for positions and coverage.',
}

/** If at least this share of the requests is repeated, that is what to change first. */
const MOSTLY = 0.5

/** How to get the same data with fewer requests; undefined if there is no way. */
export function findSaving(asked: Asked, loads: readonly RunLoad[]): Saving | undefined {
  const total = sum(loads, ({ requests }) => requests.get(asked))
  const runs = loads.filter(({ requests }) => requests.has(asked)).length
  // Requests that only a few runs send do not limit the number of projects.
  if (runs * 2 < loads.length) return undefined
  const repeated = sum(loads, (load) => load.repeated.get(asked)) / total
  const again: Saving = {
    share: repeated,
    instead: `${percent(repeated)} of these requests were for what the same run had read before. Keep it until the run ends.`,
  }
  if (repeated >= MOSTLY) return again
  return findOther(asked, { loads, runs, total }) ?? (repeated > 0 ? again : undefined)
}

interface Asking {
  loads: readonly RunLoad[]
  /** How many of the runs request the endpoint, and how many requests for it they send. */
  runs: number
  total: number
}

function findOther(asked: Asked, { loads, runs, total }: Asking): Saving | undefined {
  const elsewhere = ELSEWHERE[asked]
  if (elsewhere !== undefined) return { share: 1, instead: elsewhere }
  const list = LISTS[asked]
  if (list) {
    const instead = `${toEndpoint(list)} has all of them, with the same fields.`
    return runs < total ? { share: 1 - runs / total, instead } : undefined
  }
  if (asked === 'listProjects') return findLargerPages(loads)
  if (asked === 'getReportContent') return findKnownReports(loads, total)
  if (asked !== 'getLastGeneratedReport') return undefined
  const lists = sum(loads, ({ requests }) => requests.get('listReports'))
  const instead = `${toEndpoint('listReports')}, which the client reads too, shows all completed reports.`
  return lists >= total * NEARLY_AS_MANY ? { share: 1, instead } : undefined
}

const NEARLY_AS_MANY = 0.9

function findLargerPages(loads: readonly RunLoad[]): Saving | undefined {
  const perPage = Math.min(...loads.map((load) => load.perPage))
  if (perPage === MAXIMUM_PER_PAGE) return undefined
  return {
    share: 1 - perPage / MAXIMUM_PER_PAGE,
    instead: `A page can have ${MAXIMUM_PER_PAGE} projects, as it has by default. These had ${perPage}.`,
  }
}

function findKnownReports(loads: readonly RunLoad[], total: number): Saving | undefined {
  const known = new Set<number>()
  let again = 0
  for (const { completed } of loads) {
    for (const id of completed) {
      if (known.has(id)) again += 1
      known.add(id)
    }
  }
  if (again === 0) return undefined
  const share = again / total
  return {
    share,
    instead: `${percent(share)} of these requests were for reports that an earlier run had read. Read the content only of those whose id is not known yet.`,
  }
}

function sum(loads: readonly RunLoad[], count: (load: RunLoad) => number | undefined): number {
  return loads.reduce((total, load) => total + (count(load) ?? 0), 0)
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}
