import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { Partner, WorldInfo } from '../../src/world/hosted-worlds.ts'
import { spawnCli } from '../support/cli.ts'
import { createWorld, logKey, startCluster } from './support/cluster.ts'
import { ADMIN_KEY, invite, statusOf } from './support/partners.ts'
import type { Invited } from './support/partners.ts'
import { ask } from './support/replica.ts'

/** The lists of partners and of worlds, for the operator. */

const ARGS = ['--admin-key', ADMIN_KEY]

function keyOf({ world }: Invited, name: string): string {
  return `seo-sandbox:{${world}}:${name}`
}

/** Losses of a world in Redis, each with its description in the lists. */
const LOSSES: [what: string, lose: (partner: Invited) => string[][], damage: RegExp][] = [
  ['nothing', () => [], /^$/],
  ['its log', ({ world: id }) => [['DEL', logKey({ id })]], /:log lacks entries$/],
  ['its hash', (partner) => [['DEL', keyOf(partner, 'world')]], /:world lacks format$/],
  ['its partner', (partner) => [['DEL', keyOf(partner, 'partner')]], /:partner lacks grace$/],
  [
    'its count',
    (partner) => [['HDEL', keyOf(partner, 'world'), 'requests']],
    /:world lacks requests$/,
  ],
  ['its time', (partner) => [['HDEL', keyOf(partner, 'world'), 'time']], /:world lacks time$/],
  [
    'its end',
    (partner) => [['HDEL', keyOf(partner, 'world'), 'expires_ms']],
    /:world lacks expires_ms or gone_ms$/,
  ],
  ['its type', (partner) => [['SET', keyOf(partner, 'log'), 'x']], /WRONGTYPE/],
]

test(
  'a damaged world is listed as damaged, beside those that are whole, and can be revoked',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster({ replicas: 1, args: ARGS })
    const { redis, replicas } = cluster
    const [one] = replicas as [(typeof replicas)[0]]
    const list = async (path: string) => {
      const listed = await ask(`${one.url}/_sandbox/${path}`, { token: ADMIN_KEY })
      expect(listed.status, listed.text).toBe(200)
      return listed.body
    }
    const partners: Invited[] = []
    for (const [what, lose] of LOSSES) {
      const partner = await invite(one, { name: what })
      await statusOf(one, partner)
      for (const [name = '', ...args] of lose(partner)) await redis.command(name, ...args)
      partners.push(partner)
    }
    const listed = Partner.array().parse(await list('partners'))
    expect(listed.map(({ name, id }) => [name, id])).toEqual(
      partners.map((each) => [each.name, each.id]),
    )
    for (const [at, { damaged = '' }] of listed.entries()) expect(damaged).toMatch(LOSSES[at]![2])
    const worlds = WorldInfo.array().parse(await list('worlds'))
    const isPartners = (what: string) => /partner|end/.test(what)
    for (const [at, [what, , damage]] of LOSSES.entries()) {
      const { damaged = '' } = worlds.find(({ id }) => id === partners[at]!.id)!
      expect(damaged).toMatch(isPartners(what) ? /^$/ : damage)
    }
    const printed = await spawnCli(['partners', 'list', '--store', redis.url], { cwd: tmpdir() })
    expect(printed.stdout).toMatch(/its log: damaged \(.+:log lacks entries\)\n/)

    for (const { id } of partners) {
      const revoked = await ask(`${one.url}/_sandbox/partners/${id}`, {
        method: 'DELETE',
        token: ADMIN_KEY,
      })
      expect(revoked.status).toBe(204)
    }
    expect([await list('partners'), await list('worlds')]).toEqual([[], []])
    expect(await redis.command('KEYS', '*partner*')).toEqual([])
  },
)

test('a world that has lost its end has one again when it is renewed', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [one] = cluster.replicas
  const partner = await invite(one!, { name: 'Acme' })
  await cluster.redis.command('HDEL', keyOf(partner, 'world'), 'expires_ms', 'gone_ms')
  await cluster.redis.command('HDEL', keyOf(partner, 'partner'), 'grace')
  const { status, body } = await ask(`${one!.url}/_sandbox/partners/${partner.id}`, {
    method: 'PATCH',
    token: ADMIN_KEY,
    body: {},
  })
  expect([status, body.damaged, body.grace]).toEqual([200, undefined, 'P30D'])
  expect(body.expires_at > body.created_at && body.gone_at > body.expires_at).toBe(true)
})

test.each<['partners' | 'worlds']>([['partners'], ['worlds']])(
  'pages of %s have all of them once, in the order of the list, also where some are gone by then',
  async (name) => {
    await using cluster = await startCluster({ replicas: 1, args: name === 'partners' ? ARGS : [] })
    const { redis, replicas } = cluster
    const [one] = replicas as [(typeof replicas)[0]]
    const who = name === 'partners' ? { token: ADMIN_KEY } : {}
    const read = (query: string) => ask(`${one.url}/_sandbox/${name}${query}`, who)
    for (let at = 0; at < 9; at += 1) {
      if (name === 'partners') await invite(one, { name: `Partner ${at}` })
      else await createWorld(one)
    }
    // Including worlds of the same moment.
    const set = `seo-sandbox:${name}`
    const ids: string[] = await redis.command('ZRANGE', set, '0', '-1')
    for (const [at, id] of ids.entries()) await redis.command('ZADD', set, 1000 + (at >> 2), id)
    const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)
    const all = idsOf((await read('')).body)
    expect(all.toSorted()).toEqual(ids.toSorted())
    for (const limit of [1, 2, 3, 8, 9, 1000]) {
      const found: string[] = []
      let query = `?limit=${limit}`
      for (;;) {
        const { body } = await read(query)
        expect([body.total, Object.keys(body)]).toEqual([9, [name, 'total', 'next']])
        found.push(...idsOf(body[name]))
        if (body.next === null) break
        expect(body[name]).toHaveLength(limit)
        query = `?limit=${limit}&after=${body.next}`
      }
      expect(found).toEqual(all)
    }
    const { body: first } = await read('?limit=4')
    await redis.command('ZREM', set, all[3]!)
    const { body: rest } = await read(`?after=${first.next}`)
    expect(idsOf(rest[name])).toEqual(all.slice(4))
    for (const query of ['?limit=0', '?limit=1001', '?after=w1', '?before=w1'])
      expect((await read(query)).status).toBe(422)
  },
)

test('names are found by the whole of them, or by an id', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [one] = cluster.replicas
  const run = async (...args: string[]) => {
    const line = ['partners', ...args, '--json', '--store', cluster.redis.url]
    const { code, stdout, stderr } = await spawnCli(line, { cwd: tmpdir() })
    return { code, stderr, printed: stdout === '' ? undefined : JSON.parse(stdout) }
  }
  const [acme, longer] = [
    await invite(one!, { name: 'Acme' }),
    await invite(one!, { name: 'Acme Ærø (2) *' }),
  ]
  const twin = await invite(one!, { name: longer.id })
  const renewed = async (who: string) => (await run('renew', who)).printed?.id
  expect([await renewed('Acme'), await renewed(longer.name), await renewed(acme.id)]).toEqual([
    acme.id,
    longer.id,
    acme.id,
  ])
  expect((await run('renew', 'Acm')).stderr).toMatch(/There is no partner "Acm"/)
  expect((await run('renew', twin.name)).stderr).toMatch(/Several partners are called/)
  expect((await run('revoke', 'Acme')).printed.id).toBe(acme.id)
  expect((await run('revoke', 'Acme')).code).toBe(2)
})
