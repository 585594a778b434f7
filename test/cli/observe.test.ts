import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFile } from 'node:fs/promises'
import { startServer } from '../../src/server.ts'
import { issueCertificate } from '../../src/server/certificate.ts'
import { aFolder, runCli } from '../support/cli.ts'
import type { Folder, Outcome } from '../support/cli.ts'
import { serve } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld, SUPER } from '../support/worlds.ts'

/** `traffic`, `why` and `review` of a running server and of its session, which show in a terminal what the console shows. */

const KEY = 'a-key-of-sixteen-letters'

/** A name that turns and colours a terminal: bidirectional and control characters. */
const HOSTILE = 'A\u202E\u009B31mB'

let folder: Folder
let url: string
let close: () => Promise<void>
/** The id of an isolated world, in which nothing was requested. */
let isolated: string

beforeAll(async () => {
  const reports = [
    aReport({ id: 1, status: 'completed', date_to_create_texts: '2026-03-01' }),
    aReport({ id: 2, date_to_create_texts: '2026-04-01' }),
  ]
  const tokens = [
    aToken({ id: 1, token: AGENCY, name: 'Agency' }),
    aToken({ id: 2, token: SUPER, name: 'Super', agency: null }),
  ]
  const server = await startServer({
    fixtures: aWorld({ tokens, projects: [aProject({ id: 1, reports })] }),
    adminKey: KEY,
    port: 0,
  })
  url = server.url
  close = () => server.close()
  const ask = (path: string, token = AGENCY): Promise<Response> =>
    fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  await ask('/projects/1/reports/latest')
  await server.sandbox.faults.add({ kind: 'status', status: 503, schedule: { first: 1 } })
  await ask('/projects?page=1')
  await ask('/projects/2/reports/latest', SUPER)
  await ask('/no\u202Ewhere')
  await server.sandbox.clock.advance('P1D')
  const own = await server.sandbox.worlds.create()
  isolated = own.id
  const session = await fetch(`${url}/_sandbox/session`, {
    headers: { authorization: `Bearer ${KEY}` },
  })
  folder = await aFolder({ 'a.session.json': await session.text(), 'other.json': '{}' })
})
afterAll(async () => {
  await close()
  await folder[Symbol.asyncDispose]()
})

/** Runs a command about the session, by its file. */
function run(...args: string[]): Promise<Outcome> {
  return runCli([...args, 'a.session.json'], { cwd: folder.path() })
}

/** Runs a command about the server, by `--url` and the key of the environment. */
function onServer(...args: string[]): Promise<Outcome> {
  return runCli(args, { cwd: folder.path(), env: { SEO_SANDBOX_ADMIN_KEY: KEY } })
}

