import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../src/server.ts'
import type { SandboxServer } from '../../src/server.ts'
import { sendRaw } from '../support/transports.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'

let server: SandboxServer
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: aWorld() })
})
afterAll(() => server.close())

const authorization = `Bearer ${AGENCY}`

describe('no input over HTTP causes a 5xx or ends the process', () => {
  test.each([
    ['broken percent-encoding in the path', '/api/v1/projects/%zz', 404],
    ['a lone percent sign', '/api/v1/projects/%', 404],
    ['broken UTF-8 in the path', '/api/v1/projects/%ff%fe', 404],
    ['an encoded literal', '/api/v1/%6De', 200],
    ['broken percent-encoding in the query', '/api/v1/projects?search=%zz%', 200],
    ['a query of 8 KB', `/api/v1/projects?search=${'x'.repeat(8192)}`, 200],
    ['a page past 2^53', '/api/v1/projects?page=99999999999999999999', 200],
    ['1,000 repeated parameters', `/api/v1/projects?${'page=1&'.repeat(1000)}`, 200],
    ['a parameter named __proto__', '/api/v1/projects?__proto__=1', 400],
    ['a parameter named constructor', '/api/v1/projects?constructor=1', 400],
    ['a query of question marks', '/api/v1/me???', 200],
    ['dots in the path', '/api/v1/../v1/me', 404],
    ['doubled slashes', '//api//v1//me', 404],
    ['the absolute form of a proxy', 'http://elsewhere.example/api/v1/me', 200],
    ['a fragment', '/api/v1/me#top', 200],
    ['an asterisk', '*', 404],
    ['an unknown prefix', '/', 404],
  ])('%s', async (_, target, status) => {
    const response = await sendRaw(server.port, { target, headers: { authorization } })
    expect(response.status).toBe(status)
    expect(response.headers['content-type']).toBe('application/json')
  })

  test.each([
    [
      'a host with a user and an invalid port',
      'http://a:b@:99999/_sandbox/clock?world=default',
      403,
    ],
    ['an invalid host', 'http://[bad/_sandbox/clock', 403],
    ['an invalid host, and an unknown route', 'http://[bad/_sandbox/none', 403],
    ['an invalid host, and an unknown world', 'http://[bad/_sandbox/clock?world=x', 403],
    ['this host', 'http://localhost:99999/_sandbox/clock', 200],
    ['this host, and an unknown route', 'http://localhost/_sandbox/none', 404],
    ['this host, and an unknown world', 'http://localhost/_sandbox/clock?world=x', 404],
    ['a fragment', '/_sandbox/clock#?world=x', 200],
    ['broken percent-encoding in the query', '/_sandbox/clock?%zz=%', 200],
    ['slashes', '/_sandbox//a:99999/clock', 404],
  ])('the control API, by a target with %s', async (_, target, status) => {
    const response = await sendRaw(server.port, { target })
    expect(response.status).toBe(status)
    expect(response.headers['content-type']).toMatch(/^application\/json/)
  })

  test.each([
    ['HTTP/1.0 without a Host', 'GET /api/v1/me HTTP/1.0\r\n\r\n', /^HTTP\/1\.1 401 /],
    [
      'an invalid Host',
      'GET /api/v1/me HTTP/1.1\r\nHost: a b"c\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 4\d\d /,
    ],
    ['what is not HTTP', 'HELLO\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'a header of 100 KB',
      `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 [^]*"message":/,
    ],
    [
      'an upgrade',
      'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      /^HTTP\/1\.1 401 /,
    ],
    [
      'two Authorization headers',
      `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`,
      /^HTTP\/1\.1 401 /,
    ],
    [
      'a valid Authorization header followed by another',
      `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\nAuthorization: Bearer b\r\n\r\n`,
      /^HTTP\/1\.1 401 /,
    ],
    [
      'a URL that is not percent-encoded',
      'GET /api/v1/projects?search=Rødspætte HTTP/1.1\r\nHost: x\r\n\r\n',
      /^HTTP\/1\.1 400 [^]*Percent-encode it/,
    ],
    [
      'two Host headers',
      'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n',
      /^HTTP\/1\.1 400 [^]*"message":"[^"]*exactly one Host header/,
    ],
    [
      'two Host headers of HTTP/1.0',
      'GET /api/v1/me HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n',
      /^HTTP\/1\.1 400 [^]*"message":/,
    ],
    [
      'no Host, for the control API',
      'GET /_sandbox/clock HTTP/1.1\r\n\r\n',
      /^HTTP\/1\.1 400 [^]*"message":"[^"]*exactly one Host header/,
    ],
    [
      'an unknown expectation',
      'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n',
      /^HTTP\/1\.1 417 [^]*"message":"[^"]*100-continue/,
    ],
  ])('%s', async (_, text, expected) => {
    expect(await sendText(text)).toMatch(expected)
    await expectAlive()
  })

  test.each([
    ['a chunk without a length', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['an end within a chunk', 'Transfer-Encoding: chunked\r\n\r\n5\r\nab'],
    ['more after the last request', 'Connection: close\r\n\r\nGET /api/v1/me HTTP/1.1\r\n\r\n'],
  ])('a request with %s has one response', async (_, rest) => {
    const text = await sendText(`GET /api/v1/me HTTP/1.1\r\nHost: x\r\n${rest}`, { ends: true })
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
    await expectAlive()
  })

  test.each(['/api/v1/me', '//api/v1/me', '/nowhere'])(
    'a client that ends its side after a pipeline that begins with %s has a response to each',
    async (target) => {
      const targets = [target, '/api/v1/me', '/api/v1/projects']
      const pipeline = targets.map((each) => `GET ${each} HTTP/1.1\r\nHost: x\r\n\r\n`)
      const text = await sendText(pipeline.join(''), { ends: true })
      expect(text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(targets.length)
    },
  )

  test.each([
    ['a length', 'Content-Length: 9\r\n\r\n{"id": 1}'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n9\r\n{"id": 1}\r\n0\r\n\r\n'],
  ])('a GET with a body of %s is answered, and the next one is read', async (_, rest) => {
    const get = `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n`
    const text = await sendText(`${get}${rest}${get}\r\n`, { ends: true })
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  })

  test('a client that hangs up before, during and after its request', async () => {
    for (const text of [
      '',
      'GET /api/v1/me HTT',
      'GET /api/v1/projects HTTP/1.1\r\nHost: x\r\n\r\n',
    ]) {
      await hangUpAfter(text)
    }
    await expectAlive()
  })

  test('any path and query', async () => {
    await fc.assert(
      fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), async (path, query) => {
        const target = `/api/v1${path}?${query}`
        const response = await sendRaw(server.port, { target, headers: { authorization } })
        expect(response.status).toBeLessThan(500)
      }),
      { numRuns: runs(200) },
    )
  })
})

async function expectAlive(): Promise<void> {
  const response = await sendRaw(server.port, { target: '/api/v1/me', headers: { authorization } })
  expect(response.status).toBe(200)
}

/** The server's response to a text, until either side closes: this one after the text, or once there is a response. */
function sendText(text: string, { ends = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(text)
      if (ends) socket.end()
    })
    socket.on('data', (chunk) => {
      received += chunk.toString()
      if (!ends) socket.end()
    })
    socket.on('close', () => resolve(received))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(received)
      else reject(error)
    })
  })
}

function hangUpAfter(text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(text, () => {
        socket.resetAndDestroy()
      })
    })
    socket.on('close', () => resolve())
  })
}
