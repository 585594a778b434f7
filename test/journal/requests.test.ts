import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import { z } from 'zod'
import { createSandbox } from '../../src/index.ts'
import type { Command, JournalEntry, RequestFilter, Sandbox } from '../../src/index.ts'
import { Journal } from '../../src/journal/journal.ts'
import { Redactor } from '../../src/journal/secrets.ts'
import type { AnsweredRequest, RecordedRequest } from '../../src/journal/recorded-request.ts'
import type { TokenRecord } from '../../src/contract/token.ts'
import { headerIn } from '../../src/engine/messages.ts'
import { route } from '../../src/engine/router.ts'
import { serveSandbox } from '../../src/server/start-server.ts'
import type { SandboxServer } from '../../src/server.ts'
import { sendRaw } from '../support/transports.ts'
import type { TestResponse } from '../support/transports.ts'
import { AGENCY, aProject, aToken, aWorld, SUPER } from '../support/worlds.ts'
import { journalEntries } from '../support/journal-entries.ts'
import { runs } from '../support/depth.ts'

/** The journal: requests filtered by any of their fields, streamed to subscribers, and exported as an archive. */

const TOKENS = [
  aToken({ id: 1, token: AGENCY, name: 'Agency', rate_limit: { per_minute: 6 } }),
  aToken({ id: 2, token: SUPER, name: 'Super', agency: null }),
]
const FIXTURES = aWorld({ tokens: TOKENS, projects: [aProject({ id: 1 }), aProject({ id: 2 })] })

interface Sent {
  path: string
  token?: string
  method?: string
  clientIp?: string
}

function send(
  sandbox: Sandbox,
  { path, token, method = 'GET', clientIp }: Sent,
): Promise<Response> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return sandbox.fetch(`/api/v1${path}`, { method, headers, ...(clientIp && { clientIp }) })
}

/** Ten requests of every kind, numbered in this order. */
const NO_VALUES = new Redactor({ placeholders: new Map(), foreign: '' })

const SENT: Sent[] = [
  { path: '/me', token: AGENCY },
  { path: '/projects?page=1&per_page=5', token: AGENCY },
  { path: '/projects/1', token: AGENCY },
  { path: '/projects/2', token: SUPER, clientIp: '203.0.113.9' },
  { path: '/projects/99', token: SUPER },
  { path: '/me' },
  { path: '/me', token: 'of-nobody' },
  { path: '/projects/1', token: SUPER, method: 'POST' },
  { path: '/project/1', token: AGENCY },
  { path: '/projects?page=2', token: SUPER, method: 'HEAD' },
]

async function sandboxAfterRequests(): Promise<Sandbox> {
  const sandbox = await createSandbox({ fixtures: FIXTURES })
  for (const request of SENT) await send(sandbox, request)
  return sandbox
}

