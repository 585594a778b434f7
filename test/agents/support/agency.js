/** Fixtures that no agent has seen, and what a client of them should get: known from how they were made, not from what the sandbox says of them. */

/** The token of the client, and one that is refused. */
export const TOKEN = 'token-of-the-client'
export const REFUSED_TOKEN = 'refused-token'
/** With this the checks read what the client should have got: it has no limit. */
export const READER = { authorization: 'Bearer token-of-the-judge' }
const STATUSES = ['completed', 'completed', 'completed', 'running', 'pending', 'failed']

/** Numbers from 0 to below 1, always the same ones for a seed. */
function createRandom(seed) {
  let state = seed
  return () => {
    state = (state * 48_271 + 11) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/**
 * An agency as a fixture. Ids and dates of creation do not follow the numbers of reports, every fifth project is paused, every seventh has no reports,
 * and some reports are not of the regular type.
 */
export function anAgency({ seed, projects: count, reports = 4, limit = 'unlimited' }) {
  const random = createRandom(seed)
  const day = () => String(1 + Math.floor(random() * 28)).padStart(2, '0')
  const projects = Array.from({ length: count }, (_, index) => {
    const id = 4000 + ((index * 37) % 1009)
    const keyword = id * 10
    return {
      id,
      agency: 1,
      name: index % 4 === 0 ? `Æbler, "Øl" & Søn ${id}` : `Kunde ${id}`,
      status: index % 5 === 4 ? 'paused' : 'active',
      created_at: '2025-06-01',
      keywords: [{ id: keyword, keyword: `keyword ${keyword}`, create_date: '2025-06-02' }],
      reports: Array.from({ length: index % 7 === 6 ? 0 : reports }, (__, order) => {
        const reportId = id * 100 + ((order * 7 + seed) % 29)
        const status = STATUSES[Math.floor(random() * STATUSES.length)]
        return {
          id: reportId,
          report_number: order + 1,
          status,
          action_type: random() < 0.1 ? 'extra' : 'regular',
          created_at: `2025-${String(7 + Math.floor(random() * 6)).padStart(2, '0')}-${day()}`,
          date_to_create_texts: `2026-0${1 + Math.floor(random() * 6)}-${day()}`,
          ...(status === 'completed' && {
            content: {
              [keyword]: [{ h3: `Title ${reportId}`, text: `Text of report ${reportId}.` }],
            },
          }),
        }
      }),
    }
  })
  return {
    version: 1,
    now: '2026-03-16T09:00:00Z',
    agencies: [
      { id: 1, name: 'Nordlys Media' },
      { id: 2, name: 'Another Agency' },
    ],
    tokens: [
      { id: 1, name: 'Client', token: TOKEN, agency: 1, rate_limit: limit },
      { id: 2, name: 'Refused', token: REFUSED_TOKEN, agency: 1, status: 'disabled' },
      { id: 3, name: 'Judge', token: 'token-of-the-judge', agency: 1, rate_limit: 'unlimited' },
    ],
    projects: [
      ...projects,
      { id: 9999, agency: 2, name: 'Not ours', status: 'active', created_at: '2025-06-01' },
    ],
  }
}

/** A project of the agency whose reports have these statuses: number 1 has the first. Each was created a day after the one before. */
export function aProject(id, statuses) {
  return {
    id,
    agency: 1,
    name: `Kunde ${id}`,
    status: 'active',
    created_at: '2025-06-01',
    keywords: [{ id: id * 10, keyword: `keyword ${id}`, create_date: '2025-06-02' }],
    reports: statuses.map((status, index) => ({
      id: id * 100 + index + 1,
      report_number: index + 1,
      status,
      created_at: `2026-01-${String(index + 1).padStart(2, '0')}`,
      date_to_create_texts: `2026-03-${String(index + 1).padStart(2, '0')}`,
    })),
  }
}

/** The reports of our projects, each with its `project`. */
export function reportsOf({ projects }) {
  return projects
    .filter(({ agency }) => agency === 1)
    .flatMap((project) =>
      (project.reports ?? []).map((report) => ({ project: project.id, ...report })),
    )
}

export const completedOf = (fixture) =>
  reportsOf(fixture).filter(({ status }) => status === 'completed')

/** The order in which some reports are completed: any, the same for a seed. */
export function shuffled(items, seed) {
  const random = createRandom(seed)
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
