import { connect } from 'node:net'
import express from 'express'
import type { ErrorRequestHandler } from 'express'
import { http, HttpResponse } from 'msw'
import { describe, expect, test, vi } from 'vitest'
import { REQUESTS_PER_TURN } from '../../src/adapters/response-order.ts'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { middleware, startServer } from '../../src/server.ts'
import { sendRaw, serve } from '../support/transports.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

/** A bug of the sandbox is answered over HTTP; it neither ends the process nor shows itself to the client. */

const headers = { authorization: `Bearer ${AGENCY}` }
const INTERNAL_ERROR = { message: expect.stringMatching(/^Internal error, [^]+\.$/) }

/** Lets a sandbox throw for every path that ends in `/bug`. */
function addBug(sandbox: Sandbox): Sandbox {
  const { world } = sandbox
  const handle = world.handle.bind(world)
  world.handle = (request) => {
    if (request.path.endsWith('/bug')) throw new Error('the bug')
    return handle(request)
  }
  return sandbox
}

/** Captures standard error until the end of a scope. */
function listen(): Disposable & { text: () => string } {
  const chunks: unknown[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    chunks.push(chunk)
    return true
  })
  return { text: () => chunks.join(''), [Symbol.dispose]: () => write.mockRestore() }
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${AGENCY}\r\n\r\n`
}

/** The statuses of the responses to requests that are sent in one write. */
function statusesOf(port: number, paths: readonly string[]): Promise<number[]> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(paths.map(get).join('')))
    socket.on('data', (chunk) => {
      text += chunk.toString()
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
      if (statuses.length === paths.length) {
        socket.destroy()
        resolve(statuses)
      }
    })
    socket.on('error', reject)
  })
}

describe('an error thrown by the API', () => {
  test.each(['GET', 'HEAD', 'POST'])(
    'is a 500 of startServer for %s, with the error on standard error alone',
    async (method) => {
      using printed = listen()
      const server = await startServer({ port: 0, fixtures: aWorld() })
      addBug(server.sandbox)
      const response = await sendRaw(server.port, { target: '/api/v1/bug', method, headers })
      const after = await sendRaw(server.port, { target: '/api/v1/me', headers })
      await server.close()
      expect([response.status, response.headers['content-type']]).toEqual([500, 'application/json'])
      expect(response.body).toEqual(method === 'HEAD' ? undefined : INTERNAL_ERROR)
      expect(printed.text()).toMatch(/^Error: the bug\n +at /)
      expect(after.status).toBe(200)
    },
  )

  test.each([1, 3, REQUESTS_PER_TURN, REQUESTS_PER_TURN * 3])(
    'keeps its place after %i requests of its connection, and those after it are answered',
    async (ahead) => {
      using printed = listen()
      const server = await startServer({ port: 0, fixtures: aWorld() })
      addBug(server.sandbox)
      const others = Array.from({ length: ahead }, () => '/api/v1/me')
      const statuses = await statusesOf(server.port, [...others, '/api/v1/bug', ...others])
      await server.close()
      const successes = others.map(() => 200)
      expect(statuses).toEqual([...successes, 500, ...successes])
      expect(printed.text().match(/the bug/g)).toHaveLength(1)
    },
  )

  test.each([0, REQUESTS_PER_TURN * 2])(
    'goes to next of an application, also after %i requests of its connection',
    async (ahead) => {
      using printed = listen()
      const app = express()
      app.use(middleware(addBug(await createSandbox({ fixtures: aWorld() }))))
      app.use(((error: Error, _request, response, _next) => {
        response.status(error.message === 'the bug' ? 599 : 500).end()
      }) as ErrorRequestHandler)
      await using server = await serve(app)
      const others = Array.from({ length: ahead }, () => '/api/v1/me')
      const statuses = await statusesOf(server.port, [...others, '/api/v1/bug'])
      expect(statuses).toEqual([...others.map(() => 200), 599])
      expect(printed.text()).toBe('')
    },
  )

  test('still reaches the caller of answer and fetch', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    sandbox.world.handle = () => {
      throw new Error('the bug')
    }
    await expect(sandbox.fetch('/api/v1/me', { headers })).rejects.toThrow('the bug')
  })
})

test.each([
  ['of the API', []],
  ['of a handler of the user', [http.get('*/api/v1/me', () => HttpResponse.json({}))]],
])('an error thrown by onResponse for a response %s is a 500', async (_, handlers) => {
  using printed = listen()
  const onResponse = () => {
    throw new Error('of the callback')
  }
  const server = await startServer({ port: 0, fixtures: aWorld(), onResponse, handlers })
  const { status, body } = await sendRaw(server.port, { target: '/api/v1/me', headers })
  await server.close()
  expect([status, body]).toEqual([500, INTERNAL_ERROR])
  expect(printed.text()).toMatch(/^Error: of the callback\n +at /)
})

test('an error is printed in at most 4 kB, however long its message is', async () => {
  using printed = listen()
  const server = await startServer({ port: 0, fixtures: aWorld() })
  server.sandbox.world.handle = () => {
    throw new Error('é'.repeat(1_000_000))
  }
  await sendRaw(server.port, { target: '/api/v1/me', headers })
  await server.close()
  expect(printed.text()).toMatch(/^Error: é+…\n$/)
  expect(Buffer.byteLength(printed.text())).toBeLessThan(4096)
})

test('an error of what observes a world is printed, and the request and the command are answered', async () => {
  using printed = listen()
  const server = await startServer({ port: 0, fixtures: aWorld() })
  const fail = () => {
    throw new Error('of an observer')
  }
  server.sandbox.world.subscribe({ onRequest: fail, onCommand: fail })
  server.sandbox.world.journal.subscribe(fail)
  const { status } = await sendRaw(server.port, { target: '/api/v1/me', headers })
  await server.sandbox.reset()
  await server.close()
  expect(status).toBe(200)
  expect(printed.text().match(/^Error: of an observer$/gm)).toHaveLength(4)
})

test('a command that cannot be listed changes nothing', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld() })
  const { redactor } = sandbox.world.secrets
  using _ = vi.spyOn(redactor, 'inData').mockImplementation(() => {
    throw new Error('the bug')
  })
  const { now } = sandbox.clock.read()
  await expect(sandbox.clock.set('2026-05-01')).rejects.toThrow('the bug')
  expect(sandbox.clock.read().now).toBe(now)
})

test('a world of 20,000 bearer values is loaded, answers, and shows none of them', async () => {
  const server = await startServer({ port: 0, fixtures: aWorld() })
  const tokens = Array.from({ length: 20_000 }, (_, index) =>
    aToken({
      id: index + 1,
      name: 'Many',
      token: `v${(index + 1000).toString(36).padStart(4, '0')}`,
    }),
  )
  const loaded = await fetch(`${server.url}/_sandbox/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'fixtures.load', fixtures: aWorld({ tokens }) }),
  })
  expect(loaded.status).toBe(200)
  for (const { token } of tokens.slice(0, 10)) {
    const authorized = { headers: { authorization: `Bearer ${token}` } }
    expect((await fetch(`${server.url}/api/v1/me?search=${token}`, authorized)).status).toBe(200)
  }
  const requests = await (await fetch(`${server.url}/_sandbox/requests`)).text()
  expect(requests).toContain('search=[token 10]')
  expect(requests).not.toMatch(/=v0\w{3}\b/)
  await server.sandbox.reset()
  expect(server.sandbox.world.records.all('tokens')).toHaveLength(20_000)
  await server.close()
})
