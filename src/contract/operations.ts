import { z } from 'zod'
import { DateTime, data, Id, refreshedData } from './conventions.ts'
import { Country } from './country.ts'
import { Keyword } from './keyword.ts'
import { Language } from './language.ts'
import type { ProblemCode } from './problems.ts'
import { Project, ProjectListItem } from './project.ts'
import { ReportContent } from './report-content.ts'
import { Report, ReportNumber } from './report.ts'
import { TokenIdentity } from './token.ts'
import { User } from './user.ts'

/** The page counts of `GET /projects` (specification 4.3(3)). */
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
  prev: z.string().nullable().describe('null when no such page exists'),
  next: z.string().nullable().describe('null when no such page exists'),
})
export type PageLinks = z.infer<typeof PageLinks>

/** The response of `GET /projects` (specification 4.3(2)). */
export const ProjectPage = z.strictObject({
  data: z.array(ProjectListItem),
  meta: PageMeta,
  links: PageLinks,
  cache_refreshed_at: DateTime,
})
export type ProjectPage = z.infer<typeof ProjectPage>

/** The subjects of the operations, in the order of the specification's endpoints. */
export const TAGS = {
  Token: 'Whom the token belongs to',
  'Reference data': 'The countries and languages that projects refer to',
  Users: 'The users visible to the token',
  Projects: 'SEO projects of an agency',
  Reports: "A project's numbered reports and their generated content",
  Keywords: "A project's tracked keywords",
} as const

/** Results per page: the maximum and the default (specification 4.3, 8). */
export const MAXIMUM_PER_PAGE = 100
export const DEFAULT_PER_PAGE = 100

/** The query parameters of a paginated list (specification 4.3, 8). */
const PAGING = {
  page: z.int().min(1).default(1).describe('Page number'),
  per_page: z
    .int()
    .min(1)
    .max(MAXIMUM_PER_PAGE)
    .default(DEFAULT_PER_PAGE)
    .describe('Results per page'),
}

/** One endpoint: everything the router, the handlers and the documentation need to know. */
export interface Operation {
  /** The path below `/api/v1`, its parameters in braces. */
  path: string
  /** A request that the example world answers with 200; the documentation shows the response. */
  example: string
  /** The section of the specification that describes it. */
  section: string
  summary: string
  tag: keyof typeof TAGS
  /** The query parameters that have an effect. */
  query: Record<string, z.ZodType>
  /** Query parameters that are accepted but ignored, unless policy paginates the list (G-045). */
  ignoredQuery?: Record<string, z.ZodType>
  /** The body of its 200. */
  answer: z.ZodType
  /** Its errors besides {@link COMMON_PROBLEMS}, where no policy changes them. */
  problems: readonly ProblemCode[]
}