describe('of a server with HTTPS', () => {
  const LINES = [['traffic'], ['why', '101'], ['review']]

  test('each command trusts it by --ca, or by SEO_SANDBOX_CA', async () => {
    const server = await startServer({ port: 0, https: true })
    await using files = await aFolder({ 'ca.pem': server.ca ?? '' })
    const cwd = files.path()
    for (const line of LINES) {
      const args = [...line, '--url', server.url]
      const given = await runCli([...args, '--ca', 'ca.pem'], { cwd })
      const set = await runCli(args, { cwd, env: { SEO_SANDBOX_CA: files.path('ca.pem') } })
      expect([given.code, given.stderr, set.code, set.stderr]).toEqual([0, '', 0, ''])
    }
    await server.close()
  })

  test.each<[title: string, args: string[], message: RegExp]>([
    [
      'without its CA',
      [],
      /^error https:\S+: Its certificate is not trusted \(\w+\)\. Name .+--ca\./,
    ],
    ['with the CA of another', ['--ca', 'other.pem'], /: Its certificate is not trusted \(/],
    ['with a file that is no certificate', ['--ca', 'none.json'], /: Its certificate is not trust/],
    ['with a file that is missing', ['--ca', 'gone.pem'], /^error --ca: gone\.pem: There is no /],
    ['beside a session', ['--ca', 'other.pem', 'none.json'], /^error --ca: This is for a running/],
  ])('%s the error says what to do', async (_, args, message) => {
    const server = await startServer({ port: 0, https: true })
    const { ca } = issueCertificate(['127.0.0.1'])
    await using files = await aFolder({ 'other.pem': ca, 'none.json': '{}' })
    const target = args.length > 2 ? [] : ['--url', server.url]
    const outcome = await runCli(['traffic', ...target, ...args], { cwd: files.path() })
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
    await server.close()
  })
})

describe('of a session', () => {
  test('traffic has a line for each request and command, with what decided it', async () => {
    const { code, stdout, stderr } = await run('traffic')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.trimEnd().split('\n')).toEqual([
      '#1  15 Mar 2026 12:00:00  200 GET /api/v1/projects/1/reports/latest  Agency  The latest completed report dated this month (4.5(1))',
      '#2  15 Mar 2026 12:00:00  fault.add fault { kind status, status 503, schedule }',
      '#3  15 Mar 2026 12:00:00  503 GET /api/v1/projects?page=1  Agency  An armed fault: a 503',
      '#4  15 Mar 2026 12:00:00  404 GET /api/v1/projects/2/reports/latest  Super  The token sees no such project',
      '#5  15 Mar 2026 12:00:00  404 GET /api/v1/no%E2%80%AEwhere  Agency  There is no such path below /api/v1',
      '#6  16 Mar 2026 12:00:00  clock.advance by P1D',
    ])
  })

  test('a server shows the same as its session', async () => {
    const lines = [['traffic'], ['why', '1'], ['review', '--json', '--require', 'delivered:1']]
    for (const line of lines) {
      const [of, expected] = [await onServer(...line, '--url', url), await run(...line)]
      if (line[0] !== 'review') expect(of).toEqual(expected)
      else expect([of.code, JSON.parse(of.stdout).verdict]).toEqual([expected.code, 'failed'])
    }
  })

  test('traffic shows the requests that meet criteria, and the latest of them', async () => {
    const some = await run('traffic', '--filter', 'status=404', '--limit', '1')
    expect(some.stdout).toMatch(/^#5 .*\nThese are the latest 1\. --limit 10 shows more\.\n$/)
    const { stdout } = await run('traffic', '--json', '--filter', 'token=Super')
    expect(JSON.parse(stdout)).toMatchObject([
      { kind: 'request', sequence: 4, decided_by: 'project_not_found' },
    ])
    const none = await run('traffic', '--filter', 'status=500')
    expect(none).toMatchObject({ code: 0, stdout: 'No request matches.\n' })
  })

  test('why says which report is the latest, why, until when, and what comes next', async () => {
    const { code, stdout, stderr } = await run('why', '1')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Project 1, at 16 Mar 2026 12:00\n')
    expect(stdout).toContain(`
latest is report 1 (specification 4.5(1))
  report 1, completed: It is completed, and its date 2026-03-01 is the latest in March 2026.
  Until 1 Apr 2026 00:00, unless a report is changed: then report 2, pending, becomes latest.
`)
    expect(stdout).toContain(
      '\n  Until a report is changed: time alone does not change the answer.\n',
    )
    expect(stdout).toMatch(
      /\nIf nothing is changed\n {2}1 Apr 2026 00:00 {2}report 2 becomes latest\n$/,
    )
  })

  test('why explains another time, and says the same as JSON', async () => {
    const later = await run('why', '1', '--at', '2026-04-02')
    expect(later.stdout).toContain('\nlatest is report 2 (specification 4.5(2))\n')
    expect(later.stdout).toMatch(
      /\n {2}Late: it has not started yet\. It was due on 1 Apr 2026\. It stays so until a command completes it\.\n\nlast-generated is/,
    )
    const { stdout } = await run('why', '1', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      project: 1,
      now: '2026-03-16T12:00:00.000000Z',
      latest: { rule: '4.5(1)', selected: { report_number: 1 } },
    })
  })

  test('why of a project that does not exist says so', async () => {
    const { code, stdout, stderr } = await run('why', '2')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^error .*There is no project 2\b.*\.\n$/)
  })

  test('review judges the client by the same checks and requirements', async () => {
    const { code, stdout } = await run('review', '--require', 'delivered:1', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'failed',
      requests: 4,
      required: [{ what: 'delivered:1', met: false }],
      ledger: [{ project: 1, report_number: 1, state: 'missing' }],
      context: {
        command: null,
        version: '0.1.0',
        clocks: { world: { to: '2026-03-16T12:00:00.000000Z' } },
      },
    })
  })
})

test('the address of either API names the server, and so does the environment of exec', async () => {
  for (const path of ['/', '/_sandbox', '/api/v1']) {
    expect(await onServer('traffic', '--url', `${url}${path}`)).toMatchObject({ code: 0 })
  }
  const env = { SEO_SANDBOX_ADMIN_KEY: KEY, SEO_SANDBOX_CONTROL_URL: `${url}/_sandbox` }
  expect(await runCli(['traffic'], { cwd: folder.path(), env })).toMatchObject({ code: 0 })
})

