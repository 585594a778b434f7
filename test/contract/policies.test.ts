import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { POLICIES } from '../../src/contract/gaps.ts'
import { CommandError, createSandbox, FixtureError, OptionError } from '../../src/index.ts'
import type { FixtureInput, PolicyName, SandboxOptions } from '../../src/index.ts'
import { openFetch } from '../support/transports.ts'
import type { Client, TestRequest, TestResponse } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER, withReports } from '../support/worlds.ts'

/** The machine's time in every test here: a quarter of a second after a half minute. */
const START_MS = Date.parse('2026-03-15T12:00:30.250Z')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A client's view of a policy: the same requests, with different responses under each option. */
interface Probe {
  policy: PolicyName
  /** The option in bold in the list of gaps. */
  byDefault: string
  world?: FixtureInput
  observe: (client: Client) => Promise<unknown>
  /** Observations under each option. */
  expected: Record<string, unknown>
}

const PROJECT_PARAMETERS = ['status', 'search', 'agency_id', 'page', 'per_page']
const JSON_ACCEPTED = { accept: 'application/json' }
const BLOCK = { h3: 'Fish & "chips"', text: 'a < b\nb > a' }
const WEBSITE = 'https://www.example.com/shop'
const ME = '200 abilities, agency_id, id, name, status'
const REPORT_PAGE = 'https://web.example/1'
const WINDOWS = ['fixed', 'clock-aligned', 'sliding', 'bucket']

