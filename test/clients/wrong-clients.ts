import type { RehearsedClient, RehearseOptions } from '../../src/rehearse.ts'
import { ApiError, contentPath, createRightClient, RIGHT, statusOf } from './right-client.ts'
import type { ClientParts, Project, ProjectPage, Report, Sync } from './right-client.ts'

/** A client with one mistake that only time shows, and the finding that a rehearsal has to make. */
export interface WrongClient {
  /** Its mistake, as the end of a sentence: a client that … */
  name: string
  create: () => RehearsedClient
  /** Needed if 30 runs do not show the mistake. */
  options?: RehearseOptions
  expect: {
    /** The ids of all checks that fail. */
    checks: string[]
    /** The planned event in the run of a finding of the first check. */
    run?: RegExp
    /** The message of a finding of the first check. */
    message: RegExp
  }
}

const QUARTER: RehearseOptions = { profile: 'year', for: 'P3M', seed: '2' }

export const WRONG_CLIENTS: WrongClient[] = [
  {
    name: 'takes latest for a feed of completed reports',
    create: () =>
      createWrong({
        listReports: afterImport(async ({ get }, { id }) => {
          const latest = await orNone(
            get<{ data: Report }>(`/api/v1/projects/${id}/reports/latest`),
          )
          return latest ? [latest.data] : []
        }),
      }),
    expect: {
      checks: ['undelivered'],
      message: /it was due in 2025-12, and latest shows it only in that month/,
    },
  },
  {
    name: 'watches the report number of last-generated advance',
    create: () => {
      const highest = new Map<number, number>()
      return createWrong({
        listReports: afterImport(async ({ get }, { id }) => {
          const path = `/api/v1/projects/${id}/reports/last-generated`
          const last = await orNone(get<{ data: Report }>(path))
          return last ? [last.data] : []
        }),
        isWanted: afterImportWanted(
          ({ project_id, report_number }) => report_number > (highest.get(project_id) ?? 0),
        ),
        async fetchContent(sync, report) {
          await RIGHT.fetchContent(sync, report)
          const { project_id, report_number } = report
          highest.set(project_id, Math.max(report_number, highest.get(project_id) ?? 0))
        },
      })
    },
    expect: {
      checks: ['undelivered'],
      message: /was never fetched/,
    },
  },
  {
    name: 'fetches the reports of the month that it is in New York',
    create: () =>
      createWrong({
        isWanted: afterImportWanted(
          ({ date_to_create_texts: date }, { context: { now } }) =>
            date !== null &&
            monthIn('America/New_York', new Date(date)) === monthIn('America/New_York', now),
        ),
      }),
    expect: {
      checks: ['undelivered'],
      message: /completed on 1 Jan, was never fetched/,
    },
  },
  {
    name: 'works on the first day of a month only, for the month before',
    create: () =>
      createWrong({
        async run(sync) {
          if (sync.context.now.getUTCDate() === 1) await RIGHT.run(sync)
        },
        isWanted: afterImportWanted(({ date_to_create_texts: date }, { context: { now } }) => {
          const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))
          return date !== null && date.slice(0, 7) === before.toISOString().slice(0, 7)
        }),
      }),
    options: QUARTER,
    expect: {
      checks: ['undelivered'],
      message: /first fetched after its date_to_send_to_client/,
    },
  },
  {
    name: 'fetches the reports of the current month only',
    create: () =>
      createWrong({
        isWanted: afterImportWanted(
          ({ date_to_create_texts: date }, { context: { now } }) =>
            date !== null && date.slice(0, 7) === now.toISOString().slice(0, 7),
        ),
      }),
    expect: {
      checks: ['undelivered'],
      message: /it was due in 2025-12, and latest shows it only in that month/,
    },
  },
  {
    name: 'saves a content before it parses it',
    create: () =>
      createWrong({
        readBody: (text) => text,
        async fetchContent({ get, parts, reports }, report) {
          const text = await get<string>(contentPath(report))
          reports.set(parts.keyOf(report), text)
          JSON.parse(text)
        },
        async request(sync, path) {
          const isContent = path.endsWith('/content')
          const { readBody } = isContent ? sync.parts : RIGHT
          return RIGHT.request({ ...sync, parts: { ...sync.parts, readBody } }, path)
        },
      }),
    options: QUARTER,
    expect: {
      checks: ['undelivered', 'missing-after-error'],
      run: /content that is requested is broken JSON/,
      message: /came with a broken body, and no later one read it/,
    },
  },
  {
    name: 'notes the ids of a project before it fetches their contents',
    create: () => {
      const noted = new Set<number>()
      return createWrong({
        async syncProject(sync, project) {
          const wanted = (await RIGHT.listReports(sync, project)).filter(
            (report) => RIGHT.isWanted(report, sync) && !noted.has(report.id),
          )
          for (const { id } of wanted) noted.add(id)
          for (const report of wanted) await RIGHT.fetchContent(sync, report)
        },
      })
    },
    options: QUARTER,
    expect: {
      checks: ['undelivered', 'missing-after-error'],
      run: /content 503 for the whole run/,
      message: /failed with 503, and no later one read it/,
    },
  },
  {
    name: 'logs an error and ends as if it were done',
    create: () =>
      createWrong({
        run: (sync) => RIGHT.run(sync).catch(() => {}),
      }),
    expect: {
      checks: ['silent-failure'],
      run: /503 for/,
      message:
        /GET \/projects, which failed with 503, never got it, and ended as if everything was done/,
    },
  },
  {
    name: 'knows its reports by their number',
    create: () =>
      createWrong({
        keyOf: ({ project_id, report_number }) => `${project_id}-${report_number}`,
      }),
    expect: {
      checks: ['undelivered'],
      run: /is regenerated, with a new id/,
      message: /regenerated with a new id, and only its earlier content was fetched/,
    },
  },
  {
    name: 'reads one page of 50 projects',
    create: () =>
      createWrong({ listProjects: firstPage('/api/v1/projects?status=active&per_page=50') }),
    expect: {
      checks: ['undelivered', 'next-link'],
      message: /its project is on the second page of the list/,
    },
  },
  {
    name: 'reads one page of 100 projects',
    create: () => createWrong({ listProjects: firstPage('/api/v1/projects?status=active') }),
    expect: {
      checks: ['undelivered', 'next-link'],
      message: /its project is on the second page of the list/,
    },
  },
  {
    name: 'remembers where the next page is from its first run',
    create: () => {
      let urls: string[] | undefined
      return createWrong({
        async listProjects({ get }) {
          const isFirst = urls === undefined
          const known = (urls ??= ['/api/v1/projects?status=active'])
          const projects: Project[] = []
          for (const url of known) {
            const { data, links } = await get<ProjectPage>(url)
            projects.push(...data)
            if (isFirst && links.next !== null) known.push(links.next)
          }
          return projects
        },
      })
    },
    expect: {
      checks: ['undelivered', 'next-link'],
      message: /its project is on the second page of the list/,
    },
  },
  {
    name: 'does not try again, and skips what fails',
    create: () => {
      const skip = () => {}
      return createWrong({
        isWorthAnother: ({ status }) => status === 429,
        async run(sync) {
          const projects = await RIGHT.listProjects(sync).catch(() => [])
          for (const project of projects) await RIGHT.syncProject(sync, project).catch(skip)
        },
      })
    },
    expect: {
      checks: ['silent-failure'],
      run: /response to request|fails? with 503|502/,
      message: /never got it, and ended as if everything was done/,
    },
  },
  {
    name: 'tries again without a pause',
    create: () =>
      createWrong({
        pauseMs: (attempt, count) =>
          attempt.retryAfter === null ? 0 : RIGHT.pauseMs(attempt, count),
      }),
    expect: {
      checks: ['backoff'],
      run: /503/,
      message: /6 attempts for the same URL, from request \d+ on, came with pauses of 0 ms/,
    },
  },
  {
    name: 'tries again after a 401',
    create: () =>
      createWrong({
        isWorthAnother: (attempt, count) =>
          (attempt.status === 401 && count < 6) || RIGHT.isWorthAnother(attempt, count),
      }),
    expect: {
      checks: ['retry-unauthorised'],
      run: /its token is disabled/,
      message: /repeats request \d+, which was refused with 401/,
    },
  },
  {
    name: 'asks for the next project after a 401',
    create: () => {
      let known: Project[] = []
      return createWrong({
        async listProjects(sync) {
          try {
            known = await RIGHT.listProjects(sync)
          } catch (error) {
            if (statusOf(error) !== 401) throw error
          }
          return known
        },
        onProjectFailed: () => {},
      })
    },
    expect: {
      checks: ['retry-unauthorised'],
      run: /its token is disabled/,
      message: /ask for other URLs after request \d+ was refused with 401/,
    },
  },
  {
    name: 'ignores Retry-After',
    create: () =>
      createWrong({
        request: requestSlowly,
        pauseMs: (attempt, count) => RIGHT.pauseMs({ ...attempt, retryAfter: null }, count),
      }),
    expect: {
      checks: ['retry-after', 'token-told-to-wait'],
      run: /30 requests an hour|to be repeated after/,
      message: /repeats request \d+ after [\d.]+ s; its response asked for \d+ s/,
    },
  },
  {
    name: 'takes Retry-After for milliseconds',
    create: () =>
      createWrong({
        request: requestSlowly,
        pauseMs: (attempt, count) =>
          attempt.retryAfter === null ? RIGHT.pauseMs(attempt, count) : Number(attempt.retryAfter),
      }),
    expect: {
      checks: ['retry-after', 'token-told-to-wait'],
      run: /30 requests an hour|to be repeated after/,
      message: /repeats request \d+ after [\d.]+ s; its response asked for \d+ s/,
    },
  },
  {
    name: 'waits for a response without a limit',
    create: () => createWrong({ timeLimit: () => null }),
    options: QUARTER,
    expect: {
      checks: ['endless-run'],
      run: /never gets a response/,
      message: /waited for the response to request \d+, which never came, without a time limit/,
    },
  },
  {
    name: 'has a list of projects from its first run',
    create: () => {
      let known: Project[] | undefined
      return createWrong({
        listProjects: async (sync) => (known ??= await RIGHT.listProjects(sync)),
        listReports: async (sync, project) =>
          (await orNone(RIGHT.listReports(sync, project))) ?? [],
      })
    },
    expect: {
      checks: ['undelivered'],
      message: /Report \d+ of project 901040, .* was never fetched/,
    },
  },
  {
    name: 'asks for every project that it has ever seen',
    create: () => createWrong({ listProjects: everSeen() }),
    expect: {
      checks: ['recovery', 'probing'],
      message:
        /No run has ended well since run \d+ failed, although nothing disturbed this one: 1 projects are not complete/,
    },
  },
  {
    name: 'asks for a project that is gone, quietly',
    create: () =>
      createWrong({
        listProjects: everSeen(),
        listReports: async (sync, project) =>
          (await orNone(RIGHT.listReports(sync, project))) ?? [],
      }),
    expect: {
      checks: ['probing'],
      run: /projects are gone/,
      message: /ids or numbers that do not exist, at GET \/projects\/\{project\}\/reports/,
    },
  },
  {
    name: 'drops a project for good once it was paused',
    create: () => {
      const seen = new Map<number, Project>()
      const dropped = new Set<number>()
      return createWrong({
        async listProjects(sync) {
          const projects = await RIGHT.listProjects(sync)
          const ids = new Set(projects.map(({ id }) => id))
          for (const id of seen.keys()) if (!ids.has(id)) dropped.add(id)
          for (const project of projects) seen.set(project.id, project)
          return projects.filter(({ id }) => !dropped.has(id))
        },
      })
    },
    expect: {
      checks: ['undelivered'],
      message: /was never fetched/,
    },
  },
  {
    name: 'takes a 5xx for a project without reports, for good',
    create: () => {
      const empty = new Set<number>()
      return createWrong({
        async syncProject(sync, project) {
          if (empty.has(project.id)) return
          try {
            await RIGHT.syncProject(sync, project)
          } catch (error) {
            if ((statusOf(error) ?? 0) < 500) throw error
            empty.add(project.id)
          }
        },
      })
    },
    options: QUARTER,
    expect: {
      checks: ['undelivered', 'silent-failure', 'missing-after-error'],
      run: /503 for the whole run/,
      message: /was never (?:fetched|read)/,
    },
  },
  {
    name: 'takes a 404 of last-generated for a project that never has reports',
    create: () => {
      const empty = new Set<number>()
      return createWrong({
        async listReports(sync, project) {
          const { id } = project
          if (empty.has(id)) return []
          if (await orNone(sync.get(`/api/v1/projects/${id}/reports/last-generated`)))
            return RIGHT.listReports(sync, project)
          empty.add(id)
          return []
        },
      })
    },
    expect: {
      checks: ['undelivered'],
      message: /Report \d+ of project 901040, .* was never fetched/,
    },
  },
  {
    name: 'never asks again once its token was refused',
    create: () => {
      let isRefused = false
      return createWrong({
        async run(sync) {
          if (isRefused) throw new Error('The token is not valid.')
          try {
            await RIGHT.run(sync)
          } catch (error) {
            isRefused = statusOf(error) === 401
            throw error
          }
        },
      })
    },
    expect: {
      checks: ['recovery', 'undelivered'],
      message: /No run has ended well since run \d+ failed, .*: The token is not valid/,
    },
  },
  {
    name: 'leaves its lock behind when it fails',
    create: () => {
      let isLocked = false
      return createWrong({
        async run(sync) {
          if (isLocked) throw new Error('Another sync is running.')
          isLocked = true
          await RIGHT.run(sync)
          isLocked = false
        },
      })
    },
    expect: {
      checks: ['recovery', 'undelivered', 'missing-after-error'],
      message: /No run has ended well since run \d+ failed, .*: Another sync is running/,
    },
  },
  {
    name: 'counts report numbers from 1 to 25',
    create: () =>
      createWrong({
        isWanted: (report, sync) => RIGHT.isWanted(report, sync) && report.report_number < 26,
      }),
    expect: {
      checks: ['undelivered'],
      message: /Report 26 of project \d+, .* was never fetched/,
    },
  },
  {
    name: 'fetches a content once its report is running',
    create: () =>
      createWrong({
        isWanted: (report, sync) =>
          RIGHT.isWanted(report, sync) || (report.status === 'running' && sync.context.run > 1),
      }),
    expect: {
      checks: ['unfinished-content', 'undelivered'],
      message: /reads the content of report \d+ of project \d+, which is running/,
    },
  },
  {
    name: 'fetches a content once its report is approved',
    create: () =>
      createWrong({
        isWanted: afterImportWanted(({ approved_status }) => approved_status === 'approved'),
      }),
    options: QUARTER,
    expect: {
      checks: ['undelivered'],
      message: /was first fetched after its date_to_send_to_client|was never fetched/,
    },
  },
  {
    name: 'fetches a content once its report is sent',
    create: () => createWrong({ isWanted: afterImportWanted(({ sent }) => sent) }),
    expect: {
      checks: ['undelivered'],
      message: /was first fetched after its date_to_send_to_client/,
    },
  },
  {
    name: 'skips reports whose date has passed',
    create: () =>
      createWrong({
        isWanted: afterImportWanted(
          ({ date_to_create_texts: date }, { context: { now } }) =>
            date !== null && date >= now.toISOString().slice(0, 10),
        ),
      }),
    expect: {
      checks: ['undelivered'],
      message: /completed on 1 Jan, was never fetched/,
    },
  },
  {
    name: 'looks at the newest completed report of a project alone',
    create: () =>
      createWrong({
        listReports: afterImport(async (sync, project) =>
          (await RIGHT.listReports(sync, project))
            .filter((report) => RIGHT.isWanted(report, sync))
            .slice(0, 1),
        ),
      }),
    expect: {
      checks: ['undelivered'],
      message: /was never fetched/,
    },
  },
  {
    name: 'takes a report that failed for settled',
    create: () => {
      const settled = new Set<string>()
      return createWrong({
        isWanted(report, sync) {
          const key = sync.parts.keyOf(report)
          if (report.status === 'failed') settled.add(key)
          return RIGHT.isWanted(report, sync) && !settled.has(key)
        },
      })
    },
    expect: {
      checks: ['undelivered'],
      message: /was never fetched/,
    },
  },
  {
    name: 'waits in a run for a report that is running',
    create: () =>
      createWrong({
        async listReports(sync, project) {
          const { context } = sync
          for (;;) {
            const reports = await RIGHT.listReports(sync, project)
            const isRunning = reports.some(({ status }) => status === 'running')
            if (context.run === 1 || !isRunning) return reports
            await new Promise((resolve) => setTimeout(resolve, 600_000))
          }
        },
      }),
    expect: {
      checks: ['endless-run'],
      message: /had not ended after a day/,
    },
  },
  {
    name: 'ends as if it were done at a body that it cannot parse',
    create: () =>
      createWrong({
        readBody: (text) => parsed(text) ?? UNREADABLE,
        run: (sync) =>
          RIGHT.run({
            ...sync,
            async get<Body>(path: string) {
              const body = await sync.get<Body>(path)
              if (body === UNREADABLE) throw UNREADABLE
              return body
            },
          }).catch((error: unknown) => {
            if (error !== UNREADABLE) throw error
          }),
        onProjectFailed(error) {
          if (error === UNREADABLE) throw error
          RIGHT.onProjectFailed(error)
        },
      }),
    expect: {
      checks: ['silent-failure'],
      run: /broken JSON/,
      message: /came with a broken body, never got it, and ended as if everything was done/,
    },
  },
  {
    name: 'skips a project that has as many completed reports as before',
    create: () => {
      const counts = new Map<number, number>()
      return createWrong({
        async syncProject(sync, project) {
          const reports = await RIGHT.listReports(sync, project)
          const count = reports.filter((report) => RIGHT.isWanted(report, sync)).length
          if (count === counts.get(project.id)) return
          const listed = { ...sync.parts, listReports: async () => reports }
          await RIGHT.syncProject({ ...sync, parts: listed }, project)
          counts.set(project.id, count)
        },
      })
    },
    options: QUARTER,
    expect: {
      checks: ['undelivered'],
      run: /is regenerated/,
      message: /regenerated with a new id, and only its earlier content was fetched/,
    },
  },
  {
    name: 'skips a project whose latest_report_generated_at is the same',
    create: () => {
      const seen = new Map<number, string | null>()
      return createWrong({
        async syncProject(sync, project) {
          const { id, latest_report_generated_at: generatedAt } = project
          if (seen.get(id) === generatedAt) return
          await RIGHT.syncProject(sync, project)
          seen.set(id, generatedAt)
        },
      })
    },
    expect: {
      checks: ['undelivered'],
      message: /was never fetched/,
    },
  },
  {
    name: 'fetches one content a day',
    create: () => {
      let lastRun = 1
      return createWrong({
        isWanted: afterImportWanted((_, { context: { run } }) => run !== lastRun),
        async fetchContent(sync, report) {
          lastRun = sync.context.run
          await RIGHT.fetchContent(sync, report)
        },
      })
    },
    expect: {
      checks: ['undelivered'],
      message: /was first fetched after its date_to_send_to_client/,
    },
  },
]

