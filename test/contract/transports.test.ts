import { expect, test } from 'vitest'
import { allTransports, openFetch } from '../support/transports.ts'
import type { TestRequest, TestResponse } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER } from '../support/worlds.ts'

/** Every way to reach a sandbox gives the same responses as `sandbox.fetch`. */

const FIXTURES = aWorld({
  tokens: [
    aToken({ id: 1, token: AGENCY, rate_limit: { per_minute: 3 } }),
    aToken({ id: 2, token: SUPER, agency: null }),
  ],
  projects: [
    aProject({ id: 1, reports: [aReport({ id: 11, status: 'completed' })] }),
    aProject({ id: 2, name: 'Ærø “Ferries”' }),
  ],
})

const REQUESTS: TestRequest[] = [
  ...[
    '/projects',
    '/projects/1',
    '/projects/1/reports/latest',
    '/projects/1/reports/11/content',
    '/projects/99',
    '/nowhere',
    '/users/x',
  ].map((path) => ({ path, token: SUPER })),
  { path: '/projects', token: SUPER, query: 'search=%C3%86r&per_page=1' },
  { path: '/projects', token: SUPER, query: 'sort=name' },
  { path: '/projects', token: SUPER, query: { page: '2', per_page: '1' } },
  { path: '/me', token: SUPER, method: 'HEAD' },
  { path: '/me', token: SUPER, method: 'DELETE' },
  { path: '/me' },
  ...Array.from({ length: 4 }, () => ({ path: '/me', token: AGENCY })),
]

test.each(allTransports)('$name responds like sandbox.fetch', async ({ open }) => {
  await using client = await open({ fixtures: FIXTURES })
  await using reference = await openFetch({ fixtures: FIXTURES })
  for (const request of REQUESTS) {
    const [response, expected] = [await client.send(request), await reference.send(request)]
    expect([request, comparable(response)]).toEqual([request, comparable(expected)])
  }
})

/** The parts of a response that depend neither on the time nor on the host. */
function comparable({ status, text, headers }: TestResponse): unknown[] {
  const names = ['content-type', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'allow']
  const body = text
    .replaceAll(/https?:\/\/[^/"]+/g, '')
    .replaceAll(/"cache_refreshed_at":"[^"]*"/g, '')
  return [status, body, 'retry-after' in headers, ...names.map((name) => headers[name])]
}
