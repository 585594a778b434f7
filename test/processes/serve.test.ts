import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { Agent, get as getHttp } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { describe, test } from 'vitest'
import { aFolder, fromRoot } from '../support/cli.ts'
import {
  ADMIN_KEY,
  CONFIG,
  EXAMPLE,
  json,
  ORIGINS,
  paste,
  PREFLIGHT,
  PROJECTS,
  run,
  started,
  TOKENS,
  WORLDS,
} from '../support/serve-program.ts'

/** Output and control of `seo-sandbox serve` while it runs; test/processes/serve-options.test.ts covers its options. */

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

describe.concurrent('seo-sandbox shows', () => {
  test('a banner: the URL, the world, what each token is for, and a request to paste', async ({
    expect,
  }) => {
    const bearer = `it's-"$HOME"-\`id\`-$(id)-!!-\\`
    const tokens = [
      { id: 1, name: 'Retired', token: 'retired', agency: 1, status: 'disabled' },
      { id: 2, name: 'Office', token: 'office', agency: 1, allowed_ips: ['203.0.113.0/24'] },
      { id: 3, name: 'Odd', token: bearer, agency: 2, rate_limit: { per_minute: 5 } },
      { id: 4, name: 'Operator', token: 'operator', rate_limit: 'unlimited' },
      { id: 5, name: 'Steering \u001B[31mterminals', token: 'steering' },
    ]
    await using folder = await aFolder({
      'my worlds/Süd/1.yaml': TOKENS.replace(/^tokens:[^]*/m, ''),
      'my worlds/Süd/2.json': JSON.stringify({ tokens }),
      'my worlds/Süd/3.yaml': PROJECTS.replace(/^.*Harbour.*\n/m, ''),
    })
    const path = folder.path('my worlds/Süd')
    await using program = run(['--port', '0', '--fixtures', path, '--frozen'])
    const banner = await program.until(/^[^]*Ctrl-C.*\n/)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(banner)?.[0]
    expect(banner).toMatch(/^\n {2}seo-sandbox .*\n\n {2}Console/)
    expect(banner).toContain(`Console    ${url}/\n`)
    expect(banner).toContain(`Base URL   ${url}/api/v1\n`)
    expect(banner).toContain(`World      ${path} (2 agencies, 1 project)\n`)
    expect(banner).toContain('Clock      2020-01-01T00:00:00.000000Z, frozen\n')
    expect(banner).toContain(
      `Control    ${url}/_sandbox, from this machine; behind a proxy, set --admin-key\n`,
    )
    const lines = banner.split('\n').map((line) => line.replace('Tokens', '').trim())
    for (const [token, description] of [
      ['retired', 'Retired: North (0 projects), 60/min and 1000/h, disabled'],
      ['office', 'Office: North (0 projects), 60/min and 1000/h, only from 203.0.113.0/24'],
      [bearer, 'Odd: South (1 project), 5/min and 1000/h'],
      ['operator', 'Operator: super-admin (1 project), unlimited'],
    ]) {
      expect(lines).toContain(`${token?.padEnd(bearer.length)}  ${description}`)
    }

    const answer = await paste(/curl .+/.exec(banner)?.[0] ?? '')
    expect(JSON.parse(answer)).toMatchObject({ data: [{ id: 2, name: 'Mill' }] })
    await program.until(/200 GET \/api\/v1\/projects {2}Odd\n/)
    expect(program.stdout()).not.toContain('\u001B')
  })

  test('with --json an object per line, the first with the URL, and no bearer value', async ({
    expect,
  }) => {
    await using program = run(['--port', '0', '--fixtures', EXAMPLE, '--json'])
    const { url, get } = await started(program)
    const escaped = [...Buffer.from('northlight-live')].map((byte) => `%${byte.toString(16)}`)
    const targets = [
      '/me',
      '/projects?token=northlight-live',
      `/projects?token=${escaped.join('')}`,
      '/projects?token=northlight%2Dlive&again=%6eorthlight-live',
      '/northlight-live/%6Eorthlight-live',
    ]
    for (const target of targets) await get(target, 'northlight-live')
    await get('/me', 'nobody')
    await program.until(/^(?:.+\n){7}/)

    const [first, ...requests] = program
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { target: string; url?: string })
    const clock = { now: '2026-03-15T12:00:00.000000Z', frozen: true }
    expect(first).toMatchObject({ url, port: Number(new URL(url).port), world: EXAMPLE, ...clock })
    expect(requests).toHaveLength(6)
    const me = { method: 'GET', target: '/api/v1/me' }
    expect(requests[0]).toMatchObject({ ...me, status: 200, token: 'Northlight production' })
    expect(requests[1]).toMatchObject({ status: 400, token: 'Northlight production' })
    expect(requests[5]).toMatchObject({ ...me, status: 401, token: null })
    const logged = requests.map(({ target }) => decodeURIComponent(target))
    expect(logged.filter((target) => target.includes('northlight-live'))).toEqual([])
  })

  test('with --json no control or bidirectional character of a name', async ({ expect }) => {
    const name = 'A\u202E\u009B31mB'
    const tokens = [{ id: 1, name, token: 'odd', agency: 1 }]
    await using folder = await aFolder({
      'world.json': JSON.stringify({ version: 1, agencies: [{ id: 1, name: 'North' }], tokens }),
    })
    await using program = run(['--port', '0', '--fixtures', folder.path('world.json'), '--json'])
    const { get } = await started(program)
    await get('/me', 'odd')
    const log = await program.until(/^(?:.+\n){2}/)
    expect(log.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
    expect(JSON.parse(log.trimEnd().split('\n')[1]!)).toMatchObject({ token: name })
  })

  test('with --demo what to look at, and how to let a week pass', async ({ expect }) => {
    await using program = run(['--port', '0', '--demo', '--locale', 'da', '--now', '2026-03-15'])
    const banner = await program.until(/^[^]*Ctrl-C.*\n/)
    expect(banner).toContain('World      the demo in da, seed 1 (1 agency, 40 projects)\n')
    for (const [project, shows] of [
      [1004, 'late'],
      [1011, 'failing'],
      [1017, 'just finished'],
      [1025, 'paused'],
      [1039, 'new'],
    ]) {
      expect(banner).toMatch(
        new RegExp(`^ +(?:Look at +)?${project}  \\p{Lu}[^:]+: ${shows}: `, 'mu'),
      )
    }
    const answer = await paste(/Next week +(curl .+)/.exec(banner)?.[1] ?? '')
    expect(answer).toContain('"2026-03-22T')
  })

  test.for<[given: string, args: string[], logged: string | RegExp]>([
    ['from-the-proxy_1', ['--trust-proxy'], 'from-the-proxy_1'],
    ['from-a-client', [], UUID],
    ['with a space', ['--trust-proxy'], UUID],
    ['x'.repeat(129), ['--trust-proxy'], UUID],
    ['sandbox-agency', ['--trust-proxy'], UUID],
  ])('with --json the id of a request: %s with %s', async ([given, args, logged], { expect }) => {
    await using program = run(['--port', '0', '--json', ...args])
    const { get } = await started(program)
    const response = await get('/me', 'sandbox-agency', { 'x-request-id': given })
    expect(response.headers.get('x-request-id')).toBeNull()
    await program.until(/^(?:.+\n){2}/)
    const { id } = JSON.parse(program.stdout().trimEnd().split('\n')[1]!) as { id: string }
    expect(id).toMatch(logged)
  })

  test('the default world if no fixtures are given, in colours with FORCE_COLOR', async ({
    expect,
  }) => {
    await using program = run(['--port', '0'], { env: { FORCE_COLOR: '1' } })
    const banner = await program.until(/^[^]*Ctrl-C/)
    expect(banner).toContain('\u001B[1mseo-sandbox\u001B[22m')
    expect(banner).toContain('the default world, fixtures/default.yaml (')
    for (const name of ['agency', 'super', 'disabled', 'ip-denied', 'unlimited']) {
      expect(banner).toContain(`sandbox-${name}`)
    }
  })

  test('the config file that it has read, and the address that it listens on', async ({
    expect,
  }) => {
    await using folder = await aFolder({ [CONFIG]: 'host: 127.0.0.2\nport: 0\n' })
    const cwd = folder.path()
    await using program = run([], { cwd })
    await using log = run(['--json', '--host', '127.0.0.1'], { cwd })
    await using other = run(['--json', '--port', '0'])
    expect(await program.until(/^[^]*Ctrl-C/)).toMatch(
      /^ {2}Config {5}seo-sandbox\.config\.yaml; it listens on 127\.0\.0\.2, port \d+$/m,
    )
    expect((await started(log)).first).toMatchObject({ config: CONFIG, host: '127.0.0.1' })
    expect((await started(other)).first).toMatchObject({ config: null, host: '127.0.0.1' })
  })

  test('the URL of the control API, if on, and that it needs the key, which is not shown', async ({
    expect,
  }) => {
    const env = { SEO_SANDBOX_ADMIN_KEY: ADMIN_KEY }
    const args = ['--port', '0', '--fixtures', EXAMPLE, '--host', '0.0.0.0']
    await using keyed = run(args, { env })
    await using keyedLog = run([...args, '--json'], { env })
    await using closed = run([...args, '--no-control'])
    expect(await keyed.until(/^[^]*Ctrl-C/)).toMatch(
      /^ {2}Control {4}http:\/\/127\.0\.0\.1:\d+\/_sandbox, with the admin key$/m,
    )
    expect(keyed.stdout() + keyed.stderr()).not.toContain(ADMIN_KEY)
    const { url, first } = await started(keyedLog)
    expect(first['control']).toEqual({ url: `${url}/_sandbox`, needs_key: true })
    expect(await closed.until(/^[^]*Ctrl-C/)).not.toMatch(/Control|Console/)
  })

  test(
    'one sentence if Node is too old, with exit code 2',
    { tags: ['core'] },
    async ({ expect }) => {
      const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })`
      await using folder = await aFolder({ 'old-node.cjs': pretend })
      await using program = run([], { nodeArgs: ['--require', folder.path('old-node.cjs')] })
      expect(await program.ended).toBe(2)
      expect(program.stdout()).toBe('')
      expect(program.stderr()).toMatch(
        /^seo-sandbox needs Node 20\.19 or newer.+20\.18\.3\..+\.\n$/,
      )
    },
  )
})

describe.concurrent('the handlers of a module', () => {
  const guide = readFileSync(fromRoot('docs/test-runners.md'), 'utf8')

  test.for([
    {
      name: 'overrides.mjs',
      text: /^\/\/ overrides\.mjs\n[^]*?(?=^```$)/m.exec(guide)?.[0] ?? '',
    },
    {
      name: 'overrides.cjs',
      text: `const { http } = require('msw')
exports.handlers = [http.get('/api/v1/users', () => new Response('', { status: 503 }))]`,
    },
    {
      name: 'compiled.cjs',
      text: `Object.defineProperty(exports, '__esModule', { value: true })
const { http } = require('msw')
exports.default = [http.get('*/users', () => new Response('', { status: 503 }))]`,
    },
    {
      name: 'default.mjs',
      text: `import { http } from 'msw'
export default [http.get('*/users', () => new Response('', { status: 503 }))]`,
    },
  ])(
    'in $name are called through the msw installed beside it, and the log says so',
    async ({ name, text }, { expect }) => {
      const project = '{ "type": "commonjs" }'
      await using folder = await aFolder({ [name]: text, 'package.json': project })
      await symlink(fromRoot('node_modules'), folder.path('node_modules'), 'junction')
      const args = ['--port', '0', '--fixtures', EXAMPLE, '--handlers', folder.path(name)]
      await using program = run([...args, '--json'])
      const { get } = await started(program)
      const statuses = [await get('/users', 'northlight-live'), await get('/me', 'northlight-live')]
      expect(statuses.map(({ status }) => status)).toEqual([503, 200])
      await program.until(/^(?:.+\n){3}/)
      const [, first, second] = program
        .stdout()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object)
      expect(first).toMatchObject({ status: 503, token: null, override: true })
      expect(second).not.toHaveProperty('override')
    },
  )
})

