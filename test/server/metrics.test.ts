import { expect, test } from 'vitest'
import { startServer } from '../../src/server.ts'
import type { SandboxServer, ServerOptions } from '../../src/server.ts'

/** GET `/_sandbox/metrics`: metrics for operators, in the text format of Prometheus. */

const KEY = 'a-key-of-sixteen-letters'
const TOKEN = { authorization: 'Bearer sandbox-unlimited' }

async function start(options: ServerOptions = {}): Promise<SandboxServer & AsyncDisposable> {
  const server = await startServer({ port: 0, metrics: true, ...options })
  return { ...server, [Symbol.asyncDispose]: server.close }
}

async function read(url: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${url}/_sandbox/metrics`, { headers })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return response.text()
}

/** The value of a sample; undefined if there is none. */
function valueOf(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
  return line === undefined ? undefined : Number(line.slice(sample.length))
}

test.for<[path: string, route: string, status: number]>([
  ['/api/v1/me', '/api/v1/me', 200],
  ['/api/v1/projects/101?n=1', '/api/v1/projects/{project}', 200],
  ['/api/v1/projects/102', '/api/v1/projects/{project}', 200],
  ['/api/v1/projects/none/reports/', '/api/v1/projects/{project}/reports', 404],
  ['/api/v1/nothing', 'other', 404],
  ['/nothing', 'other', 404],
  ['/_sandbox/clock?world=default', '/_sandbox/clock', 200],
  ['/_sandbox/records/projects/101', '/_sandbox/records/:collection/:id', 200],
  ['/_sandbox/nothing', '/_sandbox', 404],
  ['/reports/default/1-AAAAAAAAAAAAAAAAAAAAAA', '/reports', 404],
  ['/openapi.json', '/openapi.json', 200],
])('%s is counted as %s', async ([path, route, status]) => {
  await using server = await start()
  const response = await fetch(server.url + path, { headers: TOKEN })
  expect(response.status).toBe(status)
  await response.arrayBuffer()
  const sample = `seo_sandbox_requests_total{route="${route}",status="${status}"}`
  await expect.poll(async () => valueOf(await read(server.url), sample)).toBe(1)
  const seconds = `seo_sandbox_response_seconds_count{route="${route}"}`
  expect(valueOf(await read(server.url), seconds)).toBe(1)
})

test('paths, tokens and worlds of clients add no series', async () => {
  await using server = await start()
  const ask = (path: string) => fetch(server.url + path, { headers: TOKEN })
  const paths = (n: number) => [`/api/v1/${n}`, `/api/v1/projects/${n}`, `/_sandbox/${n}`, `/${n}`]
  for (const path of paths(1)) await ask(path)
  const count = (text: string) =>
    text.split('\n').filter((line) => line.startsWith('seo_sandbox_')).length
  await read(server.url)
  await expect.poll(async () => await read(server.url)).toContain('route="/_sandbox"')
  const before = count(await read(server.url))
  for (let n = 2; n < 20; n += 1) for (const path of paths(n)) await ask(path)
  const after = await read(server.url)
  expect(count(after)).toBe(before)
  expect(after).not.toContain('sandbox-unlimited')
})

test('worlds in memory', async () => {
  await using server = await start()
  expect(valueOf(await read(server.url), 'seo_sandbox_worlds')).toBe(1)
  await fetch(`${server.url}/_sandbox/worlds`, { method: 'POST', body: '{}' })
  const after = await read(server.url)
  expect(valueOf(after, 'seo_sandbox_worlds')).toBe(2)
  expect(valueOf(after, 'process_resident_memory_bytes')).toBeGreaterThan(0)
  expect(after).not.toContain('seo_sandbox_store')
})

test('a request is counted when it is answered, not after the delay of a fault', async () => {
  await using server = await start({ latency: 600_000 })
  const leaving = new AbortController()
  const delayed = fetch(`${server.url}/api/v1/me`, { headers: TOKEN, signal: leaving.signal })
  const seconds = 'seo_sandbox_response_seconds_count{route="/api/v1/me"}'
  await expect.poll(async () => valueOf(await read(server.url), seconds)).toBe(1)
  leaving.abort()
  await expect(delayed).rejects.toThrow('aborted')
})

test('the admin key is needed, where there is one', async () => {
  await using server = await start({ adminKey: KEY })
  const { status } = await fetch(`${server.url}/_sandbox/metrics`)
  expect(status).toBe(401)
  await read(server.url, { authorization: `Bearer ${KEY}` })
})

test('where they are off, the route says what to install and to set', async () => {
  await using server = await start({ metrics: false })
  const response = await fetch(`${server.url}/_sandbox/metrics`)
  expect(response.status).toBe(404)
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  expect(error.code).toBe('metrics_off')
  expect(error.message).toMatch(/npm install prom-client.*--metrics/)
})

test('they are refused together with a control API that is off', async () => {
  await expect(start({ control: false })).rejects.toThrow(/--metrics.*--no-control/)
})