describe('a filter selects the requests that match all of it', () => {
  const cases: { filter: RequestFilter; chosen: number[] }[] = [
    { filter: {}, chosen: [1, 2, 3, 4, 5, 6, 7, 8, 10] },
    { filter: { route: 'GET /projects/{project}' }, chosen: [3, 4, 5] },
    { filter: { route: 'get /api/v1/projects/{project}' }, chosen: [3, 4, 5] },
    { filter: { route: '/projects/{project}' }, chosen: [3, 4, 5, 8] },
    { filter: { route: 'getProject' }, chosen: [3, 4, 5, 8] },
    { filter: { route: 'POST /projects/{project}' }, chosen: [8] },
    { filter: { route: 'HEAD /projects' }, chosen: [10] },
    { filter: { route: 'DELETE /projects' }, chosen: [] },
    { filter: { method: 'post' }, chosen: [8] },
    { filter: { path: '/api/v1/projects/1' }, chosen: [3, 8] },
    { filter: { query: 'page=' }, chosen: [2, 10] },
    { filter: { query: { page: 1 } }, chosen: [2] },
    { filter: { query: { page: '2' } }, chosen: [10] },
    { filter: { query: { page: 1, per_page: 6 } }, chosen: [] },
    { filter: { query: {} }, chosen: [1, 2, 3, 4, 5, 6, 7, 8, 10] },
    { filter: { status: 200 }, chosen: [1, 2, 3, 4, 10] },
    { filter: { status: '401' }, chosen: [6, 7] },
    { filter: { status: '4xx' }, chosen: [5, 6, 7, 8] },
    { filter: { status: '5xx' }, chosen: [] },
    { filter: { token: 1 }, chosen: [1, 2, 3] },
    { filter: { token: '1' }, chosen: [1, 2, 3] },
    { filter: { token: 'Agency' }, chosen: [1, 2, 3] },
    { filter: { token: AGENCY }, chosen: [1, 2, 3] },
    { filter: { token: null }, chosen: [6, 7] },
    { filter: { token: '' }, chosen: [6, 7] },
    { filter: { scheme: 'bearer', token: null }, chosen: [7] },
    { filter: { project: 1 }, chosen: [3, 8] },
    { filter: { project: '99' }, chosen: [5] },
    { filter: { client_ip: '203.0.113.9' }, chosen: [4] },
    { filter: { decided_by: 'project_not_found' }, chosen: [5] },
    { filter: { gap: 'G-001', method: 'GET' }, chosen: [6, 7] },
    { filter: { gap: 'missing-token', method: 'GET' }, chosen: [6, 7] },
    { filter: { fault: 1 }, chosen: [] },
    { filter: { sequence: 4 }, chosen: [4] },
    { filter: { since: 7 }, chosen: [8, 10] },
    { filter: { until: 2 }, chosen: [1, 2] },
    { filter: { since: 2, until: 4 }, chosen: [3, 4] },
    { filter: { since: '2', until: '4' }, chosen: [3, 4] },
    { filter: { from: '2026-03-15T12:00:00Z', to: 'now', until: 2 }, chosen: [1, 2] },
    { filter: { from: 'now+1s' }, chosen: [] },
    { filter: { to: 'now-1s' }, chosen: [] },
    { filter: { rate_to: '2020-01-01' }, chosen: [] },
    { filter: { rate_from: '2020-01-01', until: 1 }, chosen: [1] },
    { filter: { min_body_bytes: 1, until: 1 }, chosen: [1] },
    { filter: { max_body_bytes: 0 }, chosen: [] },
    { filter: { min_duration_ms: 0, max_duration_ms: 600_000, until: 1 }, chosen: [1] },
    { filter: { min_duration_ms: '600000' }, chosen: [] },
    { filter: { route: 'GET /projects/{project}', token: 'Super', status: 404 }, chosen: [5] },
  ]

  test.each(cases)('$filter', async ({ filter, chosen }) => {
    const sandbox = await sandboxAfterRequests()
    expect(sandbox.requests.matching(filter).map(({ sequence }) => sequence)).toEqual(chosen)
    expect(sandbox.requests.count(filter)).toBe(chosen.length)
  })

  test('a text that is the name of a token and the id of another means the name', async () => {
    const named = aToken({ id: 1, token: AGENCY, name: '2' })
    const other = aToken({ id: 2, token: SUPER, name: 'Super', agency: null })
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens: [named, other] }) })
    await send(sandbox, { path: '/me', token: AGENCY })
    await send(sandbox, { path: '/me', token: SUPER })
    const chosenBy = (token: string | number) =>
      sandbox.requests.matching({ token }).map(({ sequence }) => sequence)
    expect([chosenBy('2'), chosenBy(2)]).toEqual([[1], [2]])
  })

  test.each([
    { filter: { rout: '/me' }, says: 'Did you mean "route"?' },
    { filter: { route: 'GET /project' }, says: 'Did you mean "GET /projects"?' },
    { filter: { route: 'POST /project' }, says: 'Did you mean "GET /projects"?' },
    { filter: { status: '6xx' }, says: 'status: "6xx" is not a status. Write one like 404' },
    { filter: { status: 'ok' }, says: 'status: "ok" is not a status.' },
    { filter: { gap: 'G-999' }, says: '"G-999" is not a gap.' },
    { filter: { token: 'Agensy' }, says: 'token: No token has this id, name or bearer value.' },
    { filter: { token: 7 }, says: 'token: No token has this id' },
    { filter: { since: -1 }, says: 'since: -1 is too small.' },
    { filter: { from: 'yesterday' }, says: 'from: "yesterday" is not' },
    { filter: { query: 3 }, says: 'query: 3 is not a query.' },
  ])('$filter is refused', async ({ filter, says }) => {
    const { requests } = await createSandbox({ fixtures: FIXTURES })
    expect(() => requests.matching(filter as RequestFilter)).toThrow(says)
  })
})

