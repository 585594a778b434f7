import type { ProblemCode } from './problems.ts'
import { suggest } from './suggestion.ts'
import { describe } from './text.ts'
import { API_PREFIX } from './url.ts'
import type { Validated } from './validation.ts'

/** Query parameters of a paginated list (specification 4.3, 8). */
const PAGING = ['page', 'per_page'] as const

const NO_QUERY = { query: [], ignoredQuery: [] } as const
const PAGED_BY_POLICY = { query: [], ignoredQuery: PAGING } as const

/** The engine's facts about an endpoint; `operations.ts` has the schemas of its responses. */
interface Route {
  /** The path below `/api/v1`, with parameters in braces. */
  path: string
  /** The names of the query parameters that have an effect. */
  query: readonly string[]
  /** Query parameters that are accepted but ignored, unless a policy paginates the list (G-045). */
  ignoredQuery: readonly string[]
  /** True if responses show data as of the last refresh, and state the time of that refresh (specification 2.1). */
  isRefreshed: boolean
  /** The endpoint's errors besides {@link COMMON_PROBLEMS}, under the default policies. */
  problems: readonly ProblemCode[]
}

/** The route table (specification 4.1). Every operation is a GET. */
export const ROUTES = {
  getMe: {
    path: '/me',
    ...NO_QUERY,
    isRefreshed: false,
    problems: [],
  },
  listCountries: {
    path: '/countries',
    ...PAGED_BY_POLICY,
    isRefreshed: false,
    problems: [],
  },
  getCountry: {
    path: '/countries/{country}',
    ...NO_QUERY,
    isRefreshed: false,
    problems: ['country_not_found'],
  },
  listLanguages: {
    path: '/languages',
    ...PAGED_BY_POLICY,
    isRefreshed: false,
    problems: [],
  },
  getLanguage: {
    path: '/languages/{language}',
    ...NO_QUERY,
    isRefreshed: false,
    problems: ['language_not_found'],
  },
  listUsers: {
    path: '/users',
    ...PAGED_BY_POLICY,
    isRefreshed: false,
    problems: [],
  },
  getUser: {
    path: '/users/{user}',
    ...NO_QUERY,
    isRefreshed: false,
    problems: ['user_not_found'],
  },
  listProjects: {
    path: '/projects',
    query: ['status', 'search', 'agency_id', ...PAGING],
    ignoredQuery: [],
    isRefreshed: true,
    problems: ['unknown_parameter', 'invalid_parameter', 'agency_filter_forbidden'],
  },
  getProject: {
    path: '/projects/{project}',
    ...NO_QUERY,
    isRefreshed: true,
    problems: ['project_not_found'],
  },
  listReports: {
    path: '/projects/{project}/reports',
    ...PAGED_BY_POLICY,
    isRefreshed: true,
    problems: ['project_not_found'],
  },
  getLatestReport: {
    path: '/projects/{project}/reports/latest',
    ...NO_QUERY,
    isRefreshed: true,
    problems: ['project_not_found', 'report_not_found'],
  },
  getLastGeneratedReport: {
    path: '/projects/{project}/reports/last-generated',
    ...NO_QUERY,
    isRefreshed: true,
    problems: ['project_not_found', 'report_not_found'],
  },
  getReportContent: {
    path: '/projects/{project}/reports/{report_number}/content',
    ...NO_QUERY,
    isRefreshed: true,
    problems: ['report_number_out_of_range', 'project_not_found', 'report_not_found'],
  },
  listKeywords: {
    path: '/projects/{project}/keywords',
    ...PAGED_BY_POLICY,
    isRefreshed: true,
    problems: ['project_not_found'],
  },
} as const satisfies Record<string, Route>

export type OperationId = keyof typeof ROUTES

export type QueryParameter = (typeof ROUTES)[OperationId]['query' | 'ignoredQuery'][number]

/**
 * The errors of every endpoint: a missing or unknown token, an IP address that is not allowed, too many requests (specification
 * 5, 7).
 */
export const COMMON_PROBLEMS = [
  'unauthenticated',
  'ip_not_allowed',
  'rate_limit_exceeded',
] as const satisfies readonly ProblemCode[]

/** Every problem that an endpoint may respond with under the default policies. */
export type DocumentedProblem =
  | (typeof COMMON_PROBLEMS)[number]
  | (typeof ROUTES)[OperationId]['problems'][number]

type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never

export type PathParameter = ParametersOf<(typeof ROUTES)[OperationId]['path']>

export const OPERATION_IDS = Object.keys(ROUTES) as OperationId[]

/** Formats an endpoint as its method and path, like `GET /projects/{project}`. */
export function toEndpoint(operation: OperationId): string {
  return `GET ${ROUTES[operation].path}`
}

/**
 * Parses an endpoint to the form of {@link toEndpoint}. Accepts its method and path, its path alone, or its operation id. The
 * prefix `/api/v1` is optional.
 */
export function parseEndpoint(text: string): Validated<string> {
  const path = text.replace(/^GET +/i, '').replace(new RegExp(`^${API_PREFIX}(?=/)`), '')
  const found = OPERATION_IDS.find((id) => id === text || ROUTES[id].path === path)
  if (found) return { value: toEndpoint(found) }
  const candidates = text.includes('/') ? OPERATION_IDS.map(toEndpoint) : OPERATION_IDS
  const message = `${describe(text)} is not an endpoint. ${suggest(text, candidates)}`
  return { problems: [{ path: [], message }] }
}