test('an isolated world is named by its id', async () => {
  const { stdout } = await onServer('traffic', '--url', url, '--world', isolated)
  expect(stdout).toBe('There have been no requests yet.\n')
})

test('a page that is not the control API is told from one', async () => {
  const { code, stderr } = await onServer('traffic', '--url', `${url}/reports`)
  expect(code).toBe(2)
  expect(stderr).toMatch(/^error http.*\/reports: .*\.\n$/)
})

test.for<[args: string[], message: string]>([
  [
    ['traffic', '--url', 'http://127.0.0.1:9'],
    'There is no server at http://127.0.0.1:9. Start one',
  ],
  [['why', '1', '--url', 'nowhere'], '--url: "nowhere" is not the URL of a server: use one like'],
  [
    ['traffic', 'a.session.json', '--world', 'w1'],
    '--world: This is for a running server. Leave it out',
  ],
  [
    ['review', 'a.session.json', '--url', 'http://127.0.0.1:9'],
    '--url: This is for a running server.',
  ],
  [['traffic', 'nowhere.json'], 'nowhere.json: There is no such file.'],
  [['why', '1', 'other.json'], 'other.json: This is not a session.'],
  [['why'], 'seo-sandbox why needs a project. Write seo-sandbox why <project> [session].'],
  [['why', 'x1'], 'PROJECT: "x1" is not the id of a project: use one like 101.'],
  [['why', '1', 'a.session.json', '--at', 'soon'], '--at: "soon" is not a date and time.'],
  [['traffic', '--filter', '404'], '--filter: "404" is not a criterion for requests: use one like'],
  [
    ['traffic', '--filter', 'stauts=404'],
    '--filter: stauts: "stauts" is not a field here. Did you mean "status"?',
  ],
  [['traffic', '--limit', '0'], '--limit: "0" is not a number of lines: use 1 to 100000.'],
])('%j is a usage error', async ([args, message]) => {
  const outcome = await runCli(args, { cwd: folder.path() })
  expect(outcome).toMatchObject({ code: 2, stdout: '' })
  expect(outcome.stderr).toContain(`error ${message}`)
  expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1)
})

test('no line of traffic has a control or bidirectional character, as text or JSON', async () => {
  const token = { headers: { authorization: 'Bearer of-a-name' } }
  const own = await startServer({
    fixtures: aWorld({ tokens: [aToken({ id: 1, token: 'of-a-name', name: HOSTILE })] }),
    port: 0,
  })
  await fetch(`${own.url}/api/v1/me`, token)
  const [text, json] = [[], ['--json']].map((args) =>
    onServer('traffic', '--url', own.url, ...args),
  )
  const outcomes = await Promise.all([text!, json!])
  await own.close()
  for (const { stdout } of outcomes) {
    expect(stdout).toContain(String.raw`A\u202e\u009b31mB`)
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  }
  expect(JSON.parse(outcomes[1].stdout)).toMatchObject([{ token: HOSTILE }])
})

test.for(['null', '[]', '{}', '[{}]', '[{ "kind": "request", "clock": null }]', '{ "error": 1 }'])(
  'a server that answers %s is told from a sandbox in a sentence',
  async (body) => {
    await using other = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    for (const args of [['traffic'], ['why', '1'], ['review']]) {
      if (args[0] === 'traffic' && body === '[]') continue
      const { code, stdout, stderr } = await onServer(
        ...args,
        '--url',
        `http://127.0.0.1:${other.port}`,
      )
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/^error http.*This is not the control API of this release .*\.\n$/)
    }
  },
)

test('a session with a forged method is refused', async () => {
  const session = JSON.parse(await readFile(folder.path('a.session.json'), 'utf8'))
  session.steps.find((step: object) => 'request' in step).request.method = 'GET\n::error::x'
  await using own = await aFolder({ 'forged.json': JSON.stringify(session) })
  const { code, stdout, stderr } = await runCli(['traffic', 'forged.json'], { cwd: own.path() })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^error forged\.json: steps\[0\].*\n$/)
})

test('a server that requires a key says so', async () => {
  const { code, stderr } = await runCli(['traffic', '--url', url], { cwd: folder.path() })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^error http.*: .*admin key.*\n$/i)
})
