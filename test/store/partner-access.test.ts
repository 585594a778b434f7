import { gzipSync } from 'node:zlib'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ControlError } from '../../src/control-api/control-error.ts'
import { CONTROL_ROUTES } from '../../src/control-api/control-routes.ts'
import type { ControlRoute } from '../../src/control-api/routes/route.ts'
import { startCluster } from './support/cluster.ts'
import type { Cluster } from './support/cluster.ts'
import { ADMIN_KEY, claim, invite } from './support/partners.ts'
import type { Invited } from './support/partners.ts'
import { DEFAULT_LIMITS } from '../../src/store/store-options.ts'
import { ask } from './support/replica.ts'

/** The key of a world opens only that world, on every route. */

interface Refusal {
  status: number
  text: string
  headers: string
}

let cluster: Cluster
let own: Invited
let other: Invited
let expired: Invited
let revoked: Invited
/** The code of a link that was claimed. */
let code: string

beforeAll(async () => {
  cluster = await startCluster({
    replicas: 1,
    redis: { hasClock: true, config: { 'enable-debug-command': 'local' } },
    args: ['--admin-key', ADMIN_KEY],
  })
  const [replica] = cluster.replicas
  own = await invite(replica!, { name: 'Own Ltd', expires: 'P9D' })
  other = await invite(replica!, { name: 'Other Ltd', expires: 'P9D' })
  expired = await invite(replica!, { name: 'Expired Ltd', expires: 'P1D' })
  revoked = await invite(replica!, { name: 'Revoked Ltd', expires: 'P9D' })
  await ask(`${replica!.url}/_sandbox/partners/${revoked.id}`, {
    method: 'DELETE',
    token: ADMIN_KEY,
  })
  expect((await claim(replica!, own)).status).toBe(201)
  code = own.link.split('=')[1]!
  await cluster.redis.setClock(2 * 86_400)
})
afterAll(() => cluster[Symbol.asyncDispose]())

let senders = 0

function nextAddress(): string {
  senders += 1
  return `127.1.${senders >> 8}.${senders & 255}`
}

/**
 * Sends a request from an address of its own, because wrong keys are counted by address. Only the beginning of a stream is
 * read.
 */
async function send(
  route: ControlRoute,
  key: string | undefined,
  { id = '1', query = '', localAddress = nextAddress() } = {},
): Promise<Refusal> {
  const path = route.path
    .replace(':collection', 'projects')
    .replace(':step', 'start')
    .replace(':id', id)
  const sent = request({
    port: cluster.replicas[0]!.port,
    host: '127.0.0.1',
    localAddress,
    method: route.method.toUpperCase(),
    path: `/_sandbox${path}${query}`,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  })
  sent.end()
  const [response] = await once(sent, 'response')
  const { date: _, connection: __, 'keep-alive': ___, ...headers } = response.headers
  const isStream = headers['content-type'] === 'text/event-stream'
  if (isStream) response.destroy()
  const body = isStream ? '' : await text(response)
  return { status: response.statusCode, text: body, headers: JSON.stringify(headers) }
}

/**
 * Reads everything in Redis: the length of each log, and all data of worlds and partners. Leaves out the times of their ends
 * and of the sweep, and the running servers.
 */
async function contents(): Promise<unknown> {
  const all: string[] = (await cluster.redis.command('KEYS', '*')).toSorted()
  const keys = all.filter((key) => !/^seo-sandbox:(?:swept$|server:)/.test(key))
  return [keys, await cluster.redis.command('DEBUG', 'DIGEST-VALUE', ...keys)]
}

test('requests that the key of a world does not open are counted like wrong keys', async () => {
  const ofServer = CONTROL_ROUTES.find(({ id }) => id === 'listErrors')!
  const ofOther = CONTROL_ROUTES.find(({ id }) => id === 'getClock')!
  const localAddress = '127.2.0.1'
  const statuses: number[] = []
  for (let count = 0; count < 6; count += 1) {
    for (const [route, query] of [
      [ofServer, ''],
      [ofOther, `?world=${other.world}`],
    ] as const)
      statuses.push((await send(route, own.key, { query, localAddress })).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429])
  expect((await send(ofOther, own.key, { localAddress })).status).toBe(200)
})

const guarded = CONTROL_ROUTES.filter(({ role }) => role !== 'public' && role !== 'invited')

