import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { Positions } from '../../src/world/keyword-positions.ts'
import { logKey, startCluster } from './support/cluster.ts'
import { makeNewerRelease } from './support/other-release.ts'
import { ADMIN_KEY, claim, invite, opens, statusOf } from './support/partners.ts'
import { ask, startReplica } from './support/replica.ts'

/** A world for each partner, until a date. */

const ARGS = ['--admin-key', ADMIN_KEY]
const DAY = 86_400

const PATHS = ['/me', '/projects', '/projects/1/reports', '/projects/1/reports/latest']
const COMMANDS = [
  { type: 'clock.advance', by: 'P30D' },
  { type: 'record.patch', collection: 'agencies', id: 1, patch: { name: 'Renamed' } },
]

test('a world is the same after restarts, an upgrade and 30 days, and as one in a process after the same commands', async () => {
  await using cluster = await startCluster({ redis: { hasClock: true }, args: ARGS })
  const { redis, replicas } = cluster
  const settings = { generate: { projects: 3 }, now: '2026-03-15', frozen: true }
  const partner = await invite(replicas[0]!, { name: 'Acme', expires: 'P60D', ...settings })
  const sandbox = await createSandbox({ ...settings })
  const [token] = sandbox.world.records.all('tokens')

  const expectSame = async ({ url }: { url: string }): Promise<void> => {
    for (const path of PATHS) {
      const answer = await ask(`${url}/api/v1${path}`, { token: partner.tokens[token!.token]! })
      const expected = await sandbox.fetch(`http://any.host/api/v1${path}`, {
        headers: { authorization: `Bearer ${token!.token}` },
      })
      expect([path, answer.status, answer.text]).toEqual([
        path,
        expected.status,
        await expected.text(),
      ])
    }
    expect(await opens({ url }, partner.key)).toBe(200)
    const positions = await ask(`${url}/_sandbox/projects/1001/positions`, { token: partner.key })
    const { records, positionSource } = sandbox.world
    const expected = new Positions(positionSource)
    expect(positions.body.keywords.map((keyword: any) => keyword.positions.at(-1))).toEqual(
      records.keywordsOf(1001).map((keyword) => expected.of(keyword, expected.latestMonth)),
    )
  }
  await expectSame(replicas[0]!)
  for (const command of COMMANDS) {
    await sandbox.command(command as never)
    const sent = await ask(`${replicas[1]!.url}/_sandbox/commands`, {
      token: partner.key,
      body: command,
    })
    expect(sent.status, sent.text).toBe(200)
  }
  await expectSame(replicas[0]!)

  await Promise.all(replicas.map((replica) => replica.kill()))
  await redis.kill()
  await redis.setClock(30 * DAY)
  await redis.start()
  await Promise.all(replicas.map((replica) => replica.start()))
  await expectSame(replicas[1]!)

  await using release = await makeNewerRelease()
  await using upgraded = await startReplica(cluster.proxies[0]!.url, {
    args: ARGS,
    bin: release.bin,
  })
  await expectSame(upgraded)
})

test(
  'a link is claimed once, also by several at once, and for a key of its own',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster({ args: ARGS })
    const { replicas, redis } = cluster
    const partner = await invite(replicas[0]!, { name: 'Acme' })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => claim(replicas[at % 2]!, partner)),
    )
    const [claimed, ...more] = answers.filter(({ status }) => status === 201)
    expect(more).toEqual([])
    const { world, key } = claimed!.body
    expect(world).toBe(partner.world)
    expect(key).not.toBe(partner.key)
    expect([await opens(replicas[1]!, key), await opens(replicas[1]!, partner.key)]).toEqual([
      200, 200,
    ])

    for (const { status, body } of answers.filter((answer) => answer !== claimed)) {
      expect([status, body.error.code]).toEqual([410, 'invitation_used'])
      expect(body.error.message).toMatch(/already been used/)
    }

    // A client that only knows the id learns nothing.
    const never = { link: `#claim=w1-${'0'.repeat(64)}` }
    const wrong = { link: partner.link.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }
    const refusals = await Promise.all(
      [never, wrong, { link: '#claim=' }, { link: '#claim=w1' }].map((link) =>
        claim(replicas[0]!, link),
      ),
    )
    for (const refused of refusals) {
      expect([refused.status, refused.text]).toEqual([404, refusals[0]!.text])
      expect(refused.body.error.message).toBe(
        'This link is not valid, or has been replaced or revoked: ask the person who invited you.',
      )
    }
    expect(
      JSON.stringify(await redis.command('HGETALL', `seo-sandbox:{${world}}:partner`)),
    ).not.toMatch(
      new RegExp(
        [partner.key, key, partner.link.split('=')[1]!].map((text) => text.slice(-64)).join('|'),
      ),
    )
  },
)

