/**
 * Messages over TCP to a server of its own: requests of the API with odd targets, requests of the control API with odd
 * bodies, and bytes that are not quite HTTP. No response may be a 5xx, unless a requested fault made it, or show internals
 * of the sandbox; well-formed requests all have responses as documented. The server prints nothing but its log, and answers
 * rightly at the end.
 */
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { splitTarget } from '../../build/adapters/node-request.js'
import { CONTROL_ROUTES } from '../../build/control-api/control-routes.js'
import { route } from '../../build/engine/router.js'
import { createSandbox } from '../../build/index.js'
import { createRandom } from '../../build/records/random.js'
import { findBadBody, findBadControlBody, showsInternals } from './support/checks.js'
import {
  COMMANDS,
  drawAccept,
  drawAuthorization,
  drawJson,
  drawMethod,
  drawPath,
  drawQuery,
  drawText,
  garble,
  mutate,
  TOKENS,
  WORLD,
} from './support/hostile-values.js'
import { ResponseReader } from './support/response-reader.js'
import { startServer } from './support/server.js'

export const COUNT = 150_000
const BATCH = 2000
const CONNECTIONS = 64

/** Maximum time of a connection whose requests must all be answered, and of any other, in milliseconds. */
const PATIENCE_MS = 30_000
const SHORT_PATIENCE_MS = 200

const FIXTURES = { ...WORLD.fixtures, generate: WORLD.generate, now: WORLD.now, frozen: true }

export async function run({ seed, count, onlyBatch, report, fail }) {
  let logged = 0
  const onLine = (line) => {
    logged += 1
    if (!isJson(line)) fail(`The log has ${line}`)
  }
  const server = await startServer(FIXTURES, { onLine })
  const tally = { messages: 0, connections: 0, responses: 0 }
  const batches = Math.ceil(count / BATCH)
  const first = onlyBatch ?? 0
  for (let batch = first; batch < (onlyBatch === undefined ? batches : first + 1); batch += 1) {
    const failHere = (text) => fail(text, batch)
    await runBatch({ keys: [seed, 'bytes', batch], server, tally, fail: failHere })
    report(tally.messages)
    if (server.ended() !== undefined) {
      failHere(`The server has ended with ${server.ended()}.`)
      break
    }
  }
  for (const text of await findWrongAtEnd(server)) fail(text)
  const sent = Object.entries({ ...tally, 'log lines': logged }).map(
    ([kind, sum]) => `${sum.toLocaleString('en')} ${kind}`,
  )
  return `hostile bytes over TCP (${sent.join(', ')})`
}

