import { DEFAULT_PER_PAGE, MAXIMUM_PER_PAGE } from '../contract/limits.ts'
import type { RecordReader } from '../contract/records.ts'
import type { OperationId } from '../contract/routes.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { isRead, statusOf } from '../review/reading.ts'

/** What a request asks for; `unknown` for a path that belongs to no operation. */
export type Asked = OperationId | 'unknown'

/** What a run asked for, and how much there was to ask about. */
export interface RunLoad {
  /** The number of requests by operation, without those that the rate limit refused, as they are sent again. */
  requests: ReadonlyMap<Asked, number>
  /** Of these, those for a URL that the run had read before. */
  repeated: ReadonlyMap<Asked, number>
  /** The projects of the token when the run ended. */
  projects: { active: number; all: number }
  /** How many reports it read the content of. */
  reports: number
  /** The ids of those reports that were completed. */
  completed: ReadonlySet<number>
  /** The most projects on a page of its lists. */
  perPage: number
}

/** Measures a run that has just ended. `agency` is that of the token; null for all. */
export function measureLoad(
  sentRequests: readonly RecordedRequest[],
  { records, agency }: { records: RecordReader; agency: number | null },
): RunLoad {
  const requests = new Map<Asked, number>()
  const repeated = new Map<Asked, number>()
  const read = new Set<string>()
  const reports = new Set<string>()
  const completed = new Set<number>()
  let perPage = DEFAULT_PER_PAGE
  for (const recorded of sentRequests) {
    if (statusOf(recorded) === 429) continue
    const { target, query, shown } = recorded
    const { operation = 'unknown', path } = target
    const url = `${path}?${query}`
    addOne(requests, operation)
    if (read.has(url)) addOne(repeated, operation)
    if (!isRead(recorded)) continue
    read.add(url)
    if (operation === 'listProjects') perPage = Math.min(perPage, perPageOf(query))
    if (operation !== 'getReportContent') continue
    reports.add(path)
    for (const { id, status } of shown?.reports ?? []) if (status === 'completed') completed.add(id)
  }
  const count = (status?: string) =>
    records.projectsOf({ agency: agency ?? undefined, status }).length
  const projects = { active: count('active'), all: count() }
  return { requests, repeated, projects, reports: reports.size, completed, perPage }
}

function perPageOf(query: string): number {
  const stated = Number(new URLSearchParams(query).get('per_page'))
  return stated >= 1 ? Math.min(Math.floor(stated), MAXIMUM_PER_PAGE) : DEFAULT_PER_PAGE
}

function addOne(counts: Map<Asked, number>, asked: Asked): void {
  counts.set(asked, (counts.get(asked) ?? 0) + 1)
}
