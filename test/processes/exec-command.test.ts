import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { constants } from 'node:os'
import { describe, test } from 'vitest'
import { aFolder } from '../support/cli.ts'
import { exec, HANGS, node } from '../support/exec.ts'
import { freePort } from '../support/free-port.js'
import { BIN } from '../support/launch.ts'
import { aToken, aWorld } from '../support/worlds.ts'

/** A command that runs with a sandbox of its own; exec.test.ts covers more commands, on Linux. */

/** Asks the sandbox, prints the result, and ends with standard input. */
const ASK = `
  const { SEO_SANDBOX_URL: url, SEO_SANDBOX_TOKEN: token, SEO_SANDBOX_CONTROL_URL: control } = process.env
  const headers = { authorization: 'Bearer ' + token }
  const { status } = await fetch(url + '/api/v1/me', { headers })
  const { capabilities } = await (await fetch(control + '/health')).json()
  console.log(JSON.stringify({ status, isControl: capabilities !== undefined, url }))
  process.stdin.resume()
`

/** A command line of Node that writes these variables, as JSON. */
function show(...names: string[]): string[] {
  const values = names.map((name) => `process.env.${name} ?? null`)
  return node(`console.log(JSON.stringify([${values.join(', ')}]))`)
}

describe.concurrent('a command', () => {
  test(
    'has a sandbox on a free port, which stops with it',
    { tags: ['core'] },
    async ({ expect }) => {
      const command = [process.execPath, '--input-type=module', '-e', ASK]
      // The port of `serve`, which `exec` does not use.
      const env = { SEO_SANDBOX_PORT: '4010' }
      await using one = exec(['--', ...command], { env })
      await using other = exec(['--', ...command], { env })
      const lines = await Promise.all([one, other].map((run) => run.until(/.+(?=\n)/)))
      const urls = lines.map(([line]) => {
        const { url, ...rest } = JSON.parse(line)
        expect(rest).toEqual({ status: 200, isControl: true })
        return url as string
      })
      expect(new Set(urls).size).toBe(2)
      for (const { stdin, outcome } of [one, other]) {
        stdin.end()
        expect(await outcome).toMatchObject({ code: 0, stderr: '' })
      }
      for (const url of urls) await expect(fetch(url)).rejects.toThrow()
    },
  )

  test('has standard input, output and error to itself', async ({ expect }) => {
    const script = `
      process.stdin.setEncoding('utf8').on('data', (text) => {
        process.stdout.write('out ' + text)
        process.stderr.write('err ' + text)
      })
    `
    await using run = exec(['--', ...node(script)])
    run.stdin.write('one\n')
    await run.until(/^out one\n$/)
    run.stdin.end('two\n')
    expect(await run.outcome).toEqual({
      code: 0,
      stdout: 'out one\nout two\n',
      stderr: 'err one\nerr two\n',
    })
  })

  test('gets its arguments as they are', async ({ expect }) => {
    const args = ['--', '--json', '', 'a b', '$HOME', '--help']
    const command = [...node('console.log(JSON.stringify(process.argv.slice(1)))'), '--', ...args]
    for (const line of [['--', ...command], command]) {
      await using run = exec(line)
      const outcome = await run.outcome
      expect({ ...outcome, stdout: JSON.parse(outcome.stdout) as unknown }).toEqual({
        code: 0,
        stdout: args,
        stderr: '',
      })
    }
  })

  test('has the options of serve: a world, a key, policies and a port', async ({ expect }) => {
    const tokens = [
      aToken({ id: 1, token: 'retired', status: 'disabled' }),
      aToken({ id: 2, token: 'elsewhere', allowed_ips: ['203.0.113.0/24'] }),
      aToken({ id: 3, token: 'usable' }),
    ]
    await using folder = await aFolder({
      'agency.json': JSON.stringify(aWorld({ tokens })),
      'seo-sandbox.config.yaml': 'admin-key: a-long-key-of-the-control-api\nport: 4010\n',
    })
    const port = await freePort()
    const names = ['SEO_SANDBOX_URL', 'SEO_SANDBOX_TOKEN', 'SEO_SANDBOX_ADMIN_KEY']
    const options = ['--fixtures', 'agency.json', '--port', String(port), '--']
    await using run = exec([...options, ...show(...names)], { cwd: folder.path() })
    const { stdout, ...rest } = await run.outcome
    expect(rest).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual([
      `http://127.0.0.1:${port}`,
      'usable',
      'a-long-key-of-the-control-api',
    ])
  })

  test('has nothing that its sandbox does not have, also within another run', async ({
    expect,
  }) => {
    const names = ['SEO_SANDBOX_TOKEN', 'SEO_SANDBOX_CONTROL_URL', 'SEO_SANDBOX_ADMIN_KEY']
    await using folder = await aFolder({ 'empty.yaml': 'version: 1\n' })
    const env = { SEO_SANDBOX_TOKEN: 'outer', SEO_SANDBOX_CONTROL_URL: 'http://127.0.0.1:1' }
    const options = ['--fixtures', 'empty.yaml', '--no-control', '--']
    await using run = exec([...options, ...show(...names)], { cwd: folder.path(), env })
    expect(await run.outcome).toEqual({ code: 0, stdout: '[null,null,null]\n', stderr: '' })
  })

  test('has them under other names with --env', { tags: ['core'] }, async ({ expect }) => {
    const env = ['A=url', 'B=api', 'C=token', 'D=control', 'E=key'].map((name) => `--env=${name}`)
    const options = ['--admin-key', 'a-long-key-of-the-control-api', ...env, '--']
    await using run = exec([...options, ...show('SEO_SANDBOX_URL', 'A', 'B', 'C', 'D', 'E')])
    const { stdout, ...rest } = await run.outcome
    expect(rest).toEqual({ code: 0, stderr: '' })
    const [url, ...values] = JSON.parse(stdout) as string[]
    expect(values).toEqual([
      url,
      `${url}/api/v1`,
      'sandbox-agency',
      `${url}/_sandbox`,
      'a-long-key-of-the-control-api',
    ])
  })

  test('may be a seo-sandbox, which takes none of these variables for an option', async ({
    expect,
  }) => {
    const env = ['SEO_SANDBOX_HOSTS=url', 'SEO_SANDBOX_PROT=api', 'SEO_SANDBOX_SED=token']
    const options = env.flatMap((name) => ['--env', name])
    await using run = exec([...options, '--', process.execPath, BIN, 'gaps', '--set'])
    expect(await run.outcome).toMatchObject({ code: 0, stderr: '' })
  })

  test('is served a changed fixture with --watch, of which nothing is printed', async ({
    expect,
  }) => {
    const name = (text: string) => `version: 1\nagencies: [{ id: 1, name: ${text} }]
tokens: [{ id: 1, name: T, token: t, agency: 1 }]\n`
    const script = `
      const { renameSync, writeFileSync } = require('node:fs')
      const { SEO_SANDBOX_CONTROL_URL: control } = process.env
      const read = async () => (await fetch(control + '/records/agencies')).text()
      writeFileSync('changed', ${JSON.stringify(name('Changed'))})
      renameSync('changed', 'agency.yaml')
      const look = async () => (await read()).includes('Changed') || look()
      look()
    `
    await using folder = await aFolder({ 'agency.yaml': name('First') })
    const options = ['--fixtures', 'agency.yaml', '--watch', '--']
    await using run = exec([...options, ...node(script)], { cwd: folder.path() })
    expect(await run.outcome).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

const FILES = {
  'not-a-program': 'echo hello\n',
  'folder/': '',
  'bug.mjs': `
    process.on('SIGUSR2', () => { throw new Error('A bug') })
    export const handlers = []
  `,
}

/** Makes its parent process throw an error, and goes on. */
const FINDS_A_BUG = node(`
  process.kill(process.ppid, 'SIGUSR2')
  setInterval(() => {}, 60_000)
`)

/** Ends by itself on SIGTERM. */
const OBEYS = node(`
  process.on('SIGTERM', () => process.exit(0))
  setInterval(() => {}, 60_000)
`)

describe.concurrent('the exit code', () => {
  test.for<[title: string, code: number, args: string[], stderr: RegExp]>([
    ['success', 0, ['--', ...node('')], /^$/],
    ['a failure', 3, ['--', ...node('process.exit(3)')], /^$/],
    [
      'a crash',
      128 + constants.signals.SIGSEGV,
      ['--', ...node("process.kill(process.pid, 'SIGSEGV')")],
      /^seo-sandbox: The command was ended by SIGSEGV\.\n$/,
    ],
    [
      'a time limit',
      124,
      ['--timeout', '300ms', '--', ...HANGS],
      /^seo-sandbox: The command took longer than --timeout allows, and was ended\.\n$/,
    ],
    ['a time limit, with success after it', 124, ['--timeout=PT0.5S', '--', ...OBEYS], /--timeout/],
    ['a time limit that is kept', 0, ['--timeout', '24h', '--', ...node('')], /^$/],
    [
      'a file that is no program',
      126,
      ['--', './not-a-program'],
      /^error \.\/not-a-program: .+\n$/,
    ],
    ['a folder', 126, ['--', './folder'], /^error \.\/folder: It cannot be run \(EACCES\)\..+\n$/],
    ['an unknown command', 127, ['--', 'no-such'], /^error no-such: There is no such command.+\n$/],
    ['a missing file', 127, ['--', './no-such'], /^error \.\/no-such: There is no such.+\n$/],
    ['an empty command', 127, ['--', ''], /^error "": There is no such command.+\n$/],
    ['an unexpected error', 125, ['--handlers', 'bug.mjs', '--', ...FINDS_A_BUG], /Error: A bug\n/],
  ])('%s: %i', { tags: ['core'] }, async ([, code, args, stderr], { expect }) => {
    await using folder = await aFolder(FILES)
    await using run = exec(args, { cwd: folder.path() })
    const outcome = await run.outcome
    expect(outcome).toMatchObject({ code, stderr: expect.stringMatching(stderr) })
    expect(outcome.stdout).toBe('')
    expect(run.running()).toEqual([])
  })

  test('a port in use: 125', async ({ expect }) => {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    await using run = exec(['--port', String(port), '--', ...node('')])
    const { code, stderr } = await run.outcome
    expect({ code, stderr }).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(/^error Port \d+ is already in use\./),
    })
    listener.close()
  })

  test('a state that cannot be saved: 125', async ({ expect }) => {
    await using folder = await aFolder({ 'kept/': '' })
    const script = "require('node:fs').rmSync('kept', { recursive: true })"
    const options = ['--state', 'kept/state.json', '--', ...node(script)]
    await using run = exec(options, { cwd: folder.path() })
    const { code, stderr } = await run.outcome
    expect({ code, stderr }).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(/^error kept\/state\.json/),
    })
  })
})

