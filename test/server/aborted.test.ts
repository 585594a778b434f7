import { createServer as createHttp1 } from 'node:http'
import type { Server } from 'node:http'
import { createServer as createHttp2, connect as connectHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { onTestFinished, describe, expect, test } from 'vitest'
import { middleware } from '../../src/server/middleware.ts'
import type { FaultInput, Sandbox } from '../../src/index.ts'
import { createSandbox } from '../../src/index.ts'
import type { RecordedRequest } from '../../src/journal/recorded-request.ts'
import { MSWS } from '../support/msw.ts'
import { aProject, aWorld, AGENCY } from '../support/worlds.ts'

/** Arrival of a response, as far as a server sees it: its last byte went to the kernel before the client closed. */

const headers = { authorization: `Bearer ${AGENCY}` }
const TEN_MINUTES = 600_000
const LATE: FaultInput = { kind: 'latency', ms: TEN_MINUTES, schedule: { first: 1 } }
const BASE = 'http://seo.example.com'

/** A world whose list of projects has 100 kB. */
const LARGE = aWorld({
  projects: Array.from({ length: 100 }, (_, index) =>
    aProject({ id: index + 1, name: `Project ${index} ${'x'.repeat(200)}` }),
  ),
})

/** A sandbox, and the ends of its responses. */
async function aSandbox(fixtures = aWorld(), faults: FaultInput[] = []) {
  const sandbox = await createSandbox({ fixtures, rateLimit: 'unlimited' })
  for (const fault of faults) await sandbox.faults.add(fault)
  const ends: RecordedRequest[] = []
  const waiting: [count: number, resolve: () => void][] = []
  sandbox.world.subscribe({
    onResponseEnd: (request) => {
      ends.push(request.copy())
      for (const [count, resolve] of waiting) if (ends.length >= count) resolve()
    },
  })
  const detailOf = (sequence: number) => sandbox.world.journal.detail(sequence)
  const lastDetail = () => detailOf(sandbox.world.journal.sequence)
  /** The `aborted` of each request, in order, once `count` responses have ended. */
  const aborted = async (count: number) => {
    if (ends.length < count) await new Promise<void>((resolve) => waiting.push([count, resolve]))
    return ends
      .toSorted((one, other) => one.sequence - other.sequence)
      .map(({ sequence }) => detailOf(sequence)?.aborted)
  }
  return { sandbox, aborted, lastDetail }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

/** Sends requests on one connection, which is closed when `close` is called, or the test ends. */
async function sendTogether(port: number, paths: readonly string[]) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(
    paths
      .map(
        (path) =>
          `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.authorization}\r\n\r\n`,
      )
      .join(''),
  )
  return socket
}

/** Resolves when the world has recorded so many requests. */
function recorded(sandbox: Sandbox, count: number): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if ([...sandbox.requests].length >= count) resolve()
    }
    sandbox.world.subscribe({ onRequest: check })
    check()
  })
}

