import { once } from 'node:events'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { spawnCli } from '../support/cli.ts'
import { startCluster } from './support/cluster.ts'
import type { Cluster } from './support/cluster.ts'
import { readAll } from './support/contents.ts'
import { ADMIN_KEY, claim, invite, opens } from './support/partners.ts'
import type { Invited } from './support/partners.ts'
import { ask } from './support/replica.ts'

/** The keys of a partner's world. */

const ARGS = ['--admin-key', ADMIN_KEY]
const DAY = 86_400

function keysOf({ url }: { url: string }, { id }: Invited) {
  const at = `${url}/_sandbox/partners/${id}/keys`
  return {
    list: async () => (await ask(at, { token: ADMIN_KEY })).body,
    create: () => ask(at, { token: ADMIN_KEY, method: 'POST' }),
    revoke: (key: string) => ask(`${at}/${key}`, { token: ADMIN_KEY, method: 'DELETE' }),
  }
}

test(
  'keys are listed without what they are, made, and revoked one by one for every server',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster({ args: ARGS })
    const [one, two] = cluster.replicas as [Cluster['replicas'][0], Cluster['replicas'][0]]
    const partner = await invite(one, { name: 'Acme' })
    const keys = keysOf(one, partner)
    const [first, ...none] = await keys.list()
    expect([first, none]).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{12}$/),
        created_at: (await ask(`${one.url}/_sandbox/partners/${partner.id}`, { token: ADMIN_KEY }))
          .body.created_at,
        last_used_at: null,
      },
      [],
    ])
    const made = await keys.create()
    expect([made.status, Object.keys(made.body)]).toEqual([201, ['id', 'key']])
    const claimed = (await claim(two, partner)).body.key
    const all = [partner.key, made.body.key, claimed]
    const statuses = () =>
      Promise.all([one, two].flatMap((server) => all.map((key) => opens(server, key))))
    expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200])
    const listed = await keys.list()
    expect(listed.map(({ id }: { id: string }) => id).slice(0, 2)).toEqual([first.id, made.body.id])
    expect(JSON.stringify(listed)).not.toMatch(/[0-9a-f]{13}/)

    expect((await keys.revoke(first.id)).status).toBe(204)
    expect(await statuses()).toEqual([401, 200, 200, 401, 200, 200])
    expect((await keys.revoke(first.id)).status).toBe(404)
    const other = await invite(one, { name: 'Other' })
    expect((await keysOf(one, other).revoke(made.body.id)).status).toBe(404)
    expect((await keysOf(one, { ...other, id: 'w1' }).create()).status).toBe(404)
    expect((await ask(`${one.url}/_sandbox/partners/w1/keys`, { token: ADMIN_KEY })).status).toBe(
      404,
    )
    expect(await opens(two, other.key)).toBe(200)
  },
)

test('the last use of a key is noted, once a minute, and not where a request is refused', async () => {
  await using cluster = await startCluster({ args: ARGS, redis: { hasClock: true } })
  const { redis, replicas } = cluster
  const [one, two] = replicas as [Cluster['replicas'][0], Cluster['replicas'][0]]
  const partner = await invite(one, { name: 'Acme' })
  const used = async () => (await keysOf(one, partner).list())[0].last_used_at
  const elsewhere = await ask(`${one.url}/_sandbox/clock?world=default`, { token: partner.key })
  expect([elsewhere.status, await used()]).toEqual([403, null])
  await opens(one, partner.key)
  const first = await used()
  expect(first).toEqual(expect.any(String))
  await redis.setClock(30)
  await opens(two, partner.key)
  expect(await used()).toBe(first)
  await redis.setClock(61)
  await opens(two, partner.key)
  expect((await used()) > first).toBe(true)
})

test('a world has ten keys at most, with those of links', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [one] = cluster.replicas as [Cluster['replicas'][0]]
  const partner = await invite(one, { name: 'Acme' })
  const keys = keysOf(one, partner)
  for (let count = 1; count < 10; count += 1) expect((await keys.create()).status).toBe(201)
  const sentence = /^World w\d+ has 10 keys, which is the most: revoke one/
  for (const refused of [await keys.create(), await claim(one, partner)]) {
    expect([refused.status, refused.body.error.message]).toEqual([
      422,
      expect.stringMatching(sentence),
    ])
  }
  const line = ['partners', 'renew', 'Acme', '--key', '--store', cluster.redis.url]
  const printed = await spawnCli(line, { cwd: tmpdir() })
  expect([printed.code, printed.stderr]).toEqual([2, expect.stringMatching(/revoke one/)])
  const listed = await keys.list()
  expect(listed).toHaveLength(10)
  await keys.revoke(listed[3].id)
  // The link is still unused.
  expect((await claim(one, partner)).status).toBe(201)
  expect(await keys.list()).toHaveLength(10)
})

