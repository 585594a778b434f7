import { execFileSync } from 'node:child_process'
import { link, stat, symlink } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'
import type { JudgedReview } from '../../src/review/judge.ts'
import { aFolder, runCli, runNode } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'
import { EXEC, exec, HANGS, node } from '../support/exec.ts'
import { BIN } from '../support/launch.ts'

/** `exec --review`, and `review` of the session that it saves; test/cli/review-command.test.ts has more on `review`. */

const client = (script: string) =>
  node(`
    const { SEO_SANDBOX_URL: url, SEO_SANDBOX_TOKEN: token } = process.env
    const headers = { authorization: 'Bearer ' + token, accept: 'application/json' }
    const read = async (path) => (await fetch(url + '/api/v1' + path, { headers })).json()
    ;(async () => {${script}})()
  `)

const RIGHT = client("await read('/me')")

/** Requests the content of a report number that does not exist, which is a mistake in the review. */
const WRONG_SCRIPT =
  "const { data: [{ id }] } = await read('/projects'); await read('/projects/' + id + '/reports/0/content'); await read('/me')"
const WRONG = client(WRONG_SCRIPT)

const FOUND = [
  'failed report-number-range (specification ',
  ' GET /api/v1/projects/',
  '/reports/0/content 4',
  'Instead: ',
  'review 3 requests: 1 check failed, ',
]

const SMALL = `
version: 1
agencies: [{ id: 1, name: A }]
tokens: [{ id: 1, name: T, token: a-token-of-it, agency: 1 }]
projects: [{ id: 1, name: P, agency: 1, status: active, created_at: now-1d }]
`

const CONFIG = 'seo-sandbox.config.yaml'

const SESSION = /Reproduce it with npx seo-sandbox review (.+)\n$/

interface Run {
  code: number | null
  stdout: string
  stderr: string
}

async function execIn(
  folder: Folder,
  args: string[],
  env: Record<string, string> = {},
): Promise<Run> {
  await using run = exec(args, { cwd: folder.path(), env: { TMPDIR: folder.path(), ...env } })
  return await run.outcome
}

