import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/**
 * Attacks that cost a host most, each as a function of a partner that returns the step to repeat. `send` sends a request
 * and resolves with its status and its text; waits end with `signal`.
 */

const AT_ONCE = 20
/** Fewer connections than an address may open. */
const CONNECTIONS = 250
const PIECES = 10_000
/** A fixture that nearly fills a world. */
const FULL = { version: 1, generate: { projects: 1000, keywords: 15, reports: 1 } }
const TEXT = 'x'.repeat(90_000)

/** Returns a function that calls `act` this many times at once. */
function many(count, act) {
  return () => Promise.all(Array.from({ length: count }, (_, at) => act(at)))
}

function json(body) {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  }
}

/** A body of zeros that is small until it is unpacked. */
async function packed(pack) {
  const spaces = Buffer.alloc(250_000_000, ' ')
  return pack(spaces)
}

function sendsPacked(encoding, pack) {
  return async ({ partner: { key }, send }) => {
    const body = await packed(pack)
    const headers = { 'content-encoding': encoding, 'content-type': 'application/json' }
    return many(4, () => send('/_sandbox/commands', { method: 'POST', token: key, headers, body }))
  }
}

const brotli = (bytes) =>
  promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

/** A GET of the control API. */
function reads(path) {
  return ({ partner: { key }, send }) => many(4, () => send(`/_sandbox${path}`, { token: key }))
}

/** Puts records into the world by a file of fixtures, and reads all responses that show them. */
function loads(records) {
  return async ({ partner: { key }, send }) => {
    const control = (path, message) => send(`/_sandbox${path}`, { token: key, ...message })
    const fixtures = { version: 1, agencies: [{ id: 1, name: 'Agency' }], ...records }
    const load = json({ type: 'fixtures.load', fixtures })
    return async () => {
      await control('/commands', load)
      await many(AT_ONCE, () => control('/requests'))()
      for (const path of ['/snapshots', '/session', '/requests.har', '/records/tokens']) {
        await control(path)
      }
    }
  }
}

/** The path of the PDF of a report; undefined if the world has none just now. */
async function pdfPath({ tokens }, send) {
  const token = tokens['sandbox-unlimited']
  const { status, text } = await send('/api/v1/projects/1001/reports', { token })
  if (status !== 200) return undefined
  const report = JSON.parse(text).data.find(({ web_link: link }) => link !== null)
  return report && `${new URL(report.web_link).pathname}.pdf`
}

export const ATTACKS = {
  'plain requests': ({ partner: { tokens }, send }) =>
    many(AT_ONCE, () => send('/api/v1/me', { token: tokens['sandbox-unlimited'] })),
  pages: ({ partner, send }) => {
    return async () => {
      const path = await pdfPath(partner, send)
      if (path) await many(AT_ONCE, () => send(path))()
    }
  },
  'wrong links': ({ partner: { world }, send }) =>
    many(AT_ONCE, (at) => send(`/reports/${world}/${at}-000000000000000000`)),
  gzip: sendsPacked('gzip', promisify(gzip)),
  brotli: sendsPacked('br', brotli),
  'slow bodies': ({ partner: { key }, send, signal }) =>
    many(8, () =>
      send('/_sandbox/commands', {
        method: 'POST',
        token: key,
        headers: { 'content-length': 1_000_000 },
        body: async (message) => {
          while (!signal.aborted && !message.destroyed && !message.writableFinished) {
            if (message.res) break
            message.write(' ')
            await wait(500)
          }
          message.destroy()
        },
      }),
    ),
  'one-byte pieces': ({ partner: { key }, send, signal }) =>
    many(CONNECTIONS, () =>
      send('/_sandbox/commands', {
        method: 'POST',
        token: key,
        body: async (message) => {
          message.on('close', () => message.destroy())
          for (let sent = 0; sent < PIECES && !signal.aborted; sent += 1) {
            if (message.destroyed || message.res) break
            message.write(' ')
            if (sent % 20 === 0) await wait(1)
          }
          message.end()
        },
      }),
    ),
  'unfinished bodies': ({ partner: { key }, send, signal }) =>
    many(CONNECTIONS, () =>
      send('/_sandbox/commands', {
        method: 'POST',
        token: key,
        headers: { 'content-length': 200_000 },
        body: async (message) => {
          message.write(Buffer.alloc(60_000, ' '))
          await once(message, 'close', { signal }).catch(() => message.destroy())
        },
      }),
    ),
  'short tokens': loads({
    tokens: Array.from({ length: 4500 }, (_, at) => ({
      id: at + 1,
      name: 'a',
      token: at.toString(36),
      agency: 1,
    })),
  }),
  'control characters': loads({
    projects: Array.from({ length: 190 }, (_, at) => ({
      id: at + 1,
      agency: 1,
      name: '\u0001'.repeat(200),
      status: 'active',
      created_at: '2026-01-01T00:00:00Z',
    })),
  }),
  'largest bodies': ({ partner: { key }, send }) => {
    const targets = [
      ['POST', '/commands'],
      ['POST', '/verify'],
      ['POST', '/snapshots'],
      ['PUT', '/records/projects/1'],
      ['PATCH', '/records/reports/1'],
      ['POST', '/faults'],
    ]
    const bodies = [
      '['.repeat(250_000),
      `[${'{},'.repeat(80_000)}0]`,
      JSON.stringify({ [TEXT]: TEXT }),
    ]
    let count = 0
    return () => {
      count += 1
      const [method, path] = targets[count % targets.length]
      const body = bodies[count % bodies.length]
      return send(`/_sandbox${path}`, { ...json({}), method, token: key, body })
    }
  },
  'a full world': ({ partner, send }) => {
    const control = (path, message) => send(`/_sandbox${path}`, { token: partner.key, ...message })
    const load = json({ type: 'fixtures.load', fixtures: FULL })
    return async () => {
      await control('/commands', load)
      await many(AT_ONCE, () => control('/review'))()
      const path = await pdfPath(partner, send)
      if (path) await send(path)
      await control('/snapshots')
    }
  },
  snapshots: reads('/snapshots'),
  HAR: reads('/requests.har'),
  sessions: reads('/session'),
  reviews: reads('/review'),
  lists: reads('/records/keywords?limit=1000'),
  'large records': ({ partner: { key }, send }) => {
    let next = 10_000
    return many(2, () => {
      next += 1
      const project = {
        agency: 1,
        name: TEXT,
        status: 'active',
        created_at: '2026-01-01T00:00:00Z',
      }
      const sent = { ...json(project), method: 'PUT', token: key }
      return send(`/_sandbox/records/projects/${next}`, sent)
    })
  },
  streams: ({ partner: { key }, send }) =>
    many(AT_ONCE, () =>
      send('/_sandbox/requests/stream', {
        token: key,
        take: (message) => setTimeout(() => message.destroy(), 1000),
      }),
    ),
  searches: ({ partner: { tokens }, send }) => {
    let count = 0
    return many(AT_ONCE, () => {
      count += 1
      return send(`/api/v1/projects?search=${'a'.repeat(count % 50)}${count}`, {
        token: tokens['sandbox-unlimited'],
      })
    })
  },
  resets:
    ({ partner: { key }, send }) =>
    () =>
      send('/_sandbox/reset', { method: 'POST', token: key }),
  strangers: ({ send }) =>
    many(AT_ONCE, (at) =>
      send('/api/v1/projects', { ...(at % 2 === 0 && { token: 'sandbox-unlimited' }) }),
    ),
}