const PROBES: Probe[] = [
  {
    policy: 'missing-token',
    byDefault: '401',
    observe: each(
      [{ path: '/me' }, { path: '/me', token: 'nobody' }, { path: '/me', headers: JSON_ACCEPTED }],
      ({ status, headers }) => `${status} ${headers['location'] ?? ''}`.trim(),
    ),
    expected: {
      '401': ['401', '401', '401'],
      '403': ['403', '403', '403'],
      '302': ['302 /login', '302 /login', '401'],
    },
  },
  {
    policy: 'disabled-token',
    byDefault: '401',
    world: withToken({ status: 'disabled' }),
    observe: each(['/projects', '/projects/1', '/countries', '/me'].map(own), statusOf),
    expected: { '401': [401, 401, 401, 200], '403': [403, 403, 403, 200] },
  },
  {
    policy: 'disabled-token-on-me',
    byDefault: '200',
    world: withToken({ status: 'disabled' }),
    observe: each(
      ['/me', '/projects'].map(own),
      ({ status, body }) => `${status} ${body.status ?? body.message}`,
    ),
    expected: {
      '200': ['200 disabled', '401 Unauthenticated.'],
      '401': ['401 Unauthenticated.', '401 Unauthenticated.'],
      '403': ['403 This token is disabled.', '401 Unauthenticated.'],
    },
  },
  {
    policy: 'unauthenticated-body',
    byDefault: 'message',
    observe: each(
      [{ path: '/me' }, agency('/projects/999')],
      ({ status, text }) => `${status} ${text}`,
    ),
    expected: {
      message: ['401 {"message":"Unauthenticated."}', '404 {"message":"Project not found."}'],
      envelope: [
        '401 {"error":{"code":"unauthenticated","message":"Unauthenticated."}}',
        '404 {"message":"Project not found."}',
      ],
      empty: ['401 ', '404 {"message":"Project not found."}'],
    },
  },
  {
    policy: 'error-body',
    byDefault: 'message',
    world: withToken(
      { rate_limit: {}, spent: 'minute' },
      { policies: { 'per-page-above-maximum': 422 } },
    ),
    observe: each(
      [
        agency('/nowhere'),
        agency('/projects/999'),
        { ...agency('/me'), method: 'POST' },
        agency('/projects', 'agency_id=1'),
        agency('/projects/1/reports/27/content'),
        agency('/projects', 'per_page=101'),
        agency('/projects', 'colour=red'),
        { path: '/me' },
        own('/me'),
      ],
      (response) => `${response.status} ${formOf(response)}`,
    ),
    expected: {
      message: errorsAs('message'),
      envelope: errorsAs('error(code, message)'),
      html: errorsAs('html'),
    },
  },
  {
    policy: 'unknown-parameter-body',
    byDefault: 'message',
    observe: each([agency('/projects', 'colour=red')], (response) => {
      const { allowed_parameters, message } = response.body.error ?? response.body
      const isEachNamed = PROJECT_PARAMETERS.every((name) => message.includes(name))
      return [response.status, formOf(response), allowed_parameters, isEachNamed]
    }),
    expected: {
      message: [[400, 'allowed_parameters, message', PROJECT_PARAMETERS, true]],
      envelope: [[400, 'error(allowed_parameters, code, message)', PROJECT_PARAMETERS, true]],
    },
  },
  {
    policy: 'authorization-scheme',
    byDefault: 'case-insensitive',
    observe: each(
      ['Bearer ', 'bearer ', 'BEARER ', 'Bearer   ', 'Basic ', ''].map((scheme) => ({
        path: '/me',
        headers: { authorization: `${scheme}${AGENCY}` },
      })),
      statusOf,
    ),
    expected: {
      'case-insensitive': [200, 200, 200, 200, 401, 401],
      strict: [200, 401, 401, 401, 401, 401],
    },
  },
  {
    policy: 'empty-ip-list',
    byDefault: 'deny-all',
    world: withToken({ allowed_ips: [] }),
    observe: each([own('/me'), agency('/me')], statusOf),
    expected: { 'deny-all': [403, 200], 'allow-all': [200, 200] },
  },
  {
    policy: 'abilities',
    byDefault: 'unenforced',
    world: withToken({ abilities: ['projects:read', 'users'] }),
    observe: each(
      [...['/projects', '/projects/1/keywords', '/countries', '/users'].map(own), agency('/users')],
      statusOf,
    ),
    expected: { unenforced: [200, 200, 200, 200, 200], enforced: [200, 200, 403, 403, 200] },
  },
  {
    policy: 'foreign-project',
    byDefault: '404',
    world: withTwoAgencies(),
    observe: each(
      [
        ...['', '/keywords', '/reports', '/reports/latest', '/reports/1/content'].map((below) =>
          agency(`/projects/2${below}`),
        ),
        agency('/projects/999'),
        superAdmin('/projects/2'),
      ],
      statusOf,
    ),
    expected: {
      '404': [404, 404, 404, 404, 404, 404, 200],
      '403': [403, 403, 403, 403, 403, 404, 200],
    },
  },
  {
    policy: 'agency-id-of-agency-token',
    byDefault: '403',
    world: withTwoAgencies(),
    observe: each(
      [agency('/projects', 'agency_id=1'), agency('/projects', 'agency_id=2')],
      idsOrStatus,
    ),
    expected: { '403': [403, 403], ignore: [[1], [1]], intersect: [[1], []], '400': [400, 400] },
  },
  {
    policy: 'invalid-agency-id',
    byDefault: 'strict',
    observe: each(
      [superAdmin('/projects', 'agency_id=999'), superAdmin('/projects', 'agency_id=north')],
      idsOrStatus,
    ),
    expected: { strict: [[], 400], ignored: [[1], [1]] },
  },
  {
    policy: 'super-admin-projects',
    byDefault: 'all',
    world: withTwoAgencies(),
    observe: each(
      [superAdmin('/projects'), superAdmin('/projects', 'agency_id=2'), superAdmin('/projects/1')],
      idsOrStatus,
    ),
    expected: { all: [[1, 2], [2], 1], none: [[], [2], 1] },
  },
  {
    policy: 'embedded-user',
    byDefault: '404',
    world: aWorld({
      users: [
        { id: 7, name: 'Shown by a project', agency: 2 },
        { id: 8, name: 'Shown by a report', agency: null },
        { id: 9, name: 'Shown to the other agency', agency: 2 },
      ],
      projects: [
        aProject({ id: 1, managing_user: 7, reports: [aReport({ id: 1, approved_by: 8 })] }),
        aProject({ id: 2, agency: 2, managing_user: 9 }),
      ],
    }),
    observe: each(
      [7, 8, 9].map((id) => agency(`/users/${id}`)),
      statusOf,
    ),
    expected: { '404': [404, 404, 404], visible: [200, 200, 404] },
  },
  {
    policy: 'rate-window',
    byDefault: 'fixed',
    world: withToken({ rate_limit: { per_minute: 2, per_hour: 'unlimited' } }),
    observe: atSeconds([0, 20, 25, 31, 55, 62, 70], statusOf),
    expected: {
      fixed: [200, 200, 429, 429, 429, 200, 200],
      'clock-aligned': [200, 200, 429, 200, 200, 429, 429],
      sliding: [200, 200, 429, 429, 429, 200, 429],
      bucket: [200, 200, 429, 200, 429, 200, 429],
    },
  },
  {
    policy: 'rejected-requests',
    byDefault: 'uncounted',
    world: withToken(
      { rate_limit: { per_minute: 2, per_hour: 4 } },
      { policies: { 'rate-window': 'sliding' } },
    ),
    observe: atSeconds([0, 1, 30, 62, 63], statusAndRemaining),
    expected: {
      uncounted: ['200 1', '200 0', '429 0', '200 1', '200 0'],
      'other-window': ['200 1', '200 0', '429 0', '200 1', '429 0'],
      counted: ['200 1', '200 0', '429 0', '200 0', '429 0'],
    },
  },
  {
    policy: 'headers-before-admission',
    byDefault: 'sent',
    world: withToken({ rate_limit: { per_minute: 5 }, allowed_ips: ['203.0.113.7'] }),
    observe: each(
      [
        { path: '/me' },
        { path: '/me', token: 'nobody' },
        own('/me'),
        own('/nowhere'),
        { ...own('/me'), method: 'POST' },
      ],
      ({ status, headers }) =>
        `${status} ${headers['x-ratelimit-remaining']} of ${headers['x-ratelimit-limit']}`,
    ),
    expected: {
      sent: ['401 60 of 60', '401 60 of 60', '403 5 of 5', '404 5 of 5', '405 5 of 5'],
      omitted: [401, 401, 403, 404, 405].map((status) => `${status} undefined of undefined`),
    },
  },
  {
    policy: 'unlimited-headers',
    byDefault: 'omitted',
    observe: each(
      [agency('/me'), agency('/projects/999')],
      ({ headers }) => `${headers['x-ratelimit-remaining']} of ${headers['x-ratelimit-limit']}`,
    ),
    expected: {
      omitted: ['undefined of undefined', 'undefined of undefined'],
      '9223372036854775807': [
        '9223372036854775807 of 9223372036854775807',
        '9223372036854775807 of 9223372036854775807',
      ],
      '0': ['0 of 0', '0 of 0'],
      '-1': ['-1 of -1', '-1 of -1'],
    },
  },
  {
    policy: 'both-exhausted',
    byDefault: 'later',
    world: withToken({ rate_limit: { per_minute: 1, per_hour: 1 } }),
    observe: atSeconds([0, 0, 61], ({ headers }) => headers['retry-after']),
    expected: { later: [undefined, '3600', '3539'], minute: [undefined, '60', '3539'] },
  },
  {
    policy: 'reset-rounding',
    byDefault: 'up',
    world: withToken({ rate_limit: { per_minute: 1 } }),
    observe: atSeconds([0, 0.4, 59.8], ({ status, headers }) => {
      const resetSeconds = Number(headers['x-ratelimit-reset']) - Math.floor(START_MS / 1000)
      return status === 200 ? 200 : `wait ${headers['retry-after']}, until ${resetSeconds}`
    }),
    expected: {
      up: [200, 'wait 60, until 61', 'wait 1, until 61'],
      down: [200, 'wait 59, until 60', 'wait 0, until 60'],
    },
  },
  {
    policy: 'remaining-without-minute',
    byDefault: 'full',
    world: aWorld({
      tokens: [
        aToken({ id: 1, token: 'unopened', rate_limit: {}, spent: 'hour' }),
        aToken({ id: 2, token: 'opened', rate_limit: { per_hour: 1 } }),
      ],
    }),
    observe: each(
      ['unopened', 'opened', 'opened'].map((token) => ({ path: '/me', token })),
      statusAndRemaining,
    ),
    expected: { full: ['429 60', '200 59', '429 59'], '0': ['429 0', '200 59', '429 59'] },
  },
  {
    policy: 'page-links',
    byDefault: 'relative',
    world: withProjects(3),
    observe: each([agency('/projects', 'per_page=1&page=2')], ({ body }) => body.links),
    expected: {
      relative: [linksOfSecondPage('/api/v1/projects')],
      absolute: [linksOfSecondPage('http://localhost/api/v1/projects')],
    },
  },
  {
    policy: 'page-link-parameters',
    byDefault: 'kept',
    world: withProjects(2),
    observe: each(
      [agency('/projects', 'page=1&search=Project%202&per_page=1&status=active')],
      ({ body }) => body.links.last,
    ),
    expected: {
      kept: ['/api/v1/projects?search=Project+2&per_page=1&status=active&page=1'],
      dropped: ['/api/v1/projects?page=1'],
    },
  },
  {
    policy: 'per-page-above-maximum',
    byDefault: 'clamp',
    observe: each(
      ['100', '101', '99999999999999999999'].map((size) => agency('/projects', `per_page=${size}`)),
      ({ status, body }) => body.meta?.per_page ?? status,
    ),
    expected: { clamp: [100, 100, 100], '400': [100, 400, 400], '422': [100, 422, 422] },
  },
  {
    policy: 'invalid-per-page',
    byDefault: '100',
    observe: each(
      ['0', '-1', 'ten', '1.5', '7'].map((size) => agency('/projects', `per_page=${size}`)),
      ({ status, body }) => body.meta?.per_page ?? status,
    ),
    expected: {
      '100': [100, 100, 100, 100, 7],
      '1': [1, 1, 1, 1, 7],
      '15': [15, 15, 15, 15, 7],
      '422': [422, 422, 422, 422, 7],
    },
  },
  {
    policy: 'invalid-page',
    byDefault: '1',
    observe: each(
      ['0', '-1', 'two', '1.5', '2'].map((page) => agency('/projects', `page=${page}`)),
      ({ status, body }) => body.meta?.current_page ?? status,
    ),
    expected: { '1': [1, 1, 1, 1, 2], '400': [400, 400, 400, 400, 2] },
  },
  {
    policy: 'page-past-the-end',
    byDefault: 'empty',
    world: withProjects(2),
    observe: each(
      [2, 3, 4].map((page) => agency('/projects', `page=${page}&per_page=1`)),
      (response) => [idsOrStatus(response), response.body.links?.prev],
    ),
    expected: {
      empty: [
        [[2], '/api/v1/projects?per_page=1&page=1'],
        [[], '/api/v1/projects?per_page=1&page=2'],
        [[], null],
      ],
      'empty-with-prev': [
        [[2], '/api/v1/projects?per_page=1&page=1'],
        [[], '/api/v1/projects?per_page=1&page=2'],
        [[], '/api/v1/projects?per_page=1&page=3'],
      ],
      '404': [
        [[2], '/api/v1/projects?per_page=1&page=1'],
        [404, undefined],
        [404, undefined],
      ],
    },
  },
  {
    policy: 'empty-last-page',
    byDefault: '1',
    observe: each(
      [agency('/projects', 'search=nothing'), agency('/projects')],
      ({ body }) => body.meta.last_page,
    ),
    expected: { '1': [1, 1], '0': [0, 1] },
  },
  {
    policy: 'project-order',
    byDefault: 'id',
    world: aWorld({
      projects: [
        aProject({ id: 1, name: 'Beta', created_at: '2025-02-01' }),
        aProject({ id: 2, name: 'Alpha', created_at: '2025-01-01' }),
        aProject({ id: 3, name: 'Alpha', created_at: '2025-03-01' }),
        aProject({ id: 4, name: 'Gamma', created_at: '2025-03-01' }),
      ],
    }),
    observe: each([agency('/projects')], idsOrStatus),
    expected: { id: [[1, 2, 3, 4]], name: [[2, 3, 1, 4]], created: [[4, 3, 1, 2]] },
  },
  {
    policy: 'status-filter',
    byDefault: 'exact',
    world: aWorld({
      projects: [
        aProject({ id: 1, status: 'active' }),
        aProject({ id: 2, status: 'archived', agency: 2 }),
      ],
    }),
    observe: each(
      [
        ...['active', 'ACTIVE', 'unknown', 'archived'].map((status) =>
          agency('/projects', `status=${status}`),
        ),
        superAdmin('/projects', 'status=archived'),
        superAdmin('/projects', 'status=archived&agency_id=1'),
        superAdmin('/projects', 'status=archived&agency_id=999'),
        superAdmin('/projects', 'status=unknown&agency_id=1'),
        superAdmin('/projects', 'status=unknown&agency_id=999'),
      ],
      idsOrStatus,
    ),
    expected: {
      exact: [[1], [], [], [], [2], [], [], [], []],
      'case-insensitive': [[1], [1], [], [], [2], [], [], [], []],
      '400': [[1], 400, 400, 400, [2], [], [], 400, 400],
    },
  },
  {
    policy: 'empty-parameter',
    byDefault: 'absent',
    observe: each(
      ['status=', 'search=', 'agency_id=', 'status=&search=1'].map((query) =>
        agency('/projects', query),
      ),
      idsOrStatus,
    ),
    expected: { absent: [[1], [1], [1], [1]], literal: [[], [1], 403, []] },
  },
  {
    policy: 'search-match',
    byDefault: 'substring',
    world: aWorld({
      projects: [
        aProject({ id: 1, name: 'Café Blå' }),
        aProject({ id: 2, name: '100% Ren' }),
        aProject({ id: 3, name: 'snake_case' }),
        aProject({ id: 4, name: 'Plain', domain: 'https://cafe.example' }),
      ],
    }),
    observe: each(
      ['CAFÉ', 'cafe', '100%', '%', '_', 'c_f', 'c.f'].map((search) =>
        agency('/projects', new URLSearchParams({ search }).toString()),
      ),
      idsOrStatus,
    ),
    expected: {
      substring: [[1], [4], [2], [2], [3], [], []],
      like: [[1, 4], [1, 4], [2], [1, 2, 3, 4], [1, 2, 3, 4], [1, 4], []],
    },
  },
  {
    policy: 'repeated-parameter',
    byDefault: 'last',
    world: aWorld({
      projects: [aProject({ id: 1, status: 'active' }), aProject({ id: 2, status: 'paused' })],
    }),
    observe: each(
      ['status=active&status=paused', 'status=paused&status=active', 'status[]=active'].map(
        (query) => agency('/projects', query),
      ),
      idsOrStatus,
    ),
    expected: { last: [[2], [1], 400], first: [[1], [2], 400] },
  },
  {
    policy: 'unknown-parameters-elsewhere',
    byDefault: 'ignored',
    observe: each(
      [
        agency('/me', 'colour=red'),
        agency('/projects/1', 'status=active'),
        agency('/countries', 'page=2'),
        agency('/projects', 'colour=red'),
      ],
      ({ status, body }) => `${status} ${body.allowed_parameters?.length ?? 'any'}`,
    ),
    expected: {
      ignored: ['200 any', '200 any', '200 any', '400 5'],
      '400': ['400 0', '400 0', '200 any', '400 5'],
    },
  },
  {
    policy: 'list-pagination',
    byDefault: 'none',
    world: withLists(),
    observe: each(
      ['/countries', '/languages', '/users', '/projects/1/keywords', '/projects/1/reports'].map(
        (path) => agency(path, 'per_page=1&page=2'),
      ),
      (response) => [idsOrStatus(response), response.body.meta?.total],
    ),
    expected: {
      none: [
        [1, 2, 3],
        [1, 2, 3],
        [1, 2, 3],
        [1, 2, 3],
        [3, 2, 1],
      ].map((ids) => [ids, undefined]),
      paginated: [[2], [2], [2], [2], [2]].map((ids) => [ids, 3]),
    },
  },
  {
    policy: 'list-order',
    byDefault: 'id',
    world: withLists(),
    observe: each(
      ['/countries', '/languages', '/users', '/projects/1/keywords'].map((path) => agency(path)),
      idsOrStatus,
    ),
    expected: {
      id: [
        [1, 2, 3],
        [1, 2, 3],
        [1, 2, 3],
        [1, 2, 3],
      ],
      label: [
        [2, 3, 1],
        [2, 3, 1],
        [2, 3, 1],
        [2, 3, 1],
      ],
    },
  },
  {
    policy: 'non-integer-id',
    byDefault: '404',
    world: withLists(),
    observe: each(
      [
        '/countries/denmark',
        '/languages/da',
        '/users/%00',
        '/projects/project-1',
        '/projects/project-1/reports/latest',
        '/projects/999',
      ].map((path) => agency(path)),
      statusOf,
    ),
    expected: { '404': [404, 404, 404, 404, 404, 404], '400': [400, 400, 400, 400, 400, 404] },
  },
  {
    policy: 'loose-id',
    byDefault: '404',
    world: withLists(),
    observe: each(
      ['/countries/002', '/languages/+2', '/users/2abc', '/projects/1-2', '/projects/x1'].map(
        (path) => agency(path),
      ),
      idsOrStatus,
    ),
    expected: { '404': [404, 404, 404, 404, 404], cast: [2, 2, 2, 1, 404] },
  },
  {
    policy: 'malformed-report-number',
    byDefault: '400',
    world: withReports([aReport({ id: 7 })]),
    observe: each(
      ['007', '+7', '-7', '7abc', 'latest', '7.0', '0', '27', '7'].map((number) =>
        agency(`/projects/1/reports/${number}/content`),
      ),
      statusOf,
    ),
    expected: {
      '400': [400, 400, 400, 400, 400, 400, 400, 400, 200],
      '404': [404, 404, 404, 404, 404, 404, 400, 400, 200],
    },
  },
  {
    policy: 'unknown-project-with-bad-number',
    byDefault: '404',
    observe: each(
      ['27', 'x', '1'].map((number) => agency(`/projects/999/reports/${number}/content`)),
      statusOf,
    ),
    expected: { '404': [404, 404, 404], '400': [400, 400, 404] },
  },
  {
    policy: 'other-methods',
    byDefault: '405',
    observe: each(
      ['POST', 'DELETE', 'OPTIONS'].map((method) => ({ ...agency('/me'), method })),
      ({ status, headers }) => `${status} ${headers['allow']}`,
    ),
    expected: {
      '405': ['405 GET, HEAD', '405 GET, HEAD', '405 GET, HEAD'],
      '404': ['404 undefined', '404 undefined', '404 undefined'],
    },
  },
  {
    policy: 'errors-without-json-accept',
    byDefault: 'json',
    observe: each(
      [
        agency('/nowhere'),
        { ...agency('/nowhere'), headers: { accept: 'text/html' } },
        { ...agency('/nowhere'), headers: JSON_ACCEPTED },
        { path: '/me' },
        agency('/me'),
      ],
      (response) => `${response.status} ${formOf(response)}`,
    ),
    expected: {
      json: ['404 message', '404 message', '404 message', '401 message', ME],
      html: ['404 html', '404 html', '404 message', '401 html', ME],
    },
  },
  {
    policy: 'data-refresh',
    byDefault: 'fresh',
    world: aWorld({ countries: [{ id: 1, label: 'Old label' }] }),
    observe: async (client) => {
      const { clock } = client.sandbox
      const look = each(
        [agency('/projects'), agency('/projects/1'), agency('/countries/1')],
        ({ body: { data, cache_refreshed_at } }) =>
          [data[0]?.name ?? data.name ?? data.label, cache_refreshed_at?.slice(11, 19)].join(' '),
      )
      await patch(client, 'projects', { name: 'New' })
      await patch(client, 'countries', { label: 'New label' })
      await patch(client, 'projects', { name: 'Newer' })
      const before = await look(client)
      await clock.advance(59_999)
      const justBefore = await look(client)
      await clock.advance(1)
      return [before, justBefore, await look(client)]
    },
    expected: {
      fresh: [
        ['Newer 12:00:00', 'Newer 12:00:00', 'New label '],
        ['Newer 12:00:00', 'Newer 12:00:00', 'New label '],
        ['Newer 12:01:00', 'Newer 12:01:00', 'New label '],
      ],
      stale: [
        ['Project 1 12:00:00', 'Project 1 12:00:00', 'New label '],
        ['Project 1 12:00:00', 'Project 1 12:00:00', 'New label '],
        ['Newer 12:01:00', 'Newer 12:01:00', 'New label '],
      ],
    },
  },
  {
    policy: 'keywords-with-content',
    byDefault: 'active',
    world: aWorld({
      projects: [
        aProject({
          id: 1,
          keywords: [
            { id: 1, keyword: 'active', create_date: '2026-01-01' },
            { id: 2, keyword: 'inactive', create_date: '2026-01-01', active: false },
          ],
          reports: [aReport({ id: 1, status: 'completed', content: { 1: [BLOCK], 2: [BLOCK] } })],
        }),
      ],
    }),
    observe: each([contentOf(1)], ({ body: { data } }) => [
      data.summary.keyword_count,
      data.summary.keywords_with_content,
      data.keywords.length,
    ]),
    expected: { active: [[1, 1, 1]], all: [[1, 2, 1]] },
  },
  {
    policy: 'domain-form',
    byDefault: 'url',
    world: aWorld({
      projects: [aProject({ id: 1, domain: WEBSITE, reports: [aReport({ id: 1 })] })],
    }),
    observe: each([agency('/projects/1'), contentOf(1)], ({ body: { data } }) => [
      data.domain ?? data.project_domain,
      data.links.project_website,
    ]),
    expected: {
      url: [
        [WEBSITE, undefined],
        [WEBSITE, WEBSITE],
      ],
      host: [
        ['www.example.com', undefined],
        ['www.example.com', WEBSITE],
      ],
    },
  },
  {
    policy: 'null-links',
    byDefault: 'null',
    world: withReports([aReport({ id: 1, web_link: REPORT_PAGE })]),
    observe: each([contentOf(1)], ({ body }) => body.data.links),
    expected: {
      null: [{ project_website: null, report_web: REPORT_PAGE, report_pdf: null }],
      empty: [{ project_website: '', report_web: REPORT_PAGE, report_pdf: '' }],
      omitted: [{ report_web: REPORT_PAGE }],
    },
  },
  {
    policy: 'month-time-zone',
    byDefault: 'UTC',
    world: withReports(
      [
        aReport({ id: 3, status: 'completed', date_to_create_texts: '2026-03-10' }),
        aReport({ id: 4, status: 'completed', date_to_create_texts: '2026-04-10' }),
      ],
      { now: '2026-03-31T22:30:00Z' },
    ),
    observe: each(
      [agency('/projects/1/reports/latest'), agency('/projects/1')],
      ({ body: { data } }) => data.latest_report_id ?? data.id,
    ),
    expected: { UTC: [3, 3], 'Europe/Copenhagen': [4, 4] },
  },
  {
    policy: 'completed-tie',
    byDefault: 'higher-id',
    world: withReports(
      [
        { id: 1, report_number: 5 },
        { id: 2, report_number: 4 },
      ].map((ids) => aReport({ ...ids, status: 'completed', date_to_create_texts: '2026-03-10' })),
    ),
    observe: each([agency('/projects/1/reports/latest')], idsOrStatus),
    expected: { 'higher-id': [2], number: [1] },
  },
  {
    policy: 'undated-reports',
    byDefault: 'excluded',
    world: aWorld({
      projects: [
        aProject({
          id: 1,
          reports: [aReport({ id: 1 }), aReport({ id: 2, date_to_create_texts: '2026-05-01' })],
        }),
        aProject({ id: 2, reports: [aReport({ id: 3 })] }),
      ],
    }),
    observe: each(
      [agency('/projects/1/reports/latest'), agency('/projects/2/reports/latest')],
      idsOrStatus,
    ),
    expected: { excluded: [2, 404], first: [1, 3], last: [2, 3] },
  },
  {
    policy: 'reports-list-levels',
    byDefault: 'included',
    world: withReports([
      aReport({ id: 1 }),
      aReport({ id: 2, level: 'keyword' }),
      aReport({ id: 3, action_type: 'extra' }),
    ]),
    observe: each([agency('/projects/1/reports')], idsOrStatus),
    expected: { included: [[3, 2, 1]], filtered: [[3, 1]] },
  },
  {
    policy: 'reports-order',
    byDefault: 'created',
    world: withReports(
      [
        { id: 1, report_number: 4, created_at: '2026-01-01', date_to_create_texts: null },
        { id: 2, report_number: 1, created_at: '2026-01-03', date_to_create_texts: '2026-02-01' },
        { id: 3, report_number: 2, created_at: '2026-01-02', date_to_create_texts: '2026-03-01' },
        { id: 4, report_number: 3, created_at: '2026-01-02', date_to_create_texts: '2026-03-01' },
      ].map(aReport),
    ),
    observe: each([agency('/projects/1/reports')], idsOrStatus),
    expected: { created: [[2, 4, 3, 1]], number: [[1, 4, 3, 2]], date: [[4, 3, 2, 1]] },
  },
  {
    policy: 'scheme-without-content',
    byDefault: 'null',
    world: withReports([
      aReport({ id: 1 }),
      aReport({ id: 2, content_scheme: 'faq', content_scheme_fields: ['q', 'a'] }),
    ]),
    observe: each(
      [contentOf(1), contentOf(2)],
      ({ body: { data } }) => `${data.content_scheme}: ${data.content_scheme_fields}`,
    ),
    expected: {
      null: ['null: null', 'faq: q,a'],
      known: ['h3_text_blocks: h3,text', 'faq: q,a'],
    },
  },
  {
    policy: 'html-escaping',
    byDefault: 'escape',
    world: aWorld({
      projects: [
        aProject({
          id: 1,
          keywords: [{ id: 1, keyword: 'fish', create_date: '2026-01-01' }],
          reports: [
            aReport({ id: 1, status: 'completed', content: { 1: [BLOCK] } }),
            aReport({ id: 2, status: 'completed', content: { 1: [{ h3: 'a\nb', text: '\r\n' }] } }),
            aReport({
              id: 3,
              status: 'completed',
              content_scheme: 'other',
              content: { 1: { content: ['a\n&'], html: [{ h3_and_text: 'a\n&' }] } },
            }),
          ],
        }),
      ],
    }),
    observe: each(
      [contentOf(1), contentOf(2), contentOf(3)],
      ({ body }) => body.data.keywords[0].html[0].h3_and_text,
    ),
    // The html that is stated for another scheme is ready already.
    expected: {
      escape: [
        '<h3>Fish &amp; &quot;chips&quot;</h3>\n<p>a &lt; b\nb &gt; a</p>',
        '<h3>a\nb</h3>\n<p>\r\n</p>',
        'a\n&',
      ],
      raw: ['<h3>Fish & "chips"</h3>\n<p>a < b\nb > a</p>', '<h3>a\nb</h3>\n<p>\r\n</p>', 'a\n&'],
      br: [
        '<h3>Fish &amp; &quot;chips&quot;</h3>\n<p>a &lt; b<br>b &gt; a</p>',
        '<h3>a<br>b</h3>\n<p><br></p>',
        'a\n&',
      ],
    },
  },
]

