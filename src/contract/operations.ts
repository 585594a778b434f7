import { z } from 'zod'
import { DateTime, data, refreshedData } from './conventions.ts'
import { Country } from './country.ts'
import { Keyword } from './keyword.ts'
import { Language } from './language.ts'
import type { ProblemCode } from './problems.ts'
import { Project, ProjectListItem } from './project.ts'
import { ReportContent } from './report-content.ts'
import { Report } from './report.ts'
import { TokenIdentity } from './token.ts'
import { User } from './user.ts'

/** A page of `GET /projects` in numbers (specification 4.3(3)). */
export const PageMeta = z.strictObject({
  current_page: z.int().positive(),
  per_page: z.int().positive(),
  total: z.int().nonnegative(),
  last_page: z.int().nonnegative(),
})
export type PageMeta = z.infer<typeof PageMeta>

/** The neighbours of a page; null where no such page exists (specification 4.3(4)). */
export const PageLinks = z.strictObject({
  first: z.string(),
  last: z.string(),
  prev: z.string().nullable(),
  next: z.string().nullable(),
})
export type PageLinks = z.infer<typeof PageLinks>

/** The answer of `GET /projects` (specification 4.3(2)). */
export const ProjectPage = z.strictObject({
  data: z.array(ProjectListItem),
  meta: PageMeta,
  links: PageLinks,
  cache_refreshed_at: DateTime,
})
export type ProjectPage = z.infer<typeof ProjectPage>

/** One endpoint: everything the router, the answers and the documentation need to know of it. */
export interface Operation {
  /** The path below `/api/v1`, its parameters in braces. */
  path: string
  /** The section of the specification that states it. */
  section: string
  summary: string
  /** The query parameters it knows, with their descriptions. */
  query: Record<string, string>
  /** The body of its 200. */
  answer: z.ZodType
  /** What it may answer beside 200 and what every endpoint may: 401, 403, 429. */
  problems: readonly ProblemCode[]
}

/** The route table (specification 4.1). Every operation is a GET. */
export const OPERATIONS = {
  getMe: {
    path: '/me',
    section: '4.10',
    summary: 'The identity of the token',
    query: {},
    answer: TokenIdentity,
    problems: [],
  },
  listCountries: {
    path: '/countries',
    section: '4.9',
    summary: 'All countries that apply to SEO projects',
    query: {},
    answer: data(z.array(Country)),
    problems: [],
  },
  getCountry: {
    path: '/countries/{country}',
    section: '4.2',
    summary: 'One country',
    query: {},
    answer: data(Country),
    problems: ['country_not_found'],
  },
  listLanguages: {
    path: '/languages',
    section: '4.9',
    summary: 'All languages',
    query: {},
    answer: data(z.array(Language)),
    problems: [],
  },
  getLanguage: {
    path: '/languages/{language}',
    section: '4.2',
    summary: 'One language',
    query: {},
    answer: data(Language),
    problems: ['language_not_found'],
  },
  listUsers: {
    path: '/users',
    section: '4.9',
    summary: 'All users visible to the token',
    query: {},
    answer: data(z.array(User)),
    problems: [],
  },
  getUser: {
    path: '/users/{user}',
    section: '4.2',
    summary: 'One user',
    query: {},
    answer: data(User),
    problems: ['user_not_found'],
  },
  listProjects: {
    path: '/projects',
    section: '4.3',
    summary: 'The projects of the token, a page at a time',
    query: {
      status: 'Filter by project status',
      search: 'Partial match on project name or domain',
      agency_id: 'Filter by agency ID; for super-admin tokens only',
      page: 'Page number; default 1',
      per_page: 'Results per page; default 100; maximum 100',
    },
    answer: ProjectPage,
    problems: ['unknown_parameter', 'invalid_parameter', 'agency_filter_forbidden'],
  },
  getProject: {
    path: '/projects/{project}',
    section: '4.2',
    summary: 'One project',
    query: {},
    answer: refreshedData(Project),
    problems: ['project_not_found'],
  },
  listReports: {
    path: '/projects/{project}/reports',
    section: '4.4',
    summary: 'All reports of the project, newest first',
    query: {},
    answer: refreshedData(z.array(Report)),
    problems: ['project_not_found'],
  },
  getLatestReport: {
    path: '/projects/{project}/reports/latest',
    section: '4.5',
    summary: 'The current or upcoming report',
    query: {},
    answer: refreshedData(Report),
    problems: ['project_not_found', 'report_not_found'],
  },
  getLastGeneratedReport: {
    path: '/projects/{project}/reports/last-generated',
    section: '4.6',
    summary: 'The most recently created completed report',
    query: {},
    answer: refreshedData(Report),
    problems: ['project_not_found', 'report_not_found'],
  },
  getReportContent: {
    path: '/projects/{project}/reports/{report_number}/content',
    section: '4.7',
    summary: 'The generated content of one report',
    query: {},
    answer: refreshedData(ReportContent),
    problems: ['report_number_out_of_range', 'project_not_found', 'report_not_found'],
  },
  listKeywords: {
    path: '/projects/{project}/keywords',
    section: '4.8',
    summary: 'All keywords of the project with their content coverage',
    query: {},
    answer: refreshedData(z.array(Keyword)),
    problems: ['project_not_found'],
  },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS
