import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/**
 * What costs a host most, each as a function of a partner that returns what to do again and again. `send` sends a request and resolves
 * with its status and its text; waits end with `signal`.
 */

const AT_ONCE = 20
const TEXT = 'x'.repeat(90_000)

/** So many at a time. */
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

export const ATTACKS = {
  pages: async ({ partner: { key }, send }) => {
    const { text } = await send('/_sandbox/records/reports', { token: key })
    const { id } = JSON.parse(text).find(({ status }) => status === 'completed')
    const links = await send(`/_sandbox/reports/${id}/links`, { token: key })
    const { pathname } = new URL(JSON.parse(links.text).pdf_link)
    return many(AT_ONCE, () => send(pathname))
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