test.each(PROBES.flatMap(toCases))('%s', async (_, { policy, option, world, observe, outcome }) => {
  await using client = await openFetch({
    fixtures: world ?? aWorld(),
    policies: { [policy]: option },
  })
  expect(await observe(client)).toEqual(outcome)
})

test.each(PROBES.map(toDefaultCase))(
  '%s %s is %s unless it is set',
  async (_id, _policy, byDefault, { world, observe, expected }) => {
    await using client = await openFetch({ fixtures: world ?? aWorld() })
    expect(await observe(client)).toEqual(expected[byDefault])
  },
)

test('gaps.md every option of every policy has a case here, and so has a custom value where one is accepted', () => {
  const missing = POLICIES.flatMap((gap) => {
    const probes = PROBES.filter(({ policy }) => policy === gap.policy)
    const covered = probes.flatMap(({ expected }) => Object.keys(expected))
    const options = Object.keys(gap.options)
    const uncovered = options.filter((option) => !covered.includes(option))
    const hasExample = !('accepts' in gap) || covered.some((option) => !options.includes(option))
    return [...uncovered, ...(hasExample ? [] : ['accepts'])].map((name) => `${gap.policy}=${name}`)
  })
  expect(missing).toEqual([])
  expect(PROBES).toHaveLength(POLICIES.length)
})

