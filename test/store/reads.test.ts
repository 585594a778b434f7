import { expect, test } from 'vitest'
import { control, createWorld, expectTruth, startCluster } from './support/cluster.ts'
import { ask } from './support/replica.ts'

/** Every replica shows what any other has acknowledged, at once. */

test('a command acknowledged by one replica is seen by the next request and read on any other', async () => {
  await using cluster = await startCluster({ replicas: 3 })
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  const record = control(world, '/records/projects/101')
  for (let turn = 0; turn < 60; turn += 1) {
    const [first, second, third] = [0, 1, 2].map((step) => replicas[(turn + step) % 3]!.url)
    const name = `Name ${turn}`
    const patched = await ask(first + record, { method: 'PATCH', body: { name } })
    expect(patched.status).toBe(200)
    const [read, shown] = await Promise.all([
      ask(second + record),
      ask(`${third}/api/v1/projects/101`, { token }),
    ])
    expect(read.body.name).toBe(name)
    expect(shown.body.data.name).toBe(name)
  }
  await expectTruth(replicas, world)
})

test('a request answered by one replica is in the journal that any other lists next', async () => {
  await using cluster = await startCluster({ replicas: 3 })
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-unlimited']!
  for (let count = 1; count <= 30; count += 1) {
    await ask(`${replicas[count % 3]!.url}/api/v1/me`, { token })
    const expectation = { requests: { route: 'GET /me' }, times: count }
    const other = replicas[(count + 1) % 3]!.url
    const { body } = await ask(other + control(world, '/verify'), { body: expectation })
    expect(body).toMatchObject({ passed: true })
  }
})

test('time passes on every replica alike between requests', async () => {
  await using cluster = await startCluster()
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  let last = ''
  for (let turn = 0; turn < 40; turn += 1) {
    const { body } = await ask(replicas[turn % 2]!.url + control(world, '/clock'))
    expect(body.now >= last).toBe(true)
    last = body.now
  }
})

test('a world that was deleted on one replica is unknown to all, and so are its tokens', async () => {
  await using cluster = await startCluster()
  const { replicas } = cluster
  const world = await createWorld(replicas[0]!)
  const token = world.tokens['sandbox-agency']!
  for (const { url } of replicas)
    expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(200)
  const deleted = await ask(`${replicas[0]!.url}/_sandbox/worlds/${world.id}`, { method: 'DELETE' })
  expect(deleted.status).toBe(204)
  for (const { url } of replicas) {
    expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(401)
    expect((await ask(url + control(world, '/clock'))).status).toBe(404)
  }
})

test('the default world is one for all replicas', async () => {
  await using cluster = await startCluster()
  const { replicas } = cluster
  const world = { id: 'default' }
  for (const { url } of replicas) {
    const { headers } = await ask(`${url}/api/v1/me`, { token: 'sandbox-agency' })
    expect(headers.get('x-ratelimit-remaining')).toMatch(url === replicas[0]!.url ? '59' : '58')
  }
  await ask(`${replicas[1]!.url}/_sandbox/reset`, { method: 'POST' })
  const { headers } = await ask(`${replicas[0]!.url}/api/v1/me`, { token: 'sandbox-agency' })
  expect(headers.get('x-ratelimit-remaining')).toBe('59')
  await expectTruth(replicas, world)
})