/** Prints that it is ready, then the signal that it gets. */
const TELLS = node(`
  const tell = (signal) => process.stdout.write(signal + '\\n', () => process.exit(7))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, tell)
  setInterval(() => {}, 60_000)
  console.log('ready')
`)

const READY_AND_HANGS = node("setInterval(() => {}, 60_000); console.log('ready')")

/** Only SIGKILL ends it. */
const IGNORES = node(`
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => console.log(signal))
  setInterval(() => {}, 60_000)
  console.log('ready')
`)

describe.concurrent('a signal', () => {
  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s reaches the command, and its exit code is the one',
    { tags: ['core'] },
    async (signal, { expect }) => {
      await using run = exec(['--', ...TELLS])
      await run.until(/ready\n/)
      run.signal(signal)
      expect(await run.outcome).toEqual({ code: 7, stdout: `ready\n${signal}\n`, stderr: '' })
    },
  )

  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s that ends the command is 128 + its number, without a word',
    async (signal, { expect }) => {
      await using run = exec(['--', ...READY_AND_HANGS])
      await run.until(/ready\n/)
      run.signal(signal)
      const code = 128 + constants.signals[signal]
      expect(await run.outcome).toEqual({ code, stdout: 'ready\n', stderr: '' })
    },
  )

  test('SIGINT and SIGHUP may be ignored; SIGTERM kills what it does not end', async ({
    expect,
  }) => {
    await using run = exec(['--', ...IGNORES])
    await run.until(/ready\n/)
    run.signal('SIGINT')
    await run.until(/SIGINT\n/)
    run.signal('SIGHUP')
    await run.until(/SIGHUP\n/)
    run.signal('SIGTERM')
    expect(await run.outcome).toEqual({
      code: 128 + constants.signals.SIGKILL,
      stdout: 'ready\nSIGINT\nSIGHUP\nSIGTERM\n',
      stderr: 'seo-sandbox: The command was killed, because SIGTERM did not end it.\n',
    })
  })

  test('after the command has ended kills what it left running, and ends exec', async ({
    expect,
  }) => {
    const left = `process.on('SIGTERM', () => console.log('SIGTERM')); setInterval(() => {}, 60_000); console.log('ready')`
    const command = node(`
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(left)}], { stdio: 'inherit' })
      child.unref()
    `)
    await using run = exec(['--', ...command])
    // Printed by the process that was left running.
    await run.until(/SIGTERM\n/)
    run.signal('SIGTERM')
    expect(await run.outcome).toMatchObject({ code: null, stderr: '' })
    expect(run.running()).toEqual([])
  })

  test('is not all that --timeout sends: a command that ignores it is killed', async ({
    expect,
  }) => {
    const command = ['sh', '-c', "trap '' TERM; while :; do sleep 60; done"]
    await using run = exec(['--timeout', '1s', '--', ...command])
    expect(await run.outcome).toEqual({
      code: 124,
      stdout: '',
      stderr:
        'seo-sandbox: The command took longer than --timeout allows, and was killed, because SIGTERM did not end it.\n',
    })
    expect(run.running()).toEqual([])
  })
})

/** Leaves a child running that ends on SIGTERM. */
const LEAVES = node(`
  const { spawn } = require('node:child_process')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'inherit' })
  child.unref()
`)

describe.concurrent('what the command leaves running', () => {
  test('is ended, and named', { tags: ['core'] }, async ({ expect }) => {
    await using run = exec(['--', ...LEAVES])
    const { code, stderr } = await run.outcome
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^seo-sandbox: The command left processes running, which were ended: .+\. With --leave-daemons they keep running\.\n$/,
    )
  })

  test('is not mentioned with --quiet', async ({ expect }) => {
    await using run = exec(['--quiet', '--', ...LEAVES])
    expect(await run.outcome).toMatchObject({ code: 0, stderr: '' })
  })
})

test('with --json the end is an object on standard error', async ({ expect }) => {
  await using run = exec(['--json', '--timeout', '300ms', '--', ...HANGS])
  const { code, stdout, stderr } = await run.outcome
  expect([code, stdout]).toEqual([124, ''])
  expect(JSON.parse(stderr)).toEqual({
    event: 'ended',
    code: 124,
    signal: 'SIGTERM',
    reason: 'timeout',
    killed: false,
    processes_ended: [],
    processes_left: [],
  })
})
