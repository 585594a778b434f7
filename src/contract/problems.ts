/** Status and message of every response other than 200 (specification 7, gaps.ts). */
export const PROBLEMS = {
  unknown_parameter: { status: 400, message: 'Unknown query parameter.' },
  invalid_parameter: { status: 400, message: 'A query parameter has an invalid value.' },
  unprocessable_parameter: { status: 422, message: 'A query parameter has an invalid value.' },
  report_number_out_of_range: { status: 400, message: 'The report number must be from 1 to 26.' },
  malformed_id: { status: 400, message: 'An identifier must be an integer.' },
  agency_filter_refused: { status: 400, message: 'Only super-admin tokens may use agency_id.' },
  unauthenticated: { status: 401, message: 'Unauthenticated.' },
  login_required: { status: 302, message: 'Unauthenticated.' },
  forbidden: { status: 403, message: 'This action is unauthorized.' },
  token_disabled: { status: 403, message: 'This token is disabled.' },
  ip_not_allowed: { status: 403, message: 'This IP address is not allowed for the token.' },
  ability_missing: { status: 403, message: 'The token lacks the ability for this request.' },
  agency_filter_forbidden: {
    status: 403,
    message: 'Only super-admin tokens may filter by agency_id.',
  },
  route_not_found: {
    status: 404,
    message: 'The route could not be found. The API is below /api/v1.',
  },
  country_not_found: { status: 404, message: 'Country not found.' },
  language_not_found: { status: 404, message: 'Language not found.' },
  user_not_found: { status: 404, message: 'User not found.' },
  project_not_found: { status: 404, message: 'Project not found.' },
  report_not_found: { status: 404, message: 'Report not found.' },
  page_not_found: { status: 404, message: 'Page not found.' },
  method_not_allowed: { status: 405, message: 'This API is read-only: use GET.' },
  request_timeout: { status: 408, message: 'Request Timeout' },
  rate_limit_exceeded: { status: 429, message: 'Too many requests. Please slow down.' },
  server_error: { status: 500, message: 'Server Error' },
  bad_gateway: { status: 502, message: 'Bad Gateway' },
  service_unavailable: { status: 503, message: 'Service Unavailable' },
  gateway_timeout: { status: 504, message: 'Gateway Timeout' },
} as const satisfies Record<string, { status: number; message: string }>

export type ProblemCode = keyof typeof PROBLEMS

/** The reason phrase of each status, as Node sends it over HTTP/1.1. */
export const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  302: 'Found',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
} satisfies Record<200 | (typeof PROBLEMS)[ProblemCode]['status'], string>

/** One generic problem for each error status, for faults at any endpoint. */
export const PLAIN_PROBLEMS = [
  'invalid_parameter',
  'unauthenticated',
  'forbidden',
  'route_not_found',
  'method_not_allowed',
  'request_timeout',
  'unprocessable_parameter',
  'rate_limit_exceeded',
  'server_error',
  'bad_gateway',
  'service_unavailable',
  'gateway_timeout',
] as const satisfies readonly ProblemCode[]
