import { createSandbox } from 'seo-sandbox'
import type { Session } from 'seo-sandbox'
import { expect, test } from 'vitest'
import type { JournalEntry } from '../../src/console/api/types.ts'
import { matcherOf, countUpTo, lineOf } from '../../src/console/panels/traffic/traffic-lines.ts'
import type { Filter } from '../../src/console/panels/traffic/traffic-lines.ts'
import { gaugeAt } from '../../src/console/state/shown-clocks.ts'
import { barsOf, histogramOf, rangeOf } from '../../src/console/panels/traffic/histogram.ts'
import { readTrafficFile } from '../../src/console/panels/traffic/traffic-file.ts'
import { testCodeOf } from '../../src/console/code/code-of.ts'

/** Computations of the Traffic panel on entries of the journal, without a browser. */

async function recordSome() {
  const sandbox = await createSandbox({
    now: '2026-03-15T12:00:00Z',
    frozen: true,
    showGaps: true,
  })
  const ask = (path: string, token: string) =>
    sandbox.fetch(`/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  await ask('/me', 'sandbox-agency')
  await sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /countries' })
  await ask('/countries?page=2', 'sandbox-super')
  await sandbox.clock.advance('P1M')
  await ask('/projects/999999', 'nobody')
  return sandbox
}

test('a HAR file has the requests of the journal', async () => {
  const sandbox = await recordSome()
  const { entries, details } = readTrafficFile(JSON.stringify(sandbox.requests.toHar()))
  const shown = entries.map((entry) => {
    if (entry.kind === 'command') throw new Error('A HAR file has no commands.')
    const { path, query, status, token, decided_by, gaps, faults } = entry
    return { path, query, status, token, decided_by, gaps, faults }
  })
  const kept = sandbox.requests
    .matching({})
    .map(({ path, query, status, token, decided_by, gaps, faults }) => ({
      path,
      query,
      status,
      token,
      decided_by,
      gaps,
      faults,
    }))
  expect(shown).toEqual(kept)
  expect(details.get(1)?.response_headers.map(({ name }) => name)).toContain('Content-Type')
})

test.each([
  ['as one object', (session: Session) => JSON.stringify(session)],
  [
    'with a line for each step',
    ({ steps, ...header }: Session) =>
      [{ ...header, lines: 6 }, ...steps, { end: 1 }]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
  ],
])(
  'a session file %s has requests and commands in sequence, and no bearer values',
  async (_, write) => {
    const sandbox = await recordSome()
    const { entries, details } = readTrafficFile(write(await sandbox.session()))
    expect(entries.map(({ kind }) => kind)).toEqual([
      'request',
      'command',
      'request',
      'command',
      'request',
    ])
    const headers = [...details.values()].flatMap((detail) => detail.request_headers)
    expect(headers.filter(({ name }) => name === 'authorization')).toHaveLength(3)
    expect(new Set(headers.map(({ value }) => value))).toEqual(new Set(['(not shown)']))
  },
)

test('credentials of another tool’s HAR file are not shown', () => {
  const headers = ['Authorization', 'cookie', 'X-Other'].map((name) => ({ name, value: 'secret' }))
  const request = { method: 'GET', url: 'https://other.example/a', headers }
  const har = JSON.stringify({ log: { entries: [{ request, response: {} }] } })
  expect(
    readTrafficFile(har)
      .details.get(1)
      ?.request_headers.map(({ value }) => value),
  ).toEqual(['(not shown)', '(not shown)', 'secret'])
})

test.each<[Filter, number[]]>([
  [{}, [1, 2, 3, 4, 5]],
  [{ q: 'COUNTRIES page=2' }, [3]],
  [{ q: 'advance' }, [4]],
  [{ status: '4' }, [5]],
  [{ status: 'command' }, [2, 4]],
  [{ token: 'Sandbox agency' }, [1]],
  [{ token: 'none' }, [5]],
  [{ operation: 'GET /countries' }, [3]],
  [{ fault: 'any' }, [3]],
  [{ fault: '1' }, [3]],
  [{ fault: '2' }, []],
  [{ path: '/api/v1/me' }, [1]],
  [{ from: '2', to: '4', status: '' }, [2, 3, 4]],
])('the filter %j lets entries %j through', async (filter, sequences) => {
  const sandbox = await recordSome()
  const commands = sandbox.world.journal.commands.map(
    (applied) => ({ kind: 'command', ...applied }) as const,
  )
  const requests = sandbox.requests
    .matching({})
    .map((request) => ({ kind: 'request', ...request }) as const)
  const entries: JournalEntry[] = [...commands, ...requests].toSorted(
    (one, other) => one.sequence - other.sequence,
  )
  const lines = entries.map(lineOf)
  expect(lines.filter(matcherOf(filter)).map(({ sequence }) => sequence)).toEqual(sequences)
  expect(countUpTo(lines, 3)).toBe(3)
  const histogram = histogramOf(lines, 10)
  expect(histogram.bars.reduce((sum, bar) => sum + bar.fine + bar.failed + bar.commands, 0)).toBe(5)
  expect(rangeOf(histogram, 9, 0)).toEqual({ from: 1, to: 5 })
  const [first, last] = barsOf(histogram, 2, 4)!
  expect(rangeOf(histogram, first, last)).toMatchObject({
    from: expect.toSatisfy((from: number) => from <= 2),
    to: expect.toSatisfy((to: number) => to >= 4),
  })
  expect(barsOf(histogram, 6, 9)).toBeUndefined()
})

const READ = '2026-03-15T12:00:00.000000Z'

test.each([
  ['fixed', 0, { remaining: 0, waitMs: 40_000 }],
  ['fixed', 39_000, { remaining: 0, waitMs: 1000 }],
  ['fixed', 40_000, { remaining: 60, waitMs: null }],
  ['bucket', 20_000, { remaining: 30, waitMs: null }],
])('of a window %s, %d ms after it was read, is left %j', (rate_window, passed, expected) => {
  const at = '2026-03-15T12:00:40.000000Z'
  const gauge = { limit: 60, remaining: 0, resets_at: at, refilled_at: at }
  const reading = { status: { rate_clock: READ, rate_window, tokens: [] }, readAt: 500 }
  expect(gaugeAt(gauge, reading, 500 + passed)).toEqual({ limit: 60, ...expected })
})

test.each([
  ['typescript', "for (let sent = 1; sent < 61; sent += 1) await sandbox.fetch('/api/v1/me')"],
  ['python', 'for _ in range(60):'],
  ['curl', 'for sent in $(seq 60); do'],
] as const)('requests that were sent often are a loop in %s', (language, line) => {
  const request = { path: '/api/v1/me' }
  const sent = { id: 1, sentence: 'Sent', request, status: 429, times: 61, clocks: null }
  const act = { kind: 'request', ...sent, world: 'default', origin: null } as const
  const place = { origin: 'http://h', world: 'default', needsKey: false }
  expect(testCodeOf(language, [act], place)).toContain(line)
})