describe('a relative time of a filter', () => {
  test('is resolved on the clock that the field refers to', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    await sandbox.clock.set('2001-01-01')
    await send(sandbox, { path: '/me', token: AGENCY })
    const { requests } = sandbox
    expect(requests.count({ from: 'now-1h', to: 'now+1h' })).toBe(1)
    expect(requests.count({ rate_from: 'now-1h', rate_to: 'now+1h' })).toBe(1)
    expect(requests.count({ rate_from: 'now+1h' })).toBe(0)
    expect(requests.count({ rate_to: 'now-1h' })).toBe(0)
  })
})

describe('the recorded requests', () => {
  test('list those for unknown paths separately', async () => {
    const { requests } = await sandboxAfterRequests()
    expect(requests.unknown()).toMatchObject([
      { sequence: 9, route: null, path: '/api/v1/project/1' },
    ])
    expect(requests.unknown({ path: '/api/v1/other' })).toEqual([])
    expect(requests.all()).toHaveLength(9)
    expect([...requests]).toEqual(requests.all())
    expect(requests.count()).toBe(9)
  })

  test('match in order, whatever came in between', async () => {
    const { requests } = await sandboxAfterRequests()
    expect(requests.inOrder([{ route: '/me' }, { project: 1 }, { status: 401 }])).toBe(true)
    expect(requests.inOrder([{ project: 2 }, { project: 1 }])).toBe(true)
    expect(requests.inOrder([{ project: 99 }, { project: 2 }])).toBe(false)
    expect(requests.inOrder([{ project: 2 }, { project: 2 }])).toBe(false)
  })

  test('are removed by clear, while the commands stay and the sequence continues', async () => {
    const sandbox = await sandboxAfterRequests()
    await sandbox.requests.clear()
    expect(sandbox.requests.all()).toEqual([])
    await send(sandbox, { path: '/me', token: SUPER })
    expect(sandbox.requests.all()).toMatchObject([{ sequence: 12 }])
  })

  test('name the rule that decided: the window, the fault, the problem', async () => {
    const tokens = [aToken({ id: 1, token: AGENCY, rate_limit: { per_minute: 1 } })]
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens }) })
    for (const path of ['/me', '/me']) await send(sandbox, { path, token: AGENCY })
    await sandbox.faults.add({ kind: 'status', status: 503 })
    await send(sandbox, { path: '/me', token: AGENCY })
    const decisions = sandbox.requests.all().map((one) => [one.status, one.decided_by, one.faults])
    expect(decisions).toEqual([
      [200, 'resource', []],
      [429, 'minute window', []],
      [503, 'fault 1', [1]],
    ])
    expect(sandbox.requests.count({ fault: 1, decided_by: 'fault 1' })).toBe(1)
  })

  test('a delay decides nothing, and its time is apart', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES, latency: 2 })
    await sandbox.faults.add({ kind: 'status', status: 503, schedule: { nth: 2 } })
    await sandbox.faults.add({ kind: 'slow-body', ms: 1, schedule: { nth: 3 } })
    for (const path of ['/me', '/me', '/me', '/projects/99'])
      await send(sandbox, { path, token: AGENCY })
    const decisions = sandbox.requests
      .all()
      .map((one) => [one.decided_by, one.faults, one.delay_ms] as const)
    expect(decisions).toEqual([
      ['resource', [1], 2],
      ['fault 2', [1, 2], 2],
      ['fault 3', [1, 3], 3],
      ['project_not_found', [1], 2],
    ])
  })

  test('subscribers are notified of requests and commands until they unsubscribe', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    const received: JournalEntry[] = []
    const stop = sandbox.requests.follow((entry) => received.push(entry))
    await send(sandbox, { path: '/me', token: AGENCY })
    await sandbox.clock.advance('PT1S')
    stop()
    await send(sandbox, { path: '/me', token: AGENCY })
    expect(received).toMatchObject([
      { kind: 'request', sequence: 1, route: 'GET /me', token: 'Agency' },
      { kind: 'command', sequence: 2, command: { type: 'clock.advance' } },
    ])
    expectTypeOf(received).toEqualTypeOf<JournalEntry[]>()
  })

  test('an error of a subscriber reaches the host only, not the world, its callers or other subscribers', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    const mine = new Error('of a subscriber')
    const received: number[] = []
    sandbox.requests.follow(() => {
      throw mine
    })
    sandbox.requests.follow(({ sequence }) => received.push(sequence))
    const errors = await uncaughtDuring(async () => {
      expect((await send(sandbox, { path: '/me', token: AGENCY })).status).toBe(200)
      await sandbox.clock.advance('PT1S')
    })
    expect(errors).toEqual([mine, mine])
    expect(received).toEqual([1, 2])
    const { commands } = await sandbox.snapshot()
    expect(commands).toMatchObject([{ sequence: 2, command: { type: 'clock.advance' } }])
  })

  test.each([
    [8, [9, 10]],
    [10, []],
  ])('a subscriber since %i first receives what came after it: %j', async (since, after) => {
    const sandbox = await sandboxAfterRequests()
    const received: number[] = []
    sandbox.requests.follow(({ sequence }) => received.push(sequence), { since })
    expect(received).toEqual(after)
    await send(sandbox, { path: '/me', token: SUPER })
    expect(received).toEqual([...after, 11])
  })

  test('a sequence from before a reset makes a subscriber miss nothing', async () => {
    const sandbox = await sandboxAfterRequests()
    await sandbox.reset()
    const received: number[] = []
    sandbox.requests.follow(({ sequence }) => received.push(sequence), { since: 10 })
    expect(received).toEqual([1])
  })
})