describe.concurrent('exec --review', () => {
  test.for<[title: string, code: number, command: string[]]>([
    ['is 0 for a client that does nothing wrong', 0, RIGHT],
    ['is 1 for a client that fails the review, where the command gave 0', 1, WRONG],
    [
      'is that of the command where that is not 0',
      3,
      client(`${WRONG_SCRIPT}; process.exitCode = 3`),
    ],
    ['is 0 for a client that made no request', 0, node('')],
    ['is 127 where the command does not exist', 127, ['no-such-command']],
  ])('the exit code %s', { tags: ['core'] }, async ([, code, command], { expect }) => {
    await using folder = await aFolder({})
    const outcome = await execIn(folder, ['--review', '--', ...command])
    expect({ code: outcome.code, stdout: outcome.stdout }).toEqual({ code, stdout: '' })
  })

  test('says on standard error what failed, with its requests, and saves the session', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const { stderr } = await execIn(folder, ['--review', '--', ...WRONG])
    for (const text of FOUND) expect(stderr).toContain(text)
    const [, session = ''] = SESSION.exec(stderr) ?? []
    expect(session.startsWith(folder.path()) || session.startsWith(`"${folder.path()}`)).toBe(true)
  })

  test('says how much a right client has not exercised, and saves nothing', async ({ expect }) => {
    await using folder = await aFolder({})
    const { stderr } = await execIn(folder, ['--review', '--', ...RIGHT])
    expect(stderr).toMatch(
      /^review 1 request: \d+ checks? passed, \d+ not exercised\.\n {2}not exercised: .*next-link.+\nrun .+\n$/,
    )
    expect(await folder.list()).toEqual([])
  })

  test('shows a notice, and saves nothing', async ({ expect }) => {
    await using folder = await aFolder({})
    const command = client("headers.accept = 'text/html'; await read('/me')")
    const { code, stderr } = await execIn(folder, ['--review', '--', ...command])
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^notice json-accept [^]+\nreview 1 request: 1 notice, .+\n {2}not exercised: .+\nrun .+\n$/,
    )
    expect(await folder.list()).toEqual([])
  })

  test('is ended by a signal after the command has ended', async ({ expect }) => {
    await using folder = await aFolder({})
    const pipe = folder.path('pipe')
    execFileSync('mkfifo', [pipe])
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const args = ['--report', 'html=pipe', '--report', 'json=a.json', '--', ...WRONG]
      await using run = exec(args, { cwd: folder.path() })
      // Printed when the command has ended. Writing the report then blocks until somebody reads the pipe.
      await run.until(/^Reproduce it with /m, 'stderr')
      run.signal(signal)
      expect((await run.outcome).code).toBe(null)
      expect(await folder.list()).not.toContain('a.json')
    }
  })

  test('names a client that made no request, also where it hangs', async ({ expect }) => {
    await using folder = await aFolder({})
    const { stderr } = await execIn(folder, ['--review', '--timeout', '300ms', '--', ...HANGS])
    expect(stderr.replace(/^run .+\n/m, '')).toBe(`\
seo-sandbox: The command took longer than --timeout allows, and was ended.
review The client made no request, so nothing was reviewed.
Point it at SEO_SANDBOX_URL, or give it the address in another variable with --env. Requests to isolated worlds are not reviewed.
`)
  })

  test('has colours where they are forced, and none with NO_COLOR', async ({ expect }) => {
    await using folder = await aFolder({})
    const run = async (env: Record<string, string>) =>
      (await execIn(folder, ['--review', '--', ...RIGHT], env)).stderr
    expect(await run({ FORCE_COLOR: '1' })).toContain('\u001B[32mreview')
    expect(await run({ NO_COLOR: '1' })).not.toContain('\u001B')
  })

  test('is an object after the one of the command with --json', async ({ expect }) => {
    await using folder = await aFolder({})
    const { stderr } = await execIn(folder, ['--review', '--json', '--', ...WRONG])
    const events = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(events).toMatchObject([
      { event: 'ended', code: 1 },
      {
        event: 'reviewed',
        session: expect.stringContaining('session.jsonl'),
        review: { verdict: 'failed', context: { exit: 0 }, required: [], waived: [] },
      },
    ])
  })

  test('is not printed with --quiet where the client passes', async ({ expect }) => {
    await using folder = await aFolder({})
    const run = async (command: string[]) =>
      (await execIn(folder, ['--review', '--quiet', '--', ...command])).stderr
    expect(await run(RIGHT)).toBe('')
    expect(await run(WRONG)).toContain('failed report-number-range')
    expect(await run(node(''))).toContain('made no request')
  })

  test('is 125 with a sentence where a report cannot be written, after the review', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const command = client("await read('/me'); require('node:fs').mkdirSync('out/a.html')")
    const args = ['--report', 'html=out/a.html', '--', ...command]
    const { code, stderr } = await execIn(folder, args)
    expect(code).toBe(125)
    expect(stderr).toMatch(
      /^review 1 request: .+\n {2}not exercised: .+\nrun .+\nerror out\/a\.html: It is a folder\. .+\n$/,
    )
  })

  test('gives a pipe its report', async ({ expect }) => {
    await using folder = await aFolder({})
    const line = ['bash', '-c', '"$@" --report json=>(cat >&2) -- true', '-', ...EXEC] as const
    await using run = exec([], { cwd: folder.path(), line: [...line] })
    const { code, stderr } = await run.outcome
    expect(code).toBe(0)
    expect(stderr).toContain('"verdict": "nothing-asked"')
  })

  test.for<[title: string, args: string[], message: string]>([
    ['below /proc', ['html=/proc/nope/x'], '/proc/nope/x: No file can be created there.'],
    ['deep below /proc', ['html=/proc/nope/x/y'], '/proc/nope/x/y: No file can be created there.'],
    ['in /proc', ['html=/proc/x'], '/proc/x: No file can be created there.'],
    ['below a file', ['html=file/a.html'], 'file/a.html: A part of its path is a file.'],
    ['deep below a file', ['html=file/a/b.html'], 'file/a/b.html: A part of its path is a file.'],
    ['of a folder', ['html=folder'], 'folder: It is a folder.'],
    ['of a missing folder', ['html=missing/'], 'missing/: It is a folder.'],
    ['with a long name', [`html=${'a'.repeat(300)}`], 'Its name is too long.'],
    ['in a circle', ['html=circle'], 'circle: Its symbolic links form a circle.'],
    ['twice', ['html=a', 'json=./a'], '--report: a and ./a are the same file.'],
    ['by a link', ['html=a', 'json=link'], '--report: a and link are the same file.'],
    // Like a name in other letter case, on a volume that ignores case.
    ['by another name', ['html=file', 'json=hard'], '--report: file and hard are the same file.'],
    [
      'by a linked folder',
      ['html=folder/a', 'json=same/a'],
      'folder/a and same/a are the same file.',
    ],
    [
      'of the session',
      ['html=folder/a.html', 'json=same/a.session.jsonl'],
      '--report: folder/a.session.jsonl is the file of the session.',
    ],
  ])('refuses a report %s, before the command runs', async ([, reports, message], { expect }) => {
    await using folder = await aFolder({ file: 'text', 'folder/': '' })
    await symlink('circle', folder.path('circle'))
    await symlink('a', folder.path('link'))
    await symlink('folder', folder.path('same'))
    await link(folder.path('file'), folder.path('hard'))
    const before = await folder.list()
    const options = reports.flatMap((report) => ['--report', report])
    const args = ['exec', ...options, '--', 'touch', 'ran']
    const outcome = await runCli(args, { cwd: folder.path() })
    expect(outcome).toMatchObject({ code: 125, stdout: '' })
    expect(outcome.stderr).toMatch(/^error .+\n$/)
    expect(outcome.stderr).toContain(message)
    expect(await folder.list()).toEqual(before)
    expect(await folder.read('file')).toBe('text')
  })

  test('refuses a report on a read-only disk, and says so', async ({ expect }) => {
    await using folder = await aFolder({ 'disk/': '' })
    const script = 'mount -t tmpfs -o ro tmpfs disk && exec "$@"'
    const unshare = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, '-']
    for (const path of ['disk/a', 'disk/new/a', 'disk/new/new/a']) {
      const line = [...unshare, ...EXEC] as [string, ...string[]]
      const args = ['--report', `html=${path}`, '--', 'touch', 'ran']
      await using run = exec(args, { cwd: folder.path(), line })
      expect(await run.outcome).toEqual({
        code: 125,
        stdout: '',
        stderr: `error ${path}: Its disk is read-only. Choose another folder. (docs/judging.md)\n`,
      })
    }
    expect(await folder.list()).toEqual(['disk'])
  })

  test('is of each session of a command that resets the sandbox, and fails where any of them does', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const run = async (script: string) => {
      const control = "const control = (path, body) => fetch(url + '/_sandbox' + path, body)"
      const command = client(`${control}; ${script}`)
      const { code, stderr } = await execIn(folder, ['--review', '--', ...command])
      return { code, stderr }
    }
    const resets = "await control('/reset', { method: 'POST' })"
    const first = await run(`${WRONG_SCRIPT}; ${resets}; await read('/me')`)
    expect(first.code).toBe(1)
    expect(first.stderr).toMatch(/^ {2}Session 1, \d{4}-.+: Request 2 asks project \d+ for/m)
    expect(first.stderr).toMatch(/^review 4 requests in 2 sessions: 1 check failed, /m)
    // The reset has discarded the session with the mistake.
    expect(first.stderr).not.toContain('Reproduce')
    const last = await run(`await read('/me'); ${resets}; ${WRONG_SCRIPT}`)
    expect(last.code).toBe(1)
    expect(last.stderr).toMatch(/^Reproduce session 2 with npx seo-sandbox review .+\n$/m)
    const fault = "body: JSON.stringify({ kind: 'status', status: 503 })"
    const intended = `await control('/faults', { method: 'POST', ${fault} }); await read('/projects')`
    const cut = await run(`${intended}; ${resets}; await read('/me')`)
    expect(cut).toMatchObject({ code: 0, stderr: expect.stringContaining(', 1 unsettled, ') })
    expect((await run(`${resets}; ${intended}`)).code).toBe(1)
  })

  test('passes the recipe for pytest, which resets the sandbox for each test', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const recipe = fileURLToPath(new URL('../../docs/recipes/pytest', import.meta.url))
    const pytest = ['python3', '-B', '-m', 'pytest', '-p', 'no:cacheprovider', recipe]
    const { code, stderr } = await execIn(folder, ['--review', '--', ...pytest])
    expect(stderr).toMatch(/^review \d+ requests in 4 sessions: \d+ checks? passed, /m)
    expect(code).toBe(0)
  })

  test('saves a session with more steps than the journal keeps', async ({ expect }) => {
    await using folder = await aFolder({})
    const args = ['--report=json=a.json', '--journal=1', '--', ...WRONG]
    const { stderr } = await execIn(folder, args)
    const again = await runCli(['review', 'a.session.jsonl'], { cwd: folder.path() })
    expect(again).toEqual({ code: 1, stdout: stderr, stderr: '' })
    // Nothing else is left, such as the file of the recording.
    expect(await folder.list()).toEqual(['a.json', 'a.session.jsonl'])
    expect((await stat(folder.path('a.session.jsonl'))).mode & 0o777).toBe(0o600)
  })

  test('names why no session could be recorded', async ({ expect }) => {
    await using folder = await aFolder({ file: '' })
    const env = { TMPDIR: folder.path('file') }
    const { code, stderr } = await execIn(folder, ['--review', '--', ...WRONG], env)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^warning .+\/file: The session is not recorded\. .+ continues\.\n/)
    expect(stderr).not.toContain('Reproduce it')
  })

  test('saves as much of a session as there is room for', async ({ expect }) => {
    await using folder = await aFolder({ 'world.yaml': SMALL })
    const command = client(`
      await read('/projects/1/reports/0/content')
      for (let count = 0; count < 400; count += 1) await read('/me')
    `)
    const args = ['--fixtures=world.yaml', '--rate-limit=unlimited', '--report=json=a.json', '--']
    const { code, stderr } = await runNode([BIN, 'exec', ...args, ...command], {
      cwd: folder.path(),
      env: { TMPDIR: folder.path() },
      // The second chunk of 64 kB is written only in part.
      fileLimit: 200,
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^warning The session is no longer recorded\. It exceeds the maximum size of a file\. .+ The review continues\.\n/,
    )
    expect(stderr).toContain('The saved session has only the beginning of it.')
    const { requests } = JSON.parse(await folder.read('a.json')) as JudgedReview
    expect(requests).toBe(401)
    const again = await runCli(['review', 'a.session.jsonl'], { cwd: folder.path() })
    expect(again).toMatchObject({ code: 1, stderr: '' })
    expect(again.stdout).toMatch(
      /Only requests up to #\d{2,3} are reviewed, because the session grew too large/,
    )
  })
})

