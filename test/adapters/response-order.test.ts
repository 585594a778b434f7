import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { REQUESTS_PER_TURN } from '../../src/adapters/response-order.ts'
import { createSandbox } from '../../src/index.ts'
import { middleware, startServer } from '../../src/server.ts'
import { serve } from '../support/transports.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

/** Requests that a connection sends in one write, and the number of them that are answered in a turn of the event loop. */

const MANY = REQUESTS_PER_TURN * 10 + 3

function get(target: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${AGENCY}\r\n\r\n`
}

/** Requests for the projects 1, 2, 3, …, most of which do not exist. */
function projects(count: number): string {
  return Array.from({ length: count }, (_, index) => get(`/api/v1/projects/${index + 1}`)).join('')
}

async function openSandbox() {
  return createSandbox({ fixtures: aWorld(), rateLimit: 'unlimited' })
}

/** A connection, and the text that it has received. */
async function open(port: number) {
  const socket = await new Promise<Socket>((resolve) => {
    const opened = connect(port, '127.0.0.1', () => resolve(opened))
  })
  let received = ''
  let notice = () => {}
  const change = () => notice()
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    change()
  })
  socket.on('close', change)
  socket.on('error', change)
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  return {
    socket,
    statuses,
    text: () => received,
    /** Resolves when so many responses have begun, or the connection is closed. */
    responses: (count: number) =>
      new Promise<void>((resolve) => {
        notice = () => {
          if (statuses().length >= count || socket.closed) resolve()
        }
        notice()
      }),
  }
}

/** Counts the turns of the event loop, until it is stopped. */
function countTurns() {
  let turn = 0
  let isStopped = false
  const next = () => {
    turn += 1
    if (!isStopped) setImmediate(next)
  }
  setImmediate(next)
  return {
    now: () => turn,
    [Symbol.dispose]: () => {
      isStopped = true
    },
  }
}

test('many requests in one write are answered in order, a few in each turn', async () => {
  using turns = countTurns()
  const answered: { path: string; turn: number }[] = []
  const onResponse = ({ path }: { path: string }) => answered.push({ path, turn: turns.now() })
  await using server = await serve(middleware(await openSandbox(), { onResponse }))
  const client = await open(server.port)
  client.socket.write(projects(MANY))
  await client.responses(MANY)
  const paths = Array.from({ length: MANY }, (_, index) => `/api/v1/projects/${index + 1}`)
  expect(answered.map(({ path }) => path)).toEqual(paths)
  expect(client.statuses()[0]).toBe('200')
  const inTurns = new Map<number, number>()
  for (const { turn } of answered) inTurns.set(turn, (inTurns.get(turn) ?? 0) + 1)
  expect(Math.max(...inTurns.values())).toBe(REQUESTS_PER_TURN)
})

test('another client is answered in between', async () => {
  const order: string[] = []
  let other: Awaited<ReturnType<typeof open>> | undefined
  const onResponse = ({ path }: { path: string }) => {
    // Sent while the first requests are answered.
    if (order.length === 0) other?.socket.write(get('/api/v1/me'))
    order.push(path)
  }
  await using server = await serve(middleware(await openSandbox(), { onResponse }))
  other = await open(server.port)
  const client = await open(server.port)
  client.socket.write(projects(MANY))
  await client.responses(MANY)
  expect(order).toHaveLength(MANY + 1)
  expect(order.indexOf('/api/v1/me')).toBeLessThan(MANY / 2)
})

test('no more is read from a client than waits', async () => {
  const count = 1500
  let [arrived, answered, most] = [0, 0, 0]
  const onResponse = () => {
    answered += 1
    most = Math.max(most, arrived - answered)
  }
  const handle = middleware(await openSandbox(), { onResponse })
  await using server = await serve((request, response) => {
    arrived += 1
    handle(request, response)
  })
  const client = await open(server.port)
  client.socket.write(projects(count))
  await client.responses(count)
  expect(answered).toBe(count)
  // Node reads 64 KB at a time.
  expect(most).toBeLessThanOrEqual(65_536 / projects(1).length)
})

test('a control request waits for the requests ahead of it', async () => {
  const server = await startServer({ port: 0, fixtures: aWorld(), rateLimit: 'unlimited' })
  const client = await open(server.port)
  client.socket.write(`${projects(MANY)}${get('/_sandbox/requests?limit=1')}`)
  await client.responses(MANY + 1)
  await server.close()
  expect(client.text()).toContain(`"/api/v1/projects/${MANY}"`)
})

test('a page of the application keeps its place', async () => {
  const order: string[] = []
  const handle = middleware(await openSandbox(), { onResponse: ({ path }) => order.push(path) })
  await using server = await serve((request, response) =>
    handle(request, response, () => {
      order.push('own page')
      response.end()
    }),
  )
  const client = await open(server.port)
  client.socket.write(`${projects(MANY)}${get('/own')}`)
  await client.responses(MANY + 1)
  expect(order.indexOf('own page')).toBe(MANY)
})

test('what a closed connection waited with is not answered', async () => {
  let answered = 0
  const server = createServer()
  const handle = middleware(await openSandbox(), {
    onResponse: () => {
      answered += 1
      if (answered === REQUESTS_PER_TURN * 2) server.closeAllConnections()
    },
  })
  server.on('request', (request, response) => handle(request, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const client = await open((server.address() as AddressInfo).port)
  client.socket.write(projects(MANY))
  await client.responses(MANY)
  await new Promise((resolve) => {
    server.close(resolve)
  })
  expect(answered).toBe(REQUESTS_PER_TURN * 2)
})

test.each([1, MANY])(
  'clients that end their side after %i requests get all responses',
  async (count) => {
    const server = await startServer({ port: 0, fixtures: aWorld(), rateLimit: 'unlimited' })
    const clients = await Promise.all(Array.from({ length: 16 }, () => open(server.port)))
    for (const { socket } of clients) socket.end(projects(count))
    await Promise.all(clients.map(({ responses }) => responses(Infinity)))
    await server.close()
    expect(clients.map(({ statuses }) => statuses().length)).toEqual(clients.map(() => count))
  },
)

test.each([1, MANY])(
  'what is not HTTP is refused after the responses to %i requests ahead of it',
  async (count) => {
    const server = await startServer({ port: 0, fixtures: aWorld(), rateLimit: 'unlimited' })
    const client = await open(server.port)
    client.socket.write(`${projects(count)}what is not HTTP\r\n\r\n`)
    await client.responses(Infinity)
    await server.close()
    const statuses = client.statuses()
    expect([statuses.length, statuses[0], statuses.at(-1)]).toEqual([count + 1, '200', '400'])
  },
)
