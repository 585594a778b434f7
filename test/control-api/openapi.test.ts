import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { POLICIES } from '../../src/contract/gaps.ts'
import { COLLECTION_NAMES } from '../../src/contract/collection-facts.ts'
import { Command } from '../../src/world/commands/index.ts'
import { CONTROL_ROUTES } from '../../src/control-api/control-routes.ts'
import { createControlOpenApi } from '../../scripts/openapi/create-control-openapi.ts'
import { SERVE_OPTIONS } from '../../src/cli/serve-options.ts'
import { startServer } from '../../src/server.ts'
import type { SandboxServer } from '../../src/server.ts'
import { VERSION } from '../../src/contract/version.ts'
import { createMisfitFinder } from '../support/misfits.ts'
import { DIST, modulesOfFile } from '../support/dist.ts'
import { sendRaw } from '../support/transports.ts'
import type { TestResponse } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld } from '../support/worlds.ts'
import { anything, createPlayer, randomWorld } from '../world/random-steps.ts'
import { runs } from '../support/depth.ts'
import { limitHeap } from '../support/heap.ts'

/** The OpenAPI document of the control API, checked against its routes and their responses. */

function write(baseUrl: string): string {
  const document = createControlOpenApi({ version: VERSION, baseUrl })
  return JSON.stringify(document)
}

const FILE = fileURLToPath(new URL('../../dist/control-openapi.json', import.meta.url))
const DOCUMENT: any = JSON.parse(write(''))

const findMisfit = createMisfitFinder(DOCUMENT)

interface Operation {
  id: string
  /** The path to the operation in the document. */
  steps: string[]
  stated: any
}

const OPERATIONS: Operation[] = Object.entries<any>(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries<any>(item).map(([method, stated]) => ({
    id: stated.operationId,
    steps: ['paths', path, method],
    stated,
  })),
)

function operationOf(id: string): Operation {
  const found = OPERATIONS.find((operation) => operation.id === id)
  if (!found) throw new Error(`There is no operation ${id}.`)
  return found
}

const routeOf = (id: string) => CONTROL_ROUTES.find((route) => route.id === id)!

/** The operations seen so far, with the statuses of their responses. */
const answered = new Set<string>()

/** The differences of a response from the document; undefined if it conforms. */
function findUnstated(id: string, { status, headers, text, body }: TestResponse) {
  answered.add(`${id} ${status}`)
  const { steps, stated } = operationOf(id)
  const response = stated.responses[status]
  if (!response) return `${status} ${text}`
  const at: string[] = response.$ref?.split('/').slice(1) ?? [...steps, 'responses', `${status}`]
  const { content } = at.reduce((part, step) => part[step], DOCUMENT)
  if (!content) return text === '' ? undefined : text
  const type = headers['content-type']?.split(';')[0] ?? ''
  if (!content[type]) return type
  return findMisfit([...at, 'content', type, 'schema'], body)
}