test('gaps.md a client can distinguish any two options of a policy', () => {
  const alike = PROBES.filter(({ expected }) => {
    const outcomes = Object.values(expected).map((outcome) => JSON.stringify(outcome))
    return outcomes.length < 2 || new Set(outcomes).size < outcomes.length
  })
  expect(alike.map(({ policy }) => policy)).toEqual([])
})

/** Every setting here turns the 404 of another agency's project into a 403. */
const FORBIDDEN: [string, SandboxOptions][] = [
  ['by its name', { policies: { 'foreign-project': '403' } }],
  ['by its id, G-013', { policies: { 'G-013': '403' } }],
  ['by its id, G-13', { policies: { 'G-13': '403' } }],
  ['by its id, G13', { policies: { G13: '403' } }],
  ['to a number', { policies: { 'foreign-project': 403 } }],
  ['by its id and to a number', { policies: { G13: 403 } }],
  ['in the fixture', { fixtures: withTwoAgencies({ policies: { 'foreign-project': '403' } }) }],
  ['in the fixture by its id', { fixtures: withTwoAgencies({ policies: { 'G-13': 403 } }) }],
  ['in YAML, a number', { fixtures: withTwoAgenciesInYaml('foreign-project: 403') }],
  ['in YAML by its id', { fixtures: withTwoAgenciesInYaml('G-013: 403') }],
  [
    'by an option, which wins over the fixture',
    {
      fixtures: withTwoAgencies({ policies: { 'foreign-project': '404' } }),
      policies: { 'foreign-project': '403' },
    },
  ],
  [
    'by an option that gives the id, which wins over the name in the fixture',
    {
      fixtures: withTwoAgencies({ policies: { 'foreign-project': '404' } }),
      policies: { G13: 403 },
    },
  ],
]