test('the journal keeps the last requests in order, never more than its bound, and does not overwrite records that others keep', () => {
  const answered: Omit<AnsweredRequest, 'request'> = {
    context: { route: undefined, token: undefined, authorization: undefined, policies: [] },
    response: { status: 404, headers: {}, body: new Uint8Array(), caller: undefined },
    atMs: 0,
    worldMs: 0,
    rateMs: 0,
    durationMs: 0,
  }
  const request = {
    method: 'GET',
    query: '',
    header: () => undefined,
    clientIp: '127.0.0.1',
    origin: 'http://localhost',
  }
  const step = fc.constantFrom('request', 'request', 'request', 'request', 'command', 'clear')
  const size = fc.integer({ min: 1, max: 8 })
  fc.assert(
    fc.property(size, fc.array(step), fc.boolean(), (maximumRequests, steps, isKept) => {
      const journal = new Journal({ world: 'one', maximumRequests, redactor: () => NO_VALUES })
      const given = new Map<string, RecordedRequest>()
      let expected: string[] = []
      for (const [index, kind] of steps.entries()) {
        const path = `/${index}`
        if (kind === 'request') {
          given.set(
            path,
            journal.addRequest({ ...answered, request: { ...request, path } }, isKept),
          )
          expected = [...expected, path].slice(-maximumRequests)
        } else if (kind === 'command') {
          journal.addCommand({}, { now: '', frozen: false, rate_clock: '' })
        } else {
          journal.clear()
          expected = []
        }
        const kept = [...journal.requests()]
        expect(kept.map((one) => one.path)).toEqual(expected)
        const entries = journalEntries(journal)
        const sequences = entries.map(({ sequence }) => sequence)
        expect(sequences).toEqual(sequences.toSorted((one, other) => one - other))
        expect(entries).toHaveLength(kept.length + journal.commands.length)
      }
      if (isKept) for (const [path, recorded] of given) expect(recorded.target.path).toBe(path)
    }),
  )
})