async function runBatch({ keys, server, tally, fail }) {
  const victim = await createVictim(server)
  const until = tally.messages + BATCH
  let units = 0
  const work = async () => {
    while (tally.messages < until && server.ended() === undefined) {
      // Random numbers of its own, regardless of other connections.
      units += 1
      const random = createRandom(...keys, units)
      const unit = random.pick(UNITS)(random, victim)
      tally.messages += unit.count
      tally.connections += 1
      const responses = await exchange(server.port, random, unit, fail)
      tally.responses += responses
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  await fetch(`${server.url}/_sandbox/worlds/${victim.id}`, { method: 'DELETE' }).catch(() => {})
}

/** A world that commands may change, so that the default one stays as it is. */
async function createVictim({ url }) {
  const response = await fetch(`${url}/_sandbox/worlds`, { method: 'POST', body: '{}' })
  const { id, tokens } = await response.json()
  return { id, tokens: Object.values(tokens) }
}

function isJson(text) {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** Errors of the server after all messages. */
async function findWrongAtEnd(server) {
  const wrong = []
  const sandbox = await createSandbox({ fixtures: FIXTURES })
  for (const target of [
    '/api/v1/projects',
    '/api/v1/projects/101',
    '/api/v1/me',
    '/api/v1/nothing',
  ]) {
    const init = { headers: { authorization: 'Bearer super' } }
    const [given, expected] = await Promise.all([
      fetch(`${server.url}${target}`, init).then(toComparable, String),
      sandbox.fetch(`${server.url}${target}`, init).then(toComparable),
    ])
    if (given !== expected)
      wrong.push(`At the end GET ${target} is ${given} in place of ${expected}`)
  }
  const code = await server.stop()
  if (code !== 0) wrong.push(`The server has ended with ${code}.`)
  if (server.stderr() !== '') wrong.push(`It has printed ${server.stderr().slice(0, 5000)}`)
  return wrong
}

async function toComparable(response) {
  return `${response.status} ${await response.text()}`
}

/* A connection. */

/**
 * Sends a unit on a connection of its own; returns the number of responses that arrived.
 *
 * @param unit `pieces` are the bytes to send. `requests` are the requests in them that must all be answered, with a check
 * of each response; undefined if they cannot be known. `end` is the client's last step: `stay` until it has all responses.
 */
async function exchange(port, random, { pieces, requests, end }, fail) {
  const say = (what) =>
    fail(`${what}\n  for ${JSON.stringify(Buffer.concat(pieces).toString('latin1', 0, 3000))}`)
  const reader = new ResponseReader()
  const unanswered = [...(requests ?? [])]
  const received = []
  const take = (piece) => {
    received.push(piece)
    reader.add(piece)
    while (unanswered.length > 0) {
      const [{ isHead, check }] = unanswered
      const response = reader.next(isHead)
      if (!response) return false
      unanswered.shift()
      const wrong = check(response)
      if (wrong) say(`${response.status} ${wrong}: ${response.body.toString().slice(0, 500)}`)
    }
    return end === 'stay'
  }
  const patienceMs = requests ? PATIENCE_MS : SHORT_PATIENCE_MS
  await send({ port, random, pieces, end, patienceMs }, take).catch((error) => say(error.message))
  const text = Buffer.concat(received).toString('latin1')
  if (showsInternals(text)) say(`It shows internals: ${text.slice(0, 1000)}`)
  if (unanswered.length > 0) say(`${unanswered.length} without response after ${text.slice(-200)}`)
  else if (requests && reader.rest > 0) say(`There is more: ${text.slice(-reader.rest)}`)
  return text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0
}

/**
 * Resolves when the connection is closed, or nobody waits for it any more.
 *
 * @param take Called with each piece that arrives; returns true for the last one. Its errors are passed on.
 */
function send({ port, random, pieces, end, patienceMs }, take) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const finish = () => {
      clearTimeout(timer)
      if (end === 'reset' && !socket.destroyed && !socket.connecting) socket.resetAndDestroy()
      else socket.destroy()
      resolve()
    }
    const timer = setTimeout(finish, patienceMs)
    socket.on('data', (piece) => {
      try {
        if (take(piece)) finish()
      } catch (error) {
        reject(error)
        finish()
      }
    })
    for (const event of ['end', 'error', 'close']) socket.on(event, finish)
    socket.once('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return
        socket.write(piece)
        if (pieces.length > 1 && random.chance(0.3)) await wait(0)
      }
      if (end === 'half-close' && !socket.destroyed) socket.end()
      if (end === 'reset') {
        if (random.chance(0.5)) await wait(random.integer(0, 3))
        finish()
      }
    })
  })
}

/* Well-formed requests, and what they consist of. */

/** Maximum length of a target: heads of more than 16 kB are refused. */
const LONGEST_TARGET = 6000

/** The bytes that a target can have; all others are percent-encoded. */
function encodeTarget(text) {
  const bytes = Buffer.from(text)
  let encoded = ''
  for (const byte of bytes) {
    const isPlain = byte > 0x20 && byte < 0x7f && byte !== 0x23
    encoded += isPlain ? String.fromCodePoint(byte) : `%${byte.toString(16).padStart(2, '0')}`
  }
  return `${encoded.startsWith('/') ? '' : '/'}${encoded}`.slice(0, LONGEST_TARGET)
}

function encodeHeader(text) {
  return Buffer.from(text.slice(0, 5000))
    .toString('latin1')
    .replaceAll(/[^\t -~\u00A0-\u00FF]/g, '?')
}

