import { z } from 'zod'
import { DateTime, Id } from './conventions.ts'
import { Keyword } from './keyword.ts'
import { DEFAULT_PER_PAGE, MAXIMUM_PER_PAGE } from './limits.ts'
import type { ProblemCode } from './problems.ts'
import { Project, ProjectListItem } from './project.ts'
import { Country, Language, User } from './reference-data.ts'
import { ReportContent } from './report-content.ts'
import { Report, ReportNumber } from './report.ts'
import { ROUTES } from './routes.ts'
import type { OperationId, PathParameter, QueryParameter } from './routes.ts'
import { TokenIdentity } from './token.ts'

/** The pagination of `GET /projects` (specification 4.3(3)). */
export const PageMeta = z.strictObject({
  current_page: z.int().positive(),
  per_page: z.int().positive(),
  total: z.int().nonnegative(),
  last_page: z.int().nonnegative(),
})
export type PageMeta = z.infer<typeof PageMeta>

/** Links to other pages of a list; `prev` and `next` are null if there is no such page (specification 4.3(4)). */
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

/** Groups of operations with their descriptions, in the order of the specification's endpoints. */
export const TAGS = {
  Token: 'The owner of the token',
  'Reference data': 'The countries and languages that projects refer to',
  Users: 'The users visible to the token',
  Projects: 'SEO projects of an agency',
  Reports: "A project's numbered reports and their generated content",
  Keywords: "A project's tracked keywords",
} as const

const QUERY_PARAMETERS: Record<QueryParameter, z.ZodType> = {
  status: z.string().describe('Filter by project status'),
  search: z.string().describe('Partial match on project name or domain'),
  agency_id: Id.describe('Filter by agency ID; for super-admin tokens only'),
  page: z.int().min(1).default(1).describe('Page number'),
  per_page: z
    .int()
    .min(1)
    .max(MAXIMUM_PER_PAGE)
    .default(DEFAULT_PER_PAGE)
    .describe('Results per page'),
}

export interface Operation {
  /** The path below `/api/v1`, with parameters in braces. */
  path: string
  /** Path and query of a request that the example world answers with 200. The documentation shows the response. */
  example: string
  section: string
  summary: string
  tag: keyof typeof TAGS
  /** Schemas of the query parameters that have an effect, by name. */
  query: Record<string, z.ZodType>
  /** Schemas of the query parameters that are accepted but ignored, unless a policy paginates the list (G-045). */
  ignoredQuery: Record<string, z.ZodType>
  /** Schema of the body of the 200 response. */
  response: z.ZodObject
  /** The endpoint's errors besides {@link COMMON_PROBLEMS}, under the default policies. */
  problems: readonly ProblemCode[]
}

function routeOf<Id extends OperationId>(operation: Id) {
  const route: (typeof ROUTES)[Id] = ROUTES[operation]
  return { ...route, query: schemasOf(route.query), ignoredQuery: schemasOf(route.ignoredQuery) }
}

function schemasOf(names: readonly QueryParameter[]): Record<string, z.ZodType> {
  return Object.fromEntries(names.map((name) => [name, QUERY_PARAMETERS[name]]))
}

/**
 * Adds the schema of the 200 body to a route: `data`, and `cache_refreshed_at` if the API caches the data (specification 2.1).
 */
function routeWith<Id extends OperationId>(operation: Id, data: z.ZodType) {
  const { isRefreshed } = ROUTES[operation]
  const response = z.strictObject({ data, ...(isRefreshed && { cache_refreshed_at: DateTime }) })
  return { ...routeOf(operation), response }
}

/** Every operation of the route table with its documentation, in the order of the specification's endpoints. */
export const OPERATIONS = {
  getMe: {
    ...routeOf('getMe'),
    example: '/me',
    section: '4.10',
    summary: 'The identity of the token',
    tag: 'Token',
    response: TokenIdentity,
  },
  listCountries: {
    ...routeWith('listCountries', z.array(Country)),
    example: '/countries',
    section: '4.9',
    summary: 'All countries that apply to SEO projects',
    tag: 'Reference data',
  },
  getCountry: {
    ...routeWith('getCountry', Country),
    example: '/countries/45',
    section: '4.2',
    summary: 'One country',
    tag: 'Reference data',
  },
  listLanguages: {
    ...routeWith('listLanguages', z.array(Language)),
    example: '/languages',
    section: '4.9',
    summary: 'All languages',
    tag: 'Reference data',
  },
  getLanguage: {
    ...routeWith('getLanguage', Language),
    example: '/languages/1',
    section: '4.2',
    summary: 'One language',
    tag: 'Reference data',
  },
  listUsers: {
    ...routeWith('listUsers', z.array(User)),
    example: '/users',
    section: '4.9',
    summary: 'All users visible to the token',
    tag: 'Users',
  },
  getUser: {
    ...routeWith('getUser', User),
    example: '/users/7',
    section: '4.2',
    summary: 'One user',
    tag: 'Users',
  },
  listProjects: {
    ...routeOf('listProjects'),
    example: '/projects?status=active&per_page=2',
    section: '4.3',
    summary: 'The projects of the token, a page at a time',
    tag: 'Projects',
    response: ProjectPage,
  },
  getProject: {
    ...routeWith('getProject', Project),
    example: '/projects/101',
    section: '4.2',
    summary: 'One project',
    tag: 'Projects',
  },
  listReports: {
    ...routeWith('listReports', z.array(Report)),
    example: '/projects/104/reports',
    section: '4.4',
    summary: 'All reports of the project, newest first',
    tag: 'Reports',
  },
  getLatestReport: {
    ...routeWith('getLatestReport', Report),
    example: '/projects/102/reports/latest',
    section: '4.5',
    summary: 'The current or upcoming report',
    tag: 'Reports',
  },
  getLastGeneratedReport: {
    ...routeWith('getLastGeneratedReport', Report),
    example: '/projects/102/reports/last-generated',
    section: '4.6',
    summary: 'The most recently created completed report',
    tag: 'Reports',
  },
  getReportContent: {
    ...routeWith('getReportContent', ReportContent),
    example: '/projects/101/reports/1/content',
    section: '4.7',
    summary: 'The generated content of one report',
    tag: 'Reports',
  },
  listKeywords: {
    ...routeWith('listKeywords', z.array(Keyword)),
    example: '/projects/101/keywords',
    section: '4.8',
    summary: 'All keywords of the project with their content coverage',
    tag: 'Keywords',
  },
} as const satisfies Record<OperationId, Operation>

/** Schemas of the path parameters (specification 4.2). */
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

/** The default body of a problem (specification 7, G-004, G-005). */
export const ProblemBody = z.strictObject({
  message: z.string().describe('A human-readable sentence'),
})

/** The default body of the 400 for an unknown query parameter (specification 4.3(1), G-006). */
export const UnknownParameterBody = z.strictObject({
  ...ProblemBody.shape,
  allowed_parameters: z.array(z.string()).describe('The names that the sandbox knows'),
})

/** The body of a 429 (specification 7). */
export const RateLimitBody = z.strictObject({
  error: z.strictObject({
    code: z.literal('rate_limit_exceeded' satisfies ProblemCode),
    message: z.string().describe('A short request to slow down'),
  }),
})

/** Error page that a proxy in front of the API sends in place of a problem's body. */
export const HtmlPage = z.string().describe('The error page of a proxy, as HTML')

/** Returns the schema of a problem's body under the default policies. */
export function bodyOf(problem: ProblemCode): z.ZodType {
  if (problem === 'rate_limit_exceeded') return RateLimitBody
  return problem === 'unknown_parameter' ? UnknownParameterBody : ProblemBody
}
