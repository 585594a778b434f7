import { readFile } from 'node:fs/promises'
import { describe, test } from 'vitest'
import type { ExpectStatic } from 'vitest'
import { environmentName, SERVE_OPTION_NAMES } from '../../src/cli/serve-options.ts'
import type { ServeOptionName } from '../../src/cli/serve-options.ts'
import { createSandbox } from '../../src/index.ts'
import { issueCertificate } from '../../src/server/certificate.ts'
import { aFolder } from '../support/cli.ts'
import { freePort } from '../support/free-port.js'
import {
  ADMIN_KEY,
  CONFIG,
  json,
  ORIGINS,
  PREFLIGHT,
  run,
  started,
  WORLDS,
} from '../support/serve-program.ts'
import type { Started } from '../support/serve-program.ts'

/** The effect of each option of `seo-sandbox serve`, from every source; test/cli/serve.test.ts covers refusals. */

describe.concurrent('every option is set', () => {
  /**
   * Options that cannot be set with the others: three replace the world, one turns off the control API, and HTTPS is not the
   * plain HTTP that the checks need.
   */
  const APART: ServeOptionName[][] = [
    ['scenario', 'no-control'],
    ['demo'],
    ['snapshot'],
    ['https'],
    ['https-cert', 'https-key'],
  ]

  test.for([
    {
      source: 'on the command line',
      set: (cases: [ServeOptionName, OptionCase][]) => ({
        args: ['serve', ...cases.flatMap(([name, { flags }]) => toArguments(name, flags))],
      }),
    },
    {
      source: 'in the environment',
      set: (cases: [ServeOptionName, OptionCase][]) => ({
        env: Object.fromEntries(
          cases.map(([name, { variable }]) => [environmentName(name), variable]),
        ),
      }),
    },
    {
      source: 'in seo-sandbox.config.yaml',
      set: (cases: [ServeOptionName, OptionCase][]) => ({
        config: cases.map(([name, { key }]) => `${name}: ${key}\n`).join(''),
      }),
    },
  ])('$source', { tags: ['core'] }, async ({ set }, { expect }) => {
    const port = await freePort()
    const dated = await createSandbox({ now: '2026-02-03', frozen: true })
    const snapshot = JSON.stringify(await dated.snapshot())
    const { cert, key } = issueCertificate(['127.0.0.1'])
    const all = Object.entries(optionCases(port)) as [ServeOptionName, OptionCase][]
    const named = SERVE_OPTION_NAMES.filter((name) => name !== 'store' && name !== 'limits')
    expect(all.map(([name]) => name)).toEqual(named)
    const together = all.filter(([name]) => !APART.flat().includes(name))
    const apart = APART.map((names) =>
      all.filter(([name]) => [...names, 'port', 'json'].includes(name)),
    )
    for (const cases of [together, ...apart]) {
      const { args = [], env = {}, config = '' } = set(cases) as Setting
      await using folder = await aFolder({
        ...WORLDS,
        'my snapshot.json': snapshot,
        'my cert.pem': cert,
        'my key.pem': key,
        'my policies.yaml': POLICIES,
        [CONFIG]: config,
      })
      await using program = run(args, { env, cwd: folder.path() })
      const server = await started(program)
      for (const [, { check }] of cases) await check(server, expect)
    }
  })

  interface Setting {
    args?: string[]
    env?: Record<string, string>
    config?: string
  }
})

const POLICIES = `version: 1
service: https://seo.example.com
checked: 2026-12-03T08:00:00Z
policies:
  non-integer-id: { value: '400', gap: G-047, seen: 2026-12-03, evidence: [] }
`

function toArguments(name: ServeOptionName, values: readonly string[]): string[] {
  const flag = `--${name}`
  return values.length === 0 ? [flag] : values.flatMap((value) => [flag, value])
}

/** An option as written in each source, and a check of its effect. */
interface OptionCase {
  flags: string[]
  variable: string
  key: string
  check: (server: Started, expect: ExpectStatic) => void | Promise<void>
}