/** Reads the reports that project 101 has completed. */
const DELIVERING = client(
  "const { data } = await read('/projects/101/reports'); for (const { status, report_number } of data) if (status === 'completed') await read(`/projects/101/reports/${report_number}/content`)",
)

describe.concurrent('--require', () => {
  const WAIVED = (until: string) =>
    `waive: [{ what: delivered:102, reason: Known., until: ${until} }]`

  test.for<[title: string, code: number, command: string[], required: string[], config?: string]>([
    ['is 0 where it is met', 0, DELIVERING, ['delivered', 'delivered:101', 'warnings']],
    ['is 1 where a report is missing', 1, RIGHT, ['delivered']],
    ['is that of the command where that is not 0', 7, node('process.exit(7)'), ['delivered']],
    ['is 1 by the config file', 1, RIGHT, [], 'require: [unfinished-content]'],
    ['is 0 where it is waived', 0, DELIVERING, ['delivered:102'], WAIVED('2999-12-31')],
    ['is 1 where the waiver has expired', 1, RIGHT, [], WAIVED('2026-01-01')],
    [
      'is 0 with both in a file with the line ends of Windows',
      0,
      DELIVERING,
      [],
      `# Of this client\r\nrequire:\r\n  - delivered:102\r\n${WAIVED('2999-12-31')}\r\n`,
    ],
  ])('the exit code %s', async ([, code, command, required, config], { expect }) => {
    await using folder = await aFolder(config === undefined ? {} : { [CONFIG]: config })
    const options = required.flatMap((what) => ['--require', what])
    const outcome = await execIn(folder, ['--review', ...options, '--', ...command])
    expect({ code: outcome.code, stdout: outcome.stdout }).toEqual({ code, stdout: '' })
  })

  test(
    'implies --review, says what would meet it, and saves the session',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder({})
      const { code, stderr } = await execIn(folder, ['--require', 'retry-after', '--', ...RIGHT])
      expect(code).toBe(1)
      expect(stderr).toMatch(
        /^requirements 1 not met\.\n  not met retry-after: The client never met this situation\. Add a fault .+\n/m,
      )
      expect(stderr).toMatch(SESSION)
    },
  )

  test('is of the session too: `review` says the same elsewhere, and takes more', async ({
    expect,
  }) => {
    await using folder = await aFolder({
      [CONFIG]: WAIVED('2999-12-31'),
      'client.cjs': DELIVERING[2] ?? '',
      'elsewhere/': '',
    })
    const options = ['--require=delivered:102,retry-after', '--report=json=a.json']
    const world = [
      '--seed',
      '7',
      '--policy',
      'foreign-project=403',
      '--admin-key',
      'a-key-of-this-run',
    ]
    const { stderr } = await execIn(folder, [
      ...options,
      ...world,
      '--',
      process.execPath,
      'client.cjs',
      'a-key-of-this-run',
      'sandbox-agency',
    ])
    const cwd = folder.path('elsewhere')
    const again = await runCli(['review', '--json', '../a.session.jsonl'], { cwd })
    expect(again).toEqual({ code: 1, stdout: await folder.read('a.json'), stderr: '' })
    const { context, required, waived } = JSON.parse(again.stdout) as JudgedReview
    expect(context).toMatchObject({
      exit: 0,
      world: { seed: '7' },
      policies: { 'foreign-project': '403' },
    })
    expect(context.command).toMatch(/ client\.cjs \[token\] '\[token 1\]'$/)
    expect(required.map(({ what, met }) => [what, met])).toEqual([
      ['delivered:102', false],
      ['retry-after', false],
    ])
    expect(waived.map(({ what, state }) => [what, state])).toEqual([['delivered:102', 'used']])
    for (const text of [
      'not met retry-after',
      'waived delivered:102',
      'policies: foreign-project 403',
    ]) {
      expect(stderr).toContain(text)
    }
    const args = ['review', '--json', '--require', 'delivered', '../a.session.jsonl']
    const more = JSON.parse((await runCli(args, { cwd })).stdout) as JudgedReview
    expect(more.required.map(({ what, met }) => [what, met]).at(-1)).toEqual(['delivered', true])
  })

  test.for<[required: string | null, config: string, message: string]>([
    ['retry-aftr', '', '--require: "retry-aftr" is not a requirement. Did you mean "retry-after"?'],
    [
      null,
      'port: 0\r\nrequire: [delivered, warning]',
      `${CONFIG}:2:22 require[1]: "warning" is not`,
    ],
    [
      null,
      'waive:\r\n  - what: backoff\r\n    reason: Known.\r\n    until: tomorrow\r\n',
      `${CONFIG}:4:12 waive[0].until: "tomorrow" is not a day.`,
    ],
    [
      null,
      'waive: [{ what: backof, reason: Known., until: 2026-12-31 }]',
      `${CONFIG}:1:17 waive[0].what: "backof" is not a requirement. Did you mean "backoff"?`,
    ],
  ])(
    '%j with %j is a usage error of both commands',
    async ([required, config, message], { expect }) => {
      await using folder = await aFolder({ [CONFIG]: config })
      const options = required === null ? [] : ['--require', required]
      const lines: [code: number, args: string[]][] = [
        [125, ['exec', '--review', ...options, '--', 'touch', 'ran']],
        [2, ['review', ...options, 'a.session.jsonl']],
      ]
      for (const [code, args] of lines) {
        const outcome = await runCli(args, { cwd: folder.path() })
        expect(outcome).toMatchObject({ code, stdout: '' })
        expect(outcome.stderr.split('\n')).toHaveLength(2)
        expect(outcome.stderr).toContain(`error ${message}`)
      }
      expect(await folder.list()).toEqual([CONFIG])
    },
  )
})