test('a claim whose answer from the store was lost gives the key all the same', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [replica] = cluster.replicas
  const partner = await invite(replica!, { name: 'Acme' })
  const lost = cluster.proxies[0]!.loseReply('_claim')
  const claimed = await claim(replica!, partner)
  await lost
  expect([claimed.status, await opens(replica!, claimed.body.key)]).toEqual([201, 200])
  expect((await claim(replica!, partner)).status).toBe(410)
})

test(
  'a world that has expired answers 401, goes on when it is renewed, and is gone after its grace',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster({ redis: { hasClock: true }, args: ARGS })
    const { redis, replicas } = cluster
    const [one, two] = replicas as [(typeof replicas)[0], (typeof replicas)[0]]
    const partner = await invite(one, { name: 'Acme', expires: 'P1D', grace: 'P2D' })
    const token = partner.tokens['sandbox-agency']!
    const list = async () => (await ask(`${two.url}/_sandbox/partners`, { token: ADMIN_KEY })).body
    expect(await statusOf(one, partner)).toBe(200)
    const control = `${one.url}/_sandbox`
    const made = await ask(`${control}/projects/101/reports`, { token: partner.key, body: {} })
    await ask(`${control}/reports/${made.body.id}/complete`, { token: partner.key, body: {} })
    const { body: listed } = await ask(`${one.url}/api/v1/projects/101/reports`, { token })
    const page: string = listed.data.find(({ id }: any) => id === made.body.id).web_link
    expect((await ask(page)).status).toBe(200)
    expect(await list()).toEqual([
      expect.objectContaining({ id: partner.id, name: 'Acme', grace: 'P2D', claimed: false }),
    ])

    await redis.setClock(DAY + 60)
    const entries = await redis.command('XLEN', logKey({ id: partner.world }))
    await using fresh = await startReplica(cluster.proxies[0]!.url, { args: ARGS })
    for (const server of [one, two, fresh]) {
      const answer = await ask(`${server.url}/api/v1/me`, { token })
      expect([answer.status, answer.headers.get('x-sandbox-limited')]).toEqual([401, 'host'])
      expect(answer.body.message).toMatch(/world has expired/)
      expect(await opens(server, partner.key)).toBe(401)
      const refused = await claim(server, partner)
      expect([refused.status, refused.body.error.code]).toEqual([410, 'invitation_expired'])
      expect((await ask(page.replace(one.url, server.url))).status).toBe(404)
      // A client that only knows the id learns nothing.
      const guess = await ask(`${server.url}/api/v1/me`, {
        token: `x~${partner.world}-${'0'.repeat(16)}`,
      })
      expect([guess.status, guess.body]).toEqual([401, { message: 'Unauthenticated.' }])
      const reset = `${server.url}/_sandbox/reset?world=${partner.world}`
      expect((await ask(reset, { token: ADMIN_KEY, method: 'POST' })).status).toBe(403)
    }
    expect(await redis.command('XLEN', logKey({ id: partner.world }))).toBe(entries)

    const renewal = `${two.url}/_sandbox/partners/${partner.id}`
    const renewed = await ask(renewal, {
      method: 'PATCH',
      token: ADMIN_KEY,
      body: { expires: 'P3D', link: true },
    })
    expect([renewed.status, renewed.body.grace]).toEqual([200, 'P2D'])
    expect([await statusOf(one, partner), await opens(fresh, partner.key)]).toEqual([200, 200])
    expect((await ask(page)).status).toBe(200)
    expect((await claim(one, partner)).status).toBe(404)
    expect((await claim(one, renewed.body)).status).toBe(201)

    await redis.setClock(7 * DAY)
    // Redis removes most of the data itself, and the servers the rest.
    await expect.poll(() => redis.command('KEYS', `*{${partner.world}}*`)).toEqual([])
    for (const server of [one, two, fresh]) {
      const gone = await ask(`${server.url}/api/v1/me`, { token })
      expect([gone.status, gone.body]).toEqual([401, { message: 'Unauthenticated.' }])
      expect(await opens(server, partner.key)).toBe(401)
    }
    expect(await list()).toEqual([])
    expect((await ask(renewal, { method: 'PATCH', token: ADMIN_KEY, body: {} })).status).toBe(404)
  },
)