/** The name of the first generated project of a seed, which does not depend on other records. */
async function generatedName(seed: string): Promise<string> {
  const sandbox = await createSandbox({ generate: { projects: 1, locale: ['da', 'sv'] }, seed })
  return sandbox.world.records.get('projects', 1001)?.name ?? ''
}

/** `--store` and `--limits` need a store: test/store. */
function optionCases(
  port: number,
): Record<Exclude<ServeOptionName, 'store' | 'limits'>, OptionCase> {
  return {
    port: {
      flags: [String(port)],
      variable: String(port),
      key: String(port),
      check: ({ first, url }, expect) => {
        expect(first['port']).toBe(port)
        expect(new URL(url).port).toBe(String(port))
      },
    },
    host: {
      flags: ['localhost'],
      variable: 'localhost',
      key: 'localhost',
      check: ({ url }, expect) => expect(new URL(url).hostname).toBe('localhost'),
    },
    fixtures: {
      flags: ['my tokens.yaml', 'my projects.yaml'],
      variable: 'my tokens.yaml, my projects.yaml',
      key: '[my tokens.yaml, my projects.yaml]',
      check: ({ first }, expect) =>
        expect(first['world']).toMatch(/^my tokens\.yaml, my projects\.yaml/),
    },
    scenario: {
      flags: ['empty-agency'],
      variable: 'empty-agency',
      key: 'empty-agency',
      check: async ({ first, get }, expect) => {
        expect(first['world']).toBe('scenario empty-agency')
        expect(await json(get('/projects', 'sandbox-agency'))).toMatchObject({ data: [] })
      },
    },
    demo: {
      flags: [],
      variable: 'true',
      key: 'true',
      check: async ({ first, get }, expect) => {
        expect(first['world']).toBe('the demo, seed 1')
        expect((await json(get('/projects', 'sandbox-agency'))).data).toHaveLength(40)
      },
    },
    projects: {
      flags: ['3'],
      variable: '3',
      key: '3',
      check: async ({ get }, expect) => {
        expect((await get('/projects/1003', 'everything')).status).toBe(200)
        expect((await get('/projects/1004', 'everything')).status).toBe(404)
      },
    },
    locale: {
      flags: ['da', 'sv'],
      variable: 'da, sv',
      key: '[da, sv]',
      check: async ({ first }, expect) => {
        expect(first['world']).toMatch(/3 generated projects in da, sv with seed/)
      },
    },
    seed: {
      flags: ['spring'],
      variable: 'spring',
      key: 'spring',
      check: async ({ get }, expect) => {
        const { data } = await json(get('/projects/1001', 'everything'))
        expect(data.name).toBe(await generatedName('spring'))
        expect(data.name).not.toBe(await generatedName('autumn'))
      },
    },
    now: {
      flags: ['2026-02-01'],
      variable: '2026-02-01',
      key: '2026-02-01',
      check: async ({ first, get }, expect) => {
        expect(first['now']).toBe('2026-02-01T00:00:00.000000Z')
        const { data, cache_refreshed_at } = await json(get('/projects/1', 'north-live'))
        expect(data.created_at).toBe('2026-01-29T00:00:00.000000Z')
        expect(cache_refreshed_at).toBe('2026-02-01T00:00:00.000000Z')
      },
    },
    frozen: {
      flags: [],
      variable: 'true',
      key: 'true',
      check: ({ first }, expect) => expect(first['frozen']).toBe(true),
    },
    policy: {
      flags: ['foreign-project=403', 'G-001=403'],
      variable: 'foreign-project=403,G-001=403',
      key: '{ foreign-project: 403, G-001: 403 }',
      check: async ({ get }, expect) => {
        expect((await get('/projects/2', 'north-live')).status).toBe(403)
        expect((await get('/me', 'nobody')).status).toBe(403)
      },
    },
    'rate-limit': {
      flags: ['70/min,900/h'],
      variable: '70/min,900/h',
      key: '{ per_minute: 70, per_hour: 900 }',
      check: async ({ get }, expect) => {
        const { headers } = await get('/me', 'north-live')
        expect(headers.get('x-ratelimit-limit')).toBe('70')
      },
    },
    latency: {
      flags: ['1-2'],
      variable: '1-2',
      key: '{ min_ms: 1, max_ms: 2 }',
      check: async ({ url }, expect) => {
        const headers = { authorization: `Bearer ${ADMIN_KEY}` }
        const [fault] = await json(fetch(`${url}/_sandbox/faults`, { headers }))
        expect(fault).toMatchObject({ kind: 'latency', min_ms: 1, max_ms: 2 })
      },
    },
    'show-gaps': {
      flags: [],
      variable: 'true',
      key: 'true',
      check: async ({ get }, expect) => {
        const { headers } = await get('/projects/2', 'north-live', { accept: 'application/json' })
        // G-019 matters if an earlier request of the token was long enough ago.
        expect(headers.get('x-sandbox-gaps')).toMatch(/^G-005,G-013(,G-019)?$/)
      },
    },
    journal: {
      flags: ['2'],
      variable: '2',
      key: '2',
      check: async ({ url, get }, expect) => {
        for (const path of ['/me', '/users', '/projects']) await get(path, 'north-live')
        const headers = { authorization: `Bearer ${ADMIN_KEY}` }
        const kept = await json(fetch(`${url}/_sandbox/requests`, { headers }))
        expect(kept.map(({ route }: any) => route)).toEqual(['GET /users', 'GET /projects'])
      },
    },
    https: {
      flags: [],
      variable: 'true',
      key: 'true',
      check: async ({ first, url }, expect) => {
        expect([url.slice(0, 8), await readFile(String(first['ca']), 'utf8')]).toEqual([
          'https://',
          expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/),
        ])
      },
    },
    'https-cert': {
      flags: ['my cert.pem'],
      variable: 'my cert.pem',
      key: 'my cert.pem',
      check: ({ first, url }, expect) =>
        expect([url.slice(0, 8), first['ca']]).toEqual(['https://', null]),
    },
    'https-key': {
      flags: ['my key.pem'],
      variable: 'my key.pem',
      key: 'my key.pem',
      check: ({ url }, expect) => expect(url).toMatch(/^https:/),
    },
    policies: {
      flags: ['my policies.yaml'],
      variable: 'my policies.yaml',
      key: 'my policies.yaml',
      check: async ({ get }, expect) =>
        expect((await get('/projects/abc', 'north-live')).status).toBe(400),
    },
    'trust-proxy': {
      flags: ['2'],
      variable: '2',
      key: '2',
      check: async ({ get }, expect) => {
        const statusFrom = async (forwarded: string) => {
          const headers = { 'x-forwarded-for': forwarded }
          return (await get('/me', 'north-office', headers)).status
        }
        expect(await statusFrom('203.0.113.9, 198.51.100.1')).toBe(200)
        expect(await statusFrom('203.0.113.9, 198.51.100.1, 198.51.100.2')).toBe(403)
      },
    },
    'public-url': {
      flags: ['https://seo.example.com/demo/'],
      variable: 'https://seo.example.com/demo/',
      key: 'https://seo.example.com/demo/',
      check: async ({ get }, expect) => {
        const { data } = await json(get('/projects/1001/reports/last-generated', 'everything'))
        expect(data.web_link).toMatch(/^https:\/\/seo\.example\.com\/demo\/reports\/default\//)
      },
    },
    cors: {
      flags: ORIGINS,
      variable: ORIGINS.join(','),
      key: `[${ORIGINS.join(', ')}]`,
      check: async ({ url, get }, expect) => {
        const allowed = async (origin: string) => {
          const { headers } = await get('/me', 'north-live', { origin })
          return headers.get('access-control-allow-origin')
        }
        expect(await Promise.all(ORIGINS.map(allowed))).toEqual(ORIGINS)
        expect(await allowed('https://other.example.com')).toBeNull()

        const remaining = async () =>
          Number((await get('/me', 'north-live')).headers.get('x-ratelimit-remaining'))
        const before = await remaining()
        const preflight = await fetch(`${url}/api/v1/projects`, {
          method: 'OPTIONS',
          headers: { ...PREFLIGHT, origin: ORIGINS[0] ?? '', authorization: 'Bearer north-live' },
        })
        expect([preflight.status, await preflight.text()]).toEqual([204, ''])
        expect(Object.fromEntries(preflight.headers)).toMatchObject({
          'access-control-allow-origin': ORIGINS[0],
          'access-control-allow-methods': expect.stringContaining('GET') as string,
          'access-control-allow-headers': 'authorization',
        })
        expect(await remaining()).toBe(before - 1)
      },
    },
    'admin-key': {
      flags: [ADMIN_KEY],
      variable: ADMIN_KEY,
      key: ADMIN_KEY,
      check: async ({ url }, expect) => {
        const statusWith = async (headers: Record<string, string>) => {
          return (await fetch(`${url}/_sandbox/clock`, { headers })).status
        }
        expect(await statusWith({})).toBe(401)
        expect(await statusWith({ authorization: `Bearer ${ADMIN_KEY}` })).toBe(200)
      },
    },
    'no-control': {
      flags: [],
      variable: 'true',
      key: 'true',
      check: async ({ first, url }, expect) => {
        expect(first['control']).toBeNull()
        expect((await fetch(`${url}/_sandbox/clock`)).status).toBe(404)
      },
    },
    metrics: {
      flags: [],
      variable: 'true',
      key: 'true',
      check: async ({ url }, expect) => {
        const headers = { authorization: `Bearer ${ADMIN_KEY}` }
        expect((await fetch(`${url}/_sandbox/metrics`, { headers })).status).toBe(200)
      },
    },
    'no-console': {
      flags: [],
      variable: 'true',
      key: 'true',
      check: async ({ first, url }, expect) => {
        expect(first['console']).toBeNull()
        const headers = { accept: 'text/html' }
        expect((await fetch(url, { headers })).status).toBe(404)
      },
    },
    handlers: {
      flags: ['my overrides.mjs'],
      variable: 'my overrides.mjs',
      key: 'my overrides.mjs',
      check: async ({ get }, expect) => {
        expect((await get('/countries', 'north-live')).status).toBe(418)
        expect((await get('/languages', 'north-live')).status).toBe(200)
      },
    },
    snapshot: {
      flags: ['my snapshot.json'],
      variable: 'my snapshot.json',
      key: 'my snapshot.json',
      check: ({ first }, expect) => {
        expect(first).toMatchObject({
          snapshot: { file: 'my snapshot.json', of: expect.any(String) as string },
          now: '2026-02-03T00:00:00.000000Z',
        })
        expect(first['world']).toMatch(/^Snapshot my snapshot\.json of \S+, over the default world/)
      },
    },
    state: {
      flags: ['my state.json'],
      variable: 'my state.json',
      key: 'my state.json',
      check: ({ first }, expect) =>
        expect(first['state']).toEqual({ file: 'my state.json', of: null }),
    },
    watch: {
      flags: [],
      variable: 'true',
      key: 'true',
      check: ({ first }, expect) => expect(first['watch']).toBe(true),
    },
    'stdin-close': {
      flags: [],
      variable: 'true',
      key: 'true',
      check: ({ first }, expect) => expect(first['stops_when']).toEqual(['stdin-closed']),
    },
    json: {
      flags: [],
      variable: 'yes',
      key: 'true',
      check: ({ first, url }, expect) => expect(first['url']).toBe(url),
    },
    quiet: {
      flags: [],
      variable: '1',
      key: 'true',
      check: async ({ program, get }, expect) => {
        await get('/me', 'north-live')
        program.kill('SIGTERM')
        expect(await program.ended).toBe(0)
        expect(program.stdout().trimEnd().split('\n')).toHaveLength(1)
      },
    },
  }
}