test.each(FORBIDDEN)('gaps.md a policy can be set %s', async (_, options) => {
  await using client = await openFetch({ fixtures: withTwoAgencies(), ...options })
  expect(statusOf(await client.send(agency('/projects/2')))).toBe(403)
})

test('gaps.md an option leaves the other policies of the fixture as they are', async () => {
  await using client = await openFetch({
    fixtures: withTwoAgencies({ policies: { 'foreign-project': 403, 'missing-token': 401 } }),
    policies: { 'missing-token': 403 },
  })
  const statuses = await each([agency('/projects/2'), { path: '/me' }], statusOf)(client)
  expect(statuses).toEqual([403, 403])
})

test('gaps.md the option null can be written without quotes in YAML', async () => {
  const fixtures = `version: 1\npolicies: { null-links: null, scheme-without-content: null }`
  await expect(createSandbox({ fixtures })).resolves.toHaveProperty('fetch')
})

/** Reference to the list of policies, which are too many for a message. */
const LISTED = 'seo-sandbox gaps lists them all.'

/** Invalid settings, and the names that the error must contain. */
const WRONG: [string, Record<string, string>, string[]][] = [
  [
    'a misspelt policy',
    { 'foreign-projects': '403' },
    ['"foreign-projects" is not a policy. Did you mean "foreign-project"?', LISTED],
  ],
  [
    'a part of the names of policies',
    { order: 'id' },
    ['Did you mean "list-order", "project-order", or "reports-order"?', LISTED],
  ],
  ['an unknown policy', { zzzz: '403' }, ['"zzzz" is not a policy. seo-sandbox gaps']],
  ['an unknown id', { 'G-099': '403' }, ['"G-099" is not a policy. seo-sandbox gaps']],
  ['an unknown option', { 'rate-window': 'weekly' }, ['"weekly"', 'G-019', ...WINDOWS]],
  ['an unknown option by id', { G19: 'weekly' }, ['"weekly"', 'rate-window', ...WINDOWS]],
  ['an unknown time zone', { G72: 'America/New_York' }, ['"America/New_York"', 'UTC', 'Europe/']],
  ['a time zone that does not exist', { G72: 'Europe/Nowhere' }, ['"Europe/Nowhere"', 'UTC']],
  ['a gap that is not a policy', { 'G-021': 'yes' }, ['G-021', LISTED]],
  ['a property that every object inherits', { constructor: 'yes' }, ['"constructor"', LISTED]],
  [
    'the key __proto__',
    JSON.parse('{ "__proto__": "yes" }') as Record<string, string>,
    ['"__proto__"', LISTED],
  ],
  [
    'an option that every object inherits',
    { 'rate-window': 'toString' },
    ['"toString"', ...WINDOWS],
  ],
]

