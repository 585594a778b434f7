import { request } from 'node:http'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { control, readLog, startCluster } from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import type { Redis } from './support/redis.js'
import { startHostingProxy } from './support/hosting-proxy.ts'
import type { Invited } from './support/partners.ts'
import type { HostingProxy } from './support/hosting-proxy.ts'
import { ask } from './support/replica.ts'
import type { Message, Replica } from './support/replica.ts'
import { startLoad } from './support/load.ts'

/** docs/hosting/haproxy.cfg, as it is, in front of two servers. */

const KEY = 'a-key-of-sixteen-letters'

interface Hosting extends AsyncDisposable {
  proxy: HostingProxy
  replicas: Replica[]
  redis: Redis
}

async function startHosting(): Promise<Hosting> {
  const cluster: Cluster = await startCluster({
    args: ['--trust-proxy', '1'],
    env: { SEO_SANDBOX_ADMIN_KEY: KEY },
  })
  const { redis, replicas, haproxy } = cluster
  // A server that stops waits for the proxy that asks it.
  await haproxy.stop()
  const proxy = await startHostingProxy(replicas.map(({ port }) => port))
  return {
    proxy,
    replicas,
    redis,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

async function createWorlds({ proxy }: Hosting, count: number): Promise<StoredWorld[]> {
  const created = Array.from({ length: count }, () =>
    proxy.ask(`${proxy.url}/_sandbox/worlds`, {
      token: KEY,
      body: { generate: { projects: 1 } },
    }),
  )
  return (await Promise.all(created)).map(({ body }) => body as StoredWorld)
}

async function invitePartners({ proxy }: Hosting, count: number): Promise<Invited[]> {
  const invited = Array.from({ length: count }, (_, at) =>
    proxy.ask(`${proxy.url}/_sandbox/partners`, {
      token: KEY,
      body: { name: `Partner ${at}`, generate: { projects: 1 } },
    }),
  )
  return (await Promise.all(invited)).map(({ body }) => body as Invited)
}

function tokenOf({ tokens }: StoredWorld): string {
  return tokens['sandbox-unlimited']!
}

/** The link to the page of a report. */
async function findPage(proxy: HostingProxy, sent: Message): Promise<string> {
  const { body } = await proxy.ask(`${proxy.url}/api/v1/projects/1001/reports`, sent)
  const links: (string | null)[] = body.data.map(({ web_link: link }: any) => link)
  return links.find((link) => link !== null)!
}

/** How many worlds each server holds. */
function countHeld({ replicas }: Hosting): Promise<number[]> {
  return Promise.all(
    replicas.map(async ({ url }) => (await ask(`${url}/_sandbox/health`)).body.worlds),
  )
}

test('TLS ends there: links are https, whatever a client says of it, and lead to pages', async () => {
  await using hosting = await startHosting()
  const { proxy } = hosting
  const [world] = await createWorlds(hosting, 1)
  const headers = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'elsewhere.example' }
  const sent = { token: tokenOf(world!), headers }
  const link = await findPage(proxy, sent)
  expect(link).toMatch(new RegExp(`^${proxy.url}/reports/${world!.id}/`))
  expect((await proxy.ask(link)).status).toBe(200)

  const sentPlainly = request(`${proxy.insecureUrl}/api/v1/me`).end()
  const [{ statusCode, headers: answered }] = await once(sentPlainly, 'response')
  expect([statusCode, answered.location]).toEqual([
    308,
    `https://${proxy.insecureUrl.slice('http://'.length)}/api/v1/me`,
  ])
})

test('allow-lists of tokens check the address of the client, not one that it names', async () => {
  await using hosting = await startHosting()
  const { proxy } = hosting
  const [world] = await createWorlds(hosting, 1)
  const { body: tokens } = await proxy.ask(proxy.url + control(world!, '/records/tokens'), {
    token: KEY,
  })
  for (const { id } of tokens) {
    const url = proxy.url + control(world!, `/records/tokens/${id}`)
    const body = { allowed_ips: ['127.0.0.1'] }
    expect((await proxy.ask(url, { method: 'PATCH', token: KEY, body })).status).toBe(200)
  }
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  const answered = await proxy.ask(`${proxy.url}/api/v1/me`, { token: tokenOf(world!), headers })
  expect(answered.status).toBe(200)
})

test('the log has no headers of the proxy and no cookies, and all servers show the same headers', async () => {
  await using hosting = await startHosting()
  const { proxy, replicas, redis } = hosting
  const [world] = await createWorlds(hosting, 1)
  const headers = {
    'User-Agent': 'client/1.0',
    Accept: 'application/json',
    Origin: 'https://app.example',
    Cookie: 'session=of-another-program',
    'Sec-Fetch-Mode': 'cors',
    'X-Api-Key': 'of-another-program',
  }
  await proxy.ask(`${proxy.url}/api/v1/me`, { token: tokenOf(world!), headers })
  const entries = JSON.stringify(await readLog(redis, world!))
  expect(entries).toContain('client/1.0')
  expect(entries).not.toMatch(/of-another-program|x-forwarded|x-request-id|sec-fetch|connection/i)

  const shown = await Promise.all(
    replicas.map(async ({ url }) => {
      const detail = await ask(url + control(world!, '/requests/1'), { token: KEY })
      const archive = await ask(url + control(world!, '/requests.har'), { token: KEY })
      expect(archive.body.log.entries[0].request.headers).toEqual(detail.body.request_headers)
      return detail.body
    }),
  )
  expect(shown[0]).toEqual(shown[1])
  expect(shown[0]).toMatchObject({ client_ip: '127.0.0.1', origin: proxy.url, omitted_headers: 0 })
  const pairs = shown[0].request_headers.map(({ name, value }: any) => [name.toLowerCase(), value])
  expect(Object.fromEntries(pairs)).toEqual({
    host: proxy.url.slice('https://'.length),
    'user-agent': 'client/1.0',
    accept: 'application/json',
    origin: 'https://app.example',
    authorization: expect.stringMatching(/^Bearer \[token \d+\]$/),
  })
})

test('all that is asked of a world goes to one server, and worlds are spread over all', async () => {
  await using hosting = await startHosting()
  const { proxy } = hosting
  const partners = await invitePartners(hosting, 12)
  const worlds = [...(await createWorlds(hosting, 12)), ...partners]
  const before = await countHeld(hosting)
  for (const { key } of partners) {
    // It names its world, as a token does.
    const clock = await proxy.ask(`${proxy.url}/_sandbox/clock`, { token: key })
    expect(clock.status).toBe(200)
  }
  for (const world of worlds) {
    for (const value of Object.values(world.tokens)) {
      await proxy.ask(`${proxy.url}/api/v1/me`, { token: value })
    }
    const link = await findPage(proxy, { token: tokenOf(world) })
    expect((await proxy.ask(link)).status).toBe(200)
    const clock = await proxy.ask(proxy.url + control(world, '/clock'), { token: KEY })
    expect(clock.status).toBe(200)
  }
  const held = (await countHeld(hosting)).map((count, at) => count - before[at]!)
  expect(Math.min(...held)).toBeGreaterThan(0)
  expect(held[0]! + held[1]!).toBe(worlds.length)
})

test('requests to a server that is killed go on to another, each of them once', async () => {
  await using hosting = await startHosting()
  const { proxy, replicas } = hosting
  const worlds = await createWorlds(hosting, 6)
  const askAll = async () => {
    for (const world of worlds) {
      const { status } = await proxy.ask(`${proxy.url}/api/v1/me`, { token: tokenOf(world) })
      expect(status).toBe(200)
    }
  }
  await askAll()
  await replicas[0]!.kill()
  await askAll()
  await replicas[0]!.start()
  await replicas[1]!.kill()
  await askAll()
  for (const { id } of worlds) {
    const listed = await ask(`${replicas[0]!.url}/_sandbox/requests?world=${id}`, { token: KEY })
    expect(listed.body).toHaveLength(3)
  }
})

test.for([{ kind: 'status', status: 503 }, { kind: 'reset' }, { kind: 'truncated-body' }])(
  'the fault $kind reaches the client, and is not tried on another server',
  async (fault) => {
    await using hosting = await startHosting()
    const { proxy } = hosting
    const [world] = await createWorlds(hosting, 1)
    const url = proxy.url + control(world!, '/faults')
    expect((await proxy.ask(url, { token: KEY, body: fault })).status).toBe(201)
    const answered = await proxy
      .ask(`${proxy.url}/api/v1/me`, { token: tokenOf(world!) })
      .catch((error: NodeJS.ErrnoException) => error.code)
    if ('status' in fault) expect(answered).toMatchObject({ status: fault.status })
    else expect(answered).toBe('ECONNRESET')
    const { body } = await proxy.ask(proxy.url + control(world!, '/requests'), { token: KEY })
    expect(body).toHaveLength(1)
  },
)

test('no request is lost while one server after the other is stopped and started again', async () => {
  await using hosting = await startHosting()
  const { proxy, replicas } = hosting
  const worlds = await createWorlds(hosting, 12)
  const loads = worlds.map((world) =>
    startLoad([proxy], tokenOf(world), { atOnce: 1, ask: proxy.tryToAsk }),
  )
  const progress = async () => {
    const counts = loads.map(({ acknowledged }) => acknowledged.size)
    for (const [at, { acknowledged }] of loads.entries()) {
      await expect.poll(() => acknowledged.size).toBeGreaterThan(counts[at]! + 20)
    }
  }
  await progress()
  for (const replica of replicas) {
    expect(await replica.stop()).toBe(0)
    await progress()
    await replica.start()
    await expect
      .poll(async () => (await ask(`${replica.url}/_sandbox/health`)).body.worlds)
      .toBeGreaterThan(1)
    await progress()
  }
  for (const load of loads) {
    await load.end()
    expect([...load.refused]).toEqual([])
  }
})