test('with the key of a world a body is JSON within its limit, a snapshot of four times as much; with the admin key it has 4 MB', async () => {
  const { url } = cluster.replicas[0]!
  const post = async (
    path: string,
    body: string | Buffer,
    { key = own.key, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
  ) => {
    const sent = { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, body }
    const response = await fetch(`${url}/_sandbox${path}?world=${own.world}`, sent)
    const { error } = (await response.json()) as Partial<ControlError>
    return [response.status, error?.code]
  }
  const textOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
  const { body } = DEFAULT_LIMITS
  const tooLarge = [413, 'body_too_large']
  const refused = [422, 'invalid_command']
  const packed = { headers: { 'content-encoding': 'gzip' } }
  expect(await post('/commands', textOf(body))).toEqual(refused)
  expect(await post('/commands', textOf(body + 1))).toEqual(tooLarge)
  expect(await post('/commands', gzipSync(textOf(body + 1)), packed)).toEqual(tooLarge)
  expect(await post('/snapshots', textOf(4 * body))).toEqual(refused)
  expect(await post('/snapshots', textOf(4 * body + 1))).toEqual(tooLarge)
  expect(await post('/snapshots', textOf(2 ** 22), { key: ADMIN_KEY })).toEqual(refused)
  expect(await post('/snapshots', textOf(2 ** 22 + 1), { key: ADMIN_KEY })).toEqual(tooLarge)
  const yaml = JSON.stringify({ type: 'fixtures.load', fixtures: 'version: none' })
  expect(await post('/commands', yaml)).toEqual([415, 'invalid_request'])
  // The content is read, and so its version is refused.
  expect(await post('/commands', yaml, { key: ADMIN_KEY })).toEqual([422, 'invalid_fixture'])
})

describe(
  'what is about another world, the default one or the server is refused',
  { tags: ['core'] },
  () => {
    test.each(
      guarded.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const),
    )('%s', async (_, route) => {
      const before = await contents()
      const credentials: [holder: string, key: string | undefined, status: number][] = [
        ['nobody', undefined, 401],
        ['the code of a link that was claimed', code, 401],
        ['the key of another world', own.key, 403],
        ['a token of the API', own.tokens['sandbox-agency']!, 401],
        ['a key whose time is over', expired.key, 401],
        ['a revoked key', revoked.key, 401],
        ['a key of a world that never was', `world-key~w1-${'0'.repeat(64)}`, 401],
        [
          'the key with another secret',
          own.key.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
          401,
        ],
      ]
      for (const [holder, key, status] of credentials) {
        // The last target is no world. For an admin route, the path names a world.
        const targets = [other.world, 'default', 'w1']
        const answers = await Promise.all(
          targets.flatMap((world) => [
            send(route, key, { query: `?world=${world}` }),
            send(route, key, { query: `?world=${own.world}&world=${world}` }),
            ...(route.role === 'admin' ? [send(route, key, { id: world })] : []),
          ]),
        )
        for (const answer of answers) {
          expect([holder, answer.status]).toEqual([holder, status])
          expect([holder, answer]).toEqual([holder, answers[0]])
          for (const { name, world } of [own, other, expired, revoked]) {
            expect(answer.text).not.toContain(name)
            expect(answer.text).not.toContain(world)
          }
        }
      }
      expect(await contents()).toEqual(before)
    })
  },
)

test('an empty name of a world is not that of the key', async () => {
  const clock = CONTROL_ROUTES.find(({ id }) => id === 'getClock')!
  expect((await send(clock, own.key, { query: '?world=' })).status).toBe(403)
})

test('a key whose time is over says so, and a wrong one does not', async () => {
  const clock = CONTROL_ROUTES.find(({ id }) => id === 'getClock')!
  const said = JSON.parse((await send(clock, expired.key)).text)
  expect(said.error).toMatchObject({
    code: 'world_expired',
    message: expect.stringMatching(/renew/),
  })
  const wrong = expired.key.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  expect(JSON.parse((await send(clock, wrong)).text).error.code).toBe('admin_key_required')
})

describe('what is about its own world, or the same for all, is open', () => {
  const open = guarded.filter(({ role }) => role !== 'admin')
  test.each(open.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
    '%s',
    async (_, route) => {
      for (const query of ['', `?world=${own.world}`]) {
        const { status } = await send(route, own.key, { query })
        expect([200, 201, 204, 404, 422]).toContain(status)
      }
    },
  )

  test('and shows that world: its own requests, tokens and clock', async () => {
    const { url } = cluster.replicas[0]!
    await ask(`${url}/_sandbox/reset`, { token: own.key, method: 'POST' })
    await ask(`${url}/api/v1/me`, { token: own.tokens['sandbox-agency']! })
    const read = async (path: string) => (await ask(url + path, { token: own.key })).body
    const listed = (await read('/_sandbox/requests')).map(({ path }: any) => path)
    expect(listed).toEqual(['/api/v1/me'])
    const tokens = (await read('/_sandbox/records/tokens')).map(({ token }: any) => token)
    expect(tokens).toContain(own.tokens['sandbox-agency'])
    await ask(`${url}/_sandbox/clock`, {
      token: own.key,
      body: { now: '2020-02-02', frozen: true },
    })
    const nowOf = async (query: string) =>
      (await ask(`${url}/_sandbox/clock${query}`, { token: ADMIN_KEY })).body.now.slice(0, 4)
    expect(await nowOf(`?world=${own.world}`)).toBe('2020')
    expect(await nowOf('')).not.toBe('2020')
    expect(await nowOf(`?world=${other.world}`)).not.toBe('2020')
  })
})