test('no two partners have the same name, whatever its case, also of those that are invited at once', async () => {
  await using cluster = await startCluster({ args: ARGS })
  const { replicas, redis, proxies } = cluster
  const [one, two] = replicas as [(typeof replicas)[0], (typeof replicas)[0]]
  const lost = proxies[0]!.loseReply('_invite')
  const { id } = await invite(one, { name: 'Acme Øst' })
  await lost
  const before = await redis.command('DBSIZE')
  for (const name of ['Acme Øst', 'acme øst']) {
    const taken = await ask(`${two.url}/_sandbox/partners`, { token: ADMIN_KEY, body: { name } })
    expect([taken.status, taken.body.error.problems[0].path]).toEqual([422, 'name'])
    expect(taken.body.error.problems[0].message).toContain(
      `"${name}" is the name of the partner ${id} already`,
    )
  }
  expect(await redis.command('DBSIZE')).toBe(before)

  const together = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      ask(`${replicas[at % 2]!.url}/_sandbox/partners`, {
        token: ADMIN_KEY,
        body: { name: 'Elm' },
      }),
    ),
  )
  const statuses = together.map(({ status }) => status).toSorted((left, right) => left - right)
  expect(statuses).toEqual([201, 422, 422, 422, 422, 422])
  await ask(`${one.url}/_sandbox/partners/${id}`, { token: ADMIN_KEY, method: 'DELETE' })
  await invite(one, { name: 'Acme øst' })
})

test('another link takes the place of the last one, and the world ends when it did', async () => {
  await using cluster = await startCluster({ redis: { hasClock: true }, args: ARGS })
  const { replicas, redis } = cluster
  const [one, two] = replicas as [(typeof replicas)[0], (typeof replicas)[0]]
  const partner = await invite(one, { name: 'Acme & Søn', expires: 'P9D' })
  const create = () =>
    ask(`${two.url}/_sandbox/partners/${partner.id}/link`, { token: ADMIN_KEY, method: 'POST' })
  await redis.setClock(DAY)
  const { status, body: sent } = await create()
  expect([status, sent.expires_at]).toEqual([201, partner.expires_at])
  expect(sent.base_url).toBe(`${two.url}/api/v1`)
  for (const part of [sent.link, sent.base_url, 'Acme & Søn']) expect(sent.text).toContain(part)
  expect(sent.text).toMatch(/until \d{1,2} \w{3} \d{4}/)
  const [old, current] = [await claim(one, partner), await claim(one, sent)]
  expect([old.status, current.status, (await claim(one, sent)).status]).toEqual([404, 201, 410])
  expect(await opens(two, partner.key)).toBe(200)

  await redis.setClock(10 * DAY)
  expect([(await create()).status, (await claim(one, sent)).body.error.code]).toEqual([
    422,
    'invitation_expired',
  ])
  const never = await ask(`${one.url}/_sandbox/partners/w1/link`, {
    token: ADMIN_KEY,
    method: 'POST',
  })
  expect(never.status).toBe(404)
})

