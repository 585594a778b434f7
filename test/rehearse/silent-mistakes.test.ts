import { expect, test } from 'vitest'
import { rehearse } from '../../src/rehearse.ts'
import { createRightClient, RIGHT } from '../clients/right-client.ts'
import type { ClientParts } from '../clients/right-client.ts'

/** Mistakes that cost requests, or hide that a client does not wait, are found in `smoke` too. */

/** Creates a client that asks for a path in another way once it was told to wait for it. */
function createAskingAgain(ask: (...[sync, path]: Parameters<ClientParts['request']>) => unknown) {
  return {
    request: async (sync, path) => {
      const attempt = await RIGHT.request(sync, path)
      if (attempt.retryAfter !== null) await ask(sync, path)
      return attempt
    },
  } satisfies Partial<ClientParts>
}

test.for<[what: string, checks: string[], parts: Partial<ClientParts>]>([
  [
    'sends a parameter that is new in each request, against caches',
    ['unknown-parameter'],
    { request: (sync, path) => RIGHT.request(sync, `${path}${path.includes('?') ? '&' : '?'}_=1`) },
  ],
  [
    'asks by HEAD whether its wait is over',
    ['retry-after'],
    createAskingAgain(({ context: { fetch, url, token } }, path) =>
      fetch(new URL(path, url), { method: 'HEAD', headers: { Authorization: `Bearer ${token}` } }),
    ),
  ],
  [
    'adds a slash in place of waiting',
    ['retry-after'],
    createAskingAgain((sync, path) => RIGHT.request(sync, path.includes('?') ? path : `${path}/`)),
  ],
  [
    'polls the project until its report is completed',
    ['poll-latest'],
    {
      async listReports(sync, project) {
        for (let poll = 0; sync.context.run > 1 && poll < 3; poll += 1) {
          await sync.get(`/api/v1/projects/${project.id}`)
          await new Promise((resolve) => setTimeout(resolve, 120_000))
        }
        return RIGHT.listReports(sync, project)
      },
    },
  ],
  [
    'asks who it is before each request',
    ['repeated-read'],
    {
      async request(sync, path) {
        const me = await RIGHT.request(sync, '/api/v1/me')
        return me.status === 200 ? RIGHT.request(sync, path) : me
      },
    },
  ],
  [
    'fetches everything again each day',
    ['twice'],
    {
      async run(sync) {
        sync.reports.clear()
        await RIGHT.run(sync)
      },
    },
  ],
])('a client that %s is named once', async ([, checks, parts]) => {
  const options = { profile: 'smoke', start: '2026-01-01', expect: 'all' } as const
  const report = await rehearse(createRightClient(parts).run, options)
  expect(report.causes.map(({ check }) => check)).toEqual(checks)
})
