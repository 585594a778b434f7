import { afterEach, describe, expect, test, vi } from 'vitest'
import { CHECK_IDS } from '../../src/review/check-ids.ts'
import type { CheckId } from '../../src/review/check-ids.ts'
import { SUPER } from '../support/worlds.ts'
import { Client, DISABLED, failedIn, LIMITED, resultOf } from './client.ts'

afterEach(() => {
  vi.useRealTimers()
})

type Act = (client: Client) => Promise<unknown>

interface Case {
  title: string
  act: Act
  /** What the check says, with the requests of each finding. */
  expected: [result: string, ...requests: number[][]]
}

function does(title: string, act: Act, ...requests: number[][]): Case {
  return { title, act, expected: ['failed', ...requests] }
}

function almost(title: string, act: Act): Case {
  return { title, act, expected: ['passed'] }
}

function neverMeets(title: string, act: Act): Case {
  return { title, act, expected: ['not-exercised'] }
}

const REPORTS = '/projects/1/reports'
const LATEST = `${REPORTS}/latest`

/** For each check clients that make its mistake, and clients that almost do. */
const CASES: Record<CheckId, Case[]> = {
  'retry-after': [
    does(
      'a retry after 29 of 30 seconds',
      async (client) => {
        await client.fail(429, 1, 30)
        await client.askAfter([0, 29], '/projects')
      },
      [2, 3],
    ),
    does(
      'a retry after two minutes of the half hour that an hourly limit takes',
      async (client) => {
        await client.fail(429, 1, 1800)
        await client.askAfter([0, 120], '/projects')
      },
      [2, 3],
    ),
    does(
      'a retry of a 503 too soon',
      async (client) => {
        await client.fail(503, 1, 10)
        await client.askAfter([0, 5], '/projects')
      },
      [2, 3],
    ),
    almost('a retry after exactly the 30 seconds', async (client) => {
      await client.fail(429, 1, 30)
      await client.askAfter([0, 30], '/projects')
    }),
    almost('a retry when a test has moved the clock by as much', async (client) => {
      await client.fail(429, 1, 30)
      await client.ask('/projects')
      await client.sandbox.clock.advance('PT30S')
      await client.ask('/projects')
    }),
    neverMeets('a URL that was not told to wait, and another token', async (client) => {
      await client.fail(429, 1, 30)
      await client.ask('/projects')
      await client.ask('/me')
      await client.ask('/projects', { token: SUPER })
    }),
  ],
  backoff: [
    does(
      'three attempts at a constant interval',
      async (client) => {
        await client.fail(500, 3)
        await client.askAfter([0, 2, 2, 61], '/projects')
      },
      [2, 3, 4],
    ),
    does(
      'four attempts without a longer pause than the first, the last of which succeeds',
      async (client) => {
        await client.fail(500, 3)
        await client.askAfter([0, 4, 3, 4], '/projects')
      },
      [2, 3, 4, 5],
    ),
    does(
      'three attempts without pauses, which the machine makes differ',
      async (client) => {
        await client.fail(500, 2)
        await client.askAfter([0, 0.045, 0.004], '/projects')
      },
      [2, 3, 4],
    ),
    almost('three attempts with a short pause, and a longer one', async (client) => {
      await client.fail(500, 2)
      await client.askAfter([0, 0.03, 0.06], '/projects')
    }),
    almost('pauses that double, up to a highest one', async (client) => {
      await client.fail(500, 6)
      await client.askAfter([0, 1, 2, 4, 8, 8, 8], '/projects')
    }),
    almost('three attempts, the second pause of which is randomly shorter', async (client) => {
      await client.fail(500, 2)
      await client.askAfter([0, 1, 0.8], '/projects')
    }),
    neverMeets('waits that Retry-After has said', async (client) => {
      await client.fail(503, 3, 5)
      await client.askAfter([0, 5, 5, 5], '/projects')
    }),
    neverMeets('two attempts', async (client) => {
      await client.fail(500, 2)
      await client.askAfter([0, 2], '/projects')
    }),
  ],
  'retry-unauthorised': [
    does(
      'a disabled token that tries again',
      (client) => client.askAfter([0, 20], '/projects', DISABLED),
      [1, 2],
    ),
    does(
      'an unknown token that tries again',
      (client) => client.askAfter([0, 1], '/me', 'unknown'),
      [1, 2],
    ),
    almost('another token for the same URL', async (client) => {
      await client.ask('/projects', { token: DISABLED })
      await client.ask('/projects')
    }),
    almost('a run that checks a minute later', (client) =>
      client.askAfter([0, 61], '/me', 'unknown'),
    ),
    almost('a token that a person has enabled meanwhile', async (client) => {
      await client.ask('/projects', { token: DISABLED })
      const patch = { status: 'active' }
      await client.sandbox.command({ type: 'record.patch', collection: 'tokens', id: 4, patch })
      await client.ask('/projects', { token: DISABLED })
    }),
    neverMeets('a token that is known', (client) => client.askAfter([0, 1], '/projects')),
  ],
  'missing-after-error': [
    does(
      'a page that failed and was left out',
      async (client) => {
        await client.fail(500, 1)
        await client.ask('/projects?page=1')
        await client.ask('/projects/1')
      },
      [2],
    ),
    does(
      'a broken body that was taken for no data',
      async (client) => {
        await client.sandbox.faults.add({ kind: 'malformed-json', schedule: { first: 1 } })
        await client.ask('/projects/1/keywords')
      },
      [2],
    ),
    almost('a retry that succeeds', async (client) => {
      await client.fail(500, 2)
      await client.askAfter([0, 1, 2], '/projects')
    }),
    almost('a retry that learns that there is nothing', async (client) => {
      await client.fail(500, 1)
      await client.askAfter([0, 1], '/projects/77')
    }),
    almost('the reports list in place of last-generated', async (client) => {
      await client.fail(500, 1)
      await client.ask(`${REPORTS}/last-generated`)
      await client.ask(REPORTS)
    }),
    neverMeets('a check of the token that failed', async (client) => {
      await client.fail(500, 1)
      await client.ask('/me')
    }),
  ],
  'unfinished-content': [
    does(
      'the content of the report that latest shows as running',
      async (client) => {
        await client.ask(LATEST)
        await client.ask(`${REPORTS}/2/content`)
      },
      [2],
    ),
    does('content of a number at a venture', (client) => client.ask(`${REPORTS}/3/content`), [1]),
    almost('a completed report', async (client) => {
      await client.ask(REPORTS)
      await client.ask(`${REPORTS}/1/content`)
    }),
    almost('a report that is regenerated after it was seen completed', async (client) => {
      await client.ask(REPORTS)
      await client.sandbox.reports.regenerate({ project: 1, report_number: 1 })
      await client.sandbox.reports.set({ project: 1, report_number: 1 }, { status: 'running' })
      await client.ask(`${REPORTS}/1/content`)
    }),
    neverMeets('no content', (client) => client.ask(REPORTS)),
  ],
  'poll-latest': [
    does(
      'three reads of latest until it is completed',
      async (client) => {
        await client.askAfter([0, 120], LATEST)
        await client.sandbox.reports.complete({ project: 1, report_number: 2 })
        await client.askAfter([120], LATEST)
      },
      [1, 2, 4],
    ),
    does(
      'three rounds over two projects, each with the same list in front',
      async (client) => {
        for (let round = 0; round < 3; round += 1)
          for (const path of ['/projects', LATEST, '/projects/2/reports/latest'])
            await client.askAfter([70], path)
      },
      [2, 5, 8],
      [3, 6, 9],
    ),
    almost('two reads of latest', (client) => client.askAfter([0, 120], LATEST)),
    almost('latest beside last-generated in every round', async (client) => {
      for (let round = 0; round < 4; round += 1)
        for (const path of [`${REPORTS}/last-generated`, LATEST]) await client.askAfter([70], path)
    }),
    almost('rounds that go on to something new', async (client) => {
      for (const id of [1, 2, 3, 4]) {
        await client.askAfter([70], LATEST)
        await client.ask(`/projects/${id}`)
      }
    }),
    neverMeets('one read of latest', (client) => client.ask(LATEST)),
  ],
  'report-number-range': [
    does(
      'numbers 0 and 27',
      async (client) => {
        await client.ask(`${REPORTS}/0/content`)
        await client.ask(`${REPORTS}/27/content`)
      },
      [1],
      [2],
    ),
    almost('a number in range that the project does not have', (client) =>
      client.ask(`${REPORTS}/26/content`),
    ),
    neverMeets('no content', (client) => client.ask(REPORTS)),
  ],
  'next-link': [
    does(
      'the first of three pages alone',
      async (client) => {
        await client.ask('/projects?per_page=2')
        await client.ask('/projects/1')
      },
      [1],
    ),
    does(
      'all but the last page',
      async (client) => {
        await client.ask('/projects?per_page=2')
        await client.ask('/projects?per_page=2&page=2')
      },
      [2],
    ),
    almost('all pages, with something else in between', async (client) => {
      await client.ask('/projects?per_page=2')
      await client.ask('/projects/1')
      await client.ask('/projects?page=2&per_page=2')
      await client.ask('/projects?page=3&per_page=2')
    }),
    almost('the other pages at the same time, the last one first', async (client) => {
      for (const page of [1, 3, 2]) await client.ask(`/projects?per_page=2&page=${page}`)
    }),
    almost('the first hit of a search', (client) => client.ask('/projects?search=Pro&per_page=2')),
    neverMeets('a list of one page', (client) => client.ask('/projects')),
  ],
  'hand-made-pages': [
    does(
      'a second page without the filter',
      async (client) => {
        await client.ask('/projects?status=active&per_page=3')
        await client.ask('/projects?page=2&per_page=3')
      },
      [1, 2],
    ),
    does(
      'a second page without the page size',
      async (client) => {
        await client.ask('/projects?per_page=2')
        await client.ask('/projects?page=2')
      },
      [1, 2],
    ),
    almost('the parameters in another order', async (client) => {
      await client.ask('/projects?status=active&per_page=2')
      await client.ask('/projects?per_page=2&page=2&status=active')
    }),
    neverMeets('one page', (client) => client.ask('/projects?status=active&per_page=2')),
  ],
  'unknown-parameter': [
    does('a parameter of another API', (client) => client.ask('/projects?limit=5'), [1]),
    does(
      'a parameter where it is ignored',
      (client) => client.ask(`${REPORTS}?status=completed`),
      [1],
    ),
    almost('those that there are', (client) =>
      client.ask('/projects?status=active&search=Pro&page=1&per_page=50'),
    ),
    almost('paging of a list that has no pages', (client) => client.ask('/users?page=1')),
    neverMeets('no parameters', (client) => client.ask('/projects')),
  ],
  'agency-filter-scoped': [
    does('the token of an agency', (client) => client.ask('/projects?agency_id=1'), [1]),
    almost('a super-admin token', (client) =>
      client.ask('/projects?agency_id=1', { token: SUPER }),
    ),
    neverMeets('no list', (client) => client.ask('/me')),
  ],
  'doubled-prefix': [
    does('a link behind the base URL', (client) => client.ask(`/api/v1${LATEST}`), [1]),
    almost('a link', (client) => client.ask(LATEST)),
    neverMeets('no link', (client) => client.ask('/me')),
  ],
  'one-by-one': [
    does(
      'five of seven languages',
      async (client) => {
        for (const id of [1, 2, 3, 4, 5, 6, 7]) await client.ask(`/languages/${id}`)
      },
      [1, 2, 3, 4, 5],
    ),
    almost('four of them', async (client) => {
      for (const id of [1, 2, 3, 4]) await client.ask(`/languages/${id}`)
    }),
    almost('one of them now and then', async (client) => {
      for (const id of [1, 2, 3, 4, 5, 6]) await client.askAfter([61], `/languages/${id}`)
    }),
    almost('the list', (client) => client.ask('/languages')),
    neverMeets('neither', (client) => client.ask('/projects/1')),
  ],
  'repeated-read': [
    does('twice within a minute', (client) => client.askAfter([1, 30], '/projects'), [1, 2]),
    almost('again when it was refreshed', (client) => client.askAfter([1, 60], '/projects')),
    almost('again after a change', async (client) => {
      await client.ask(REPORTS)
      await client.sandbox.reports.complete({ project: 1, report_number: 2 })
      await client.ask(REPORTS)
    }),
    almost('again after a minute, while the world clock stands still', async (client) => {
      await client.sandbox.clock.freeze()
      await client.askAfter([0, 60], '/projects')
    }),
    neverMeets('what is not refreshed', (client) => client.askAfter([0, 1], '/me')),
  ],
  'hour-budget': [
    does(
      'more requests than an hour has',
      (client) => client.askAfter(Array(13).fill(61), '/me', LIMITED),
      [13],
    ),
    neverMeets('the minute alone', (client) => client.askAfter(Array(7).fill(0), '/me', LIMITED)),
    neverMeets('as many in two hours', (client) =>
      client.askAfter(Array(13).fill(301), '/me', LIMITED),
    ),
  ],
  'json-accept': [
    does(
      'what fetch sends by itself',
      (client) => client.ask('/me', { headers: { Accept: '*/*' } }),
      [1],
    ),
    almost('JSON among others', (client) =>
      client.ask('/me', { headers: { Accept: 'text/html, application/json;q=0.9' } }),
    ),
    neverMeets('no endpoint', (client) => client.ask('/nothing')),
  ],
  'token-in-url': [
    does('a token by its name', (client) => client.ask('/me?api_token=secret'), [1]),
    does('a token by its value', (client) => client.ask(`/me?k=${SUPER}`), [1]),
    almost('a parameter that is none', (client) => client.ask('/projects?search=token')),
    neverMeets('nothing but an empty header', (client) =>
      client.sandbox.fetch('/api/v1/me', { headers: { Accept: 'application/json' } }),
    ),
  ],
  'token-in-browser': [
    does(
      'a page',
      (client) => client.ask('/me', { headers: { Origin: 'https://app.example' } }),
      [1],
    ),
    almost('a server', (client) => client.ask('/me')),
    neverMeets('a page without a token', (client) =>
      client.sandbox.fetch('/api/v1/me', { headers: { Origin: 'https://app.example' } }),
    ),
  ],
}

describe.each(CHECK_IDS)('%s', (id) => {
  test.each(CASES[id])('$expected.0: $title', async ({ act, expected }) => {
    const client = await Client.start()
    await act(client)
    const review = client.sandbox.review()
    expect(resultOf(review, id)).toEqual(expected)
  })
})

test.each(CHECK_IDS)('the mistake of %s is taken for no other', async (id) => {
  const client = await Client.start()
  await CASES[id][0]!.act(client)
  const others = failedIn(client.sandbox.review()).filter((failed) => failed !== id)
  expect(others).toEqual([])
})