test('what the journal shows of a request does not depend on earlier requests', () => {
  const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values)
  const headers = [{ Date: 'now' }, { Date: 'then' }]
  const token: TokenRecord = {
    id: 1,
    name: 'One',
    token: AGENCY,
    agency: null,
    status: 'active',
    abilities: ['*'],
    rate_limit: {},
  }
  const headersOfRequest = fc.oneof(
    oneOf(
      [],
      ['Accept', 'text/html'],
      ['Accept', 'text/plain'],
      ['Accept', 'text/html', 'Via', 'one'],
      ['Accept', 'text/html', 'X-Long', 'x'.repeat(4096)],
    ).map((raw) => ({ headers: raw, header: (name: string) => headerIn(raw, name) })),
    oneOf(undefined, 'text/html').map((value) => ({ header: () => value })),
  )
  const answered: fc.Arbitrary<AnsweredRequest> = fc.record({
    request: fc
      .record({
        method: oneOf('GET', 'POST'),
        path: oneOf('/one', '/other'),
        query: oneOf('', 'page=2'),
        clientIp: oneOf('127.0.0.1', '192.0.2.1'),
        origin: oneOf('http://localhost', 'http://other.example'),
      })
      .chain((request) => headersOfRequest.map((known) => ({ ...request, ...known }))),
    context: fc.record({
      route: oneOf(undefined, route('/api/v1/me'), route('/api/v1/projects/1')),
      token: oneOf(undefined, token, { ...token, id: 2, name: 'Other' }),
      authorization: oneOf(undefined, 'Bearer one', 'Basic other'),
      policies: fc.constant([]),
    }),
    response: fc.record({
      status: oneOf(200, 404),
      headers: oneOf(...headers),
      body: oneOf(new Uint8Array(1), new Uint8Array(2)),
      caller: fc.constant(undefined),
      problem: oneOf(undefined, 'project_not_found' as const),
      exhausted: oneOf([], ['minute' as const]),
      policies: oneOf([], ['error-body' as const]),
      wire: oneOf(undefined, { end: 'reset' as const }),
      faults: oneOf([], [1]),
    }),
    atMs: oneOf(1, 2),
    worldMs: oneOf(1, 2),
    rateMs: oneOf(1, 2),
    durationMs: oneOf(1, 2),
  })
  const take = (all: AnsweredRequest[]) => {
    const journal = new Journal({ world: 'one', maximumRequests: 3, redactor: () => NO_VALUES })
    const wires = all.map((one) => journal.addRequest(one, false).head.wire)
    return { shown: [...journal.details()].at(-1), wire: wires.at(-1) }
  }
  fc.assert(
    fc.property(fc.array(answered, { minLength: 1, maxLength: 6 }), (all) => {
      const { shown, wire } = take(all)
      const alone = take(all.slice(-1))
      expect({ ...shown, sequence: 1 }).toEqual(alone.shown)
      expect(wire).toEqual(alone.wire)
    }),
    { numRuns: runs(1000) },
  )
})

describe('bearer values', () => {
  const bearer = fc
    .array(fc.constantFrom(...'abcXYZ0189+/=%.-_~!$&'.split('')), { minLength: 9, maxLength: 24 })
    .map((characters) => `Q${characters.join('')}Q`)

  test('appear nowhere in the output, wherever they were sent', async () => {
    await fc.assert(
      fc.asyncProperty(bearer, async (token) => {
        const tokens = [aToken({ id: 1, token, name: 'Random' })]
        const sandbox = await createSandbox({ fixtures: aWorld({ tokens }) })
        const streamed: JournalEntry[] = []
        sandbox.requests.follow((entry) => streamed.push(entry))
        const { journal } = sandbox.world
        journal.keepBodies()
        const encoded = encodeURIComponent(token)
        const targets = [
          `/me?token=${encoded}`,
          `/me?${encoded}=1`,
          `/projects/${encoded}`,
          `/${encoded}`,
          // Its page links repeat the search.
          `/projects?search=${encoded}`,
        ]
        for (const path of targets) await send(sandbox, { path, token })
        for (const authorization of [token, `Bearer  ${token}`, `${token} ${token}`]) {
          const texts = { accept: token, referer: `http://page.example/?token=${encoded}` }
          const others = { 'proxy-authorization': authorization, 'x-note': `by ${token}` }
          await sandbox.fetch('/api/v1/me', { headers: { authorization, ...texts, ...others } })
        }
        await sandbox.command({
          type: 'record.patch',
          collection: 'tokens',
          id: 1,
          patch: { token },
        })
        const { requests } = sandbox
        const path = `/api/v1/projects/${encoded}`
        const messages = [
          requests.verify({ requests: { token, status: 404, path, query: token } }).message,
          requests.verify({
            requests: { query: { token }, scheme: token, client_ip: token },
            times: 9,
          }),
          requests.verify({ in_order: [{ path }, { path }, { decided_by: token }] }),
        ]
        const details = streamed.map(({ sequence }) => journal.detail(sequence))
        expect(details.filter((detail) => typeof detail?.body === 'string')).toHaveLength(8)
        const lists = [requests.all(), requests.unknown(), requests.toHar()]
        const shown = [lists, streamed, messages, details]
        expect(decodeURI(JSON.stringify(shown).replaceAll('%', '%25'))).not.toContain(token)
        expect(requests.count({ path })).toBe(1)
        expect(requests.count({ query: { token } })).toBe(1)
      }),
      { numRuns: runs(100, 5) },
    )
  })

  test.each([
    { sent: 'Bearer of-nobody', scheme: 'Bearer', archived: 'Bearer [unknown token]' },
    { sent: `Bearer ${AGENCY}`, scheme: 'Bearer', archived: 'Bearer [token 1]' },
    { sent: 'Basic dXNlcjpwYXNz', scheme: 'Basic', archived: 'Basic [unknown token]' },
    { sent: 'live-secret', scheme: 'unknown', archived: '[unknown token]' },
    { sent: 'live-secret again', scheme: 'unknown', archived: '[unknown token]' },
    { sent: 'bearer-like-secret', scheme: 'unknown', archived: '[unknown token]' },
  ])('in "$sent" are dropped, and only the scheme is kept', async ({ sent, scheme, archived }) => {
    const { fetch, requests } = await createSandbox({ fixtures: FIXTURES })
    await fetch('/api/v1/me', { headers: { authorization: sent } })
    expect(requests.all()).toMatchObject([{ scheme }])
    const headers = requests.toHar().log.entries[0]?.request.headers
    expect(headers).toEqual([{ name: 'authorization', value: archived }])
  })
})