test.each(WRONG)('gaps.md the error for %s lists what is valid', async (_, policies, names) => {
  const fromOption = await errorOf({ policies })
  const fromFixture = await errorOf({ fixtures: aWorld({ policies }) })
  expect(fromOption).toBeInstanceOf(OptionError)
  expect(fromFixture).toBeInstanceOf(FixtureError)
  const sandbox = await createSandbox()
  const command = sandbox.command({ type: 'policy.set', policies })
  const fromCommand = await command.catch((error: unknown) => error as Error)
  expect(fromCommand).toBeInstanceOf(CommandError)
  for (const { message } of [fromOption, fromFixture, fromCommand as Error]) {
    expect(names.filter((name) => !message.includes(name))).toEqual([])
  }
})

const ENGINE = new URL('../../src/engine/', import.meta.url)
const ENGINE_SOURCE = readdirSync(ENGINE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(file, ENGINE), 'utf8'))
  .join('\n')

test.each(POLICIES.map(({ id, policy }) => [id, policy]))(
  '%s the engine reads %s in one place',
  (_, policy) => {
    expect(ENGINE_SOURCE.split(`policy('${policy}')`)).toHaveLength(2)
  },
)

function gapOf(name: PolicyName): (typeof POLICIES)[number] {
  const gap = POLICIES.find(({ policy }) => policy === name)
  if (!gap) throw new RangeError(`There is no policy ${name}.`)
  return gap
}