describe.concurrent('--profile storm', () => {
  const RUNS = [
    'seo-sandbox: Run 1 of 3: its token is refused.',
    'seo-sandbox: Run 2 of 3: the API fails now and then.',
    'seo-sandbox: Run 3 of 3: all is calm, a day later.',
  ]
  const runsIn = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith('seo-'))
  /** Sends one request, prints the date of the API, and ends with 1 for a 5xx and 0 for a 2xx or 4xx. */
  const ONCE = client(`
    const response = await fetch(url + '/api/v1/me', { headers })
    console.log(response.headers.get('date'))
    process.exitCode = Math.floor(response.status / 100) % 2
  `)

  test(
    'runs the command three times, the last a day later, and ends as that does',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder({})
      const { code, stdout, stderr } = await execIn(folder, [
        '--profile=storm',
        '--report=json=a.json',
        '--',
        ...ONCE,
      ])
      expect(code).toBe(0)
      expect(runsIn(stderr)).toEqual([
        RUNS[0],
        'seo-sandbox: The command exited with 0 although its token was refused.',
        ...RUNS.slice(1),
      ])
      const dates = stdout
        .trim()
        .split('\n')
        .map((date) => Date.parse(date))
      const hours = dates.map((ms) => Math.round((ms - dates[0]!) / 3_600_000))
      expect(hours).toEqual([0, 0, 24])
      const { requests, checks, context } = JSON.parse(await folder.read('a.json')) as JudgedReview
      expect(requests).toBe(3)
      expect(context.storm?.map(({ exit }) => exit)).toEqual([0, 1, 0])
      expect(checks.find(({ id }) => id === 'next-link')?.exercise).toMatch(
        /^The client never requested GET \/projects\. Let the client list the projects/,
      )
      await using other = await aFolder({})
      const failing = await execIn(other, [
        '--profile=storm',
        '--',
        ...ONCE.slice(0, 2),
        `${ONCE[2]}
      process.on('exit', () => { process.exitCode = 3 })`,
      ])
      expect(failing.code).toBe(3)
    },
  )

  test('names the failures that a client never met because it ended at an earlier one', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const readAll = (onError: string) =>
      client(`
        for (let attempt = 0; attempt < 20; attempt += 1) {
          const response = await fetch(url + '/api/v1/me', { headers })
          if (!response.ok) ${onError}
        }
      `)
    const options = ['--profile=storm', '--rate-limit=unlimited', '--report=json=a.json', '--']
    const ofContent = 'a lost connection; a body that is cut off; broken JSON.'
    const notices = [
      ['process.exit(1)', 'a 429; the page of a proxy instead of JSON; '],
      ['continue', ''],
    ] as const
    for (const [onError, others] of notices) {
      const { stderr } = await execIn(folder, [...options, ...readAll(onError)])
      const { notice, context } = JSON.parse(await folder.read('a.json')) as JudgedReview
      expect(notice).toBe(`The client never met these failures of the storm: ${others}${ofContent}`)
      expect(stderr).toContain(notice)
      expect(context.storm?.map(({ unmet }) => unmet !== undefined)).toEqual([false, true, false])
    }
  })

  test.for<[title: string, command: string[], args: string[], code: number]>([
    ['requests nothing', node(''), [], 0],
    ['is ended by --timeout', HANGS, ['--timeout', '300ms'], 124],
    ['is ended by a signal', node("process.kill(process.pid, 'SIGKILL')"), [], 137],
  ])('runs a command once that %s', async ([, command, args, code], { expect }) => {
    await using folder = await aFolder({})
    const outcome = await execIn(folder, ['--profile', 'storm', ...args, '--', ...command])
    expect(outcome.code).toBe(code)
    expect(runsIn(outcome.stderr)[0]).toBe(RUNS[0])
    expect(outcome.stderr).not.toContain(RUNS[1])
  })

  test('gives a signal to the run that it reaches, and then ends', async ({ expect }) => {
    await using folder = await aFolder({})
    const command = client(`
      await read('/me')
      if (require('node:fs').existsSync('ran')) {
        console.log('waiting')
        setInterval(() => {}, 60_000)
      }
      require('node:fs').writeFileSync('ran', '')
    `)
    await using run = exec(['--profile', 'storm', '--', ...command], { cwd: folder.path() })
    await run.until(/waiting/)
    run.signal('SIGTERM')
    const { code, stderr } = await run.outcome
    expect(code).toBe(143)
    expect(stderr).toContain(RUNS[1])
    expect(stderr).not.toContain(RUNS[2])
    expect(stderr).toMatch(/^review 2 requests: /m)
  })

  test('goes on where the command resets the world, as a test suite does', async ({ expect }) => {
    await using folder = await aFolder({})
    const command = client(`
      const control = process.env.SEO_SANDBOX_CONTROL_URL
      for (let count = 0; count < 2; count += 1) {
        await fetch(control + '/reset', { method: 'POST' })
        const response = await fetch(url + '/api/v1/me', { headers })
        const ms = Date.parse(response.headers.get('date')) - Date.now()
        console.log(response.status, Math.abs(Math.round(ms / 86_400_000)))
      }
    `)
    const { stdout } = await execIn(folder, ['--profile=storm', '--', ...command])
    expect(stdout.trim().split('\n')).toEqual(
      ['401 0', '503 0', '200 1'].flatMap((line) => [line, line]),
    )
  })

  test('keeps the latency and the faults of the world', async ({ expect }) => {
    await using folder = await aFolder({})
    const command = client(`
      const armed = await (await fetch(process.env.SEO_SANDBOX_CONTROL_URL + '/faults')).json()
      console.log(JSON.stringify(armed.map(({ kind }) => kind)))
      await read('/me')
    `)
    const { stdout } = await execIn(folder, ['--profile=storm', '--latency=1', '--', ...command])
    const [refused, , calm] = stdout.trim().split('\n')
    expect([refused, calm]).toEqual(['["latency","status"]', '["latency"]'])
  })

  test('is the only profile', async ({ expect }) => {
    await using folder = await aFolder({})
    const outcome = await runCli(['exec', '--profile', 'strom', '--', 'touch', 'ran'], {
      cwd: folder.path(),
    })
    expect(outcome).toEqual({
      code: 125,
      stdout: '',
      stderr: 'error --profile: "strom" is not a profile: use storm.\n',
    })
  })
})

