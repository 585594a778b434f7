import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSandbox, FixtureError } from '../../src/index.ts'
import { MSWS } from '../support/msw.ts'
import type { Msw } from '../support/msw.ts'
import { serve } from '../support/transports.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

const BASE = 'https://seo.example.com'
const headers = { authorization: `Bearer ${AGENCY}` }

describe.each(MSWS.map((msw) => [msw.name, msw] as const))('%s handlers', (_name, msw) => {
  const { http, getResponse, handlers } = msw
  const intercept: Msw['intercept'] = (...args) => {
    const server = msw.intercept(...args)
    onTestFinished(() => server.close())
    return server
  }

  test.each([
    ['the prefix alone', '/api/v1', 404],
    ['an endpoint', '/api/v1/me', 200],
    ['a path with a query', '/api/v1/projects?per_page=1', 200],
    ['a deep path', '/api/v1/projects/1/reports/latest', 404],
    ['doubled slashes', '/api/v1//me', 404],
  ])('answer %s', async (_, path, status) => {
    intercept(handlers(createSandbox({ fixtures: aWorld() }), { baseUrl: BASE }))
    const response = await fetch(`${BASE}${path}`, { headers })
    const type = response.headers.get('content-type')
    expect([response.status, type]).toEqual([status, 'application/json'])
  })

  test.each([`${BASE}/api/v10/me`, `${BASE}/`, 'https://elsewhere.example/api/v1/me'])(
    "leave %s to msw's own strategy",
    async (url) => {
      const list = handlers(createSandbox({ fixtures: aWorld() }), { baseUrl: BASE })
      expect(await getResponse(list, new Request(url, { headers }))).toBeUndefined()
    },
  )

  test('a request elsewhere fails if that strategy is error', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => logged.mockRestore())
    intercept(handlers(createSandbox({ fixtures: aWorld() }), { baseUrl: BASE }), 'error')
    await expect(fetch(`${BASE}/api/v10/me`)).rejects.toThrow()
    expect(logged.mock.calls.join()).toContain(`GET ${BASE}/api/v10/me`)
  })

  test('a request elsewhere reaches the network if that strategy is bypass', async () => {
    await using elsewhere = await serve((_, response) => void response.end('not the sandbox'))
    intercept(handlers(createSandbox({ fixtures: aWorld() }), { baseUrl: BASE }), 'bypass')
    const response = await fetch(`http://127.0.0.1:${elsewhere.port}/api/v1/me`, { headers })
    expect(await response.text()).toBe('not the sandbox')
    expect((await fetch(`${BASE}/api/v1/me`, { headers })).status).toBe(200)
  })

  test.each([`${BASE}/`, 'https://SEO.example.com:443', `${BASE}/service`, `${BASE}/service/`])(
    'accept the base URL %s, which may have a path and a trailing slash',
    async (baseUrl) => {
      const sandbox = await createSandbox({ fixtures: aWorld() })
      intercept(handlers(sandbox, { baseUrl }))
      const response = await fetch(`${baseUrl.replace(/\/$/, '')}/api/v1/projects`, { headers })
      const { links } = (await response.json()) as { links: { first: string } }
      expect([response.status, links.first]).toEqual([200, '/api/v1/projects?page=1'])
    },
  )

  test.each([BASE, `${BASE}/`, `${BASE}/service`])(
    'accept the base URL of a client, which has /api/v1 after %s',
    async (before) => {
      const baseUrl = `${before.replace(/\/$/, '')}/api/v1`
      for (const url of [baseUrl, `${baseUrl}/`]) {
        const list = handlers(createSandbox({ fixtures: aWorld() }), { baseUrl: url })
        const statusOf = async (path: string) => {
          const response = await getResponse(list, new Request(`${baseUrl}${path}`, { headers }))
          return response?.status
        }
        const paths = ['/me', '/projects?per_page=1', '', '0/me', '/api/v1/me']
        const statuses = await Promise.all(paths.map((path) => statusOf(path)))
        expect(statuses).toEqual([200, 200, 404, undefined, 404])
      }
    },
  )

  test('answer requests to any host if the base URL is *', async () => {
    const list = handlers(createSandbox({ fixtures: aWorld() }), { baseUrl: '*' })
    const urls = ['http://a.example:8080/api/v1/me', 'https://b.example/api/v1/projects/1']
    for (const url of urls) {
      const response = await getResponse(list, new Request(url, { headers }))
      expect(response?.status).toBe(200)
    }
    for (const path of ['/v2/api/v1/me', '/api/v10/me']) {
      const elsewhere = new Request(`https://b.example${path}`, { headers })
      expect(await getResponse(list, elsewhere)).toBeUndefined()
    }
  })

  describe('without a base URL', () => {
    test.each([undefined, 'null'])('are refused where the origin of the page is %s', (origin) => {
      if (origin !== undefined) vi.stubGlobal('location', { origin })
      onTestFinished(() => void vi.unstubAllGlobals())
      for (const options of [{}, { baseUrl: '' }]) {
        expect(() => handlers(createSandbox(), options)).toThrow(
          'baseUrl: It is required where there is no page whose origin relative URLs have. Write one like https://seo.example.com/api/v1, or "*" for any host.',
        )
      }
    })

    test('answer requests to the origin of the page alone', async () => {
      vi.stubGlobal('location', { origin: 'http://localhost:3000' })
      onTestFinished(() => void vi.unstubAllGlobals())
      const list = handlers(createSandbox({ fixtures: aWorld() }))
      const statusOf = async (host: string) =>
        (await getResponse(list, new Request(`${host}/api/v1/me`, { headers })))?.status
      expect(await statusOf('http://localhost:3000')).toBe(200)
      expect(await statusOf(BASE)).toBeUndefined()
    })
  })

  test.each(['seo.example.com', 'ftp://seo.example.com', 'https://seo.example.com/?a=1'])(
    'refuse the base URL %s',
    (baseUrl) => {
      expect(() => handlers(createSandbox(), { baseUrl })).toThrow(`"${baseUrl}" is not a URL`)
    },
  )

  test('refuse an unknown option, and suggest the right one', () => {
    const options = { baseURL: BASE } as object
    expect(() => handlers(createSandbox(), options)).toThrow('Did you mean "baseUrl"?')
  })

  test("let a consumer's own handlers win, whether placed before them or added later", async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    const teapot = (path: string) =>
      http.get(`${BASE}${path}`, () => new Response('', { status: 418 }))
    const server = intercept([teapot('/api/v1/me'), ...handlers(sandbox, { baseUrl: BASE })])
    const statusOf = async (path: string) => (await fetch(`${BASE}${path}`, { headers })).status
    expect([await statusOf('/api/v1/me'), await statusOf('/api/v1/users')]).toEqual([418, 200])
    server.use(teapot('/api/v1/users'))
    expect(await statusOf('/api/v1/users')).toBe(418)
    server.resetHandlers()
    expect(await statusOf('/api/v1/users')).toBe(200)
  })

  test('send the client address of their options', async () => {
    const token = aToken({ id: 1, token: AGENCY, allowed_ips: ['203.0.113.0/24'] })
    const sandbox = await createSandbox({ fixtures: aWorld({ tokens: [token] }) })
    const from = (baseUrl: string, clientIp: string) => handlers(sandbox, { baseUrl, clientIp })
    const [inside, outside] = ['https://inside.example', 'https://outside.example']
    intercept([...from(inside, '203.0.113.9'), ...from(outside, '198.51.100.1')])
    expect((await fetch(`${inside}/api/v1/me`, { headers })).status).toBe(200)
    expect((await fetch(`${outside}/api/v1/me`, { headers })).status).toBe(403)
  })

  test('answer with the reason when the sandbox could not be built', async () => {
    const sandbox = createSandbox({ fixtures: 'version: 2' })
    intercept(handlers(sandbox, { baseUrl: BASE }))
    const response = await fetch(`${BASE}/api/v1/me`, { headers })
    const { message } = (await response.json()) as { message: string }
    expect([response.status, message]).toEqual([500, expect.stringContaining('version')])
    await expect(sandbox).rejects.toThrow(FixtureError)
  })
})