describe.concurrent('an option is set', () => {
  test(
    'by the command line before the environment, by that before the file, and not set by an empty value',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder({
        ...WORLDS,
        [CONFIG]: `# All of these except fixtures are overridden elsewhere.
fixtures: [my tokens.yaml, my projects.yaml]
port: 1
json: true
now: 2026-01-01
rate-limit: 5/min
policy: { foreign-project: 403, missing-token: 403, G-003: 403 }
`,
      })
      const env = {
        SEO_SANDBOX_PORT: '0',
        SEO_SANDBOX_JSON: 'false',
        SEO_SANDBOX_QUIET: 'true',
        SEO_SANDBOX_HOST: '',
        SEO_SANDBOX_NOW: '2026-02-01',
        SEO_SANDBOX_RATE_LIMIT: '600/min',
        SEO_SANDBOX_POLICY: 'foreign-project=404,missing-token=302',
      }
      const args = ['--now', '2026-03-01', '--policy', 'missing-token=401']
      await using program = run(args, { env, cwd: folder.path() })
      const line = await program.until(/^.*\n/)
      expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\n$/)
      const get = (path: string, token: string, headers: Record<string, string> = {}) =>
        fetch(`${line.trim()}${path}`, {
          headers: { authorization: `Bearer ${token}`, ...headers },
        })
      const project = await get('/projects/1', 'north-live')
      expect(project.headers.get('x-ratelimit-limit')).toBe('600')
      expect((await json(project)).data.created_at).toMatch(/^2026-02-26T00:00:0/)
      expect((await get('/me', 'nobody')).status).toBe(401)
      expect((await get('/projects/2', 'north-live')).status).toBe(404)

      const origin = ORIGINS[0] ?? ''
      const page = await get('/me', 'north-live', { origin })
      const preflight = await fetch(`${line.trim()}/me`, {
        method: 'OPTIONS',
        headers: { ...PREFLIGHT, origin },
      })
      for (const { headers } of [page, preflight]) {
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      }
      const claimed = { 'x-forwarded-for': '203.0.113.9' }
      expect((await get('/me', 'north-office', claimed)).status).toBe(403)
    },
  )

  test('--trust-proxy without a number trusts one proxy, --cors * any origin, and ::1 is an address', async ({
    expect,
  }) => {
    await using folder = await aFolder(WORLDS)
    const paths = [folder.path('my tokens.yaml'), folder.path('my projects.yaml')]
    const args = ['--host', '::1', '--port', '0', '--trust-proxy', '--cors', '*', '--json']
    await using program = run([...args, ...paths.flatMap((path) => ['--fixtures', path])])
    const { url, get } = await started(program)
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    const forwarded = (addresses: string) => ({ 'x-forwarded-for': addresses })
    const office = await get('/me', 'north-office', forwarded('198.51.100.1, 203.0.113.9'))
    expect(office.status).toBe(200)
    const foreign = await get('/me', 'north-office', forwarded('203.0.113.9, 198.51.100.1'))
    expect(foreign.status).toBe(403)
    const page = await get('/me', 'north-live', { origin: 'https://any.example.com' })
    expect(page.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('a signal ends it', () => {
  const args = ['--port', '0', '--fixtures', EXAMPLE, '--quiet']
  const HEAD =
    'GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer operator-super\r\n'

  test.for(['SIGTERM', 'SIGINT'] as const)(
    '%s: with exit code 0, even with open connections; --quiet shows only the URL',
    { tags: ['core'] },
    async (signal, { expect }) => {
      await using program = run(args)
      const url = await program.until(/^http:.*\n/)
      const half = await openConnection(url, HEAD)
      const idle = await openIdleConnection(url)
      program.kill(signal)
      expect(await program.ended).toBe(0)
      expect([program.stdout(), program.stderr()]).toEqual([url, ''])
      half.destroy()
      idle.destroy()
    },
  )

  test(
    'SIGTERM: a response in progress is finished, and no new one is started',
    { tags: ['core'] },
    async ({ expect }) => {
      await using program = run(args)
      const url = await program.until(/^http:.*\n/)
      const half = await openConnection(url, HEAD)
      program.kill('SIGTERM')
      while (await accepts(url)) await Promise.resolve()
      half.end('\r\n')
      const answer = await readText(half)
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(answer).toContain('"name":"Operator"')
      expect(await program.ended).toBe(0)
    },
  )
})

/** Opens a connection that has sent this part of a request. */
async function openConnection(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  await new Promise<void>((resolve) => {
    socket.write(text, () => resolve())
  })
  return socket
}

/** Opens a connection that has received its response and is kept alive. */
async function openIdleConnection(url: string): Promise<Agent> {
  const agent = new Agent({ keepAlive: true })
  const request = getHttp(`${url.trim()}/me`, { agent })
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
  await readText(response)
  return agent
}

/** True if a new connection is accepted. */
async function accepts(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
