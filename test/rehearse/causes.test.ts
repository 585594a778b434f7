import { describe, expect, test } from 'vitest'
import { formatReport, rehearse } from '../../src/rehearse.ts'
import type { RehearsalReport, RehearsedClient } from '../../src/rehearse.ts'
import { createRightClient, RIGHT, statusOf } from '../clients/right-client.ts'
import type { ClientParts, Project, ProjectPage } from '../clients/right-client.ts'
import { isFullDepth } from '../support/depth.ts'

/** A mistake is reported once, by its cause, even if several checks notice it; two mistakes are two causes. */

const OPTIONS = { profile: 'smoke', start: '2026-01-01', seed: '1' } as const

function rehearseWith(parts: Partial<ClientParts>): Promise<RehearsalReport> {
  return rehearse(createRightClient(parts).run, OPTIONS)
}

function causesOf({ causes }: RehearsalReport) {
  return causes.map(({ check }) => check)
}

describe('one mistake is one cause', () => {
  test('of a client that never waits, although several checks find it', async () => {
    const report = await rehearseWith({ pauseMs: () => 0 })
    const failed = report.checks.filter(({ result }) => result === 'failed').map(({ id }) => id)
    expect(failed).toEqual(expect.arrayContaining(['retry-after', 'backoff']))
    expect(causesOf(report)).toEqual(['retry-after'])
    const followed = report.causes[0]!.consequences.map(({ check }) => check)
    expect(followed.toSorted()).toEqual(failed.filter((id) => id !== 'retry-after').toSorted())
    const text = formatReport(report)
    expect(text.match(/^(?:failed|warning) /gm)).toEqual(['failed '])
    expect(text).toMatch(/^ {2}and so .*it tried again without a pause \(backoff\)/m)
  })

  test('of a client none of whose runs ends', async () => {
    const report = await rehearse(
      async ({ url, fetch, token }) => {
        await fetch(`${url}/api/v1/me`, {
          headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
        })
        await new Promise(() => setInterval(() => {}, 3_600_000))
      },
      { ...OPTIONS, profile: 'year', for: 'P2M', every: 'P10D' },
    )
    expect(causesOf(report)).toEqual(['endless-run'])
    expect(report.causes[0]!.consequences.map(({ check }) => check)).toEqual(['undelivered'])
  })

  test('with the reports that it has cost', async () => {
    const report = await rehearseWith({ listProjects: onePage })
    expect(causesOf(report)).toEqual(['next-link'])
    expect(report.causes[0]!.consequences).toMatchObject([
      { check: 'undelivered', findings: [{ reports: expect.any(Number) as number }] },
    ])
    for (const format of ['text', 'markdown', 'html', 'junit'] as const)
      expect(formatReport(report, format)).toMatch(
        /and so \d+ reports were not delivered \(undelivered\)/,
      )
  })
})

test('a report that is late after a run that failed or was killed names that run', async () => {
  const client = createRightClient()
  let lockedUntilMs = 0
  const state = {
    save: () => [...client.reports],
    load: (saved: [string, unknown][]) => {
      client.reports.clear()
      for (const [key, value] of saved) client.reports.set(key, value)
    },
  }
  const run: RehearsedClient = async (context) => {
    if (Number(context.now) < lockedUntilMs) return
    // A run that is killed leaves this lock behind, which holds for four days.
    lockedUntilMs = Number(context.now) + 4 * 86_400_000
    try {
      await client.run(context)
    } finally {
      lockedUntilMs = 0
    }
  }
  const report = await rehearse(run, { ...OPTIONS, state, seed: '2' })
  const reasons = [...report.required[0]!.message.matchAll(/\(late: run (\d+) ([a-z ]+)\)/g)]
  expect(reasons.map(([, , ended]) => ended)).toEqual(['failed', 'was killed'])
  for (const [, number, ended] of reasons) {
    const { message = '' } = report.runs[Number(number) - 1]!
    expect(message.startsWith('It was killed')).toBe(ended === 'was killed')
  }
  expect(report.causes.map(({ finding }) => finding.message)).toEqual([
    expect.stringMatching(
      /was first fetched after its date_to_send_to_client: run \d+, the first after its completion, failed\. The same is true of 1 more\.$/,
    ),
  ])
})