function createWrong(parts: Partial<ClientParts>): RehearsedClient {
  return createRightClient(parts).run
}

/**
 * Returns a `listReports` for a client that fetches everything in its first run, and lists reports in another way from then on.
 */
function afterImport(listReports: ClientParts['listReports']): ClientParts['listReports'] {
  return (sync, project) =>
    (sync.context.run === 1 ? RIGHT : { listReports }).listReports(sync, project)
}

/**
 * Returns an `isWanted` for a client that fetches everything in its first run, and from then on completed reports that meet a
 * condition.
 */
function afterImportWanted(meets: ClientParts['isWanted']): ClientParts['isWanted'] {
  return (report, sync) =>
    RIGHT.isWanted(report, sync) && (sync.context.run === 1 || meets(report, sync))
}

const UNREADABLE = new Error('A body is not JSON.')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns undefined for a 404. */
async function orNone<Body>(body: Promise<Body>): Promise<Body | undefined> {
  try {
    return await body
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

function firstPage(url: string): ClientParts['listProjects'] {
  return async ({ get }) => (await get<ProjectPage>(url)).data
}

function everSeen(): ClientParts['listProjects'] {
  const seen = new Map<number, Project>()
  return async (sync: Sync) => {
    for (const project of await RIGHT.listProjects(sync)) seen.set(project.id, project)
    return [...seen.values()]
  }
}

/** Stays within 60 requests a minute, so that only a fault makes a client wait. */
const requestSlowly: ClientParts['request'] = async (sync, path) => {
  await new Promise((resolve) => setTimeout(resolve, 1100))
  return RIGHT.request(sync, path)
}

/** Formats a month: `2026-01`. */
function monthIn(timeZone: string, moment: Date): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' })
  return format.format(moment).slice(0, 7)
}