/** The route table (specification 4.1). Every operation is a GET. */
export const OPERATIONS = {
  getMe: {
    path: '/me',
    example: '/me',
    section: '4.10',
    summary: 'The identity of the token',
    tag: 'Token',
    query: {},
    answer: TokenIdentity,
    problems: [],
  },
  listCountries: {
    path: '/countries',
    example: '/countries',
    section: '4.9',
    summary: 'All countries that apply to SEO projects',
    tag: 'Reference data',
    query: {},
    ignoredQuery: PAGING,
    answer: data(z.array(Country)),
    problems: [],
  },
  getCountry: {
    path: '/countries/{country}',
    example: '/countries/45',
    section: '4.2',
    summary: 'One country',
    tag: 'Reference data',
    query: {},
    answer: data(Country),
    problems: ['country_not_found'],
  },
  listLanguages: {
    path: '/languages',
    example: '/languages',
    section: '4.9',
    summary: 'All languages',
    tag: 'Reference data',
    query: {},
    ignoredQuery: PAGING,
    answer: data(z.array(Language)),
    problems: [],
  },
  getLanguage: {
    path: '/languages/{language}',
    example: '/languages/1',
    section: '4.2',
    summary: 'One language',
    tag: 'Reference data',
    query: {},
    answer: data(Language),
    problems: ['language_not_found'],
  },
  listUsers: {
    path: '/users',
    example: '/users',
    section: '4.9',
    summary: 'All users visible to the token',
    tag: 'Users',
    query: {},
    ignoredQuery: PAGING,
    answer: data(z.array(User)),
    problems: [],
  },
  getUser: {
    path: '/users/{user}',
    example: '/users/7',
    section: '4.2',
    summary: 'One user',
    tag: 'Users',
    query: {},
    answer: data(User),
    problems: ['user_not_found'],
  },
  listProjects: {
    path: '/projects',
    example: '/projects?status=active&per_page=2',
    section: '4.3',
    summary: 'The projects of the token, a page at a time',
    tag: 'Projects',
    query: {
      status: z.string().describe('Filter by project status'),
      search: z.string().describe('Partial match on project name or domain'),
      agency_id: Id.describe('Filter by agency ID; for super-admin tokens only'),
      ...PAGING,
    },
    answer: ProjectPage,
    problems: ['unknown_parameter', 'invalid_parameter', 'agency_filter_forbidden'],
  },
  getProject: {
    path: '/projects/{project}',
    example: '/projects/101',
    section: '4.2',
    summary: 'One project',
    tag: 'Projects',
    query: {},
    answer: refreshedData(Project),
    problems: ['project_not_found'],
  },
  listReports: {
    path: '/projects/{project}/reports',
    example: '/projects/104/reports',
    section: '4.4',
    summary: 'All reports of the project, newest first',
    tag: 'Reports',
    query: {},
    ignoredQuery: PAGING,
    answer: refreshedData(z.array(Report)),
    problems: ['project_not_found'],
  },
  getLatestReport: {
    path: '/projects/{project}/reports/latest',
    example: '/projects/102/reports/latest',
    section: '4.5',
    summary: 'The current or upcoming report',
    tag: 'Reports',
    query: {},
    answer: refreshedData(Report),
    problems: ['project_not_found', 'report_not_found'],
  },
  getLastGeneratedReport: {
    path: '/projects/{project}/reports/last-generated',
    example: '/projects/102/reports/last-generated',
    section: '4.6',
    summary: 'The most recently created completed report',
    tag: 'Reports',
    query: {},
    answer: refreshedData(Report),
    problems: ['project_not_found', 'report_not_found'],
  },
  getReportContent: {
    path: '/projects/{project}/reports/{report_number}/content',
    example: '/projects/101/reports/1/content',
    section: '4.7',
    summary: 'The generated content of one report',
    tag: 'Reports',
    query: {},
    answer: refreshedData(ReportContent),
    problems: ['report_number_out_of_range', 'project_not_found', 'report_not_found'],
  },
  listKeywords: {
    path: '/projects/{project}/keywords',
    example: '/projects/101/keywords',
    section: '4.8',
    summary: 'All keywords of the project with their content coverage',
    tag: 'Keywords',
    query: {},
    ignoredQuery: PAGING,
    answer: refreshedData(z.array(Keyword)),
    problems: ['project_not_found'],
  },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS

/** The errors of every endpoint: no token, an address that is not allowed, too many requests (specification 5, 7). */
export const COMMON_PROBLEMS = [
  'unauthenticated',
  'ip_not_allowed',
  'rate_limit_exceeded',
] as const satisfies readonly ProblemCode[]

/** Every problem that an endpoint may respond with where no policy changes it. */
export type DocumentedProblem =
  | (typeof COMMON_PROBLEMS)[number]
  | (typeof OPERATIONS)[OperationId]['problems'][number]

type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never

export type PathParameter = ParametersOf<(typeof OPERATIONS)[OperationId]['path']>

/** The path parameters (specification 4.2). */
export const PATH_PARAMETERS: Record<PathParameter, z.ZodType> = {
  country: Id.describe(
    'An `id` of `GET /countries`; 404 for one that does not exist or does not apply to SEO projects',
  ),
  language: Id.describe('An `id` of `GET /languages`; 404 for one that does not exist'),
  user: Id.describe(
    'An `id` of `GET /users`; 404 for one that does not exist or is not visible to the token',
  ),
  project: Id.describe(
    'An `id` of `GET /projects`; 404 for one that does not exist or is not visible to the token',
  ),
  report_number: ReportNumber,
}