function toMessage({ method, target, headers = {}, body }) {
  const lines = Object.entries({
    Host: '127.0.0.1',
    ...headers,
    ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')])
}

function drawApiRequest(random, tokens) {
  const target = encodeTarget(
    `${drawPath(random)}${random.chance(0.5) ? `?${drawQuery(random)}` : ''}`,
  )
  const authorization = tokens ? `Bearer ${random.pick(tokens)}` : drawAuthorization(random)
  const accept = drawAccept(random)
  const headers = {
    ...(authorization !== undefined && { Authorization: encodeHeader(authorization) }),
    ...(accept !== undefined && { Accept: accept }),
    ...(random.chance(0.1) && { 'X-Forwarded-For': encodeHeader(drawText(random)) }),
  }
  const body = random.chance(0.05) ? drawText(random) : undefined
  return { method: drawMethod(random), target, headers, body }
}

/** Requests that are all answered, in one write or several. */
function wellFormed(random) {
  const count = random.chance(0.5) ? 1 : random.integer(2, 25)
  const requests = Array.from({ length: count }, () => drawApiRequest(random))
  return {
    count,
    pieces: cut(random, Buffer.concat(requests.map(toMessage))),
    // Node ends a connection that is half closed before a page is loaded.
    end: requests.some(({ target }) => isPage(target)) ? 'stay' : 'half-close',
    requests: requests.map(({ method, target }) => ({
      isHead: method === 'HEAD',
      check: ({ status, headers, body }) =>
        findBadStatus(status) ??
        (method === 'HEAD' ? undefined : findBadApiBody({ status, headers, body, target })),
    })),
  }
}

/** True for the console and the pages of reports, which are loaded on demand. */
function isPage(target) {
  const { path } = splitTarget({ url: target })
  return path === '/' || path === '/reports' || path.startsWith('/reports/')
}

function findBadStatus(status) {
  return status >= 200 && status < 500 ? undefined : 'is not allowed'
}

function findBadApiBody({ status, headers, body, target }) {
  const { path } = splitTarget({ url: target })
  const isControl = path === '/_sandbox' || path.startsWith('/_sandbox/')
  if (isControl || isPage(target)) return undefined
  const type = headers.get('content-type')
  return findBadBody({ status, type, text: body.toString(), operation: route(path)?.operation })
}

/** A text in one piece, or several. */
function cut(random, bytes) {
  if (random.chance(0.8)) return [bytes]
  const places = Array.from({ length: random.integer(1, 4) }, () => random.integer(0, bytes.length))
  const ends = [...places.toSorted((one, other) => one - other), bytes.length]
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

/** Requests to the world that commands change, whose faults may do anything to them. */
function toVictim(random, { tokens }) {
  const count = random.integer(1, 8)
  const requests = Array.from({ length: count }, () => drawApiRequest(random, tokens))
  const pieces = cut(random, Buffer.concat(requests.map(toMessage)))
  return { count, pieces, end: drawEnd(random) }
}

function drawEnd(random) {
  return random.pick(['half-close', 'half-close', 'reset'])
}

/** A request that the client gives up. */
function halfSent(random, victim) {
  const { pieces } = random.pick([wellFormed, control])(random, victim)
  const bytes = Buffer.concat(pieces)
  return {
    count: 1,
    pieces: [bytes.subarray(0, random.integer(0, bytes.length))],
    end: drawEnd(random),
  }
}

/* The control API. */

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE']

/** A request to any route of the control API, about a world of its own. */
function control(random, victim) {
  const found = random.pick(CONTROL_ROUTES)
  const method = random.chance(0.85) ? found.method.toUpperCase() : random.pick(METHODS)
  const path = found.path.replaceAll(/:\w+/g, () => drawParameter(random))
  // The last `world` counts.
  const query = `${random.chance(0.5) ? '' : `${drawQuery(random)}&`}world=${victim.id}`
  const target = encodeTarget(`/_sandbox${path}?${query}`)
  const isStream = path.endsWith('/stream')
  const message = { method, target, headers: drawControlHeaders(random) }
  if (method !== 'GET' && method !== 'HEAD') setBody(random, message, found)
  const isCut = !target.endsWith(`world=${victim.id}`)
  return {
    count: 1,
    // Without its world the request would change the default one.
    pieces: isCut ? [Buffer.from('\r\n')] : cut(random, toMessage(message)),
    // Node gives up unanswered requests if the client ends its side.
    end: isStream || isCut ? 'reset' : 'stay',
    requests:
      isCut || isStream
        ? undefined
        : [{ isHead: method === 'HEAD', check: (response) => findBadControl(response, method) }],
  }
}

const PARAMETERS = [
  '101',
  '1',
  '2',
  'projects',
  'reports',
  'tokens',
  'countries',
  'keywords',
  'default',
]

function drawParameter(random) {
  return random.chance(0.7) ? random.pick(PARAMETERS) : drawText(random).replaceAll(/[/?#\\]/g, '')
}

function drawControlHeaders(random) {
  const type = random.pick([
    'application/json',
    'text/plain',
    'text/html; charset=x',
    'multipart/form-data',
  ])
  return {
    ...(random.chance(0.5) && { 'Content-Type': type }),
    ...(random.chance(0.03) && { Origin: random.pick(['http://evil.example', 'null', 'x']) }),
    ...(random.chance(0.03) && { 'X-Forwarded-For': '203.0.113.9' }),
    ...(random.chance(0.03) && {
      'Content-Encoding': random.pick(['gzip', 'br', 'deflate', 'x', 'zstd']),
    }),
    ...(random.chance(0.1) && { Authorization: encodeHeader(drawAuthorization(random) ?? '') }),
    ...(random.chance(0.05) && { 'Last-Event-ID': encodeHeader(drawText(random)) }),
  }
}

const TEXT_BODIES = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '{}',
  '\u0000',
  '{"a":1,"a":2}',
  '[1e999]',
  '{"__proto__":{"x":1}}',
]

function setBody(random, message, { path }) {
  const text = drawControlBody(random, path)
  if (random.chance(0.03)) {
    message.headers['Content-Encoding'] = 'gzip'
    message.body = gzipSync(random.chance(0.5) ? text : 'x'.repeat(3_000_000))
    return
  }
  message.body = text
}

function drawControlBody(random, path) {
  if (random.chance(0.1)) return random.pick(TEXT_BODIES)
  if (random.chance(0.05))
    return `${random.pick(['[', '{"a":', '"\\u'])}`.repeat(random.integer(1, 3000))
  const command = mutate(random, random.pick(COMMANDS))
  const body = path === '/commands' ? command : drawBodyOf(random, command, path)
  const text = JSON.stringify(body) ?? ''
  return random.chance(0.2) ? garble(random, text) : text
}

function drawBodyOf(random, command, path) {
  if (path === '/worlds') {
    const options = {
      seed: 'x',
      now: WORLD.now,
      frozen: true,
      generate: { projects: 2 },
      policies: {},
    }
    const fixtures = random.chance(0.3) ? { fixtures: mutate(random, WORLD.fixtures, 0.03) } : {}
    return mutate(random, { ...options, ...fixtures }, 0.1)
  }
  if (typeof command !== 'object' || command === null) return command
  const { record, patch, fault, faults, policies, snapshot } = command
  return record ?? patch ?? fault ?? faults ?? policies ?? snapshot ?? drawJson(random)
}

/** The fault of a response of the control API; a world may not fit into memory (507). */
function findBadControl({ status, headers, body }, method) {
  if (status !== 507 && findBadStatus(status)) return 'is not allowed'
  if (method === 'HEAD' || status === 204) return undefined
  return findBadControlBody({
    status,
    type: headers.get('content-type') ?? '',
    text: body.toString(),
  })
}

/* What is not quite HTTP. */

const TARGETS = [
  '/api/v1/me',
  '/api/v1/projects?page=1',
  '/_sandbox/health',
  '/',
  '*',
  'api/v1/me',
  '//x/api/v1/me',
]

/** Malformed bytes in the middle, between well-formed requests. */
function malformed(random) {
  const before = random.chance(0.5) ? 0 : random.integer(1, 12)
  const after = random.chance(0.5) ? 0 : random.integer(1, 3)
  const right = () =>
    toMessage({ method: 'GET', target: '/api/v1/me', headers: { Authorization: 'Bearer super' } })
  const parts = [
    ...Array.from({ length: before }, right),
    Buffer.from(random.pick(MALFORMED)(random), random.chance(0.8) ? 'latin1' : 'utf8'),
    ...Array.from({ length: after }, right),
  ]
  return {
    count: before + 1 + after,
    pieces: cut(random, Buffer.concat(parts)),
    end: drawEnd(random),
  }
}

function withHeaders(random, lines, { method = 'GET', body = '', version = '1.1' } = {}) {
  const authorization = `Authorization: Bearer ${random.pick(TOKENS)}`
  const all = random.chance(0.9) ? ['Host: x', authorization, ...lines] : [authorization, ...lines]
  return `${method} ${random.pick(TARGETS)} HTTP/${version}\r\n${all.join('\r\n')}\r\n\r\n${body}`
}

const LENGTHS = [
  '-1',
  '+1',
  '0x10',
  '1e3',
  '',
  ' ',
  '5, 5',
  '5, 6',
  '99999999999999999999',
  '18446744073709551615',
  '1 2',
  '\0',
  'abc',
]
const ENCODINGS = [
  'chunked, chunked',
  'identity',
  'xchunked',
  'chunked;x',
  ' chunked',
  'gzip, chunked',
  'chunked\t',
  'CHUNKED',
  '"chunked"',
  'chunked\0',
]
const CHUNKS = [
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  'ffffffffffffffff1\r\n',
  '-1\r\n',
  '5;a=b\r\nhello\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '0x5\r\nhello\r\n0\r\n\r\n',
  'zz\r\n',
  '0\r\nX: y\r\n\r\n',
  '5\r\nhelloXX0\r\n\r\n',
]
const VERSIONS = ['1.0', '0.9', '2.0', '1.2', '9.9', '1', '1.1.1', '-1.1', '1.1\0', '٣.١', '']
const SMUGGLED = 'GET /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer first\r\n\r\n'

/** The beginning of a TLS handshake. */
const TLS = '\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00FC\u0003\u0003'

const MALFORMED = [
  // Request lines.
  (random) => `${drawText(random)}\r\n\r\n`,
  (random) => `${drawText(random)} ${drawPath(random)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (random) => `GET ${drawPath(random)}?${drawQuery(random)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (random) => `GET  ${random.pick(TARGETS)}  HTTP/1.1\r\nHost: x\r\n\r\n`,
  (random) => `GET\t${random.pick(TARGETS)}\tHTTP/1.1\r\nHost: x\r\n\r\n`,
  (random) => `GET ${random.pick(TARGETS)}\r\n\r\n`,
  (random) => `get ${random.pick(TARGETS)} http/1.1\r\nhost: x\r\n\r\n`,
  (random) => withHeaders(random, [], { version: random.pick(VERSIONS) }),
  (random) => `GET /${'a'.repeat(random.integer(1000, 100_000))} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (random) => `GET http://${drawText(random)}${random.pick(TARGETS)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (random) =>
    `GET ${random.pick(['http://a/_sandbox/health', 'https://x:y@127.0.0.1/api/v1/me', 'ftp://x/', 'http://', 'HTTP://LOCALHOST/_sandbox/health', 'http:///api/v1/me'])} HTTP/1.1\r\nHost: ${random.pick(['x', '', '127.0.0.1'])}\r\n\r\n`,
  (random) => `CONNECT ${random.pick(['127.0.0.1:80', 'x', '/', '*'])} HTTP/1.1\r\nHost: x\r\n\r\n`,
  () => 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0',
  () => TLS,
  (random) => '\r\n'.repeat(random.integer(1, 2000)),
  (random) =>
    Array.from({ length: random.integer(1, 500) }, () =>
      String.fromCodePoint(random.integer(0, 255)),
    ).join(''),
  // Headers.
  (random) =>
    withHeaders(
      random,
      Array.from({ length: random.integer(100, 3000) }, (_, index) => `X-${index}: y`),
    ),
  (random) => withHeaders(random, [`X: ${'y'.repeat(random.integer(1000, 100_000))}`]),
  (random) => withHeaders(random, [`${drawText(random)}: ${drawText(random)}`]),
  (random) => withHeaders(random, [`X: ${drawText(random)}`, ` folded: ${drawText(random)}`]),
  (random) =>
    withHeaders(random, ['X : y', ': z', 'no colon', 'X\0: y'].slice(0, random.integer(1, 4))),
  (random) => withHeaders(random, [`Host: ${drawText(random)}`, `Host: ${drawText(random)}`]),
  (random) =>
    withHeaders(
      random,
      Array.from(
        { length: random.integer(2, 50) },
        () => `Authorization: Bearer ${drawText(random)}`,
      ),
    ),
  (random) =>
    withHeaders(random, [
      `Cookie: ${drawText(random)}`,
      `Range: bytes=0-${drawText(random)}`,
      `If-None-Match: ${drawText(random)}`,
    ]),
  (random) =>
    withHeaders(random, [`Expect: ${random.pick(['100-continue', '200-ok', drawText(random)])}`], {
      method: 'POST',
    }),
  (random) =>
    withHeaders(random, [
      'Connection: Upgrade, HTTP2-Settings',
      `Upgrade: ${random.pick(['h2c', 'websocket', drawText(random)])}`,
      'HTTP2-Settings: AAMAAABkAAQ',
    ]),
  (random) =>
    withHeaders(random, [
      `Connection: ${random.pick(['close', 'keep-alive, close', 'x', drawText(random)])}`,
    ]),
  // Lengths, chunks, and requests hidden in bodies.
  (random) =>
    withHeaders(random, [`Content-Length: ${random.pick(LENGTHS)}`], {
      method: 'POST',
      body: SMUGGLED,
    }),
  (random) =>
    withHeaders(random, ['Content-Length: 5', `Content-Length: ${random.pick(LENGTHS)}`], {
      method: 'POST',
      body: 'hello',
    }),
  (random) =>
    withHeaders(random, [`Transfer-Encoding: ${random.pick(ENCODINGS)}`], {
      method: 'POST',
      body: random.pick(CHUNKS),
    }),
  (random) =>
    withHeaders(random, ['Transfer-Encoding: chunked'], {
      method: random.pick(['GET', 'POST']),
      body: random.pick(CHUNKS),
    }),
  (random) =>
    withHeaders(random, ['Content-Length: 4', 'Transfer-Encoding: chunked'], {
      method: 'POST',
      body: `0\r\n\r\n${SMUGGLED}`,
    }),
  (random) =>
    withHeaders(random, ['Content-Length: 44', `Transfer-Encoding: ${random.pick(ENCODINGS)}`], {
      method: 'POST',
      body: `0\r\n\r\n${SMUGGLED}`,
    }),
  (random) =>
    withHeaders(random, ['Transfer-Encoding: chunked', 'Transfer-encoding: identity'], {
      method: 'POST',
      body: `0\r\n\r\n${SMUGGLED}`,
    }),
  (random) =>
    withHeaders(random, ['Transfer-Encoding: chunked'], {
      method: 'POST',
      body: `1;${'x'.repeat(random.integer(1, 50_000))}\r\na\r\n0\r\n\r\n`,
    }),
  (random) =>
    withHeaders(random, ['Transfer-Encoding: chunked'], {
      method: 'POST',
      body: `${'1\r\na\r\n'.repeat(random.integer(1, 5000))}0\r\n\r\n`,
    }),
  (random) =>
    withHeaders(random, ['Content-Length: 100000'], {
      body: 'x'.repeat(random.integer(0, 100_000)),
    }),
]

const UNITS = [
  ...Array(10).fill(wellFormed),
  ...Array(14).fill(malformed),
  ...Array(12).fill(control),
  ...Array(4).fill(toVictim),
  ...Array(3).fill(halfSent),
]