/** A case per option, titled with the wording of the registry. */
function toCases({ expected, ...probe }: Probe) {
  const gap = gapOf(probe.policy)
  const descriptions: Record<string, string> = gap.options
  return Object.entries(expected).map(([option, outcome]) => {
    const title = `${gap.id} ${gap.policy}=${option}: ${descriptions[option] ?? 'that time zone'}`
    return [title, { ...probe, option, outcome }] as const
  })
}

function toDefaultCase(probe: Probe) {
  const { policy, byDefault } = probe
  return [gapOf(policy).id, policy, byDefault, probe] as const
}

function agency(path: string, query?: string): TestRequest {
  return { path, query, token: AGENCY }
}

function superAdmin(path: string, query?: string): TestRequest {
  return { path, query, token: SUPER }
}

/** A request with the token that {@link withToken} adds. */
function own(path: string): TestRequest {
  return { path, token: 'own' }
}

function contentOf(reportNumber: number): TestRequest {
  return agency(`/projects/1/reports/${reportNumber}/content`)
}

/** {@link aWorld} with one more token of agency 1. */
function withToken(
  token: Partial<Parameters<typeof aToken>[0]>,
  changes: Partial<FixtureInput> = {},
): FixtureInput {
  const world = aWorld(changes)
  return { ...world, tokens: [...(world.tokens ?? []), aToken({ id: 3, token: 'own', ...token })] }
}

