import { X509Certificate } from 'node:crypto'
import { Agent } from 'node:https'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startServer } from '../../src/server.ts'
import type { SandboxServer, ServerOptions } from '../../src/server.ts'
import { issueCertificate } from '../../src/server/certificate.ts'
import { HttpsServer } from '../../src/server/https.ts'
import { aFolder } from '../support/cli.ts'
import { sendRaw } from '../support/transports.ts'

/**
 * HTTPS: the certificate that a server issues, one of the user's own, and the errors for clients that speak another
 * protocol.
 */

const TOKEN = { authorization: 'Bearer sandbox-unlimited' }
const DAY_MS = 86_400_000
/** Time after which Node closes a connection that has not spoken TLS, in milliseconds. */
const HANDSHAKE_MS = 120_000

async function aServer(options: ServerOptions = {}): Promise<SandboxServer> {
  const server = await startServer({ port: 0, https: true, ...options })
  onTestFinished(() => server.close())
  return server
}

/** A request that trusts the server by its CA alone. */
function get({ port, ca = '' }: SandboxServer, target: string, headers = {}) {
  return sendRaw(port, { target, ca, headers: { ...TOKEN, ...headers } })
}

/** The certificate that a server presents. */
function presented({ port }: SandboxServer): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    socket.on('error', reject).on('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate) resolve(certificate)
      else reject(new Error('It presented none.'))
    })
  })
}

test('startServer({ https: true }) serves the API, the control API, pages and the console', async () => {
  const server = await aServer({ generate: { projects: 1 } })
  const { url, port, control, console } = server
  expect([url, control?.url, console]).toEqual([
    `https://127.0.0.1:${port}`,
    `https://127.0.0.1:${port}/_sandbox`,
    `https://127.0.0.1:${port}/`,
  ])
  const report = await get(server, '/api/v1/projects/1001/reports/last-generated')
  expect(report.body.data.web_link).toMatch(new RegExp(`^${url}/reports/`))
  const health = await get(server, '/_sandbox/health')
  const page = await get(server, report.body.data.web_link.slice(url.length))
  const html = await get(server, '/', { accept: 'text/html' })
  expect([health.status, page.status, html.status]).toEqual([200, 200, 200])
})

test('a connection from a port that was just used is closed with the server, before its handshake', () => {
  const server = new HttpsServer({}, () => {})
  const accept = () => {
    const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
    server.emit('connection', Object.assign(socket, { remoteAddress: '127.0.0.1', remotePort: 1 }))
    return socket
  }
  const [earlier, later] = [accept(), accept()]
  earlier.emit('close')
  server.closeAllConnections()
  expect(later.destroyed).toBe(true)
})

test('only who trusts the CA of a server can connect', async () => {
  const [server, other] = [await aServer(), await aServer()]
  expect((await get(server, '/api/v1/me')).status).toBe(200)
  const distrusting = { ...server, ca: other.ca }
  await expect(get(distrusting, '/api/v1/me')).rejects.toMatchObject({
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  })
})

test('the certificate is for this machine, the host and the public URL, and keeps to the limits of clients', async () => {
  const server = await aServer({ host: 'localhost', publicUrl: 'https://seo.test:8443/demo' })
  const [leaf, ca] = [await presented(server), new X509Certificate(server.ca ?? '')]
  for (const host of ['localhost', 'seo.test']) expect(leaf.checkHost(host)).toBe(host)
  for (const address of ['127.0.0.1', '::1']) expect(leaf.checkIP(address)).toBe(address)
  expect(leaf.checkHost('seo.example.com')).toBeUndefined()
  expect([leaf.checkIssued(ca), leaf.verify(ca.publicKey), leaf.ca, ca.ca]).toEqual([
    true,
    true,
    false,
    true,
  ])
  // Server authentication.
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  const [from, to] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)]
  expect(to - from).toBeLessThanOrEqual(397 * DAY_MS)
  expect([from < Date.now(), to > Date.now() + 365 * DAY_MS]).toEqual([true, true])
})