/** HTTP Archive 1.2: the fields that it requires, and no others except those with an underscore. */
const Pair = z.strictObject({ name: z.string(), value: z.string() })
const Archive = z.strictObject({
  log: z.strictObject({
    version: z.literal('1.2'),
    creator: z.strictObject({ name: z.string(), version: z.string() }),
    entries: z.array(
      z
        .object({
          startedDateTime: z.iso.datetime(),
          time: z.number().min(0),
          request: z.strictObject({
            method: z.string(),
            url: z.url(),
            httpVersion: z.string(),
            cookies: z.array(z.never()),
            headers: z.array(Pair),
            queryString: z.array(Pair),
            headersSize: z.int(),
            bodySize: z.int(),
          }),
          response: z.strictObject({
            status: z.int(),
            statusText: z.string(),
            httpVersion: z.string(),
            cookies: z.array(z.never()),
            headers: z.array(Pair),
            content: z.strictObject({ size: z.int(), mimeType: z.string() }),
            redirectURL: z.string(),
            headersSize: z.int(),
            bodySize: z.int(),
          }),
          cache: z.strictObject({}),
          timings: z.strictObject({ send: z.number(), wait: z.number(), receive: z.number() }),
        })
        .catchall(z.unknown())
        .refine((entry) =>
          Object.keys(entry).every((name) => name in ENTRY_FIELDS || name.startsWith('_')),
        ),
    ),
  }),
})
const ENTRY_FIELDS = { startedDateTime: 1, time: 1, request: 1, response: 1, cache: 1, timings: 1 }

test('the archive is an HTTP archive of all requests', async () => {
  const sandbox = await sandboxAfterRequests()
  const archive = Archive.parse(sandbox.requests.toHar())
  expect(archive.log.entries).toHaveLength(SENT.length)
  const [, second] = archive.log.entries
  expect(second).toMatchObject({
    request: {
      method: 'GET',
      url: 'http://localhost/api/v1/projects?page=1&per_page=5',
      queryString: [
        { name: 'page', value: '1' },
        { name: 'per_page', value: '5' },
      ],
    },
    response: { status: 200, content: { mimeType: 'application/json' } },
    _route: 'GET /projects',
    _token: 'Agency',
  })
  const chosen = sandbox.requests.toHar({ status: '4xx' }).log.entries
  expect(chosen.map(({ _sequence: sequence }) => sequence)).toEqual([5, 6, 7, 8, 9])
})

