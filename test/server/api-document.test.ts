import { readFileSync } from 'node:fs'
import { http, HttpResponse } from 'msw'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../src/server.ts'
import type { SandboxServer, ServerOptions } from '../../src/server.ts'
import { sendRaw } from '../support/transports.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

/** The OpenAPI document of the API, at the root of a server (design, the control API). */

const BUILT = JSON.parse(
  readFileSync(new URL('../../dist/openapi.json', import.meta.url), 'utf8'),
) as { servers: { variables: object }[] }

const target = '/openapi.json'
const WORLD = aWorld({
  tokens: [aToken({ id: 1, token: AGENCY, agency: 1, rate_limit: { per_minute: 2 } })],
})
const authorization = `Bearer ${AGENCY}`

let server: SandboxServer
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: WORLD })
})
afterAll(() => server.close())

describe('GET /openapi.json', () => {
  test('is the document of the package, except that its server is the one that sends it', async () => {
    const { status, headers, body } = await sendRaw(server.port, { target })
    expect([status, headers['content-type']]).toEqual([200, 'application/json'])
    const { servers, ...rest } = body
    const {
      servers: [built],
      ...builtRest
    } = BUILT
    expect(rest).toEqual(builtRest)
    expect(servers).toEqual([{ ...built, variables: { base_url: { default: '' } } }])
  })

  test('is no request of the API: neither counted nor recorded', async () => {
    await server.sandbox.reset()
    await sendRaw(server.port, { target, headers: { authorization } })
    const { headers } = await sendRaw(server.port, {
      target: '/api/v1/me',
      headers: { authorization },
    })
    expect(headers['x-ratelimit-remaining']).toBe('1')
    expect(server.sandbox.requests.matching({})).toHaveLength(1)
    expect(server.sandbox.requests.unknown()).toEqual([])
  })

  test.each([
    ['another method', 'POST', '/openapi.json'],
    ['a path below it', 'GET', '/openapi.json/paths'],
    ['another case', 'GET', '/OpenAPI.json'],
    ['the same path below /api/v1', 'GET', '/api/v1/openapi.json'],
  ])('is not there for %s: 404, as on any unknown path', async (_, method, written) => {
    const { status, body } = await sendRaw(server.port, { target: written, method })
    expect([status, Object.keys(body)]).toEqual([404, ['message']])
  })
})

test.each<[string, ServerOptions, Record<string, string>]>([
  ['the control API off', { control: false }, {}],
  ['an admin key', { adminKey: 'a-key-of-16-letters' }, {}],
  ['a page of another site', {}, { origin: 'https://other.example' }],
  ['a proxy in front', {}, { 'x-forwarded-for': '203.0.113.7' }],
])('it is public with %s', async (_, options, headers) => {
  const other = await startServer({ port: 0, ...options })
  const { status } = await sendRaw(other.port, { target, headers })
  expect(status).toBe(200)
  await other.close()
})

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['https://editor.example', 'https://editor.example'],
])('with cors: %s pages may read it from %s', async (cors, allowed) => {
  const other = await startServer({ port: 0, ...(cors !== undefined && { cors }) })
  const headers = { origin: 'https://editor.example' }
  const response = await sendRaw(other.port, { target, headers })
  expect([response.status, response.headers['access-control-allow-origin']]).toEqual([200, allowed])
  await other.close()
})

test("the user's own handlers come before it", async () => {
  const handlers = [http.get('*/openapi.json', () => HttpResponse.json({ mine: true }))]
  const other = await startServer({ port: 0, handlers })
  expect((await sendRaw(other.port, { target })).body).toEqual({ mine: true })
  await other.close()
})