describe.concurrent('--report', () => {
  test(
    'writes every format beside each other, with the session of a failure',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder({ 'out/old.md': 'Old' })
      const files = [
        'html=out/new/a.html',
        'junit=out/a.xml',
        'markdown=out/old.md',
        'json=out/a.json',
      ]
      const options = files.map((file) => `--report=${file}`)
      const { code } = await execIn(folder, [...options, '--', ...WRONG])
      expect(code).toBe(1)
      expect(await folder.list('out')).toEqual(['a.json', 'a.xml', 'new', 'old.md'])
      expect(await folder.list('out/new')).toEqual(['a.html', 'a.session.jsonl'])
      for (const name of ['out/new/a.html', 'out/a.xml', 'out/old.md']) {
        expect(await folder.read(name)).toContain('npx seo-sandbox review out/new/a.session.jsonl')
      }
    },
  )

  test('adds Markdown to the summary of a job of GitHub Actions', async ({ expect }) => {
    await using folder = await aFolder({ 'summary.md': 'Before\n' })
    const env = { GITHUB_STEP_SUMMARY: folder.path('summary.md') }
    await execIn(folder, ['--review', '--', ...RIGHT], env)
    expect(await folder.read('summary.md')).toMatch(/^Before\n## Review of the client: passed\n/)
  })

  test.for<[title: string, args: string[], env: Record<string, string>, count: number]>([
    ['annotates a job of GitHub Actions', [], { GITHUB_ACTIONS: 'true' }, 1],
    ['annotates nothing else', [], {}, 0],
    ['annotates nothing with --json', ['--json'], { GITHUB_ACTIONS: 'true' }, 0],
  ])('%s', async ([, args, env, count], { expect }) => {
    await using folder = await aFolder({})
    const { stdout, stderr } = await execIn(folder, ['--review', ...args, '--', ...WRONG], env)
    expect(stdout).toBe('')
    const found = stderr.match(/^::error title=failed%3A report-number-range .+::Request 2 .+$/gm)
    expect(found ?? []).toHaveLength(count)
  })

  test(
    'has the reviewed session: `review` says the same of it, byte for byte',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder({})
      const { stderr } = await execIn(folder, [
        '--report=json=a.json',
        '--report=html=a.html',
        '--',
        ...WRONG,
      ])
      const options = { cwd: folder.path() }
      const args = [
        'review',
        'a.session.jsonl',
        '--report',
        'json=b.json',
        '--report',
        'html=b.html',
      ]
      const again = await runCli(args, options)
      expect(again).toEqual({ code: 1, stdout: stderr, stderr: '' })
      expect(await folder.read('b.json')).toBe(await folder.read('a.json'))
      expect(await folder.read('b.html')).toBe(await folder.read('a.html'))
      const json = await runCli(['review', '--json', 'a.session.jsonl'], options)
      expect(json).toEqual({ code: 1, stdout: await folder.read('a.json'), stderr: '' })
    },
  )
})
