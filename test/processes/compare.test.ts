import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { ComparisonReport } from '../../src/compare/comparison-report.ts'
import { startServer } from '../../src/server.ts'
import type { SandboxServer, ServerOptions } from '../../src/server.ts'
import { createRandom } from '../../src/records/random.ts'
import { leaksOf, privateFixture, TOKEN } from '../compare/private-world.ts'
import { aFolder, fromRoot, spawnCli } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'
import { isFullDepth } from '../support/depth.ts'

/** `seo-sandbox compare` as a process: its files, its exit codes, and the remains of an interruption. */

const KILLS = isFullDepth ? 50 : 8

const FILES = ['--out', 'agency.yaml', '--lock', 'policies.lock.yaml', '--resume', 'resume.bin']
const REPORTS = ['json=report.json', 'junit=report.xml', 'markdown=report.md']
const FAST = ['--rate', 'unlimited', '--share', '1', '--content', 'all']

function lineFor(url: string, ...args: string[]): string[] {
  const reports = REPORTS.flatMap((report) => ['--report', report])
  return ['compare', '--url', url, ...FAST, ...FILES, ...reports, ...args]
}

function environment(folder: Folder): Record<string, string> {
  return { SEO_TOKEN: TOKEN, XDG_CONFIG_HOME: folder.path('config') }
}

