import { execFile } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { ServerResponse } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestTls } from 'node:https'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { control, logKey, readLog, startCluster } from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import type { Redis } from './support/redis.js'
import { startHostingProxy } from './support/hosting-proxy.ts'
import type { Invited } from './support/partners.ts'
import type { HostingProxy } from './support/hosting-proxy.ts'
import type { HostingOptions } from './support/hosting-haproxy.js'
import { ask } from './support/replica.ts'
import type { Answer, Message, Replica } from './support/replica.ts'
import { startLoad } from './support/load.ts'
import { fromRoot } from '../support/cli.ts'
import { freePort } from '../support/free-port.js'

/** docs/hosting/haproxy.cfg, unchanged, in front of two servers. */

const KEY = 'a-key-of-sixteen-letters'

const HSTS = 'strict-transport-security'

interface Hosting extends AsyncDisposable {
  proxy: HostingProxy
  replicas: Replica[]
  redis: Redis
}

async function startHosting(options?: HostingOptions): Promise<Hosting> {
  const cluster: Cluster = await startCluster({
    args: ['--trust-proxy', '1'],
    env: { SEO_SANDBOX_ADMIN_KEY: KEY },
  })
  const { redis, replicas } = cluster
  const proxy = await startHostingProxy(
    replicas.map(({ port }) => port),
    options,
  )
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

/** Finds the link to the page of a report. */
async function findPage(proxy: HostingProxy, sent: Message): Promise<string> {
  const { body } = await proxy.ask(`${proxy.url}/api/v1/projects/1001/reports`, sent)
  const links: (string | null)[] = body.data.map(({ web_link: link }: any) => link)
  return links.find((link) => link !== null)!
}

/** Counts the worlds that each server holds. */
function countHeld({ replicas }: Hosting): Promise<number[]> {
  return Promise.all(
    replicas.map(async ({ url }) => (await ask(`${url}/_sandbox/health`)).body.worlds),
  )
}

describe('while a server runs', () => {
  let hosting: Hosting
  beforeAll(async () => {
    hosting = await startHosting()
  })
  afterAll(() => hosting[Symbol.asyncDispose]())

  test(
    'TLS ends there: links are https, whatever a client says of it, and lead to pages',
    { tags: ['core'] },
    async () => {
      const { proxy } = hosting
      const [world] = await createWorlds(hosting, 1)
      const headers = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'elsewhere.example' }
      const sent = { token: tokenOf(world!), headers }
      const link = await findPage(proxy, sent)
      expect(link).toMatch(new RegExp(`^${proxy.url}/reports/${world!.id}/`))
      const page = await proxy.ask(link)
      expect([page.status, page.headers.get(HSTS)]).toEqual([200, 'max-age=31536000'])

      const sentPlainly = request(`${proxy.insecureUrl}/api/v1/me`).end()
      const [{ statusCode, headers: answered }] = await once(sentPlainly, 'response')
      expect([statusCode, answered[HSTS], answered.location]).toEqual([
        308,
        undefined,
        `https://${proxy.insecureUrl.slice('http://'.length)}/api/v1/me`,
      ])
    },
  )

  test('allow-lists of tokens check the address of the client, not one that it names', async () => {
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

  test(
    'the log has no headers of the proxy and no cookies, and all servers show the same headers',
    { tags: ['core'] },
    async () => {
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
      expect(entries).not.toMatch(
        /of-another-program|x-forwarded|x-request-id|sec-fetch|connection/i,
      )

      const shown = await Promise.all(
        replicas.map(async ({ url }) => {
          const detail = await ask(url + control(world!, '/requests/1'), { token: KEY })
          const archive = await ask(url + control(world!, '/requests.har'), { token: KEY })
          expect(archive.body.log.entries[0].request.headers).toEqual(detail.body.request_headers)
          return detail.body
        }),
      )
      expect(shown[0]).toEqual(shown[1])
      expect(shown[0]).toMatchObject({
        client_ip: '127.0.0.1',
        origin: proxy.url,
        omitted_headers: 0,
      })
      const pairs = shown[0].request_headers.map(({ name, value }: any) => [
        name.toLowerCase(),
        value,
      ])
      expect(Object.fromEntries(pairs)).toEqual({
        host: proxy.url.slice('https://'.length),
        'user-agent': 'client/1.0',
        accept: 'application/json',
        origin: 'https://app.example',
        authorization: expect.stringMatching(/^Bearer \[token \d+\]$/),
      })
    },
  )

  test('all that is asked of a world goes to one server, and worlds are spread over all', async () => {
    const { proxy } = hosting
    const partners = await invitePartners(hosting, 12)
    const worlds = [...(await createWorlds(hosting, 12)), ...partners]
    const before = await countHeld(hosting)
    for (const { key } of partners) {
      // The key names its world, as a token does.
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

  test.for([{ kind: 'status', status: 503 }, { kind: 'reset' }, { kind: 'truncated-body' }])(
    'the fault $kind reaches the client, and is not tried on another server',
    async (fault) => {
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

  test('the check in the guide to ten partners proves that the default world is closed', async () => {
    const { proxy, redis } = hosting
    const guide = await readFile(fromRoot('docs/hosting/README.md'), 'utf8')
    const [, check = ''] = /```sh\n(curl .*http_code.*)\n```/.exec(guide) ?? []
    const line = check.replace('https://seo.example.com', proxy.url)
    const env = { ...process.env, CURL_CA_BUNDLE: proxy.caFile }
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { env })
    expect(stdout).toBe('401\n')
    expect(await redis.command('XLEN', logKey({ id: 'default' }))).toBe(0)
  })

  test(
    'requests to a server that is killed go on to another, each of them once',
    { tags: ['core'] },
    async () => {
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
      // The proxy may have noticed that the server was gone, and must have noticed its return.
      const count = (change: string) =>
        proxy.notices.filter((line) => line.includes(`Server replicas/replica-1 is ${change}`))
          .length
      await expect.poll(() => count('UP') - count('DOWN')).toBe(0)
      await replicas[1]!.kill()
      await askAll()
      for (const { id } of worlds) {
        const listed = await ask(`${replicas[0]!.url}/_sandbox/requests?world=${id}`, {
          token: KEY,
        })
        expect(listed.body).toHaveLength(3)
      }
      await replicas[1]!.start()
    },
  )
})

test('no request is lost while one server after the other is stopped and started again', async () => {
  await using hosting = await startHosting({ requestsPerAddress: 1_000_000 })
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

/** Expects a refusal of the host with this status, and the header that names the limiting part. */
function expectRefusal(answer: Answer, status: number, limitedBy: string): void {
  expect([answer.status, answer.headers.get('x-sandbox-limited')]).toEqual([status, limitedBy])
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(answer.headers.get(HSTS)).not.toBeNull()
  expect(answer.body.message).toMatch(/\.$/)
}

test('while no server has the store, each says so itself, and health and the console answer', async () => {
  await using hosting = await startHosting()
  const { proxy, redis } = hosting
  const [world] = await createWorlds(hosting, 1)
  await redis.kill()
  await expect
    .poll(() => proxy.notices.join('\n'))
    .toContain("backend 'replicas' has no server available")
  const askAll = () =>
    Promise.all(
      ['/api/v1/me', '/_sandbox/ready', '/_sandbox/health', '/'].map((path) =>
        proxy.ask(proxy.url + path, { token: tokenOf(world!), headers: { accept: 'text/html' } }),
      ),
    )
  const [api, ready, health, page] = await askAll()
  expectRefusal(api!, 503, 'store')
  expect([ready!.status, ready!.body]).toEqual([503, { ready: false }])
  expect([health!.status, health!.body.status]).toEqual([200, 'degraded'])
  expect([page!.status, page!.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/html/),
  ])

  await redis.start()
  await expect
    .poll(async () => (await askAll()).map(({ status }) => status))
    .toEqual([200, 200, 200, 200])
})

test('where no server lives, the proxy answers as they do', async () => {
  await using proxy = await startHostingProxy([await freePort(), await freePort()])
  expectRefusal(await proxy.ask(`${proxy.url}/api/v1/me`), 503, 'host')
  await expect
    .poll(() => proxy.notices.join('\n'))
    .toContain("backend 'without-store' has no server")
  expectRefusal(await proxy.ask(`${proxy.url}/_sandbox/health`), 503, 'host')
})

/** Starts a server with a single path, which is never answered. */
async function startSilent() {
  const waiting = new Set<ServerResponse>()
  const server = createServer((message, response) => {
    if (message.url !== '/silent') message.resume().once('end', () => response.end('{}'))
    else waiting.add(response.once('close', () => waiting.delete(response)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    waiting,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}

test('an address that sends too many requests gets a 429 for each, and no connection of it is dropped', async () => {
  await using silent = await startSilent()
  const options = { requestsPerAddress: 40 }
  await using proxy = await startHostingProxy([silent.port, silent.port], options)
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, at) =>
      proxy.ask(`${proxy.url}/api/v1/me`, {
        headers: { 'x-forwarded-for': `203.0.113.${at}` },
        ...(at % 2 === 0 && { body: 'x'.repeat(10_000) }),
      }),
    ),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(80)
  for (const answer of refused) expectRefusal(answer, 429, 'host')
  // The proxy waits for a body that is still on its way.
  const ca = await readFile(proxy.caFile)
  const slow = requestTls(`${proxy.url}/api/v1/me`, { method: 'POST', ca })
  slow.write('x')
  const [socket] = await once(slow, 'socket')
  await once(socket, 'secureConnect')
  expect((await proxy.ask(`${proxy.url}/api/v1/me`)).status).toBe(429)
  slow.end('x')
  const [{ statusCode }] = await once(slow, 'response')
  expect(statusCode).toBe(429)
  // A body that does not fit into the proxy is not cut off.
  const large = await proxy.ask(`${proxy.url}/api/v1/me`, { body: 'x'.repeat(4_000_000) })
  expect(large.status).toBe(200)
})

test('of the connections of an address 300 are served, 50 more are told so, and none beyond is accepted', async () => {
  await using silent = await startSilent()
  await using proxy = await startHostingProxy([silent.port, silent.port])
  const ca = await readFile(proxy.caFile)
  const localAddress = '127.0.0.2'
  const open = (): Promise<number | undefined> =>
    new Promise((resolve) => {
      requestTls(`${proxy.url}/silent`, { ca, localAddress, agent: false })
        .on('response', ({ statusCode }) => resolve(statusCode))
        .on('error', () => resolve(undefined))
        .end()
    })
  for (let count = 0; count < 300; count += 1) void open()
  await expect.poll(() => silent.waiting.size).toBe(300)
  const port = Number(new URL(proxy.url).port)
  const idle = Array.from({ length: 60 }, () =>
    connect({ port, localAddress }).on('error', () => {}),
  )
  await expect.poll(() => idle.filter(({ destroyed }) => destroyed).length).toBe(10)
  expect(await open()).toBeUndefined()
  for (const socket of idle) socket.destroy()
  await expect.poll(open).toBe(429)
  expect((await proxy.ask(`${proxy.url}/api/v1/me`)).status).toBe(200)
})

test('an address has a thousand requests in progress, and one that it gives up is given up at its server', async () => {
  await using silent = await startSilent()
  await using proxy = await startHostingProxy([silent.port, silent.port])
  const ca = await readFile(proxy.caFile)
  const sessions = Array.from({ length: 11 }, () => connectHttp2(proxy.url, { ca }))
  const statuses: unknown[] = []
  for (const session of sessions) {
    for (let count = 0; count < 100; count += 1) {
      session
        .request({ ':path': '/silent' })
        .on('response', (headers) => statuses.push(headers[':status']))
        .on('error', () => {})
    }
  }
  await expect.poll(() => statuses).toEqual(Array.from({ length: 100 }, () => 429))
  await expect.poll(() => silent.waiting.size).toBe(1000)
  for (const session of sessions) session.destroy()
  await expect.poll(() => silent.waiting.size).toBe(0)
})