describe('over the control API', () => {
  test('the list is filtered, limited to the latest, and has unknown paths on request', async () => {
    const sandbox = await sandboxAfterRequests()
    const list = async (query: string) =>
      (await control(sandbox, `/requests?${query}`)).body.map(({ sequence }: any) => sequence)
    expect(await list('limit=2')).toEqual([8, 10])
    expect(await list('status=4xx&limit=1')).toEqual([8])
    expect(await list('unknown=true')).toEqual([9])
    expect(await list('unknown')).toEqual([9])
    expect(await list('unknown=false&until=1')).toEqual([1])
  })

  test.each([
    { query: 'rout=/me', says: 'Did you mean \\"route\\"?' },
    { query: 'limit=0', says: 'too small' },
    { query: 'unknown=maybe', says: 'true or false' },
    { query: 'token=Agensy', says: 'No token has this' },
  ])('?$query is a 422, as a list, as a stream and as an archive', async ({ query, says }) => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    const list = await control(sandbox, `/requests?${query}`)
    expect([list.status, JSON.stringify(list.body)]).toEqual([422, expect.stringContaining(says)])
    for (const path of ['/requests/stream', '/requests.har']) {
      const { status, headers } = await control(sandbox, `${path}?${query}`)
      expect([status, headers['content-type']]).toEqual([422, expect.stringContaining('json')])
    }
  })

  test('the archive is the same as that of the library', async () => {
    const sandbox = await sandboxAfterRequests()
    const { body } = await control(sandbox, '/requests.har?token=Super')
    expect(Archive.parse(body)).toEqual(sandbox.requests.toHar({ token: 'Super' }))
  })

  test('the stream sends requests and commands as they arrive, and resumes where it stopped', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    await using server = await serving(sandbox)
    const url = `${server.url}/_sandbox/requests/stream`
    {
      await using stream = await EventStream.open(url)
      await send(sandbox, { path: '/me', token: AGENCY })
      expect(await stream.next()).toMatchObject({
        id: '1',
        event: 'request',
        data: { route: 'GET /me' },
      })
      await sandbox.clock.advance('PT1S')
      expect(await stream.next()).toMatchObject({
        id: '2',
        event: 'command',
        data: { sequence: 2, command: { type: 'clock.advance' } },
      })
    }
    await send(sandbox, { path: '/projects', token: SUPER })
    await send(sandbox, { path: '/me', token: SUPER })
    await using resumed = await EventStream.open(`${url}?token=Super`, { 'last-event-id': '2' })
    expect((await resumed.next()).id).toBe('3')
    await send(sandbox, { path: '/me', token: AGENCY })
    await send(sandbox, { path: '/projects/1', token: SUPER })
    expect((await resumed.next()).id).toBe('4')
    expect((await resumed.next()).id).toBe('6')
  })

  test('the stream first sends all existing entries, however many, then those that arrived meanwhile', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    for (let index = 0; index < 6; index += 1) await sandbox.command(large(index))
    await using server = await serving(sandbox)
    const url = `${server.url}/_sandbox/requests/stream`
    await using stream = await EventStream.open(url, { 'last-event-id': '0' })
    const ids: string[] = [(await stream.next()).id]
    for (let index = 0; index < 2; index += 1) await sandbox.command(large(index))
    while (ids.length < 8) ids.push((await stream.next()).id)
    await send(sandbox, { path: '/me', token: AGENCY })
    ids.push((await stream.next()).id)
    expect(ids).toEqual(Array.from({ length: 9 }, (_, index) => String(index + 1)))
  })

  test('the stream of a client that does not read is ended', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    await using server = await serving(sandbox)
    const socket = connect(server.port, '127.0.0.1')
    socket.write('GET /_sandbox/requests/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await once(socket, 'readable')
    for (let index = 0; index < 40; index += 1) {
      await sandbox.command(large(index))
      await new Promise(setImmediate)
    }
    const received = await readAll(socket)
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan(40 * LARGE)
  })

  test('the stream of a client that reads is not ended, however much comes at once', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    await using server = await serving(sandbox)
    await using stream = await EventStream.open(`${server.url}/_sandbox/requests/stream`)
    for (let index = 0; index < 1000; index += 1) await send(sandbox, { path: '/me' })
    for (let index = 1; index <= 1000; index += 1) {
      expect((await stream.next()).id).toBe(String(index))
    }
  })

  test('a stream goes on after the world was restored or reset, with the new entries only', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    await using server = await serving(sandbox)
    for (let index = 0; index < 3; index += 1) await sandbox.clock.advance('PT1S')
    const snapshot = await sandbox.snapshot()
    await sandbox.reset()
    await using stream = await EventStream.open(`${server.url}/_sandbox/requests/stream`)
    const nextId = async (): Promise<string> => {
      await send(sandbox, { path: '/me' })
      return (await stream.next()).id
    }
    const ids = [await nextId()]
    await sandbox.restore(snapshot)
    ids.push(await nextId())
    await sandbox.reset()
    expect((await stream.next()).event).toBe('command')
    ids.push(await nextId())
    expect(ids).toEqual(['2', '4', '2'])
  })

  test('a hundred streams may be open, and one more when one of them is closed', async () => {
    await using server = await serving(await createSandbox({ fixtures: FIXTURES }))
    const url = `${server.url}/_sandbox/requests/stream`
    const streams = await Promise.all(Array.from({ length: 100 }, () => EventStream.open(url)))
    const refused = await sendRaw(server.port, { target: '/_sandbox/requests/stream' })
    expect([refused.status, refused.body.error.code]).toEqual([429, 'too_many_streams'])
    expect(refused.headers['x-sandbox-limited']).toBe('host')
    await streams[0]?.[Symbol.asyncDispose]()
    await vi.waitFor(async () => {
      const stop = new AbortController()
      const { status } = await fetch(url, { signal: stop.signal })
      stop.abort()
      expect(status).toBe(200)
    })
    for (const stream of streams) await stream[Symbol.asyncDispose]()
  })

  test('the stream ends with its server', async () => {
    const server = await serveSandbox(await createSandbox({ fixtures: FIXTURES }), { port: 0 })
    await using stream = await EventStream.open(`${server.url}/_sandbox/requests/stream`)
    await server.close()
    await expect(stream.next()).rejects.toThrow()
  })
})

