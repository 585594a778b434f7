import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guardControl, guardWorld } from '../../src/control-api/guard.ts'
import type { Requester } from '../../src/control-api/guard.ts'
import { OptionError } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import type { SandboxServer, ServerOptions } from '../../src/server.ts'
import { sendRaw } from '../support/transports.ts'
import type { TestResponse } from '../support/transports.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

/** Access control: programs of this machine, and requesters with the admin key. */

const KEY = 'a-key-of-sixteen-letters'

interface Guarded extends AsyncDisposable {
  server: SandboxServer
  /** Sends a request to a path of the control API, which may also be any request target. */
  send: (
    path: string,
    options?: { method?: string; headers?: Record<string, string>; body?: string },
  ) => Promise<TestResponse>
}

async function serve(options: Partial<ServerOptions> = {}): Promise<Guarded> {
  const server = await startServer({ port: 0, fixtures: aWorld(), ...options })
  return {
    server,
    send: (path, sent = {}) => sendRaw(server.port, { target: `/_sandbox${path}`, ...sent }),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

function bearing(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}

const PROXIED = { 'x-forwarded-for': '203.0.113.9' }

/** Headers of a browser when a user follows a link of another site. */
const NAVIGATION = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

test.each([
  ['a route about the server', 'admin', undefined, 'admin_only'],
  ['a route about the server, for its own world', 'admin', 'mine', 'admin_only'],
  ['its own world, which it need not name', 'world', undefined, undefined],
  ['its own world by name', 'world', 'mine', undefined],
  ['another world', 'world', 'another', 'other_world'],
  ['the default world', 'world', 'default', 'other_world'],
] as const)('the key of a world, used for %s', (_, role, named, code) => {
  const refusal = guardWorld(role, { own: 'mine', named })
  expect(refusal?.body).toEqual(code && { error: expect.objectContaining({ code }) })
})

describe('the control API checks', () => {
  const LOCAL = { host: '127.0.0.1' }
  const OPEN = { host: '0.0.0.0', adminKey: KEY }
  const KEYED = { host: '127.0.0.1', adminKey: KEY }

  test.for<[string, Partial<ServerOptions>, Record<string, string>, number]>([
    ['a program of this machine', LOCAL, {}, 200],
    ['a program that sends a token of the API', LOCAL, bearing(AGENCY), 200],
    ['a request that came through a proxy', LOCAL, PROXIED, 403],
    ['one with the standard Forwarded header', LOCAL, { forwarded: 'for=203.0.113.9' }, 403],
    ['one from a proxy that states the scheme', LOCAL, { 'x-forwarded-proto': 'https' }, 403],
    ...[
      'cf-connecting-ip',
      'true-client-ip',
      'x-client-ip',
      'x-cluster-client-ip',
      'x-real-ip',
      'x-forwarded',
      'x-forwarded-host',
      'x-forwarded-server',
      'x-original-forwarded-for',
      'x-original-host',
      'via',
    ].map((name): [string, typeof LOCAL, Record<string, string>, number] => [
      `one with ${name}`,
      LOCAL,
      { [name]: '203.0.113.9' },
      403,
    ]),
    ['a page of another site by Sec-Fetch-Site', LOCAL, { 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of another port by Sec-Fetch-Site', LOCAL, { 'sec-fetch-site': 'same-site' }, 403],
    ['a link on a page of another site', LOCAL, NAVIGATION, 403],
    ['its own page by Sec-Fetch-Site', LOCAL, { 'sec-fetch-site': 'same-origin' }, 200],
    ['an address that a user typed', LOCAL, { 'sec-fetch-site': 'none' }, 200],
    ['this machine in capitals', LOCAL, { host: 'LOCALHOST:4711' }, 200],
    ['this machine with a trailing dot', LOCAL, { host: 'localhost.:4711' }, 200],
    [
      'its own page, in any case',
      LOCAL,
      { host: 'Localhost:4711', origin: 'http://localhost:4711' },
      200,
    ],
    ['a page of another site', LOCAL, { origin: 'http://elsewhere.example' }, 403],
    ['a page without an origin', LOCAL, { origin: 'null' }, 403],
    ['a page of another port of this machine', LOCAL, { origin: 'http://127.0.0.1:1' }, 403],
    ['its own page by IPv6', LOCAL, { host: '[::1]:4711', origin: 'http://[::1]:4711' }, 200],
    ['a foreign name that resolves to this machine', LOCAL, { host: 'elsewhere.example' }, 403],
    [
      'a page of a foreign name that resolves to this machine',
      LOCAL,
      { host: 'elsewhere.example', origin: 'http://elsewhere.example' },
      403,
    ],
    ['a foreign address', LOCAL, { host: '192.0.2.1' }, 403],
    ['a foreign IPv6 address', LOCAL, { host: '[2001:db8::1]:4010' }, 403],
    ['a program of this machine without the key where there is one', KEYED, {}, 401],
    ['a program of this machine with the key', KEYED, bearing(KEY), 200],
    ['a wrong key even here', KEYED, bearing('another-key-of-16-letters'), 401],
    ['a request through a proxy without the key', KEYED, PROXIED, 401],
    ['a request through a proxy with the key', KEYED, { ...PROXIED, ...bearing(KEY) }, 200],
    [
      'a name that resolves to this machine, without the key',
      KEYED,
      { host: 'sandbox.example' },
      401,
    ],
    [
      'a name that resolves to this machine, with the key',
      KEYED,
      { host: 'sandbox.example', ...bearing(KEY) },
      200,
    ],
    ['a request without the key where others can reach it', OPEN, {}, 401],
    ['the key', OPEN, bearing(KEY), 200],
    ['the key with the scheme in another case', OPEN, { authorization: `bearer  ${KEY}` }, 200],
    ['another scheme', OPEN, { authorization: `Basic ${KEY}` }, 401],
    ['the start of the key', OPEN, bearing(KEY.slice(0, -1)), 401],
    ['more than the key', OPEN, bearing(`${KEY}x`), 401],
    ['the key in another case', OPEN, bearing(KEY.toUpperCase()), 401],
    ['no key', OPEN, bearing(''), 401],
    ['the key in another header', OPEN, { 'x-admin-key': KEY }, 401],
    [
      "the key from another site's page",
      OPEN,
      { ...bearing(KEY), origin: 'http://elsewhere.example' },
      403,
    ],
    [
      'the key from its own page, where TLS ends at a proxy',
      OPEN,
      { ...bearing(KEY), host: 'sandbox.example', origin: 'https://sandbox.example' },
      200,
    ],
  ])('%s: on %o', async ([, options, headers, status], { expect: expectHere }) => {
    await using guarded = await serve(options)
    const response = await guarded.send('/clock', { headers })
    expectHere(response.status).toBe(status)
    if (status === 401) {
      expectHere(response.headers['www-authenticate']).toBe('Bearer')
      expectHere(response.body.error.code).toBe('admin_key_required')
    }
    expectHere(response.text + JSON.stringify(response.headers)).not.toContain(KEY)
    expectHere((await guarded.send('/health', { headers })).status).toBe(200)
  })

  test('and says why a request is refused', async () => {
    await using guarded = await serve()
    const refuse = async (headers: Record<string, string>) =>
      (await guarded.send('/clock', { headers })).body.error
    const [host, page, proxied] = [
      await refuse({ host: 'elsewhere.example' }),
      await refuse({ origin: 'http://elsewhere.example' }),
      await refuse(PROXIED),
    ]
    expect([host.code, host.message]).toEqual([
      'foreign_host',
      expect.stringMatching(/^The Host header names another machine/),
    ])
    expect([page.code, proxied.code]).toEqual(['foreign_origin', 'control_closed'])
  })

  test.for([
    ['in HTTP/1.0, as proxies send it', 'GET /_sandbox/clock HTTP/1.0\r\n', 403],
    [
      'for another host',
      'GET http://a.example/_sandbox/clock HTTP/1.1\r\nHost: localhost\r\n',
      403,
    ],
    ['for this host', 'GET http://127.0.0.1/_sandbox/clock HTTP/1.1\r\nHost: localhost\r\n', 200],
    [
      'for this host, with the Host header of another',
      'GET http://127.0.0.1/_sandbox/clock HTTP/1.1\r\nHost: elsewhere.example\r\n',
      403,
    ],
  ] as const)('a request %s', async ([, head, status], { expect: expectHere }) => {
    await using guarded = await serve()
    const socket = connect(guarded.server.port, '127.0.0.1')
    socket.end(`${head}Connection: close\r\n\r\n`)
    expectHere(await readText(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  test('wrong keys of an address, of which the eleventh waits, and the right one never', async () => {
    await using guarded = await serve({ adminKey: KEY })
    const statusOf = async (key: string) =>
      guarded.send('/clock', { headers: bearing(key) }).then(({ status }) => status)
    const wrong: number[] = []
    for (let count = 0; count < 12; count += 1)
      wrong.push(await statusOf(`wrong-key-${count}-of-16`))
    expect(wrong).toEqual([...Array<number>(10).fill(401), 429, 429])
    expect(await statusOf(KEY)).toBe(200)
    const { status, headers, body } = await guarded.send('/clock', { headers: bearing('wrong') })
    expect([status, body.error.code]).toEqual([429, 'too_many_wrong_keys'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
  })

  test('wrong keys of each client apart, where a trusted proxy names it', async () => {
    await using guarded = await serve({ adminKey: KEY, trustProxy: 1 })
    const statusOf = async (client: string) => {
      const headers = { ...bearing('wrong-key-of-16'), 'x-forwarded-for': client }
      return (await guarded.send('/clock', { headers })).status
    }
    for (let count = 0; count < 10; count += 1) await statusOf('192.0.2.1')
    expect([await statusOf('192.0.2.1'), await statusOf('192.0.2.2')]).toEqual([429, 401])
  })

  test('nobody can read the key in what is recorded of requests that contain it by mistake', async () => {
    await using guarded = await serve({ adminKey: KEY })
    const { sandbox, port } = guarded.server
    const encoded = `%${Buffer.from(KEY).toString('hex').match(/../g)?.join('%')}`
    for (const target of [`/api/v1/me?key=${KEY}`, `/api/v1/${encoded}`, `/api/v1/me?a=b${KEY}`]) {
      await sendRaw(port, { target, headers: bearing(KEY) })
    }
    const paths = ['/requests', '/requests.har', '/session', '/snapshots', '/commands']
    for (const path of paths) {
      const { status, text } = await guarded.send(path, { headers: bearing(KEY) })
      expect([path, status]).toEqual([path, 200])
      expect(decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, '%25'))).not.toContain(KEY)
    }
    expect(sandbox.world.journal.redact(`/me?key=${KEY}`)).toBe('/me?key=[token]')
  })

  test.for(['/health', '/clock', '/nothing', '/requests/stream', '/clock?world=nowhere'])(
    'and no other site or cache gets its responses: %s',
    async (path, { expect: expectHere }) => {
      await using guarded = await serve()
      const { headers, body } = await fetch(`${guarded.server.url}/_sandbox${path}`)
      await body?.cancel()
      expectHere(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
    },
  )

  const aRequester: fc.Arbitrary<Requester> = fc.record({
    localAddress: fc.constantFrom('127.0.0.1', '::1', '::ffff:127.0.0.1', undefined, '192.0.2.1'),
    isInvited: fc.constant(false),
    hasKey: fc.boolean(),
    shown: fc.constantFrom('right' as const, 'wrong' as const, undefined),
    origin: fc.constantFrom(undefined, 'null', 'http://localhost:1', 'http://a.example'),
    host: fc.constantFrom(undefined, 'localhost:1', '[::1]:1', '127.0.0.1', 'a.example'),
    site: fc.constantFrom(undefined, 'none', 'same-origin', 'same-site', 'cross-site'),
    isForwarded: fc.boolean(),
  })

  test('and accepts no request without the key unless it can only come from this machine', () => {
    fc.assert(
      fc.property(aRequester, (requester) => {
        fc.pre(requester.shown === undefined && guardControl(requester) === undefined)
        expect(['127.0.0.1', '::1', '::ffff:127.0.0.1']).toContain(requester.localAddress)
        expect(requester.hasKey).toBe(false)
        expect(requester.isForwarded).toBe(false)
        expect(requester.host).not.toBe('a.example')
        expect([undefined, 'none', 'same-origin']).toContain(requester.site)
        expect([undefined, `http://${requester.host}`]).toContain(requester.origin)
      }),
      { maxSkipsPerRun: 10_000 },
    )
  })

  test('and never accepts a wrong key or a page of another site', () => {
    fc.assert(
      fc.property(aRequester, (requester) => {
        const isForeign =
          ![undefined, `http://${requester.host}`].includes(requester.origin) ||
          ['same-site', 'cross-site'].includes(requester.site ?? '')
        fc.pre(isForeign || requester.shown === 'wrong')
        expect(guardControl(requester)?.status).toBe(isForeign ? 403 : 401)
      }),
    )
  })
})

describe('it does not start', () => {
  test.for(['0.0.0.0', '::', '192.0.2.1', 'sandbox.example'])(
    'on %s, which others can reach, without a key',
    async (host, { expect: expectHere }) => {
      const start = startServer({ port: 0, host, fixtures: aWorld() })
      await expectHere(start).rejects.toThrow(OptionError)
      await expectHere(start).rejects.toThrow(
        `Others can reach ${host} and could control the sandbox there: set an admin key (SEO_SANDBOX_ADMIN_KEY`,
      )
    },
  )

  test.for(['short', 'fifteen-letters', 'sixteen letters with spaces', 'sixteen-lettérs-é', ''])(
    'with the key "%s", which it does not repeat',
    async (adminKey, { expect: expectHere }) => {
      const error: unknown = await startServer({ port: 0, adminKey }).catch((thrown) => thrown)
      expectHere(error).toBeInstanceOf(OptionError)
      expectHere(String(error)).toMatch(/^OptionError: adminKey: An admin key has at least 16/)
      if (adminKey !== '') expectHere(String(error)).not.toContain(adminKey)
    },
  )
})

describe('without the control API', () => {
  test('only health responds, on any host, even with the key', async () => {
    await using guarded = await serve({ host: '0.0.0.0', control: false, adminKey: KEY })
    expect(guarded.server.control).toBeUndefined()
    for (const [method, path] of [
      ['GET', '/clock'],
      ['POST', '/reset'],
      ['GET', '/records/tokens'],
      ['GET', ''],
      ['GET', '/nothing'],
    ] as const) {
      const { status, body } = await guarded.send(path, { method, headers: bearing(KEY) })
      expect([status, body.error.code]).toEqual([404, 'control_off'])
    }
    expect((await guarded.send('/health')).status).toBe(200)
    expect((await sendRaw(guarded.server.port, { target: '/api/v1/me' })).status).toBe(401)
  })

  test.for([
    { options: {}, needsKey: false },
    { options: { adminKey: KEY }, needsKey: true },
    { options: { host: '0.0.0.0', adminKey: KEY }, needsKey: true },
  ])('or with it, a server reports its URL: $options', async ({ options, needsKey }) => {
    await using guarded = await serve(options)
    const { url, control } = guarded.server
    expect(control).toEqual({ url: `${url}/_sandbox`, needsKey })
  })
})

describe('a body', () => {
  let guarded: Guarded
  beforeAll(async () => {
    guarded = await serve({ host: '0.0.0.0', adminKey: KEY })
  })
  afterAll(() => guarded[Symbol.asyncDispose]())

  test.for<[string, string, Record<string, string>, number, string]>([
    ['that is not JSON', '{ "type": ', {}, 400, 'invalid_json'],
    ['in another charset', '{}', { 'content-type': 'text/x; charset=x' }, 415, 'invalid_request'],
  ])('%s is refused', async ([, body, headers, status, code], { expect: expectHere }) => {
    const sent = { method: 'POST', body, headers: { ...bearing(KEY), ...headers } }
    const response = await guarded.send('/commands', sent)
    expectHere([response.status, response.body.error.code]).toEqual([status, code])
  })

  test.for(['application/json', 'text/plain', 'application/x-www-form-urlencoded'])(
    'is parsed as JSON with any content type: %s',
    async (type, { expect: expectHere }) => {
      const headers = { ...bearing(KEY), 'content-type': type }
      const sent = { method: 'POST', body: '{ "type": "reset" }', headers }
      expectHere((await guarded.send('/commands', sent)).status).toBe(200)
    },
  )

  test('that is too large is not read from an unauthorized client', async () => {
    const head = `POST /_sandbox/commands HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\nConnection: close\r\n\r\n`
    const socket = connect(guarded.server.port, '127.0.0.1')
    socket.write(head)
    expect(await readText(socket)).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe('no control route is reached', () => {
  let guarded: Guarded
  beforeAll(async () => {
    guarded = await serve()
  })
  afterAll(() => guarded[Symbol.asyncDispose]())

  const ELSEWHERE = [
    ['below the API', '/api/v1/_sandbox/records/tokens'],
    ['by dot segments', '/api/v1/../../_sandbox/records/tokens'],
    ['by encoded dot segments', '/api/v1/%2e%2e/%2e%2e/_sandbox/records/tokens'],
    ['by encoded slashes', '/api/v1/..%2f..%2f_sandbox%2frecords%2ftokens'],
    ['by backslashes', String.raw`/api/v1/..\..\_sandbox\records\tokens`],
    ['by an encoded prefix', '/%5fsandbox/records/tokens'],
    ['by an encoded slash', '/_sandbox%2frecords%2ftokens'],
    ['by double slashes', '//_sandbox/records/tokens'],
    ['by an absolute target of the API', 'http://127.0.0.1/api/v1/_sandbox/records/tokens'],
    [
      'by an absolute target and dot segments',
      'http://127.0.0.1/api/v1/../../_sandbox/records/tokens',
    ],
    ['in another case', '/_SANDBOX/records/tokens'],
    ['by a path parameter', '/_sandbox;x/records/tokens'],
    ['in a fragment', '/api/v1/me#/_sandbox/records/tokens'],
    ['in a query', '/api/v1/nothing?/_sandbox/records/tokens'],
    ['by a project of that name', '/api/v1/projects/..%2f_sandbox%2frecords%2ftokens'],
  ] as const

  test.for(ELSEWHERE)('%s: %s', async ([, target], { expect: expectHere }) => {
    const { sandbox, port } = guarded.server
    await sandbox.clock.set('2020-01-01')
    for (const method of ['GET', 'POST']) {
      const response = await sendRaw(port, { target: target, method })
      expectHere([401, 404, 405]).toContain(response.status)
      expectHere(response.text).not.toMatch(/"capabilities"|rate_clock|agency-token/)
    }
    expectHere(sandbox.clock.read().now).toMatch(/^2020-01-01/)
  })

  test.for([
    'x-original-url',
    'x-rewrite-url',
    'x-forwarded-prefix',
    'x-http-method-override',
    'x-forwarded-host',
  ])('by the header %s', async (name, { expect: expectHere }) => {
    const { port } = guarded.server
    for (const value of ['/_sandbox/clock', 'POST', '127.0.0.1']) {
      const answer = await sendRaw(port, { target: '/api/v1/me', headers: { [name]: value } })
      expectHere([answer.status, answer.body]).toEqual([401, { message: 'Unauthenticated.' }])
      const headers = { host: 'elsewhere.example', [name]: value }
      expectHere((await guarded.send('/clock', { headers })).status).toBe(403)
    }
  })

  test('and no route of the API through the control API', async () => {
    for (const path of ['/../api/v1/me', '/api/v1/me', '/%2e%2e/api/v1/me']) {
      const { status, body } = await guarded.send(path, { headers: bearing(AGENCY) })
      expect([status, body.error.code]).toEqual([404, 'route_not_found'])
    }
  })
})