/** Lists projects, page by page; `urlOf` returns the URL of a page. */
function listBy(urlOf: (page: number) => string): ClientParts['listProjects'] {
  return async ({ get }) => {
    const projects: Project[] = []
    for (let page = 1; ; page += 1) {
      const { data, meta } = await get<ProjectPage & { meta: { last_page: number } }>(urlOf(page))
      projects.push(...data)
      if (page >= meta.last_page) return projects
    }
  }
}

/** Mistakes that several checks notice, each with the check of its cause. */
const NOTICED_BY_SEVERAL: [mistake: string, cause: string, parts: Partial<ClientParts>][] = [
  [
    'reads one page of 20 projects',
    'next-link',
    {
      listProjects: async ({ get }) =>
        (await get<ProjectPage>('/api/v1/projects?per_page=20')).data,
    },
  ],
  [
    'forgets its filters on the second page',
    'hand-made-pages',
    {
      listProjects: listBy(
        (page) => `/api/v1/projects?${page === 1 ? 'per_page=20' : `page=${page}`}`,
      ),
    },
  ],
  [
    'filters by agency_id',
    'agency-filter-scoped',
    { listProjects: listBy((page) => `/api/v1/projects?agency_id=1&page=${page}`) },
  ],
  [
    'sends its token in the query',
    'token-in-url',
    {
      request: (sync, path) =>
        RIGHT.request(sync, `${path}${path.includes('?') ? '&' : '?'}token=${sync.context.token}`),
    },
  ],
  [
    'sends an unknown token',
    'unauthenticated',
    {
      request: ({ context, ...sync }, path) =>
        RIGHT.request({ ...sync, context: { ...context, token: 'unknown-token' } }, path),
    },
  ],
  [
    'adds a parameter to each retry',
    'unknown-parameter',
    {
      request: async (sync, path) => {
        const first = await RIGHT.request(sync, path)
        if (first.status !== 0 && first.status < 500) return first
        await new Promise((resolve) => setTimeout(resolve, 60_000))
        return RIGHT.request(sync, `${path}${path.includes('?') ? '&' : '?'}again=1`)
      },
    },
  ],
  [
    'asks for the number after the last one',
    'probing',
    {
      async listReports(sync, project) {
        const reports = await RIGHT.listReports(sync, project)
        const last = Math.max(0, ...reports.map(({ report_number }) => report_number))
        const path = `/api/v1/projects/${project.id}/reports/${last + 1}/content`
        await sync.get(path).catch((error: unknown) => {
          if (statusOf(error) !== 404 && statusOf(error) !== 400) throw error
        })
        return reports
      },
    },
  ],
]

test.for(NOTICED_BY_SEVERAL)('a client that %s has one mistake', async ([, cause, parts]) => {
  expect(causesOf(await rehearseWith(parts))).toEqual([cause])
})

const onePage: ClientParts['listProjects'] = async ({ get }) =>
  (await get<ProjectPage>('/api/v1/projects?status=active')).data

/** Mistakes in different parts of a client, each with the check of its cause. */
const MISTAKES: [check: string, parts: Partial<ClientParts>][] = [
  ['undelivered', { keyOf: ({ project_id, report_number }) => `${project_id}-${report_number}` }],
  ['next-link', { listProjects: onePage }],
  [
    'retry-after',
    { pauseMs: (attempt, count) => RIGHT.pauseMs({ ...attempt, retryAfter: null }, count) },
  ],
  ['silent-failure', { run: (sync) => RIGHT.run(sync).catch(() => {}) }],
  [
    'unfinished-content',
    {
      isWanted: (report, sync) =>
        RIGHT.isWanted(report, sync) || (report.status === 'running' && sync.context.run > 1),
    },
  ],
  [
    'retry-unauthorised',
    {
      isWorthAnother: (attempt, count) =>
        (attempt.status === 401 && count < 6) || RIGHT.isWorthAnother(attempt, count),
    },
  ],
]

const PAIRS = MISTAKES.flatMap(([check, parts], index) =>
  MISTAKES.slice(index + 1).map(([other, others]) => ({
    checks: [check, other],
    parts: { ...parts, ...others },
  })),
)

describe('two mistakes are two causes', () => {
  /** `PROPERTY_DEPTH=1` uses all pairs; otherwise every third one. */
  const chosen = PAIRS.filter((_, index) => isFullDepth || index % 3 === 0)
  test.for(chosen)('$checks', async ({ checks, parts }) => {
    expect(causesOf(await rehearseWith(parts)).toSorted()).toEqual(checks.toSorted())
  })
})
