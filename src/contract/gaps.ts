/** A point that the specification leaves open, with a fixed behaviour. */
interface RecordedGap {
  /** Identifier, such as `G-031`. */
  id: string
  /** The section of the specification that is silent or ambiguous. */
  section: string
  question: string
  behaviour: string
}

/** A gap with options that a client can distinguish. The option is set by the name of the policy or the id of the gap. */
export interface PolicyGap extends Omit<RecordedGap, 'behaviour'> {
  policy: string
  options: Record<string, string>
  default: string
  /** Accepted values besides `options` that cannot be listed; omitted if there are none. */
  accepts?: {
    description: string
    test: (value: string) => boolean
    /** Returns the accepted values that this runtime knows. */
    known: () => string[]
  }
}

type Gap = RecordedGap | PolicyGap

function isEuropeanTimeZone(value: string): boolean {
  if (!/^Europe\/[A-Z][A-Za-z_]+$/.test(value)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** All points that the specification leaves open, by ascending id. */
export const GAPS = [
  {
    id: 'G-001',
    section: '5(8)',
    question: 'The status of a missing or unknown token',
    policy: 'missing-token',
    options: {
      '401': 'Unauthorized',
      '403': 'Forbidden',
      '302': 'a redirect to /login unless the request accepts JSON, then 401',
    },
    default: '401',
  },
  {
    id: 'G-002',
    section: '5(8)',
    question: 'The status of a disabled token on every endpoint but /me',
    policy: 'disabled-token',
    options: { '401': 'as for an unknown token', '403': 'Forbidden' },
    default: '401',
  },
  {
    id: 'G-003',
    section: '5(4)',
    question: 'The response of /me to a disabled token',
    policy: 'disabled-token-on-me',
    options: {
      '200': 'its identity with status disabled',
      '401': 'as for an unknown token',
      '403': 'Forbidden',
    },
    default: '200',
  },
  {
    id: 'G-004',
    section: '7',
    question: 'The body of a 401',
    policy: 'unauthenticated-body',
    options: {
      message: '{ "message": "Unauthenticated." }',
      envelope: '{ "error": { "code", "message" } }, as on a 429',
      empty: 'no body',
    },
    default: 'message',
  },
  {
    id: 'G-005',
    section: '7',
    question: 'The body of a 403, 404 or 405, and of a 400 or 422 that names no parameters',
    policy: 'error-body',
    options: {
      message: '{ "message": … }',
      envelope: '{ "error": { "code", "message" } }, as on a 429',
      html: 'an HTML page',
    },
    default: 'message',
  },
  {
    id: 'G-006',
    section: '7',
    question: 'The body of the 400 for an unknown query parameter',
    policy: 'unknown-parameter-body',
    options: {
      message: '{ "message": …, "allowed_parameters": [names] }',
      envelope: '{ "error": { "code", "message", "allowed_parameters": [names] } }',
    },
    default: 'message',
  },
  {
    id: 'G-007',
    section: '5(1)',
    question: 'Accepted forms of the Authorization header',
    policy: 'authorization-scheme',
    options: {
      'case-insensitive': 'any case of Bearer, one or more spaces, the exact token',
      strict: '"Bearer", one space, the exact token',
    },
    default: 'case-insensitive',
  },
  {
    id: 'G-008',
    section: '5(1)',
    question: 'A token in the query string',
    behaviour: 'Ignored: 401 without the header.',
  },
  {
    id: 'G-009',
    section: '5(3)',
    question: 'A token with an empty list of allowed addresses',
    policy: 'empty-ip-list',
    options: { 'deny-all': 'no address is allowed', 'allow-all': 'every address is allowed' },
    default: 'deny-all',
  },
  {
    id: 'G-010',
    section: '5(3)',
    question: 'The client address behind a proxy',
    behaviour:
      "The socket's; with --trust-proxy HOPS, the one that many trusted hops away in X-Forwarded-For.",
  },
  {
    id: 'G-011',
    section: '5(3), 7',
    question: 'The order of the checks',
    behaviour:
      'Route 404, method 405, token 401, disabled, address 403, rate limit 429, ability 403, resource 404, parameters 400, agency_id 403. A path is routed by its shape alone.',
  },
  {
    id: 'G-012',
    section: '5(5)',
    question: 'Abilities other than *',
    policy: 'abilities',
    options: {
      unenforced: 'opaque: every token may read everything in its scope',
      enforced:
        '403 unless the abilities include * or the first path segment plus :read (such as projects:read); /me is exempt',
    },
    default: 'unenforced',
  },
  {
    id: 'G-013',
    section: '5(7)',
    question: "Another agency's project",
    policy: 'foreign-project',
    options: { '404': 'as if it did not exist', '403': 'Forbidden' },
    default: '404',
  },
  {
    id: 'G-014',
    section: '4.3(5)',
    question: 'agency_id from a token that is not super-admin',
    policy: 'agency-id-of-agency-token',
    options: {
      '403': 'Forbidden',
      ignore: 'the filter is ignored',
      intersect: "the filter applies within the token's agency",
      '400': 'Bad Request',
    },
    default: '403',
  },
  {
    id: 'G-015',
    section: '4.3',
    question: 'An agency_id that is unknown or not a number, from a super-admin token',
    policy: 'invalid-agency-id',
    options: {
      strict: 'unknown: an empty list; not a number: 400',
      ignored: 'the filter is ignored',
    },
    default: 'strict',
  },
  {
    id: 'G-016',
    section: '5(6)',
    question: 'The projects listed to a super-admin token without agency_id',
    policy: 'super-admin-projects',
    options: { all: 'the projects of every agency', none: 'no projects' },
    default: 'all',
  },
  {
    id: 'G-017',
    section: '2.2, 4.2',
    question: 'An embedded user of no agency or another one, requested by /users/{user}',
    policy: 'embedded-user',
    options: {
      '404': 'not visible, though embedded',
      visible: 'visible to tokens of the agency whose projects embed it',
    },
    default: '404',
  },
  {
    id: 'G-018',
    section: '4.9',
    question: 'The users listed to a super-admin token',
    behaviour: 'Everyone, users without an agency included.',
  },
  {
    id: 'G-019',
    section: '8',
    question: 'The kind of rate-limit window',
    policy: 'rate-window',
    options: {
      fixed: 'from the first counted request',
      'clock-aligned': 'with the minutes and hours of the clock (UTC)',
      sliding: 'the requests of the last minute or hour',
      bucket: 'a bucket of tokens that refills evenly',
    },
    default: 'fixed',
  },
  {
    id: 'G-020',
    section: '8',
    question: 'The counting of a request rejected with 429',
    policy: 'rejected-requests',
    options: {
      uncounted: 'in neither window',
      'other-window': 'in the window that is not exhausted',
      counted: 'in both windows',
    },
    default: 'uncounted',
  },
  {
    id: 'G-021',
    section: '8',
    question: 'The counting of a request rejected with 401 or for its address',
    behaviour: 'None: it is rejected before the rate limit.',
  },
  {
    id: 'G-022',
    section: '8',
    question: 'The counting of a 400, 404 or 405',
    behaviour: 'A 400 and the 404 of a resource count; the 404 of a route and a 405 do not.',
  },
  {
    id: 'G-023',
    section: '8',
    question:
      'Rate-limit headers on responses sent before the rate limit is checked ("every response")',
    policy: 'headers-before-admission',
    options: {
      sent: "the token's figures unspent, the default limit where the token is unknown",
      omitted: 'none',
    },
    default: 'sent',
  },
  {
    id: 'G-024',
    section: '8',
    question: 'X-RateLimit-Limit and X-RateLimit-Remaining of an unlimited minute',
    policy: 'unlimited-headers',
    options: {
      omitted: 'neither is sent',
      '9223372036854775807': 'both are the largest 64-bit integer',
      '0': 'both are 0',
      '-1': 'both are -1',
    },
    default: 'omitted',
  },
  {
    id: 'G-025',
    section: '8',
    question: 'A token with only one unlimited window',
    behaviour: 'Each window is treated on its own.',
  },
  {
    id: 'G-026',
    section: '8',
    question: 'The reset named by a 429 when both windows are exhausted',
    policy: 'both-exhausted',
    options: { later: 'the later one', minute: 'that of the minute, the first configured' },
    default: 'later',
  },
  {
    id: 'G-027',
    section: '8',
    question: 'The rounding of Retry-After and X-RateLimit-Reset',
    policy: 'reset-rounding',
    options: {
      up: 'up, Retry-After to at least 1',
      down: 'down, Retry-After may be 0',
    },
    default: 'up',
  },
  {
    id: 'G-028',
    section: '8',
    question: 'X-RateLimit-Remaining of an hourly 429 when no minute window is open',
    policy: 'remaining-without-minute',
    options: { full: 'the full limit', '0': '0' },
    default: 'full',
  },
  {
    id: 'G-029',
    section: '8',
    question: 'The counting of HEAD and OPTIONS',
    behaviour: 'HEAD counts, like GET; a CORS preflight and any other OPTIONS do not.',
  },
  {
    id: 'G-030',
    section: '8',
    question: 'The start of a changed limit',
    behaviour: 'With the next request.',
  },
  {
    id: 'G-031',
    section: '7',
    question: 'The message of a 429',
    behaviour: 'A short text that never changes.',
  },
  {
    id: 'G-032',
    section: '4.3, 9(1)',
    question: 'The form of page links',
    policy: 'page-links',
    options: { relative: 'from the root, with /api/v1', absolute: 'with scheme and host' },
    default: 'relative',
  },
  {
    id: 'G-033',
    section: '4.3',
    question: 'The filters and per_page in page links',
    policy: 'page-link-parameters',
    options: {
      kept: 'the parameters as sent, in their order, page last',
      dropped: 'page alone',
    },
    default: 'kept',
  },
  {
    id: 'G-034',
    section: '4.3',
    question: 'per_page above 100',
    policy: 'per-page-above-maximum',
    options: { clamp: '100 is used', '400': 'Bad Request', '422': 'Unprocessable Content' },
    default: 'clamp',
  },
  {
    id: 'G-035',
    section: '4.3',
    question: 'per_page that is 0, negative or not a whole number',
    policy: 'invalid-per-page',
    options: {
      '100': 'the default is used',
      '1': '1 is used',
      '15': '15 is used',
      '422': 'Unprocessable Content',
    },
    default: '100',
  },
  {
    id: 'G-036',
    section: '4.3',
    question: 'page that is 0, negative or not a whole number',
    policy: 'invalid-page',
    options: { '1': 'the first page', '400': 'Bad Request' },
    default: '1',
  },
  {
    id: 'G-037',
    section: '4.3(4)',
    question: 'A page past the end',
    policy: 'page-past-the-end',
    options: {
      empty: '200 without items; prev only where that page exists',
      'empty-with-prev': '200 without items; prev is always the page before',
      '404': 'Not Found',
    },
    default: 'empty',
  },
  {
    id: 'G-038',
    section: '4.3(3)',
    question: 'last_page of an empty list',
    policy: 'empty-last-page',
    options: { '1': '1', '0': '0' },
    default: '1',
  },
  {
    id: 'G-039',
    section: '4.3',
    question: 'The order of projects',
    policy: 'project-order',
    options: {
      id: 'by id, ascending',
      name: 'by name, then id',
      created: 'newest first, then the higher id',
    },
    default: 'id',
  },
  {
    id: 'G-040',
    section: '4.3',
    question: 'The matching of the status filter',
    policy: 'status-filter',
    options: {
      exact: 'exactly; an unknown status lists nothing',
      'case-insensitive': 'in any case',
      '400':
        'exactly; Bad Request for a status of no project that the token may see, whatever agency_id says',
    },
    default: 'exact',
  },
  {
    id: 'G-041',
    section: '4.3',
    question: 'A parameter with an empty value',
    policy: 'empty-parameter',
    options: { absent: 'as if it were not there', literal: 'the empty text is its value' },
    default: 'absent',
  },
  {
    id: 'G-042',
    section: '4.3',
    question: 'The matching of search',
    policy: 'search-match',
    options: {
      substring: 'in any case; % and _ and accents are literal',
      like: 'as a LIKE pattern: in any case, without accents, % and _ are wildcards',
    },
    default: 'substring',
  },
  {
    id: 'G-043',
    section: '4.3',
    question: 'A parameter given more than once',
    policy: 'repeated-parameter',
    options: { last: 'the last one counts', first: 'the first one counts' },
    default: 'last',
  },
  {
    id: 'G-044',
    section: '4.3(1)',
    question: 'Unknown query parameters on other endpoints',
    policy: 'unknown-parameters-elsewhere',
    options: { ignored: 'ignored', '400': 'Bad Request, as on /projects' },
    default: 'ignored',
  },
  {
    id: 'G-045',
    section: '4.8, 4.9',
    question: 'Pagination of keywords, users, countries, languages and reports',
    policy: 'list-pagination',
    options: { none: 'the whole list', paginated: 'as /projects, with page and per_page' },
    default: 'none',
  },
  {
    id: 'G-046',
    section: '4.8, 4.9',
    question: 'The order of keywords, users, countries and languages',
    policy: 'list-order',
    options: { id: 'by id, ascending', label: 'by label, name or keyword, then id' },
    default: 'id',
  },
  {
    id: 'G-047',
    section: '2.1',
    question: 'The status for an id that is not a number',
    policy: 'non-integer-id',
    options: { '404': 'Not Found', '400': 'Bad Request' },
    default: '404',
  },
  {
    id: 'G-048',
    section: '4.2',
    question: 'Ids like 007, +5 and 5abc',
    policy: 'loose-id',
    options: { '404': 'Not Found', cast: 'the number they begin with, as MySQL casts' },
    default: '404',
  },
  {
    id: 'G-049',
    section: '4.7',
    question: 'A report_number that is not a plain decimal',
    policy: 'malformed-report-number',
    options: { '400': 'Bad Request', '404': 'Not Found' },
    default: '400',
  },
  {
    id: 'G-050',
    section: '4.7',
    question: 'An unknown project together with a bad report_number',
    policy: 'unknown-project-with-bad-number',
    options: { '404': 'the project is looked up first', '400': 'the number is checked first' },
    default: '404',
  },
  {
    id: 'G-051',
    section: '4',
    question: 'Methods other than GET and HEAD',
    policy: 'other-methods',
    options: { '405': 'Method Not Allowed, with Allow', '404': 'Not Found' },
    default: '405',
  },
  {
    id: 'G-052',
    section: '4',
    question: 'A trailing slash, and the case of paths',
    behaviour: 'One trailing slash is tolerated; paths are case-sensitive.',
  },
  {
    id: 'G-053',
    section: '7',
    question: 'Errors for requests that do not accept JSON',
    policy: 'errors-without-json-accept',
    options: { json: 'JSON all the same', html: 'an HTML page' },
    default: 'json',
  },
  {
    id: 'G-054',
    section: '–',
    question: 'CORS',
    behaviour: 'Off; --cors ORIGIN opts in, and exposes no header of the API.',
  },
  {
    id: 'G-055',
    section: '–',
    question: 'ETag, compression and Cache-Control',
    behaviour: 'No ETag, no compression, Cache-Control: no-cache, private.',
  },
  {
    id: 'G-056',
    section: '–',
    question: 'JSON escaping and key order',
    behaviour: "Plain, in the specification's order; no JSON parser shows the difference.",
  },
  {
    id: 'G-057',
    section: '7',
    question: '5xx and maintenance responses',
    behaviour: 'Never, except as requested faults.',
  },
  {
    id: 'G-058',
    section: '2.1',
    question: 'The meaning of cache_refreshed_at',
    policy: 'data-refresh',
    options: {
      fresh: 'the world clock floored to 60 s; changes show at once',
      stale: 'the same; responses with it show changes at the next refresh, of tokens at once',
    },
    default: 'fresh',
  },
  {
    id: 'G-059',
    section: '2.1',
    question: 'The time at which latest is selected: the request or the refresh',
    behaviour:
      'At the request. With refreshes at whole minutes both fall into the same month, so no client could tell.',
  },
  {
    id: 'G-060',
    section: '2.1',
    question: 'cache_refreshed_at on error bodies',
    behaviour: 'Absent.',
  },
  {
    id: 'G-061',
    section: '2.4, 2.7, 2.8',
    question: 'The figures that include inactive keywords',
    behaviour:
      'keyword_count of a project and /keywords: all; report content and its summary: active ones.',
  },
  {
    id: 'G-062',
    section: '2.7',
    question: 'The keywords counted by keywords_with_content of the summary',
    policy: 'keywords-with-content',
    options: {
      active: 'active ones only, so at most its keyword_count',
      all: 'also inactive ones with content, so possibly more than its keyword_count',
    },
    default: 'active',
  },
  {
    id: 'G-063',
    section: '2.3',
    question: "A project's country that is not in /countries",
    behaviour: 'Served as written in the fixture; generated worlds have none.',
  },
  {
    id: 'G-064',
    section: '2.10',
    question: 'Values of project status, plan and gsc_status beyond those shown',
    behaviour:
      'Served as written in the fixture; generated worlds use those shown, and others with `variety`, as in the demo.',
  },
  {
    id: 'G-065',
    section: '2.10',
    question: 'The values of approved_status and managed_status',
    behaviour:
      'Served as written in the fixture; generated worlds use approved_status approved and managed_status completed.',
  },
  {
    id: 'G-066',
    section: '2.5, 2.7',
    question: 'The form of domain: a host or a URL',
    policy: 'domain-form',
    options: {
      url: 'as the fixture states it, a full https URL',
      host: 'its host alone, in domain and project_domain',
    },
    default: 'url',
  },
  {
    id: 'G-067',
    section: '2.7',
    question: "The links of a report's content whose source is null",
    policy: 'null-links',
    options: { null: 'null', empty: 'the empty text', omitted: 'left out' },
    default: 'null',
  },
  {
    id: 'G-068',
    section: '2.6',
    question: 'pdf_link and web_link before completion',
    behaviour: 'Served as written in the fixture; null in generated worlds.',
  },
  {
    id: 'G-069',
    section: '2.6',
    question: 'sent of a report that is not completed',
    behaviour: 'Served as written in the fixture; false in generated worlds.',
  },
  {
    id: 'G-070',
    section: '2.8',
    question: 'The origin of latest_position',
    behaviour: 'Counted from 1; null for none.',
  },
  {
    id: 'G-071',
    section: '2.8',
    question: 'The value of content_count',
    behaviour: 'The length of content_action_ids.',
  },
  {
    id: 'G-072',
    section: '4.5',
    question: 'The time zone of the current calendar month',
    policy: 'month-time-zone',
    options: { UTC: 'Coordinated Universal Time' },
    default: 'UTC',
    accepts: {
      description: 'a European time zone, such as Europe/Copenhagen',
      test: isEuropeanTimeZone,
      known: () => Intl.supportedValuesOf('timeZone').filter((zone) => zone.startsWith('Europe/')),
    },
  },
  {
    id: 'G-073',
    section: '4.5(1)',
    question: 'Completed reports of this month with the same date_to_create_texts',
    policy: 'completed-tie',
    options: { 'higher-id': 'the higher id wins', number: 'the higher report_number wins' },
    default: 'higher-id',
  },
  {
    id: 'G-074',
    section: '4.5(2)',
    question: 'Open reports with the same smallest date_to_create_texts',
    behaviour: 'The lower id wins.',
  },
  {
    id: 'G-075',
    section: '4.5(2)',
    question: 'Open reports without date_to_create_texts',
    policy: 'undated-reports',
    options: {
      excluded: 'never selected',
      first: 'before every date, as MySQL sorts',
      last: 'after every date, as Postgres sorts',
    },
    default: 'excluded',
  },
  {
    id: 'G-076',
    section: '4.6',
    question: 'Completed reports with the same created_at',
    behaviour: 'The higher id wins.',
  },
  {
    id: 'G-077',
    section: '4.6',
    question: 'Reports of other action types in last-generated',
    behaviour: 'Included.',
  },
  {
    id: 'G-078',
    section: '4.4',
    question: 'Reports below project level in the reports list',
    policy: 'reports-list-levels',
    options: { included: 'listed', filtered: 'left out' },
    default: 'included',
  },
  {
    id: 'G-079',
    section: '4.4',
    question: 'The sort key of "newest first"',
    policy: 'reports-order',
    options: {
      created: 'created_at, then id',
      number: 'report_number',
      date: 'date_to_create_texts, undated last, then id',
    },
    default: 'created',
  },
  {
    id: 'G-080',
    section: '4.7',
    question: 'Two reports of a project with the same number',
    behaviour: 'Numbers are unique within a project; a fixture that repeats one is refused.',
  },
  {
    id: 'G-081',
    section: '4.7',
    question: 'The content of an unfinished report',
    behaviour: '200 with is_generated false and the content that is there, usually none.',
  },
  {
    id: 'G-082',
    section: '2.7',
    question: 'Partial content while a report runs or after it failed',
    behaviour: 'Served as written in the fixture; none in generated worlds.',
  },
  {
    id: 'G-083',
    section: '2.7',
    question: 'The content scheme of a report without content',
    policy: 'scheme-without-content',
    options: { null: 'null unless the fixture states one', known: 'h3_text_blocks' },
    default: 'null',
  },
  {
    id: 'G-084',
    section: '2.7',
    question: 'HTML escaping in the blocks of h3_text_blocks, and newlines in headings and texts',
    policy: 'html-escaping',
    options: {
      escape: '& < > " are escaped, newlines kept',
      raw: 'nothing is escaped',
      br: 'escaped, and newlines become br elements',
    },
    default: 'escape',
  },
  {
    id: 'G-085',
    section: '2.7',
    question: "The order of keywords in a report's content",
    behaviour: 'By keyword id, ascending.',
  },
  {
    id: 'G-086',
    section: '3',
    question: 'The transitions between the states of a report',
    behaviour:
      'A fixture and a command may set any state. Reports that move automatically, or by transition commands, go from pending to running, from running to completed or failed, and from failed to running.',
  },
  {
    id: 'G-087',
    section: '2.6',
    question: 'Reports that exist before their time',
    behaviour: 'As a fixture states it; a few in generated worlds.',
  },
  {
    id: 'G-088',
    section: '9',
    question: '/api/v2 and the bare /api/v1',
    behaviour: '404.',
  },
] as const satisfies readonly Gap[]

/** Returns all options of a policy, including the accepted values that this runtime knows. */
export function listOptions({ options, accepts }: PolicyGap): string[] {
  return [...Object.keys(options), ...(accepts?.known() ?? [])]
}

export type Policy = Extract<(typeof GAPS)[number], { policy: string }>

/** The gaps that have a policy, by ascending id. */
export const POLICIES = GAPS.filter((gap): gap is Policy => 'policy' in gap)
export const POLICY_NAMES = POLICIES.map(({ policy }) => policy)