describe('the document', () => {
  test('dist/control-openapi.json is up to date with the routes; if not, run the build', () => {
    const { host, port } = SERVE_OPTIONS
    expect(readFileSync(FILE, 'utf8')).toBe(write(`http://${host.default}:${port.default}`))
  })

  test('has every route, each with a unique id, and no others', () => {
    const stated = OPERATIONS.map(({ id, steps: [, path, method] }) => `${id} ${method} ${path}`)
    const routes = CONTROL_ROUTES.map(
      ({ id, method, path }) => `${id} ${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    )
    expect(stated.toSorted()).toEqual(routes.toSorted())
    expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(OPERATIONS.length)
  })

  test.each(OPERATIONS)('has the parameters of the path of $id', ({ steps, stated }) => {
    const inPath = stated.parameters.filter((parameter: any) => parameter.in === 'path')
    expect(inPath.map(({ name }: any) => `{${name}}`)).toEqual(steps[1]!.match(/\{\w+\}/g) ?? [])
  })

  test.each(OPERATIONS)('has a world parameter for $id, if it is about one', ({ id, stated }) => {
    const names = stated.parameters.map(({ name }: any) => name)
    expect(names.includes('world')).toBe(routeOf(id).role === 'world')
  })

  test.each(OPERATIONS)('says which keys open $id, and that none is needed everywhere', (one) => {
    const keys = {
      public: [],
      invited: [],
      admin: [{}, { admin_key: [] }],
      shared: DOCUMENT.security,
      world: DOCUMENT.security,
    }[routeOf(one.id).role]
    expect(DOCUMENT.security).toEqual([{}, { admin_key: [] }, { world_key: [] }])
    expect(one.stated.security ?? DOCUMENT.security).toEqual(keys)
  })

  test('needs no key for health, readiness, and the code of an invitation', () => {
    const open = OPERATIONS.filter(({ stated }) => stated.security?.length === 0)
    expect(open.map(({ id }) => id)).toEqual(['claimInvitation', 'getHealth', 'getReadiness'])
  })

  test.each(OPERATIONS)('describes $id beyond its summary', ({ stated }) => {
    expect(stated.description).toMatch(/^[A-Z`].*\.$/s)
    expect(stated.description).not.toContain(stated.summary)
  })

  test('has no enum of mixed types, whose values generators cannot name', () => {
    const enums = findEnums(DOCUMENT)
    expect(enums.length).toBeGreaterThan(POLICIES.length)
    const mixed = enums.filter((values) => new Set(values.map((value) => typeof value)).size > 1)
    expect(mixed).toEqual([])
  })

  test.each(POLICIES)(
    'has the options of $policy as text, and none for a request without it',
    (gap) => {
      const { description: _, ...schema } =
        DOCUMENT.components.schemas.PolicySettings.properties[gap.policy]
      const options = Object.keys(gap.options)
      expect(schema).toEqual({
        type: 'string',
        ...('accepts' in gap ? { examples: options } : { enum: options }),
      })
    },
  )

  test('names the document of the API', () => {
    expect(DOCUMENT.externalDocs.url).toBe('/openapi.json')
    expect(JSON.parse(readFileSync(FILE, 'utf8')).externalDocs.url).toBe(
      'http://127.0.0.1:4010/openapi.json',
    )
  })

  test('is not part of a page that imports the package', () => {
    const reached = new Set([join(DIST, 'index.js')])
    for (const file of reached) {
      const imports = readFileSync(file, 'utf8').matchAll(/(?:\bfrom |\bimport\()"(\.[^"]+)"/g)
      for (const [, specifier = ''] of imports) reached.add(join(dirname(file), specifier))
    }
    const loaded = [...reached].flatMap(modulesOfFile)
    expect(loaded).toContainEqual(expect.stringMatching(/build\/journal\/journal\.js$/))
    expect(loaded.filter((file) => /build\/(?:.*openapi|control-api\/)/.test(file))).toEqual([])
  })

  test('has no empty schema except for values of any type', () => {
    const emptyOnes = Object.entries<any>(DOCUMENT.components.schemas).flatMap(([name, schema]) =>
      Object.entries<any>({ ...schema.properties, [name]: schema }).flatMap(([field, value]) => {
        const { description: _, ...rest } = value
        return Object.keys(rest).length === 0 ? [`${name}.${field}`] : []
      }),
    )
    expect(emptyOnes).toEqual(['AppliedCommand.command'])
  })
})

/** The values of each enum of a document. */
function findEnums(node: unknown): unknown[][] {
  if (typeof node !== 'object' || node === null) return []
  const own = 'enum' in node && Array.isArray(node.enum) ? [node.enum as unknown[]] : []
  return [...own, ...Object.values(node).flatMap(findEnums)]
}

