import express from 'express'
import type { ErrorRequestHandler } from 'express'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { middleware, ServerError, startServer } from '../../src/server.ts'
import { sendRaw, serve } from '../support/transports.ts'
import { AGENCY, aProject, aToken, aWorld } from '../support/worlds.ts'

const headers = { authorization: `Bearer ${AGENCY}` }

describe('middleware', () => {
  test.each([
    ['of one request', 1, []],
    ['of requests that are sent together', 4, []],
    ['of a truncated response', 1, [{ kind: 'truncated-body' }]],
  ] as const)('hands an error of a replaced writeHead to next: %s', async (_, clients, faults) => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    await sandbox.faults.set(faults)
    const app = express()
    app.use((_request, response, next) => {
      response.writeHead = () => {
        throw new Error('replaced')
      }
      next()
    })
    app.use(middleware(sandbox))
    app.use(((error: Error, _request, response, _next) => {
      Reflect.deleteProperty(response, 'writeHead')
      response.status(500).send(error.message)
    }) as ErrorRequestHandler)
    await using server = await serve(app)
    const answers = await Promise.all(
      Array.from({ length: clients }, () =>
        sendRaw(server.port, { target: '/api/v1/projects/1', headers }),
      ),
    )
    for (const { status, text } of answers) expect([status, text]).toEqual([500, 'replaced'])
  })

  test.each([
    ['short and ASCII', 'Project'],
    ['short, with Latin letters', 'Smørrebrød'],
    ['short, with other letters', '漢字 🙂'],
    ['as long as is copied into a text', 'a'.repeat(4096)],
    ['long, with other letters', '漢'.repeat(4096)],
  ])('code in front that replaces end sees the body that is sent: %s', async (_, name) => {
    const app = express()
    const seen: Buffer[] = []
    app.use((_request, response, next) => {
      const end = response.end.bind(response) as (...args: unknown[]) => typeof response
      response.end = ((chunk: string | Uint8Array, encoding?: BufferEncoding) => {
        // A log takes a string for the text that it is, whatever its encoding.
        seen.push(Buffer.from(chunk))
        return end(chunk, encoding)
      }) as typeof response.end
      next()
    })
    const fixtures = aWorld({ projects: [aProject({ id: 1, name })] })
    app.use(middleware(await createSandbox({ fixtures })))
    await using server = await serve(app)
    const sent = await sendRaw(server.port, { target: '/api/v1/projects/1', headers })
    expect(sent.body.data.name).toBe(name)
    expect(Buffer.concat(seen).toString()).toBe(sent.text)
    expect(Number(sent.headers['content-length'])).toBe(Buffer.byteLength(sent.text))
  })

  test('a request whose onResponse throws has an end, from which a retry is judged', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    const app = express()
    const onResponse = () => {
      throw new Error('of the user')
    }
    app.use(middleware(sandbox, { onResponse }))
    app.use(((error: Error, _request, response, _next) => {
      response.status(500).send(error.message)
    }) as ErrorRequestHandler)
    await using server = await serve(app)
    for (let count = 0; count < 2; count += 1) {
      const { status, text } = await sendRaw(server.port, { target: '/api/v1/me' })
      expect([status, text]).toEqual([500, 'of the user'])
    }
    const { checks } = sandbox.review()
    expect(checks.find(({ id }) => id === 'retry-unauthorised')).toMatchObject({ result: 'failed' })
  })

  test('answers the API in a bare node:http server, and everything else with a JSON 404', async () => {
    await using server = await serve(middleware(await createSandbox({ fixtures: aWorld() })))
    expect((await sendRaw(server.port, { target: '/api/v1/me', headers })).status).toBe(200)
    const elsewhere = await sendRaw(server.port, { target: '/elsewhere', headers })
    expect([elsewhere.status, elsewhere.body.message]).toEqual([404, expect.any(String)])
  })

  test('answers HEAD like GET without the body, but with its length', async () => {
    await using server = await serve(middleware(await createSandbox({ fixtures: aWorld() })))
    const get = await sendRaw(server.port, { target: '/api/v1/projects', headers })
    const head = await sendRaw(server.port, { target: '/api/v1/projects', headers, method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(String(get.text.length))
  })

  test.each([
    { trustProxy: 0, forwarded: '203.0.113.9', status: 403 },
    { trustProxy: 1, forwarded: '203.0.113.9', status: 200 },
    { trustProxy: 1, forwarded: '203.0.113.9, 198.51.100.1', status: 403 },
    { trustProxy: 2, forwarded: '203.0.113.9, 198.51.100.1', status: 200 },
    { trustProxy: true, forwarded: '198.51.100.1, ::ffff:203.0.113.9', status: 200 },
    { trustProxy: 1, forwarded: '203.0.113.9:4444', status: 200 },
    { trustProxy: 1, forwarded: '"[::ffff:203.0.113.9]:80"', status: 200 },
    { trustProxy: 1, forwarded: 'garbage', status: 403 },
    { trustProxy: 1, forwarded: '', status: 403 },
  ])(
    'G-010 with trustProxy $trustProxy and X-Forwarded-For "$forwarded" the response is $status',
    async ({ trustProxy, forwarded, status }) => {
      const token = aToken({ id: 1, token: AGENCY, allowed_ips: ['203.0.113.0/24'] })
      const sandbox = await createSandbox({ fixtures: aWorld({ tokens: [token] }) })
      await using server = await serve(middleware(sandbox, { trustProxy }))
      const response = await sendRaw(server.port, {
        target: '/api/v1/me',
        headers: { ...headers, 'x-forwarded-for': forwarded },
      })
      expect(response.status).toBe(status)
    },
  )

  test('G-032 absolute page links name the host that the client used, or the address that it reached', async () => {
    const policies = { 'page-links': 'absolute' } as const
    const sandbox = await createSandbox({ fixtures: aWorld(), policies })
    await using server = await serve(middleware(sandbox))
    const firstLink = async (host: string) => {
      const target = '/api/v1/projects'
      const response = await sendRaw(server.port, { target, headers: { ...headers, host } })
      return response.body.links.first
    }
    expect(await firstLink('seo.example:81')).toBe('http://seo.example:81/api/v1/projects?page=1')
    expect(await firstLink('[::1]:81')).toBe('http://[::1]:81/api/v1/projects?page=1')
    const reached = `http://127.0.0.1:${server.port}/api/v1/projects?page=1`
    const odd = ['"><script>', '', 'seo.example/path', 'user@seo.example', 'seo.example:99999']
    for (const host of odd) expect(await firstLink(host)).toBe(reached)
  })

  test.each([
    { trustProxy: 0, proto: 'https', host: 'seo.example', origin: 'http://inner' },
    { trustProxy: 1, proto: 'https', host: 'seo.example:8443', origin: 'https://seo.example:8443' },
    { trustProxy: 1, proto: 'HTTPS', host: undefined, origin: 'https://inner' },
    { trustProxy: 1, proto: undefined, host: 'seo.example', origin: 'http://seo.example' },
    { trustProxy: 1, proto: 'http, https', host: 'sent, added', origin: 'https://added' },
    { trustProxy: 2, proto: 'https, http', host: 'outer, middle', origin: 'https://outer' },
    { trustProxy: 2, proto: 'https', host: 'outer', origin: 'https://outer' },
    { trustProxy: true, proto: 'ftp', host: '"><script>', origin: 'http://inner' },
    { trustProxy: 1, proto: '', host: '', origin: 'http://inner' },
  ])(
    'G-032 with trustProxy $trustProxy, X-Forwarded-Proto "$proto" and -Host "$host", page links begin with $origin',
    async ({ trustProxy, proto, host, origin }) => {
      const policies = { 'page-links': 'absolute' } as const
      const sandbox = await createSandbox({ fixtures: aWorld(), policies })
      await using server = await serve(middleware(sandbox, { trustProxy }))
      const { body } = await sendRaw(server.port, {
        target: '/api/v1/projects',
        headers: {
          ...headers,
          host: 'inner',
          ...(proto !== undefined && { 'x-forwarded-proto': proto }),
          ...(host !== undefined && { 'x-forwarded-host': host }),
        },
      })
      expect(body.links.first).toBe(`${origin}/api/v1/projects?page=1`)
    },
  )
})

describe('startServer', () => {
  test('says in one sentence that a port is taken', async () => {
    await using first = await serve(() => undefined)
    const start = startServer({ port: first.port, fixtures: aWorld() })
    await expect(start).rejects.toThrow(ServerError)
    await expect(start).rejects.toThrow(`Port ${first.port} is already in use.`)
  })

  test.each(['fe80::1', '192.0.2.1', 'no-such-host.invalid'])(
    'says in one sentence that %s cannot be listened on',
    async (host) => {
      const start = startServer({ port: 0, host, control: false, fixtures: aWorld() })
      await expect(start).rejects.toThrow(ServerError)
    },
  )

  test('G-088 a path outside the API has the 404 and the headers of the API', async () => {
    const server = await startServer({ port: 0, fixtures: aWorld() })
    const { status, headers: sent, text } = await sendRaw(server.port, { target: '/api/v2/me' })
    await server.close()
    const own = await server.sandbox.fetch('/api/v2/me')
    expect([status, sent['x-ratelimit-limit'], text]).toEqual([404, '60', await own.text()])
  })

  test('names an unknown option', async () => {
    const options = { port: 0, trustproxy: 1 } as object
    await expect(startServer(options)).rejects.toThrow('Did you mean "trustProxy"?')
  })
})