test('a test that has set another time gets a certificate that is valid', async () => {
  vi.useFakeTimers({ now: Date.parse('2031-01-01'), toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = await aServer()
  expect((await get(server, '/api/v1/me')).status).toBe(200)
})

describe('a certificate of the user', () => {
  const own = issueCertificate(['127.0.0.1'])
  const other = issueCertificate(['127.0.0.1'])
  const FILES = { 'cert.pem': own.cert, 'key.pem': own.key, 'other.pem': other.key, 'no.pem': 'x' }

  test('is presented, and clients trust it by its own authority', async () => {
    await using folder = await aFolder(FILES)
    const files = { httpsCert: folder.path('cert.pem'), httpsKey: folder.path('key.pem') }
    const server = await startServer({ port: 0, ...files })
    onTestFinished(() => server.close())
    expect([server.url.slice(0, 8), server.ca]).toEqual(['https://', undefined])
    expect((await get({ ...server, ca: own.ca }, '/api/v1/me')).status).toBe(200)
  })

  test.each<[title: string, cert: string | undefined, key: string | undefined, message: RegExp]>([
    ['without a key', 'cert.pem', undefined, /^A certificate needs its private key: name both /],
    ['without a certificate', undefined, 'key.pem', /^A certificate needs its private key: name /],
    ['that is missing', 'gone.pem', 'key.pem', /gone\.pem: There is no such file\. Check the path/],
    ['whose key is missing', 'cert.pem', 'gone.pem', /gone\.pem: There is no such file\. Check/],
    ['that is a folder', '', 'key.pem', /: It is a folder\. Name a file in it\.$/],
    ['that is no PEM', 'no.pem', 'key.pem', /no\.pem: This is not a certificate as PEM, which/],
    [
      'whose key is no PEM',
      'cert.pem',
      'no.pem',
      /no\.pem: This is not an unencrypted private key/,
    ],
    [
      'with its files mixed up',
      'key.pem',
      'cert.pem',
      /key\.pem: This is not a certificate as PEM/,
    ],
    [
      'with the key of another',
      'cert.pem',
      'other.pem',
      /other\.pem: This is not the private key /,
    ],
  ])('%s is refused', async (_, cert, key, message) => {
    await using folder = await aFolder(FILES)
    const starting = startServer({
      port: 0,
      ...(cert !== undefined && { httpsCert: folder.path(cert) }),
      ...(key !== undefined && { httpsKey: folder.path(key) }),
    })
    await expect(starting).rejects.toMatchObject({
      name: 'OptionError',
      message: expect.stringMatching(message),
    })
  })
})

describe('a client that speaks', () => {
  /** Sends bytes until the server closes the connection. */
  function send(port: number, bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      socket.on('error', () => undefined).on('close', () => resolve())
      socket.resume()
    })
  }

  test('TLS to the plain port is reported once a minute', async () => {
    const reported: string[] = []
    const { port } = await aServer({
      https: false,
      onConnectionError: (message) => reported.push(message),
    })
    const attempt = () =>
      new Promise((resolve) => {
        connectTls({ port, host: '127.0.0.1' }).on('error', resolve)
      })
    for (const again of [attempt, attempt]) expect(await again()).toBeInstanceOf(Error)
    expect(reported).toEqual([
      'A client spoke TLS to this port, which is plain HTTP: start with --https',
    ])
    await send(port, '\u0001 is not HTTP either\r\n\r\n')
    expect(reported).toHaveLength(1)
  })

  test('plain HTTP to the port of HTTPS is reported', async () => {
    const reported: string[] = []
    const { port } = await aServer({ onConnectionError: (message) => reported.push(message) })
    await send(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(reported).toEqual([
      'A client spoke plain HTTP to this port, which is HTTPS: have it use https://',
    ])
  })
})

test.each<[kind: 'reset' | 'truncated-body', message: string]>([
  // Resets the TCP connection below TLS.
  ['reset', 'read ECONNRESET'],
  ['truncated-body', 'aborted'],
])('a fault of the kind %s breaks one connection', async (kind, message) => {
  const server = await aServer()
  await server.sandbox.faults.add({ kind, schedule: { first: 1 } })
  await expect(get(server, '/api/v1/me')).rejects.toThrow(message)
  expect((await get(server, '/api/v1/me')).status).toBe(200)
})

test(
  'a server closes with connections that are idle, under way, or have not spoken TLS',
  async () => {
    let arrived = 0
    const onResponse = () => (arrived += 1)
    const server = await startServer({ port: 0, https: true, onResponse })
    const { port, ca = '' } = server
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    await sendRaw(port, { target: '/api/v1/me', ca, agent, headers: TOKEN })
    const silent = connect(port, '127.0.0.1')
    await new Promise((resolve) => silent.once('connect', resolve))
    await server.sandbox.faults.add({ kind: 'no-answer' })
    const waiting = get(server, '/api/v1/me')
    const lost = expect(waiting).rejects.toMatchObject({ code: 'ECONNRESET' })
    await vi.waitUntil(() => arrived === 2)
    await server.close()
    await lost
  },
  HANDSHAKE_MS / 2,
)