const LARGE = 900_000

/** A command of about {@link LARGE} bytes. */
function large(index: number): Command {
  const patch = { company_name: `${index}${' x'.repeat(LARGE / 2)}` }
  return { type: 'record.patch', collection: 'projects', id: 1, patch }
}

/** Number of bytes that arrive until the other side ends or resets the connection. */
async function readAll(socket: Socket): Promise<number> {
  let length = 0
  socket.on('data', (chunk) => (length += chunk.byteLength))
  socket.on('error', () => undefined)
  await once(socket, 'close').catch(() => undefined)
  return length
}

/** The uncaught errors during `work`, which must be the only source of them. */
async function uncaughtDuring(work: () => Promise<void>): Promise<unknown[]> {
  const others = process.listeners('uncaughtException')
  const errors: unknown[] = []
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => errors.push(error))
  try {
    await work()
    await new Promise(setImmediate)
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const other of others) process.on('uncaughtException', other)
  }
  return errors
}

async function serving(sandbox: Sandbox): Promise<SandboxServer & AsyncDisposable> {
  const server = await serveSandbox(sandbox, { port: 0 })
  return { ...server, [Symbol.asyncDispose]: () => server.close() }
}

async function control(sandbox: Sandbox, path: string): Promise<TestResponse> {
  await using server = await serving(sandbox)
  return await sendRaw(server.port, { target: `/_sandbox${path}` })
}

interface ReceivedEvent {
  id: string
  event: string
  data: unknown
}

/** The client of a stream of events. */
class EventStream implements AsyncDisposable {
  readonly #events: AsyncGenerator<ReceivedEvent>
  readonly #stop: AbortController

  private constructor(response: Response, stop: AbortController) {
    this.#events = readEvents(response)
    this.#stop = stop
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const stop = new AbortController()
    const response = await fetch(url, { headers, signal: stop.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    return new EventStream(response, stop)
  }

  async next(): Promise<ReceivedEvent> {
    const { value, done } = await this.#events.next()
    if (done) throw new Error('The stream has ended.')
    return value
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
  }
}

async function* readEvents({ body }: Response): AsyncGenerator<ReceivedEvent> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts.filter((one) => !one.startsWith(':'))) {
      const lines = part.split('\n').map((line) => line.split(/: (.*)/, 2))
      const {
        id = '',
        event = '',
        data = 'null',
      } = Object.fromEntries(lines) as Record<string, string>
      yield { id, event, data: JSON.parse(data) as unknown }
    }
  }
}