function withTwoAgencies(changes: Partial<FixtureInput> = {}): FixtureInput {
  return aWorld({ projects: [aProject({ id: 1 }), aProject({ id: 2, agency: 2 })], ...changes })
}

/** The fixture with two agencies as YAML, with a line of policies. The sections are JSON, which is valid YAML. */
function withTwoAgenciesInYaml(setting: string): string {
  const sections = Object.entries(withTwoAgencies()).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  )
  return [...sections, 'policies:', `  ${setting}`].join('\n')
}

function withProjects(count: number): FixtureInput {
  const projects = Array.from({ length: count }, (_, index) => aProject({ id: index + 1 }))
  return aWorld({ projects })
}

/** Three items in every unpaginated list: by label 2, 3, 1. */
function withLists(): FixtureInput {
  const ids = [1, 2, 3]
  const labelOf = (id: number) => (id === 1 ? 'Zebra' : 'Aardvark')
  const labels = ids.map((id) => ({ id, label: labelOf(id) }))
  const keywords = ids.map((id) => ({ id, keyword: labelOf(id), create_date: '2026-01-01' }))
  return aWorld({
    countries: labels,
    languages: labels,
    users: ids.map((id) => ({ id, name: labelOf(id), agency: 1 })),
    projects: [aProject({ id: 1, keywords, reports: ids.map((id) => aReport({ id })) })],
  })
}

/** Sends the requests one after the other and returns part of each response. */
function each(requests: TestRequest[], pick: (response: TestResponse) => unknown) {
  return async (client: Client): Promise<unknown[]> => {
    const picked: unknown[] = []
    for (const request of requests) picked.push(pick(await client.send(request)))
    return picked
  }
}

/** Sends `/me` with the token of {@link withToken}, that many seconds after the start. */
function atSeconds(times: number[], pick: (response: TestResponse) => unknown) {
  return async ({ send }: Client): Promise<unknown[]> => {
    const picked: unknown[] = []
    for (const seconds of times) {
      vi.setSystemTime(START_MS + seconds * 1000)
      picked.push(pick(await send(own('/me'))))
    }
    return picked
  }
}

async function patch(
  { sandbox }: Client,
  collection: 'projects' | 'countries',
  fields: Record<string, unknown>,
): Promise<void> {
  await sandbox.command({ type: 'record.patch', collection, id: 1, patch: fields })
}

function statusOf({ status }: TestResponse): number {
  return status
}

function statusAndRemaining({ status, headers }: TestResponse): string {
  return `${status} ${headers['x-ratelimit-remaining']}`
}

/** The ids of a list, the id of a single object, or the status if it is not 200. */
function idsOrStatus({ status, body }: TestResponse): unknown {
  if (status !== 200) return status
  return Array.isArray(body.data) ? body.data.map(({ id }: { id: number }) => id) : body.data.id
}

/** `html`, `empty`, or the keys of the JSON: `message`, `error(code, message)`. */
function formOf({ text, body, headers }: TestResponse): string {
  if (text === '') return 'empty'
  if (headers['content-type']?.startsWith('text/html')) {
    return text.startsWith('<!DOCTYPE html>') ? 'html' : 'not html'
  }
  const keys = (value: object) => Object.keys(value).toSorted().join(', ')
  return body.error ? `error(${keys(body.error)})` : keys(body)
}

/** The errors that the policy governs in one form, then those that it does not affect. */
function errorsAs(form: string): string[] {
  return [
    ...[404, 404, 405, 403, 400, 422].map((status) => `${status} ${form}`),
    '400 allowed_parameters, message',
    '401 message',
    '429 error(code, message)',
  ]
}

function linksOfSecondPage(path: string): Record<string, string> {
  const link = (page: number) => `${path}?per_page=1&page=${page}`
  return { first: link(1), last: link(3), prev: link(1), next: link(3) }
}

async function errorOf(options: SandboxOptions): Promise<Error> {
  try {
    await createSandbox(options)
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('createSandbox was expected to refuse these options.')
}
