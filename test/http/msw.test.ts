import { getResponse, http } from 'msw'
import type { RequestHandler } from 'msw'
import { setupServer } from 'msw/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox, FixtureError } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

const BASE = 'https://seo.example.com'
const headers = { authorization: `Bearer ${AGENCY}` }

/** msw with these handlers, until the test is finished. */
function intercept(...list: RequestHandler[]): ReturnType<typeof setupServer> {
  const server = setupServer(...list)
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
  return server
}

describe('MSW handlers', () => {
  test.each([
    ['the prefix alone', '/api/v1', 404],
    ['an endpoint', '/api/v1/me', 200],
    ['a path with a query', '/api/v1/projects?per_page=1', 200],
    ['a deep path', '/api/v1/projects/1/reports/latest', 404],
  ])('answer %s', async (_, path, status) => {
    intercept(...handlers(createSandbox({ fixtures: aWorld() }), { baseUrl: BASE }))
    expect((await fetch(`${BASE}${path}`, { headers })).status).toBe(status)
  })

  test.each([`${BASE}/api/v10/me`, `${BASE}/`, 'https://elsewhere.example/api/v1/me'])(
    "leave %s to msw's own strategy",
    async (url) => {
      const list = handlers(createSandbox({ fixtures: aWorld() }), { baseUrl: BASE })
      expect(await getResponse(list, new Request(url, { headers }))).toBeUndefined()
    },
  )

  test.each([`${BASE}/`, 'https://SEO.example.com:443', `${BASE}/service`, `${BASE}/service/`])(
    'take the base URL %s, a path and a slash at its end included',
    async (baseUrl) => {
      const sandbox = await createSandbox({ fixtures: aWorld() })
      intercept(...handlers(sandbox, { baseUrl }))
      const response = await fetch(`${baseUrl.replace(/\/$/, '')}/api/v1/projects`, { headers })
      const { links } = (await response.json()) as { links: { first: string } }
      expect([response.status, links.first]).toEqual([200, '/api/v1/projects?page=1'])
    },
  )

  test('refuse a base URL that is none', () => {
    const options = { baseUrl: 'seo.example.com' }
    expect(() => handlers(createSandbox(), options)).toThrow('"seo.example.com" is not a URL.')
  })

  test("let a consumer's own handlers win, before them or added later", async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    const teapot = (path: string) =>
      http.get(`${BASE}${path}`, () => new Response('', { status: 418 }))
    const server = intercept(teapot('/api/v1/me'), ...handlers(sandbox, { baseUrl: BASE }))
    const statusOf = async (path: string) => (await fetch(`${BASE}${path}`, { headers })).status
    expect([await statusOf('/api/v1/me'), await statusOf('/api/v1/users')]).toEqual([418, 200])
    server.use(teapot('/api/v1/users'))
    expect(await statusOf('/api/v1/users')).toBe(418)
    server.resetHandlers()
    expect(await statusOf('/api/v1/users')).toBe(200)
  })

  test('send the address that they are given', async () => {
    const token = aToken({ id: 1, token: AGENCY, allowed_ips: ['203.0.113.0/24'] })
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens: [token] }) })
    const from = (baseUrl: string, clientIp: string) => handlers(sandbox, { baseUrl, clientIp })
    const [inside, outside] = ['https://inside.example', 'https://outside.example']
    intercept(...from(inside, '203.0.113.9'), ...from(outside, '198.51.100.1'))
    expect((await fetch(`${inside}/api/v1/me`, { headers })).status).toBe(200)
    expect((await fetch(`${outside}/api/v1/me`, { headers })).status).toBe(403)
  })

  test('answer with the reason when the sandbox could not be built', async () => {
    const sandbox = createSandbox({ fixtures: 'version: 2' })
    intercept(...handlers(sandbox, { baseUrl: BASE }))
    const response = await fetch(`${BASE}/api/v1/me`, { headers })
    const { message } = (await response.json()) as { message: string }
    expect([response.status, message]).toEqual([500, expect.stringContaining('version')])
    await expect(sandbox).rejects.toThrow(FixtureError)
  })
})