test('partners keys and renew --key do the same', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [one] = cluster.replicas as [Cluster['replicas'][0]]
  const partner = await invite(one, { name: 'Acme' })
  const run = async (...args: string[]) => {
    const line = ['partners', ...args, '--store', cluster.redis.url]
    const { code, stdout, stderr } = await spawnCli(line, { cwd: tmpdir() })
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  const { key } = JSON.parse(await run('renew', 'Acme', '--key', '--json'))
  expect([await opens(one, key), await opens(one, partner.key)]).toEqual([200, 200])
  const [first, second] = JSON.parse(await run('keys', 'Acme', '--json'))
  expect(await run('keys', partner.id)).toMatch(
    new RegExp(`^${first.id}  created .+ UTC, last used .+ UTC\n${second.id}  created`),
  )
  expect(await run('keys', 'Acme', '--revoke', first.id)).not.toContain(first.id)
  expect([await opens(one, key), await opens(one, partner.key)]).toEqual([200, 401])
  // A key that was found somewhere.
  expect(await run('keys', 'Acme', '--revoke', key)).toBe('There are no keys.\n')
  expect(await opens(one, key)).toBe(401)
})

/** Opens a stream of a world, and returns its response as soon as it begins. */
async function openStream(
  { port }: { port: number },
  { key, world }: { key: string; world: string },
): Promise<IncomingMessage> {
  const sent = get({
    port,
    host: '127.0.0.1',
    path: `/_sandbox/requests/stream?world=${world}`,
    headers: { authorization: `Bearer ${key}` },
  })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  response.on('error', () => undefined)
  return response
}

test.each<[string, (cluster: Cluster, partner: Invited, id: string) => Promise<unknown>]>([
  ['its key is revoked', ({ replicas }, partner, id) => keysOf(replicas[1]!, partner).revoke(id)],
  ['its world expires', ({ redis }) => redis.setClock(2 * DAY)],
  [
    'its world is dropped',
    ({ replicas }, { id }) =>
      ask(`${replicas[1]!.url}/_sandbox/partners/${id}`, { method: 'DELETE', token: ADMIN_KEY }),
  ],
])('a stream ends when %s, and those of others go on', async (_, end) => {
  await using cluster = await startCluster({ args: ARGS, redis: { hasClock: true } })
  const [one] = cluster.replicas as [Cluster['replicas'][0]]
  const partner = await invite(one, { name: 'Acme', expires: 'P1D' })
  const other = await invite(one, { name: 'Other', expires: 'P9D' })
  const [{ id }] = await keysOf(one, partner).list()
  const [stream, lasting] = [await openStream(one, partner), await openStream(one, other)]
  expect([stream.statusCode, lasting.statusCode]).toEqual([200, 200])
  const ended = once(stream, 'end')
  await end(cluster, partner, id)
  await ended
  expect(lasting.readableEnded).toBe(false)
  lasting.destroy()
})

test('streams with keys of worlds leave some for the operator, whose own count for no world', async () => {
  await using cluster = await startCluster({
    replicas: 1,
    args: [...ARGS, '--limits', 'streams=89'],
  })
  const [one] = cluster.replicas as [Cluster['replicas'][0]]
  const [partner, other] = [
    await invite(one, { name: 'Acme' }),
    await invite(one, { name: 'Other' }),
  ]
  const streams: IncomingMessage[] = []
  const open = async (world: string, key: string) => {
    const stream = await openStream(one, { world, key })
    streams.push(stream)
    return stream.statusCode
  }
  for (let count = 0; count < 89; count += 1)
    expect(await open(partner.world, partner.key)).toBe(200)
  expect(await open(partner.world, partner.key)).toBe(429)
  expect(await open(other.world, other.key)).toBe(200)
  expect(await open(other.world, other.key)).toBe(429)
  for (let count = 0; count < 10; count += 1) expect(await open(partner.world, ADMIN_KEY)).toBe(200)
  expect(await open('default', ADMIN_KEY)).toBe(429)
  for (const stream of streams) stream.destroy()
})

test(
  'the code of a link, and a key, are in no log, journal or archive, wherever a client sends them',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster({ replicas: 1 })
    const [{ url }] = cluster.replicas as [Cluster['replicas'][0]]
    const { world, link, key, tokens } = (
      await ask(`${url}/_sandbox/partners`, { body: { name: 'Acme' } })
    ).body
    const code = link.split('#claim=')[1]
    const token = Object.values(tokens)[0] as string
    for (const sent of [{ token }, { token: code }, {}]) {
      await ask(`${url}/api/v1/me?claim=${code}&key=${key}`, {
        ...sent,
        headers: {
          'x-claim': code,
          referer: link,
          origin: `https://${code}.example`,
          'user-agent': key,
        },
      })
      await ask(`${url}/api/v1/${code}`, sent)
    }
    for (const name of [world, 'default']) {
      for (const path of ['requests', 'requests?unknown', 'requests.har', 'session']) {
        const shown = await ask(
          `${url}/_sandbox/${path}${path.includes('?') ? '&' : '?'}world=${name}`,
        )
        expect(shown.status).toBe(200)
        for (const each of [code, key]) expect(shown.text).not.toContain(each.slice(-40))
      }
    }
    const kept = [...(await readAll(cluster.redis))].flat(2).join('\n')
    for (const each of [code, key]) expect(kept).not.toContain(each.slice(-40))
  },
)
