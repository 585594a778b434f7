import { expect, test } from 'vitest'
import { control, createWorld, logKey, startCluster } from './support/cluster.ts'
import { ask } from './support/replica.ts'

/** The token of a request names its world. */

test('a token of no world is a 401 of every replica, and enters no log', async () => {
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const log = async () => [
    (await redis.command('KEYS', '*')).toSorted(),
    await redis.command('XLEN', logKey(world)),
    await redis.command('XLEN', logKey({ id: 'default' })),
  ]
  const before = await log()
  for (const token of [
    'sandbox-agency~w1-0123456789abcdef',
    `sandbox-agency~${world.id}-0123456789abcdef`,
    `nobody~${world.id}-0123456789abcdef`,
    `${world.tokens['sandbox-agency']!}~w1-0123456789abcdef`,
  ]) {
    for (const { url } of replicas) {
      const { status, headers, body } = await ask(`${url}/api/v1/me`, { token })
      expect(status, token).toBe(401)
      expect(body).toEqual({ message: 'Unauthenticated.' })
      expect(headers.get('x-sandbox-limited')).toBeNull()
    }
  }
  await expect.poll(log).toEqual(before)
})

test('a token that a command gives an isolated world leads to it from every replica', async () => {
  await using cluster = await startCluster()
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const record = { id: 77, name: 'Given', token: 'given', agency: 1, rate_limit: { per_minute: 9 } }
  const given = await ask(replicas[0]!.url + control(world, '/records/tokens'), {
    method: 'PUT',
    body: record,
  })
  expect(given.status).toBe(201)
  const [, suffix] = world.tokens['sandbox-agency']!.split('~')
  for (const [at, { url }] of replicas.entries()) {
    const answer = await ask(`${url}/api/v1/me`, { token: `given~${suffix}` })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(8 - at))
    expect((await ask(`${url}/api/v1/me`, { token: 'given' })).status).toBe(401)
  }
})

test('worlds that replicas create at once all have ids of their own', async () => {
  await using cluster = await startCluster({ replicas: 3 })
  const { replicas } = cluster
  const worlds = await Promise.all(
    Array.from({ length: 24 }, (_, at) => createWorld(replicas[at % 3]!)),
  )
  expect(new Set(worlds.map(({ id }) => id)).size).toBe(24)
  for (const [at, { tokens, id }] of worlds.entries()) {
    const token = tokens['sandbox-agency']!
    expect(token).toMatch(new RegExp(`^sandbox-agency~${id}-\\w+$`))
    const { url } = replicas[(at + 1) % 3]!
    const { headers } = await ask(`${url}/api/v1/me`, { token })
    expect(headers.get('x-ratelimit-remaining')).toBe('59')
  }
})

test('a head above 8 kB is refused by the host, and enters no log', async () => {
  await using cluster = await startCluster()
  const { redis, replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-agency']!
  const headers = { 'X-Long': 'x'.repeat(8200) }
  for (const { url } of replicas) {
    const answer = await ask(`${url}/api/v1/me`, { token, headers })
    expect(answer.status).toBe(431)
    expect(answer.headers.get('x-sandbox-limited')).toBe('host')
  }
  expect(await redis.command('XLEN', logKey(world))).toBe(0)
})

test('faults and rate limits of the API are no refusals of the host', async () => {
  await using cluster = await startCluster()
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const fault = { kind: 'status', status: 503, retry_after: 5, schedule: { first: 1 } }
  const armed = await ask(replicas[0]!.url + control(world, '/faults'), { body: fault })
  expect(armed.status, armed.text).toBe(201)
  const faulty = await ask(`${replicas[1]!.url}/api/v1/me`, {
    token: world.tokens['sandbox-agency']!,
  })
  const spent = await ask(`${replicas[1]!.url}/api/v1/me`, {
    token: world.tokens['sandbox-minute-exhausted']!,
  })
  expect([faulty.status, spent.status]).toEqual([503, 429])
  for (const { headers } of [faulty, spent]) {
    expect(headers.get('x-sandbox-limited')).toBeNull()
  }
})