describe('over HTTP', () => {
  test('a client that takes its response and closes has got it', async () => {
    const { sandbox, aborted, lastDetail } = await aSandbox()
    const port = await listen(createHttp1(middleware(sandbox)))
    for (const path of ['/api/v1/me', '/api/v1/projects/999']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { ...headers, connection: 'close' },
      })
      await response.text()
    }
    expect(await aborted(2)).toEqual([false, false])
    expect(lastDetail()?.sent_at).not.toBeNull()
  })

  test.each<[string, FaultInput]>([
    ['is delayed', LATE],
    ['has a slow body', { kind: 'slow-body', ms: TEN_MINUTES, schedule: { first: 1 } }],
  ])('a client that closes while its response %s has not', async (_, fault) => {
    const { sandbox, aborted, lastDetail } = await aSandbox(aWorld(), [fault])
    const socket = await sendTogether(await listen(createHttp1(middleware(sandbox))), [
      '/api/v1/me',
    ])
    await recorded(sandbox, 1)
    expect(lastDetail()).toMatchObject({ aborted: false, sent_at: null })
    socket.destroy()
    expect(await aborted(1)).toEqual([true])
    expect(lastDetail()).toMatchObject({ status: 200, sent_at: null })
    expect(sandbox.review().verdict).toBe('nothing-read')
  })

  test('nor has it what waits for that on the same connection', async () => {
    const { sandbox, aborted } = await aSandbox(aWorld(), [LATE])
    const paths = ['/api/v1/me', '/api/v1/projects', '/api/v1/projects/999']
    const socket = await sendTogether(await listen(createHttp1(middleware(sandbox))), paths)
    await recorded(sandbox, 3)
    socket.destroy()
    expect(await aborted(3)).toEqual([true, true, true])
  })

  test('of large responses to a client that reads none it has got those that the kernel took', async () => {
    const { sandbox, aborted } = await aSandbox(LARGE)
    const paths = Array.from({ length: 200 }, () => '/api/v1/projects')
    const socket = await sendTogether(await listen(createHttp1(middleware(sandbox))), paths)
    await recorded(sandbox, 100)
    const { length: sent } = await aborted(1)
    socket.destroy()
    const { length } = [...sandbox.requests]
    const all = await aborted(length)
    expect(all.indexOf(true)).toBeGreaterThanOrEqual(sent)
    expect(all.slice(all.indexOf(true))).not.toContain(false)
  })
})

test('over HTTP/2 a stream that its client closes is aborted, and others are sent', async () => {
  const { sandbox, aborted } = await aSandbox(aWorld(), [LATE])
  const server = createHttp2(middleware(sandbox) as never)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  const late = session.request({ ':path': '/api/v1/me', ...headers })
  late.on('error', () => undefined)
  await recorded(sandbox, 1)
  const other = session.request({ ':path': '/api/v1/projects', ...headers })
  other.resume()
  await recorded(sandbox, 2)
  await aborted(1)
  late.close()
  expect(await aborted(2)).toEqual([true, false])
})

const IN_PROCESS = [
  {
    name: 'sandbox.fetch',
    open: (sandbox: Sandbox) => sandbox.fetch,
  },
  ...MSWS.map((msw) => ({
    name: msw.name,
    open: (sandbox: Sandbox) => {
      const server = msw.intercept(msw.handlers(sandbox, { baseUrl: BASE }))
      onTestFinished(() => server.close())
      return fetch
    },
  })),
]

describe.each(IN_PROCESS)('by $name', ({ open }) => {
  test('a request that its client aborts during a delay has got no response', async () => {
    const { sandbox, aborted } = await aSandbox(aWorld(), [LATE])
    const send = open(sandbox)
    const patience = new AbortController()
    const response = send(`${BASE}/api/v1/me`, { headers, signal: patience.signal })
    await recorded(sandbox, 1)
    patience.abort()
    await expect(response).rejects.toThrow()
    expect(await aborted(1)).toEqual([true])
    expect(sandbox.review().verdict).toBe('nothing-read')
  })

  test('nor has one that it aborts in the middle of a slow body', async () => {
    const fault: FaultInput = { kind: 'slow-body', ms: TEN_MINUTES, schedule: { first: 1 } }
    const { sandbox, aborted } = await aSandbox(aWorld(), [fault])
    const patience = new AbortController()
    const response = await open(sandbox)(`${BASE}/api/v1/me`, { headers, signal: patience.signal })
    const text = response.text()
    patience.abort()
    await expect(text).rejects.toThrow()
    expect(await aborted(1)).toEqual([true])
  })

  test.each<[string, FaultInput]>([
    ['delay', { kind: 'latency', ms: 5 }],
    ['slow body', { kind: 'slow-body', ms: 5 }],
  ])('one that waits for a %s has got it, and so it has after an abort', async (_, fault) => {
    const { sandbox, aborted } = await aSandbox(aWorld(), [fault])
    const patience = new AbortController()
    const response = await open(sandbox)(`${BASE}/api/v1/me`, { headers, signal: patience.signal })
    await response.text()
    patience.abort()
    expect(await aborted(1)).toEqual([false])
    expect(sandbox.review().verdict).toBe('passed')
  })
})