const WORLD = aWorld({
  projects: [
    aProject({
      id: 1,
      reports: [
        aReport({
          id: 21,
          status: 'completed',
          content: { 31: [{ h3: 'Heading', text: 'Text' }] },
        }),
        aReport({ id: 22, report_number: 2, created_at: 'now-3d' }),
      ],
      keywords: [{ id: 31, keyword: 'shoes', create_date: 'now-9d' }],
    }),
  ],
  tokens: [
    aToken({ id: 1, token: AGENCY, agency: 1, rate_limit: { per_minute: 2 } }),
    aToken({ id: 2, token: 'other', allowed_ips: ['127.0.0.0/8'], rate_limit: {}, spent: 'hour' }),
  ],
})

let server: SandboxServer
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: WORLD, showGaps: true })
})
afterAll(() => server.close())

type Case = [id: string, status: number, target: string, body?: unknown]

function send(
  port: number,
  [id, , target, body]: Case,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return sendRaw(port, {
    target: `/_sandbox${target}`,
    method: routeOf(id).method.toUpperCase(),
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

const EVERY_FAULT = [
  { kind: 'status', status: 503, retry_after: 4, schedule: { first: 1 } },
  { kind: 'html', endpoint: 'listProjects' },
  { kind: 'reset', schedule: { share: 0.5 }, project: 1 },
  { kind: 'no-answer', schedule: { from: 'now', until: 'now+1d' } },
  { kind: 'latency', min_ms: 1, max_ms: 9 },
  { kind: 'slow-body', ms: 5, token: AGENCY },
  { kind: 'truncated-body', schedule: { nth: 3 } },
  { kind: 'malformed-json', endpoint: '/projects/{project}' },
]

const COUNTRY = { id: 5, label: 'Narnia' }

/** Requests to a world in this order; each response is checked against the document. */
const CASES: Case[] = [
  ['getHealth', 200, '/health'],
  ['getReadiness', 200, '/ready'],
  ['getDocument', 200, '/openapi.json'],
  ['resetWorld', 200, '/reset'],
  ['getRequest', 200, '/requests/2'],
  ['getOrigin', 200, '/origin'],
  ['getClock', 200, '/clock'],
  ['getRateLimits', 200, '/rate-limits'],
  ['moveClock', 200, '/clock', { now: 'now+2h', advance: 'P1D', frozen: true }],
  ['moveClock', 200, '/clock', { advance: 1500 }],
  ['moveClock', 422, '/clock', {}],
  ['moveClock', 422, '/clock', { advance: '-P1D' }],
  ['listPartners', 422, '/partners'],
  ['invitePartner', 422, '/partners', { name: 'Acme' }],
  ['claimInvitation', 422, '/partners/claim', { code: 'none' }],
  ['renewPartner', 422, '/partners/w1', {}],
  ['revokePartner', 422, '/partners/w1'],
  ['getPartner', 422, '/partners/w1'],
  ['getOwnPartner', 422, '/partner'],
  ['getLimits', 422, '/limits'],
  ['createLink', 422, '/partners/w1/link'],
  ['listKeys', 422, '/partners/w1/keys'],
  ['createKey', 422, '/partners/w1/keys'],
  ['revokeKey', 422, '/partners/w1/keys/3f9a0c51d2e7'],
  ['listErrors', 422, '/errors'],
  ['listScenarios', 200, '/scenarios'],
  ['getShowcase', 200, '/showcase'],
  ['nameDemo', 200, '/demo', {}],
  ['nameDemo', 200, '/demo', { locale: 'da', agency: { name: 'North' }, companies: [] }],
  ['nameDemo', 422, '/demo', { companies: [{ name: 'A' }, { name: 'a' }] }],
  ['takeSnapshot', 200, '/snapshots'],
  ['restoreSnapshot', 422, '/snapshots', { version: 1 }],
  ...COLLECTION_NAMES.map((name): Case => ['listRecords', 200, `/records/${name}`]),
  ['listRecords', 200, '/records/reports?project=1'],
  ...COLLECTION_NAMES.map((name): Case => ['listRecords', 200, `/records/${name}?limit=1`]),
  ['listRecords', 422, '/records/projects?limit=0'],
  ['listRecords', 404, '/records/reports?project=9'],
  ['listRecords', 404, '/records/report'],
  ['listRecords', 422, '/records/reports?project=first'],
  ['getRecord', 200, '/records/reports/21'],
  ['getRecord', 404, '/records/reports/99'],
  ['getRecord', 404, '/records/reports/first'],
  ['getRecordState', 200, '/records/reports/21/state'],
  ['getRecordState', 200, '/records/reports/99/state'],
  ['getRecordState', 404, '/records/reports/first/state'],
  ['putRecord', 201, '/records/countries', COUNTRY],
  ['putRecord', 200, '/records/countries', { ...COUNTRY, applicable: false }],
  ['putRecord', 404, '/records/lands', COUNTRY],
  ['putRecord', 422, '/records/countries', { id: 5 }],
  ['putRecord', 422, '/records/countries', 'null'],
  [
    'putRecordById',
    201,
    '/records/reports/23',
    { ...aReport({ id: 23, report_number: 3 }), project: 1 },
  ],
  ['putRecordById', 200, '/records/countries/5', { label: 'Elsewhere' }],
  ['putRecordById', 404, '/records/countries/x', { label: 'Elsewhere' }],
  ['putRecordById', 422, '/records/countries/5', { id: 6, label: 'Elsewhere' }],
  ['patchRecord', 200, '/records/reports/21', { status: 'running', content: null }],
  ['patchRecord', 404, '/records/reports/99', {}],
  ['patchRecord', 422, '/records/reports/21', { status: 'done' }],
  ['createReport', 201, '/projects/1/reports'],
  ['createReport', 201, '/projects/1/reports', { report_name: 'Extra report' }],
  ['createReport', 404, '/projects/9/reports'],
  ['createReport', 422, '/projects/1/reports', { status: 'running' }],
  ['getReportLinks', 200, '/reports/22/links'],
  ['getReportLinks', 404, '/reports/99/links'],
  ['moveReport', 200, '/reports/22/complete'],
  ['moveReport', 200, '/reports/22/reject', { approved_status: 'rejected' }],
  ['moveReport', 404, '/reports/99/start'],
  ['moveReport', 404, '/reports/22/finish'],
  ['moveReport', 422, '/reports/22/start'],
  ['deleteRecord', 204, '/records/countries/5'],
  ['deleteRecord', 404, '/records/countries/5'],
  ['deleteRecord', 422, '/records/agencies/1'],
  ['addFault', 201, '/faults', EVERY_FAULT[0]],
  ['addFault', 422, '/faults', { kind: 'rain' }],
  ['setFaults', 200, '/faults', EVERY_FAULT[1]],
  ['setFaults', 200, '/faults', EVERY_FAULT],
  ['setFaults', 422, '/faults', [{ kind: 'html', project: 99 }]],
  ['listFaults', 200, '/faults'],
  ['listFaultKinds', 200, '/faults/kinds'],
  ['takeSnapshot', 200, '/snapshots'],
  ['getSession', 200, '/session'],
  ['removeFault', 204, '/faults/3'],
  ['removeFault', 404, '/faults/3'],
  ['removeFault', 404, '/faults/first'],
  ['clearFaults', 204, '/faults'],
  ['listPolicies', 200, '/policies'],
  ['setPolicies', 200, '/policies', { 'foreign-project': '403', 'G-58': 'stale' }],
  ['setPolicies', 200, '/policies', '{ "foreign-project": 403, "G-3": 200 }'],
  ['setPolicies', 422, '/policies', { 'foreign-project': 'perhaps' }],
  ['applyCommand', 200, '/commands', { type: 'clock.freeze' }],
  [
    'applyCommand',
    200,
    '/commands',
    { type: 'record.put', collection: 'countries', record: COUNTRY },
  ],
  ['applyCommand', 200, '/commands', { type: 'record.delete', collection: 'countries', id: 5 }],
  ['applyCommand', 200, '/commands', { type: 'policy.set', policies: {} }],
  ['applyCommand', 200, '/commands', { type: 'fault.add', fault: EVERY_FAULT[2] }],
  ['applyCommand', 200, '/commands', { type: 'fault.set', faults: EVERY_FAULT }],
  ['applyCommand', 200, '/commands', { type: 'fault.set', faults: [] }],
  ['applyCommand', 404, '/commands', { type: 'fault.remove', id: 99 }],
  ['applyCommand', 422, '/commands', { type: 'resett' }],
  ['takeSnapshot', 200, '/snapshots'],
  ['listCommands', 200, '/commands'],
  ['getReview', 200, '/review'],
  ['getReview', 200, '/review?projects=1,2'],
  ['getReview', 200, '/review?since=start'],
  ['getReview', 422, '/review?since=yesterday'],
  ['getReview', 422, '/review?projects=one'],
  ['explainProject', 200, '/explain/projects/1'],
  ['explainProject', 200, '/explain/projects/1?at=now%2B40d&changes=5'],
  ['explainProject', 404, '/explain/projects/9'],
  ['explainProject', 422, '/explain/projects/1?at=tomorrow'],
  ['explainProject', 422, '/explain/projects/1?changes=501'],
  ['getPositions', 200, '/projects/1/positions?from=2026-01'],
  ['getPositions', 404, '/projects/9/positions'],
  ['getPositions', 422, '/projects/1/positions?from=2020-01'],
  ['getOverview', 200, '/agencies/1/overview'],
  ['getOverview', 404, '/agencies/9/overview'],
  ['listRequests', 200, '/requests'],
  ['listRequests', 200, '/requests?route=/me&status=2xx&limit=1&unknown=true'],
  ['listRequests', 422, '/requests?rout=/me'],
  ['getRequest', 404, '/requests/99999'],
  ['getRequest', 404, '/requests/first'],
  ['exportRequests', 200, '/requests.har'],
  ['exportRequests', 422, '/requests.har?status=none'],
  ['followRequests', 422, '/requests/stream?token=nobody'],
  ['verifyRequests', 200, '/verify', { requests: { route: '/me', token: AGENCY } }],
  ['verifyRequests', 200, '/verify', { requests: { status: 500 }, times: { min: 2 } }],
  ['verifyRequests', 200, '/verify', { in_order: [{ path: '/api/v1/me' }, { project: 1 }] }],
  ['verifyRequests', 422, '/verify', {}],
  ['clearRequests', 204, '/requests'],
  ['createWorld', 201, '/worlds'],
  ['createWorld', 201, '/worlds', { generate: { projects: 2 }, seed: 7, rate_limit: 'unlimited' }],
  [
    'createWorld',
    201,
    '/worlds',
    { fixtures: WORLD, now: '2026-04-01', policies: { 'G-58': 'stale' } },
  ],
  ['createWorld', 422, '/worlds', { scenario: 'none-such' }],
  ['createWorld', 422, '/worlds', { fixtures: { version: 1, projects: [{}] } }],
  ['listWorlds', 200, '/worlds'],
  ['listWorlds', 200, '/worlds?limit=1'],
  ['listWorlds', 422, '/worlds?after=w1'],
  ['takeSnapshot', 200, '/snapshots?world=w2'],
  ['getSession', 200, '/session?world=w2'],
  ['listRecords', 200, '/records/reports?world=w2&project=1001'],
  ['dropWorld', 204, '/worlds/w1'],
  ['dropWorld', 404, '/worlds/w1'],
  ['dropWorld', 422, '/worlds/default'],
  ['loadWorld', 422, '/worlds/default/load'],
  ['loadScenario', 200, '/scenarios', { scenario: 'late-finisher' }],
  ['loadScenario', 422, '/scenarios', { scenario: 'none-such' }],
  ['getSession', 200, '/session'],
]

/** Fills the journal with requests of each kind, in process because faults would break connections. */
function fillJournal(): void {
  const requests = [
    ['/me', AGENCY],
    ['/projects/1', AGENCY],
    ['/projects', AGENCY],
    ['/me', 'nobody'],
    ['/nowhere', AGENCY],
  ]
  for (const [path, token] of requests) {
    server.sandbox.answer({
      method: 'GET',
      path: `/api/v1${path}`,
      query: 'x=1',
      clientIp: '127.0.0.1',
      origin: 'http://localhost',
      header: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined),
    })
  }
}

describe('responses of the control API', () => {
  // In order: each begins in the world that the cases before it have left.
  describe('conform to the document', () => {
    test.each(CASES)('%s: %i to %s %j', async (...one) => {
      const [id, status, , body] = one
      fillJournal()
      const answer = await send(server.port, one)
      expect([answer.status, findUnstated(id, answer)]).toEqual([status, undefined])
      if (status < 300 && typeof body === 'object') {
        const schema = [...operationOf(id).steps, 'requestBody', 'content', 'application/json']
        expect(findMisfit([...schema, 'schema'], body)).toBeUndefined()
      }
    })
  })

  test('include the document itself, with a relative server URL', async () => {
    const { body } = await send(server.port, ['getDocument', 200, '/openapi.json'])
    expect(body).toEqual(DOCUMENT)
    expect(body.servers[0].variables.base_url.default).toBe('')
  })

  test('include a snapshot that a restore accepts', async () => {
    const taken = await send(server.port, ['takeSnapshot', 200, '/snapshots'])
    const restored = await send(server.port, ['restoreSnapshot', 200, '/snapshots', taken.text])
    expect([restored.status, findUnstated('restoreSnapshot', restored)]).toEqual([200, undefined])
  })

  test('include the event stream', async () => {
    const { status, headers, body } = await fetch(`${server.url}/_sandbox/requests/stream`)
    const answer = { status, headers: Object.fromEntries(headers), text: '', body: '' }
    expect([status, findUnstated('followRequests', answer)]).toEqual([200, undefined])
    await body?.cancel()
  })

  test('include the metrics', async () => {
    const measured = await startServer({ port: 0, metrics: true })
    const response = await fetch(`${measured.url}/_sandbox/metrics`)
    const { status, headers } = response
    const text = await response.text()
    const answer = { status, headers: Object.fromEntries(headers), text, body: text }
    expect([status, findUnstated('getMetrics', answer)]).toEqual([200, undefined])
    await measured.close()
  })

  const guarded = OPERATIONS.filter(({ id }) => routeOf(id).role !== 'public')
  const target = (id: string) => routeOf(id).path.replaceAll(/:\w+/g, '1')

  test.each(guarded)('refuse pages of other sites as stated: $id', async ({ id }) => {
    const headers = { origin: 'https://other.example' }
    const answer = await send(server.port, [id, 403, target(id)], headers)
    expect([answer.status, findUnstated(id, answer)]).toEqual([403, undefined])
  })

  test('are 401 with an admin key, 429 after many wrong ones, and 404 with the control API off, as stated', async () => {
    const keyed = await startServer({ port: 0, adminKey: 'a-key-of-16-letters' })
    const attacked = await startServer({ port: 0, adminKey: 'a-key-of-16-letters' })
    const wrong = { authorization: 'Bearer wrong' }
    for (let count = 0; count < 10; count += 1) {
      await sendRaw(attacked.port, { target: '/_sandbox/clock', headers: wrong })
    }
    const off = await startServer({ port: 0, control: false })
    for (const { id } of guarded) {
      const closed = await send(off.port, [id, 404, target(id)])
      expect([id, closed.status, findUnstated(id, closed)]).toEqual([id, 404, undefined])
      if (routeOf(id).role === 'invited') continue
      const answer = await send(keyed.port, [id, 401, target(id)])
      expect([id, answer.status, findUnstated(id, answer)]).toEqual([id, 401, undefined])
      const late = await send(attacked.port, [id, 429, target(id)], wrong)
      expect([id, late.status, findUnstated(id, late)]).toEqual([id, 429, undefined])
    }
    await Promise.all([keyed, attacked, off].map((each) => each.close()))
  })

  test.each(guarded.filter(({ id }) => routeOf(id).role === 'world'))(
    'are 404 as stated for an unknown world: $id',
    async ({ id }) => {
      const answer = await send(server.port, [id, 404, `${target(id)}?world=nowhere`])
      expect([answer.status, answer.body.error.code]).toEqual([404, 'world_not_found'])
      expect(findUnstated(id, answer)).toBeUndefined()
    },
  )

  test('state how large a body may be: 4 MB, and 16 kB without a key', () => {
    const sizeOf = (id: string) => {
      const found = OPERATIONS.find((operation) => operation.id === id)
      return (found?.stated.responses['413'] as { description?: string } | undefined)?.description
    }
    const ids = ['claimInvitation', 'applyCommand', 'createWorld', 'restoreSnapshot']
    expect(ids.map(sizeOf)).toEqual([
      'The body is larger than 16 kB.',
      'The body is larger than 4 MB, or with the key of a world than the limit `body`.',
      'The body is larger than 4 MB, or with the key of a world than the limit `body`.',
      'The body is larger than 4 MB, or with the key of a world than four times the limit `body`.',
    ])
  })

  test('are 400 as stated for bodies that are not JSON', async () => {
    for (const { id } of OPERATIONS.filter(({ stated }) => stated.requestBody)) {
      const answer = await send(server.port, [id, 400, target(id), '{'])
      expect([id, answer.status, findUnstated(id, answer)]).toEqual([id, 400, undefined])
    }
  })

  test('are 413 as stated for bodies that are too large', async () => {
    const body = JSON.stringify(' '.repeat(2 ** 22))
    for (const id of ['claimInvitation', 'moveClock', 'applyCommand']) {
      const answer = await send(server.port, [id, 413, target(id), body])
      expect([id, answer.status, findUnstated(id, answer)]).toEqual([id, 413, undefined])
    }
  })

  test('is 507 as stated for a world too many', async () => {
    limitHeap(1)
    const full = await startServer({ port: 0, fixtures: WORLD })
    vi.restoreAllMocks()
    const one: Case = ['createWorld', 507, '/worlds']
    expect((await send(full.port, one)).status).toBe(201)
    const answer = await send(full.port, one)
    expect([answer.status, findUnstated('createWorld', answer)]).toEqual([507, undefined])
    expect(answer.body.error).toMatchObject({
      code: 'insufficient_memory',
      message: expect.stringContaining('Drop one that is no longer needed'),
    })
    await full.close()
  })

  test('are 422 as stated for a snapshot of more than 4 MB', async () => {
    const name = 'x'.repeat(4 * 2 ** 20)
    const large = await startServer({
      port: 0,
      fixtures: aWorld({ projects: [aProject({ id: 1, name })] }),
    })
    const answer = await send(large.port, ['takeSnapshot', 422, '/snapshots'])
    expect([answer.status, findUnstated('takeSnapshot', answer)]).toEqual([422, undefined])
    await large.close()
  })

  test('are 422 as stated for a session that is no longer kept', async () => {
    const long = await startServer({ port: 0, fixtures: WORLD })
    for (let count = 0; count <= 5000; count += 1) await long.sandbox.fetch('/api/v1/me')
    const answer = await send(long.port, ['getSession', 422, '/session'])
    expect([answer.status, findUnstated('getSession', answer)]).toEqual([422, undefined])
    await long.close()
  })

  test('cover every stated status of every operation', () => {
    const stated = OPERATIONS.flatMap(({ id, stated: { responses } }) =>
      Object.keys(responses).map((status) => `${id} ${status}`),
    )
    const missing = stated.filter((one) => !answered.has(one) && !/ (?:413|50\d|4XX)$/.test(one))
    expect(missing.toSorted()).toEqual([
      // test/store/partners.test.ts and loads.test.ts cover the operations that need a store.
      'claimInvitation 201',
      'createKey 201',
      'createLink 201',
      'getLimits 200',
      'getOwnPartner 200',
      'getPartner 200',
      'invitePartner 201',
      'listErrors 200',
      'listKeys 200',
      'listPartners 200',
      'loadWorld 204',
      'renewPartner 200',
      'revokeKey 204',
      'revokePartner 204',
    ])
  })
})

describe('any world', () => {
  const READS: Case[] = [
    ['getOrigin', 200, '/origin'],
    ['getClock', 200, '/clock'],
    ['listCommands', 200, '/commands'],
    ['takeSnapshot', 200, '/snapshots'],
    ['getReview', 200, '/review'],
    ['getSession', 200, '/session'],
    ['listPolicies', 200, '/policies'],
    ['listFaults', 200, '/faults'],
    ['explainProject', 200, '/explain/projects/1'],
    ['getPositions', 200, '/projects/1/positions'],
    ['getOverview', 200, '/agencies/1/overview'],
    ['listRequests', 200, '/requests'],
    ['exportRequests', 200, '/requests.har'],
    ['verifyRequests', 200, '/verify', { no_unknown_routes: true }],
    ...COLLECTION_NAMES.map((name): Case => ['listRecords', 200, `/records/${name}`]),
  ]

  test('conforms to the document after any steps', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-15T12:00:30Z') })
    const changing = await startServer({ port: 0, fixtures: randomWorld() })
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { minLength: 20, maxLength: 60 }), async (steps) => {
        await changing.sandbox.reset()
        const play = createPlayer(changing.sandbox)
        for (const step of steps) await play(step)
        for (const read of READS) {
          const answer = await send(changing.port, read)
          expect([read[2], findUnstated(read[0], answer)]).toEqual([read[2], undefined])
        }
      }),
      { numRuns: runs(25) },
    )
    await changing.close()
    vi.useRealTimers()
  })

  test('accepts no command that the document does not state', () => {
    const schema = ['components', 'schemas', 'Command']
    fc.assert(
      fc.property(anything, (step) => {
        fc.pre('command' in step && Command.safeParse(step.command).success)
        expect(findMisfit(schema, (step as { command: unknown }).command)).toBeUndefined()
      }),
      { numRuns: runs(1000), maxSkipsPerRun: 1000 },
    )
  })

  test.each([
    [{ type: 'resett' }],
    [{ type: 'reset', now: '2026-01-01' }],
    [{ type: 'clock.set' }],
    [{ type: 'clock.set', now: 'yesterday' }],
    [{ type: 'clock.advance', by: -1 }],
    [{ type: 'record.put', collection: 'report', record: {} }],
    [{ type: 'record.delete', collection: 'reports', id: '1' }],
    [{ type: 'policy.set', policies: { 'foreign-project': 'perhaps' } }],
    [{ type: 'policy.set', policies: { perhaps: 1 } }],
    [{ type: 'fault.add', fault: { kind: 'rain' } }],
    [{ type: 'fault.add', fault: { kind: 'html', status: 200 } }],
    [{ type: 'fixtures.load', fixtures: [] }],
    [{ type: 'snapshot.restore', snapshot: { version: 2 } }],
  ])('neither the world nor the document accepts %j', (command) => {
    expect(Command.safeParse(command).success).toBe(false)
    expect(findMisfit(['components', 'schemas', 'Command'], command)).toBeTypeOf('string')
  })
})
