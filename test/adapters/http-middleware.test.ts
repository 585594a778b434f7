import express from 'express'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import type { HandlerOptions } from '../../src/msw.ts'
import { mountHandlers, sendRaw, serve } from '../support/transports.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

/** The handlers mounted with @mswjs/http-middleware, for msw 2: docs/decisions/0008-http-middleware.md. */

const headers = { authorization: `Bearer ${AGENCY}` }

/** An Express application with the handlers and its own page. */
function mount(
  sandbox: Sandbox | Promise<Sandbox>,
  options?: HandlerOptions,
): ReturnType<typeof serve> {
  const app = express()
  app.use(mountHandlers(sandbox, options))
  app.get('/own', (_, response) => void response.send('own page'))
  return serve(app)
}

describe('handlers in http-middleware', () => {
  test.each<[string, string, number]>([
    ['an endpoint', '/api/v1/projects/1', 200],
    ['a query', '/api/v1/projects?per_page=1&page=1', 200],
    ['an unknown parameter', '/api/v1/projects?sort=name', 400],
    ['a record that does not exist', '/api/v1/projects/99', 404],
    ['an unknown route', '/api/v1/unknown/route', 404],
    ['the prefix alone', '/api/v1', 404],
    ['doubled slashes', '/api/v1//me', 404],
    ['invalid percent-encoding', '/api/v1/projects/%zz', 404],
  ])('answer %s as the sandbox does', async (_, target, status) => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    await using server = await mount(sandbox)
    const response = await sendRaw(server.port, { target, headers })
    const own = await sandbox.fetch(target, { headers })
    expect([response.status, response.text]).toEqual([own.status, await own.text()])
    expect(response.status).toBe(status)
    expect(response.headers['content-type']).toBe('application/json')
  })

  test('send the rate-limit headers, and 429 with Retry-After once the budget is spent', async () => {
    const tokens = [aToken({ id: 1, token: AGENCY, rate_limit: { per_minute: 1 } })]
    await using server = await mount(createSandbox({ fixtures: aWorld({ tokens }) }))
    const first = await sendRaw(server.port, { target: '/api/v1/me', headers })
    const second = await sendRaw(server.port, { target: '/api/v1/me', headers })
    const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining']
    expect([first.status, ...limits.map((name) => first.headers[name])]).toEqual([200, '1', '0'])
    expect(first.headers).not.toHaveProperty('retry-after')
    expect([second.status, ...limits.map((name) => second.headers[name])]).toEqual([429, '1', '0'])
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('answer without a token with 401', async () => {
    await using server = await mount(createSandbox({ fixtures: aWorld() }))
    const response = await sendRaw(server.port, { target: '/api/v1/me' })
    expect([response.status, response.body]).toEqual([401, { message: 'Unauthenticated.' }])
  })

  test('answer HEAD without a body, and a method that changes things with 405', async () => {
    await using server = await mount(createSandbox({ fixtures: aWorld() }))
    const target = '/api/v1/projects'
    const head = await sendRaw(server.port, { target, headers, method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['content-type']).toBe('application/json')
    const post = await sendRaw(server.port, { target, headers, method: 'POST', body: '{}' })
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD'])
  })

  test.each(['/own', '/elsewhere', '/api/v10/me', '/'])(
    'pass %s on to the application',
    async (target) => {
      await using server = await mount(createSandbox({ fixtures: aWorld() }))
      const response = await sendRaw(server.port, { target, headers })
      expect(response.headers['x-powered-by']).toBe('Express')
      expect([response.status, response.text]).toEqual(
        target === '/own' ? [200, 'own page'] : [404, expect.stringContaining(target)],
      )
    },
  )

  test.each([
    ['127.0.0.1, not that of the socket', {}, '127.0.0.1', 200],
    ['127.0.0.1, not that of X-Forwarded-For', {}, '203.0.113.9', 403],
    ['clientIp, if it is given', { clientIp: '203.0.113.9' }, '203.0.113.9', 200],
  ])('show allow-lists %s', async (_, options, allowed, status) => {
    const tokens = [aToken({ id: 1, token: AGENCY, allowed_ips: [allowed] })]
    await using server = await mount(createSandbox({ fixtures: aWorld({ tokens }) }), options)
    const forwarded = { ...headers, 'x-forwarded-for': '203.0.113.9' }
    const response = await sendRaw(server.port, { target: '/api/v1/me', headers: forwarded })
    expect(response.status).toBe(status)
  })
})