test('whoever has a key of a world sees whose it is, and until when', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [{ url }] = cluster.replicas as [(typeof cluster.replicas)[0]]
  const { name, world, expires_at, key } = await invite({ url }, { name: 'Acme' })
  const own = await ask(`${url}/_sandbox/partner`, { token: key })
  expect([own.status, own.body]).toEqual([200, { name, world, expires_at }])
  const read = async (query: string) => ask(`${url}/_sandbox/partner${query}`, { token: ADMIN_KEY })
  expect((await read(`?world=${world}`)).body).toEqual(own.body)
  expect((await read('')).status).toBe(404)
  const [listed] = (await ask(`${url}/_sandbox/worlds`, { token: ADMIN_KEY })).body
  expect(listed).toMatchObject({ id: world, partner: 'Acme' })
})

test('a partner that is revoked is gone at once, from every replica', async () => {
  await using cluster = await startCluster({ args: ARGS })
  const { redis, replicas } = cluster
  const partner = await invite(replicas[0]!, { name: 'Acme' })
  expect([await statusOf(replicas[0]!, partner), await statusOf(replicas[1]!, partner)]).toEqual([
    200, 200,
  ])
  const revoke = () =>
    ask(`${replicas[1]!.url}/_sandbox/partners/${partner.id}`, {
      method: 'DELETE',
      token: ADMIN_KEY,
    })
  expect((await revoke()).status).toBe(204)
  for (const replica of replicas) {
    expect([await statusOf(replica, partner), await opens(replica, partner.key)]).toEqual([
      401, 401,
    ])
    expect((await claim(replica, partner)).status).toBe(404)
  }
  expect(await redis.command('KEYS', `*{${partner.world}}*`)).toEqual([])
  expect((await revoke()).status).toBe(404)
})

test('however little it is used, a world lasts until its end and its grace', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const { redis, replicas } = cluster
  const partner = await invite(replicas[0]!, { name: 'Acme', expires: 'P30D', grace: 'P10D' })
  await statusOf(replicas[0]!, partner)
  const keys: string[] = await redis.command('KEYS', `*{${partner.world}}:*`)
  // Keys without an expiry are removed with the rest.
  const lasting = keys.filter((key) => !/:(?:loads|texts)$/.test(key))
  expect(lasting.length).toBeGreaterThanOrEqual(3)
  for (const key of lasting) {
    const left = await redis.command('PTTL', key)
    expect([key, Math.round(left / 1000 / DAY)]).toEqual([key, 40])
  }
})

test('the key of a world opens no API, and a request with it is in no log', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const { redis, replicas } = cluster
  const [{ url }] = replicas as [(typeof replicas)[0]]
  const partner = await invite(replicas[0]!, { name: 'Acme' })
  const answer = await ask(`${url}/api/v1/me`, { token: partner.key })
  expect([answer.status, answer.body]).toEqual([401, { message: 'Unauthenticated.' }])
  for (const id of ['default', partner.world])
    expect(await redis.command('XLEN', logKey({ id }))).toBe(0)
})

test('an invitation that is not valid is refused, and nothing is kept', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const { redis, replicas } = cluster
  const before = await redis.command('DBSIZE')
  const invalid = {
    'no name': {},
    'a name with a control character': { name: 'a\nb' },
    'a duration that is none': { name: 'Acme', expires: '30 days' },
    'more than ten years': { name: 'Acme', expires: 'P11Y' },
    'an unknown option': { name: 'Acme', limits: {} },
    'an unknown scenario': { name: 'Acme', scenario: 'nowhere' },
  }
  for (const [what, body] of Object.entries(invalid)) {
    const refused = await ask(`${replicas[0]!.url}/_sandbox/partners`, { token: ADMIN_KEY, body })
    expect([what, refused.status]).toEqual([what, 422])
  }
  expect(await redis.command('DBSIZE')).toBe(before)
})
