import { Agent, request as sendHttp } from 'node:http'
import { graphql, http, HttpResponse, passthrough, ws } from 'msw'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/server.ts'
import type { MswHandler, SandboxServer, ServerOptions } from '../../src/server.ts'
import { MSWS } from '../support/msw.ts'
import { sendRaw } from '../support/transports.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

/** The user's own MSW handlers take precedence over the API over HTTP. */

const headers = { authorization: `Bearer ${AGENCY}` }
const teapot = () => new HttpResponse('short and stout', { status: 418 })

interface Served extends AsyncDisposable, SandboxServer {
  get: (path: string, init?: RequestInit) => Promise<Response>
}

async function serve(handlers: MswHandler[], options: ServerOptions = {}): Promise<Served> {
  const server = await startServer({ fixtures: aWorld(), ...options, port: 0, handlers })
  return {
    ...server,
    get: (path, init = {}) => fetch(`${server.url}${path}`, { headers, ...init }),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

describe('a handler answers over HTTP', () => {
  test.each([
    ['the host that tests name', 'https://seo.example.com/api/v1/me'],
    ['a host with a path before the prefix', 'https://seo.example.com/some/service/api/v1/me'],
    ['a parameter', 'https://seo.example.com/api/v1/:what'],
    ['a relative path', '/api/v1/me'],
    ['any host', '*/api/v1/me'],
    ['everything of a host', 'https://seo.example.com/*'],
    ['an expression', /\/api\/v1\/me$/],
    ['an expression with a host', /^https?:\/\/seo\.example\.com\/api\/v1\/me$/],
    ['an expression with a host and a path', /^https:\/\/seo\.example\.com\/some\/api\/v1\/me\b/],
  ])('written for %s', async (_, path) => {
    await using server = await serve([http.get(path, teapot)])
    const response = await server.get('/api/v1/me')
    expect([response.status, await response.text()]).toEqual([418, 'short and stout'])
    expect((await server.get('/api/v1/projects/1')).status).toBe(
      String(path).endsWith('/*') ? 418 : 200,
    )
  })

  test('with the request as sent: method, query, headers, body and parameters', async () => {
    const seen = http.post<{ id: string }>(
      'https://seo.example.com/api/v1/projects/:id',
      async ({ request, params }) => {
        const { searchParams } = new URL(request.url)
        return HttpResponse.json([
          params.id,
          searchParams.get('q'),
          request.headers.get('x-case'),
          await request.json(),
        ])
      },
    )
    await using server = await serve([http.all('*/never', teapot), seen])
    const response = await server.get('/api/v1/projects/7?q=a%20b', {
      method: 'POST',
      headers: { 'x-case': 'yes' },
      body: JSON.stringify({ a: 1 }),
    })
    expect(await response.json()).toEqual(['7', 'a b', 'yes', { a: 1 }])
  })

  test('with the whole response: streamed, with status text and every cookie', async () => {
    const body = () => new Blob(['one ', 'two']).stream()
    const answer = () => {
      const cookies = new Headers([
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ])
      return new Response(body(), { status: 503, statusText: 'Closed', headers: cookies })
    }
    await using server = await serve([http.get('/api/v1/me', answer)])
    const response = await server.get('/api/v1/me')
    expect([response.status, response.statusText]).toEqual([503, 'Closed'])
    expect([response.headers.getSetCookie(), await response.text()]).toEqual([
      ['a=1', 'b=2'],
      'one two',
    ])
  })

  test('for a path outside the API, and for a target in absolute form', async () => {
    await using server = await serve([http.get('/login', teapot), http.get('/api/v1/me', teapot)])
    expect((await server.get('/login')).status).toBe(418)
    const target = 'http://seo.example.com/api/v1/me'
    expect((await sendRaw(server.port, { target, headers })).status).toBe(418)
  })

  test('for other origins as the API does', async () => {
    const origin = 'https://app.example.com'
    await using server = await serve([http.get('/api/v1/me', teapot)], { cors: origin })
    const response = await server.get('/api/v1/me', { headers: { origin } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      418,
      origin,
    ])
  })
})

describe('the API responds', () => {
  test.each<[string, MswHandler[]]>([
    ['if no handler matches', [http.get('*/api/v1/users', teapot)]],
    ['if the one that matches returns nothing', [http.get('*/api/v1/me', () => undefined)]],
    [
      'if one passes the request through',
      [http.all('*', () => passthrough()), http.all('*', teapot)],
    ],
    ['if there are none', []],
  ])('%s', async (_, handlers) => {
    await using server = await serve(handlers)
    const response = await server.get('/api/v1/me')
    expect([response.status, await response.json()]).toMatchObject([200, { agency_id: 1 }])
  })

  test('after a one-time handler', async () => {
    await using server = await serve([http.get('*/api/v1/me', teapot, { once: true })])
    const statuses = [await server.get('/api/v1/me'), await server.get('/api/v1/me')]
    expect(statuses.map(({ status }) => status)).toEqual([418, 200])
  })

  test('to a body that no handler read, and to a method that fetch does not support', async () => {
    await using server = await serve([http.get('*/api/v1/me', teapot)])
    const body = 'x'.repeat(1_000_000)
    expect((await server.get('/api/v1/me', { method: 'POST', body })).status).toBe(405)
    const traced = await sendRaw(server.port, { target: '/api/v1/me', method: 'TRACE', headers })
    expect(traced.status).toBe(405)
  })

  test('under its control prefix, before any handler', async () => {
    await using server = await serve([http.all('*', teapot)])
    expect((await server.get('/_sandbox/health')).status).toBe(200)
  })
})

test('the first handler that responds wins, regardless of hosts', async () => {
  const named = (name: string) => () => new Response(name)
  await using server = await serve([
    http.get('https://a.example/api/v1/users', named('a')),
    http.get('*/api/v1/me', named('any')),
    http.get('https://a.example/api/v1/me', named('a')),
    http.get('https://b.example/api/v1/users', named('b')),
  ])
  const texts = [await server.get('/api/v1/me'), await server.get('/api/v1/users')]
  expect(await Promise.all(texts.map((response) => response.text()))).toEqual(['any', 'a'])
})

test('an unread body does not block the next request of its connection', async () => {
  await using server = await serve([http.post('*/api/v1/me', teapot)])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (method: string, body: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { method, agent, headers }
      const request = sendHttp(`${server.url}/api/v1/me`, options, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
      request.on('error', reject).end(body)
    })
  const body = 'x'.repeat(1_000_000)
  expect([await send('POST', body), await send('PUT', body), await send('GET', '')]).toEqual([
    418, 405, 200,
  ])
  agent.destroy()
})

test('a response of a handler is not counted by rate limits, and is reported as an override', async () => {
  const tokens = [aToken({ id: 1, token: AGENCY, rate_limit: { per_minute: 2 } })]
  const answers: unknown[] = []
  await using server = await serve([http.get('*/api/v1/users', teapot)], {
    fixtures: aWorld({ tokens }),
    onResponse: ({ method, path, query }, answer) =>
      answers.push([method, `${path}?${query}`, answer.status, answer.isOverride]),
  })
  await server.get('/api/v1/users?page=1')
  const { headers: limits } = await server.get('/api/v1/me')
  expect(limits.get('x-ratelimit-remaining')).toBe('1')
  expect(answers).toEqual([
    ['GET', '/api/v1/users?page=1', 418, true],
    ['GET', '/api/v1/me?', 200, undefined],
  ])
})

describe('a handler that throws', () => {
  const throwing = (thrown: unknown) => [
    http.get('*/api/v1/me', () => {
      throw thrown
    }),
  ]

  test('an error results in a 500 with its message', async () => {
    await using server = await serve(throwing(new Error('no such file')))
    const response = await server.get('/api/v1/me')
    expect([response.status, await response.json()]).toEqual([
      500,
      {
        message: expect.stringMatching(
          /^One of your handlers threw: no such file \(user-handlers\.test\.ts:\d+:\d+\)$/,
        ) as string,
      },
    ])
  })

  test('a response results in that response', async () => {
    await using server = await serve(throwing(new Response('', { status: 418 })))
    expect((await server.get('/api/v1/me')).status).toBe(418)
  })

  test('or returns a network error breaks only that connection', async () => {
    await using server = await serve([http.get('*/api/v1/me', () => HttpResponse.error())])
    await expect(server.get('/api/v1/me')).rejects.toThrow('fetch failed')
    expect((await server.get('/api/v1/users')).status).toBe(200)
  })

  test('while its body is read breaks the connection', async () => {
    const broken = () =>
      new ReadableStream({
        pull: (controller) => controller.error(new Error('torn')),
      })
    await using server = await serve([http.get('*/api/v1/me', () => new Response(broken()))])
    await expect(
      server.get('/api/v1/me').then((response) => response.text()),
    ).rejects.toBeInstanceOf(Error)
  })
})

test('WebSocket handlers, which test suites may list too, are ignored', async () => {
  const chat = ws.link('wss://chat.example.com')
  const listening = chat.addEventListener('connection', () => undefined)
  await using server = await serve([
    listening as unknown as MswHandler,
    http.get('*/api/v1/me', teapot),
  ])
  expect((await server.get('/api/v1/me')).status).toBe(418)
})

test('GraphQL handlers are matched under their own host', async () => {
  const api = graphql.link('https://graph.example.com/graphql')
  const query = api.query('Projects', () => HttpResponse.json({ data: { projects: [] } }))
  await using server = await serve([query])
  const response = await server.get('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'query Projects { projects { id } }' }),
  })
  expect(await response.json()).toEqual({ data: { projects: [] } })
})

test.each(['a b', '[::1', 'evil.example:80:80', 'x/y@z'])(
  'the odd host %s does not affect matching',
  async (host) => {
    await using server = await serve([http.get('https://seo.example.com/api/v1/me', teapot)])
    const target = '/api/v1/me'
    const response = await sendRaw(server.port, { target, headers: { ...headers, host } })
    expect(response.status).toBe(418)
  },
)

test.each<[string, Record<string, unknown>, string]>([
  ['handlers that are not a list', { handlers: 'abc' }, 'handlers: This is not an array.'],
  [
    'a getResponse that is not a function',
    { handlers: [], getResponse: 5 },
    'getResponse: This is not a function.',
  ],
])('%s: refused', async (_, options, sentence) => {
  await expect(startServer({ port: 0, ...options })).rejects.toThrow(sentence)
})

test.each([
  ['a function', [() => undefined]],
  ['a response', [http.get('*', teapot), new Response()]],
])('%s among the handlers is refused before anything listens', async (_, handlers) => {
  const options = { port: 0, handlers: handlers as unknown as MswHandler[] }
  const position = handlers.length - 1
  await expect(startServer(options)).rejects.toThrow(
    `handlers[${position}]: This is not a request handler of MSW.`,
  )
})

test.each(MSWS)('handlers of $name are called by the getResponse of their msw', async (msw) => {
  let calls = 0
  const handlers = [
    msw.http.get('https://seo.example.com/api/v1/users', teapot),
    msw.http.get('/api/v1/me', () => passthrough()),
  ]
  await using server = await serve(handlers, {
    getResponse: (...args) => {
      calls += 1
      return msw.getResponse(...args)
    },
  })
  const statuses = [await server.get('/api/v1/users'), await server.get('/api/v1/me')]
  expect(statuses.map(({ status }) => status)).toEqual([418, 200])
  expect(calls).toBe(3)
})