function start(folder: Folder, line: string[]): ChildProcess {
  return spawn(process.execPath, [fromRoot('bin/seo-sandbox.js'), ...line], {
    cwd: folder.path(),
    env: { PATH: process.env['PATH'], ...environment(folder) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Starts a server of a private world, with its private words. */
async function serve(options: ServerOptions): Promise<SandboxServer & { words: string[] }> {
  const { words, fixture } = privateFixture(9)
  const server = await startServer({ port: 0, fixtures: fixture, console: false, ...options })
  return Object.assign(server, { words })
}

/** The contents of all files of a folder, at any depth. */
async function contentsOf(folder: Folder): Promise<string> {
  const entries = await readdir(folder.path(), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  )
  return texts.join('\n')
}

test('killed at any moment, it continues, and no file has a text of the source or the token', async () => {
  let [responses, killAt] = [0, Infinity]
  let child: ChildProcess | undefined
  const server = await serve({
    onResponse: () => {
      responses += 1
      if (responses === killAt) child?.kill('SIGKILL')
    },
  })
  await using whole = await aFolder({})
  await using folder = await aFolder({})
  try {
    const line = lineFor(server.url)
    const first = await spawnCli(line, { cwd: whole.path(), env: environment(whole) })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    const total = responses
    const random = createRandom('kills')
    for (let kill = 0; kill < KILLS; kill += 1) {
      killAt = responses + random.integer(1, Math.ceil((2 * total) / KILLS))
      child = start(folder, line)
      await new Promise((resolve) => child?.on('close', resolve))
      const contents = await contentsOf(folder)
      expect(leaksOf(server.words, contents)).toEqual([])
      expect(contents).not.toContain(TOKEN)
    }
    killAt = Infinity
    const last = await spawnCli(line, { cwd: folder.path(), env: environment(folder) })
    expect(last).toMatchObject({ code: 0, stderr: '' })
    expect(leaksOf(server.words, (await contentsOf(folder)) + last.stdout)).toEqual([])
    expect(await folder.list()).not.toContain('resume.bin')
    const [once, continued] = await Promise.all(
      [whole, folder].map(async (one) => parse(await one.read('agency.yaml')) as object),
    )
    expect(Object.keys(continued!)).toEqual(Object.keys(once!))
    expect(JSON.stringify(continued).length / JSON.stringify(once).length).toBeCloseTo(1, 1)
    expect((await stat(folder.path('agency.yaml'))).mode & 0o777).toBe(0o600)
  } finally {
    await server.close()
  }
})

test('Ctrl-C ends it with 130 and a report that says how to continue', async () => {
  await using folder = await aFolder({})
  let child: ChildProcess | undefined
  let responses = 0
  const server = await serve({
    onResponse: () => {
      responses += 1
      if (responses === 5) child?.kill('SIGINT')
    },
  })
  try {
    child = start(folder, lineFor(server.url, '--json'))
    const closed = new Promise((resolve) => child?.on('close', resolve))
    const [code, stdout] = await Promise.all([closed, readText(child.stdout!)])
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, result: 'stopped', policies: [] })
    expect(await folder.list()).toContain('resume.bin')
  } finally {
    await server.close()
  }
})

test('the lock is written, holds, and is contradicted when the service changes', async () => {
  await using folder = await aFolder({})
  const cwd = folder.path()
  const env = environment(folder)
  const before = await serve({})
  const written = await spawnCli(lineFor(before.url, '--json'), { cwd, env })
  const holds = await spawnCli(lineFor(before.url, '--json'), { cwd, env })
  await before.close()
  const after = await serve({ policies: { 'per-page-above-maximum': '400' } })
  try {
    const contradicted = await spawnCli(lineFor(after.url, '--json'), { cwd, env })
    const updated = await spawnCli(lineFor(after.url, '--json', '--update-lock'), { cwd, env })
    const outcomes = [written, holds, contradicted, updated].map(({ code, stdout }) => {
      const { lock } = JSON.parse(stdout) as { lock: { result: string } }
      return [code, lock.result]
    })
    expect(outcomes).toEqual([
      [0, 'written'],
      [0, 'holds'],
      [1, 'contradicted'],
      [0, 'updated'],
    ])
    const gaps = ['gaps', 'G-034', '--json', '--policies', 'policies.lock.yaml']
    const { stdout } = await spawnCli(gaps, { cwd })
    expect(JSON.parse(stdout)).toMatchObject([{ value: '400', seen: expect.any(String) as string }])
  } finally {
    await after.close()
  }
})

describe('it refuses, and sends nothing', () => {
  test.for<[string, string[], string, Record<string, string>?]>([
    ['no URL', [], '--url: Name the service'],
    ['http: to another machine', ['--url', 'http://192.0.2.1'], 'over https: alone'],
    ['what is not a URL', ['--url', 'service'], 'is not the URL of a server'],
    [
      'both files',
      ['--url', 'https://x.example', '--out', 'a.yaml', '--fixtures', 'b.yaml'],
      '--out',
    ],
    ['a share above 1', ['--url', 'https://x.example', '--share', '2'], 'is not a share'],
    ['an unknown format', ['--url', 'https://x.example', '--report', 'html=x'], 'is not a format'],
    [
      'no folder',
      ['--url', 'https://x.example', '--out', 'no/a.yaml'],
      'Its folder does not exist',
    ],
    [
      'a lock that is none',
      ['--url', 'https://x.example', '--lock', 'policies.lock.yaml'],
      'policies.lock.yaml',
      { 'policies.lock.yaml': 'version: one' },
    ],
    [
      'a key that is none',
      ['--url', 'https://x.example', '--resume', 'resume.bin'],
      'compare.key: It is not a key. Move it away.',
      { 'config/seo-sandbox/compare.key': 'no key' },
    ],
    [
      'another file than that of an interrupted comparison',
      ['--url', 'https://x.example', '--resume', 'notes.txt'],
      '--resume notes.txt: It was not written here',
      { 'notes.txt': 'Notes, in one line', 'config/': '' },
    ],
  ])('%s', async ([, args, message, files = {}]) => {
    await using folder = await aFolder(files)
    const before = await folder.list()
    const outcome = await spawnCli(['compare', ...args], {
      cwd: folder.path(),
      env: environment(folder),
    })
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain(message)
    expect(await folder.list()).toEqual(before)
    for (const [name, text] of Object.entries(files).filter(([, written]) => written !== ''))
      expect(await folder.read(name)).toBe(text)
  })

  test('a missing token, by the name of its variable', async () => {
    await using folder = await aFolder({})
    const line = ['compare', '--url', 'https://x.example', '--token-env', 'MY_TOKEN']
    const { code, stderr } = await spawnCli(line, { cwd: folder.path() })
    expect([code, stderr]).toEqual([2, expect.stringContaining('MY_TOKEN')])
  })

  test('--plan prints the requests and how long they take', async () => {
    let requests = 0
    const server = createServer(() => {
      requests += 1
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.on('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    await using folder = await aFolder({})
    const line = ['compare', '--url', `http://127.0.0.1:${port}`, '--plan']
    const { code, stdout } = await spawnCli(line, { cwd: folder.path() })
    server.close()
    const plan = JSON.parse(stdout) as { requests: object[]; estimate_s: number }
    expect(code).toBe(0)
    expect(plan).toMatchObject({ per_project: 6, assumes: { projects: 40 } })
    expect(plan.requests).toContainEqual({
      method: 'GET',
      path: '/api/v1/projects/{project}/keywords',
    })
    expect(plan.requests.length).toBeGreaterThan(50)
    expect(plan.estimate_s).toBeGreaterThan(300)
    expect(requests).toBe(0)
  })
})

test('it stops at a 401 with 1, and a redirect is not followed', async () => {
  const asked: string[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(`${url} ${headers['user-agent']}`)
    if (asked.length > 3) response.writeHead(401).end()
    else response.writeHead(302, { location: '/elsewhere' }).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.on('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  await using folder = await aFolder({})
  const line = ['compare', '--url', `http://127.0.0.1:${port}/base/api/v1`, '--rate', 'unlimited']
  const { code, stdout } = await spawnCli(line, { cwd: folder.path(), env: environment(folder) })
  server.close()
  expect([code, stdout]).toEqual([1, expect.stringContaining('answered 401')])
  expect(asked.map((one) => one.split(' ')[0])).toEqual([
    '/base/api/v1/me',
    '/base/api/v1/countries',
    '/base/api/v1/languages',
    '/base/api/v1/users',
  ])
  expect(asked.every((one) => one.includes('seo-sandbox/'))).toBe(true)
})

test('a service below a path has its base URL in absolute links', async () => {
  const service = await serve({ policies: { 'page-links': 'absolute' }, rateLimit: 'unlimited' })
  const proxy = createServer(async ({ url = '', headers }, response) => {
    const { accept = '', authorization } = headers
    const answer = await fetch(service.url + url.replace(/^\/seo/, ''), {
      headers: { accept, ...(authorization !== undefined && { authorization }) },
    })
    const body = await answer.text()
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      date: answer.headers.get('date') ?? '',
    })
    response.end(body.replaceAll(`${service.url}/`, `${service.url}/seo/`))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.on('listening', resolve))
  const address = proxy.address()
  const port = typeof address === 'object' ? address?.port : 0
  await using folder = await aFolder({})
  const url = `http://127.0.0.1:${port}/seo`
  const line = ['compare', '--url', url, '--rate', 'unlimited', '--content', 'none', '--json']
  const { code, stdout } = await spawnCli(line, { cwd: folder.path(), env: environment(folder) })
  proxy.close()
  await service.close()
  const { policies, unexplained } = JSON.parse(stdout) as ComparisonReport
  expect(code).toBe(0)
  expect(policies).toContainEqual(
    expect.objectContaining({ policy: 'page-links', value: 'absolute' }),
  )
  expect(unexplained.filter(({ place }) => place.startsWith('/links'))).toEqual([])
})

test('a service over HTTPS is asked once its CA is named; before that, it stops at once', async () => {
  await using folder = await aFolder({})
  const server = await startServer({ port: 0, https: true, rateLimit: 'unlimited' })
  await writeFile(folder.path('ca.pem'), String(server.ca))
  const env = { ...environment(folder), SEO_TOKEN: 'sandbox-agency' }
  const line = ['compare', '--url', server.url, '--rate', 'unlimited', '--content', 'none']
  const [trusted, distrusted, missing] = await Promise.all(
    [['--ca', 'ca.pem'], [], ['--ca', 'no.pem']].map((args) =>
      spawnCli([...line, ...args], { cwd: folder.path(), env }),
    ),
  )
  await server.close()
  expect([trusted?.code, trusted?.stdout]).toEqual([0, expect.stringContaining('finished after')])
  expect([distrusted?.code, distrusted?.stdout]).toEqual([
    1,
    expect.stringMatching(/after 1 request.*certificate is not trusted \(\w+\)\. Name its CA/s),
  ])
  expect([missing?.code, missing?.stderr]).toEqual([
    2,
    expect.stringContaining('--ca no.pem: There is no such file. Check the path.'),
  ])
})
