import { http } from 'msw'
import { afterEach, describe, expect, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { createTest, it } from '../../src/vitest.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

/** Contract of `seo-sandbox/vitest` for the tests that use it, as these do. */

const tokens = [aToken({ id: 1, token: AGENCY, rate_limit: { per_minute: 2 } })]
const test = createTest({ fixtures: aWorld({ tokens }), frozen: false })
const headers = { authorization: `Bearer ${AGENCY}` }

describe('each test has its own world', () => {
  const seen = new Set<Sandbox>()

  for (const name of ['one', 'another', 'a third']) {
    test.concurrent(`which ${name} may change and use up`, async ({ sandbox }) => {
      seen.add(sandbox)
      const me = () => sandbox.fetch('/api/v1/me', { headers })
      expect([(await me()).status, (await me()).status, (await me()).status]).toEqual([
        200, 200, 429,
      ])
      await sandbox.command({
        type: 'record.patch',
        collection: 'projects',
        id: 1,
        patch: { name: `Renamed by ${name}` },
      })
      expect(sandbox.world.records.get('projects', 1)?.name).toBe(`Renamed by ${name}`)
    })
  }

  it('which is reset when the test ends', async () => {
    expect(seen.size).toBe(3)
    for (const sandbox of seen) {
      expect(sandbox.world.records.get('projects', 1)?.name).toBe('Project 1')
      expect((await sandbox.fetch('/api/v1/me', { headers })).status).toBe(200)
    }
  })
})

describe('the base URL', () => {
  const used = new Set<string>()

  test('serves the same world over HTTP', async ({ sandbox, api }) => {
    used.add(api)
    expect(api).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/)
    expect((await fetch(`${api}/me`, { headers })).status).toBe(200)
    const { headers: limits } = await sandbox.fetch('/api/v1/me', { headers })
    expect(limits.get('x-ratelimit-remaining')).toBe('0')
  })

  it('is closed when its test ends', async () => {
    for (const api of used) await expect(fetch(`${api}/me`)).rejects.toThrow('fetch failed')
    expect(used.size).toBe(1)
  })
})

it('leaves fixtures that cannot be loaded to the tests that use them', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const fixtures = Promise.reject(new Error('No such fixture.'))
  createTest({ fixtures })
  // Node looks for unhandled rejections once everything that is due is done.
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
  await expect(createSandbox({ fixtures })).rejects.toThrow('No such fixture.')
})

it('serves the default world if no options are given', async ({ sandbox }) => {
  const unlimited = { authorization: 'Bearer sandbox-unlimited' }
  expect((await sandbox.fetch('/api/v1/me', { headers: unlimited })).status).toBe(200)
})

const crossOrigin = createTest({
  cors: 'http://localhost:3000',
  handlers: [http.get('*/own', own)],
})

crossOrigin('the server has the options of startServer, cors among them', async ({ api }) => {
  const { headers: allowed } = await fetch(`${api}/me`, {
    headers: { ...headers, origin: 'http://localhost:3000' },
  })
  expect(allowed.get('access-control-allow-origin')).toBe('http://localhost:3000')
  expect(await (await fetch(`${api}/own`)).text()).toBe('own')
})

function own() {
  return new Response('own')
}

it('an unknown option is refused at once', () => {
  expect(() => createTest({ corse: '*' } as object)).toThrow(
    'createTest: "corse" is not an option. Did you mean "cors"?',
  )
})

describe('under fake timers', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('requests are served, and both clocks follow', async ({ sandbox, api }) => {
    vi.useFakeTimers()
    for (const request of [
      () => sandbox.fetch('/api/v1/projects', { headers }),
      () => fetch(`${api}/projects`, { headers }),
    ]) {
      const before = await read(request)
      expect(before).toMatchObject({ status: 200 })
      vi.advanceTimersByTime(60_000)
      const after = await read(request)
      expect(after.remaining).toBe('1')
      expect(after.refreshed - before.refreshed).toBe(60_000)
    }
  })
})

async function read(request: () => Promise<Response>) {
  const response = await request()
  const body = (await response.json()) as { cache_refreshed_at: string }
  return {
    status: response.status,
    remaining: response.headers.get('x-ratelimit-remaining'),
    refreshed: Date.parse(body.cache_refreshed_at),
  }
}
