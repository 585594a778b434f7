import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text as readText } from 'node:stream/consumers'
import { describe, test } from 'vitest'
import { BIN, FLAGS, launch, staysUp } from '../support/launch.ts'
import { aProject } from './project.ts'

/** Events that stop a server, and events that do not, by the ways in which other programs start it. */

type Command = [string, ...string[]]

const ARGS = FLAGS.join(' ')
const NODE: Command = [process.execPath, BIN, ...FLAGS]
const NPX: Command = ['npx', 'seo-sandbox', ...FLAGS]

const SCRIPTS = {
  api: `seo-sandbox ${ARGS}`,
  // The shell, and npm with it, ends after a line of input.
  background: `seo-sandbox ${ARGS} & read line`,
}

/** A command of a shell that runs a line. */
function shell(line: string): Command {
  return ['sh', '-c', line]
}

describe.concurrent('npm that is ended takes the server with it', () => {
  // npm's shell either becomes the program, like bash, or waits for it.
  const bash: Command = ['npx', '--script-shell', 'bash', 'seo-sandbox', ...FLAGS]

  test.for<[signal: NodeJS.Signals, command: Command, reason: string]>([
    ['SIGTERM', NPX, 'npm-ended'],
    ['SIGKILL', NPX, 'npm-ended'],
    ['SIGTERM', bash, 'SIGTERM'],
    ['SIGKILL', bash, 'npm-ended'],
    ['SIGTERM', ['npm', 'run', 'api'], 'npm-ended'],
    ['SIGKILL', ['npm', 'run', 'api'], 'npm-ended'],
  ])('%s to %s: %s', async ([signal, command, reason], { expect }) => {
    await using folder = await aProject(SCRIPTS)
    await using server = await launch(command, { cwd: folder.path() })
    server.command.kill(signal)
    expect(await server.reason).toBe(reason)
  })

  test('a signal to the whole process group, which npm passes on, is one signal', async ({
    expect,
  }) => {
    await using folder = await aProject(SCRIPTS)
    // A response that takes longer than the grace period of stopping would be lost.
    await using server = await launch([...bash, '--latency', '300'], { cwd: folder.path() })
    const { url } = server.first
    const headers = { authorization: 'Bearer sandbox-agency' }
    const delayed = fetch(`${url}/api/v1/me`, { headers })
    await fetch(`${url}/_sandbox/health`)
    server.signalGroup('SIGINT')
    expect((await delayed).status).toBe(200)
    expect(await server.reason).toBe('SIGINT')
  })
})

describe.concurrent('a server stays up', () => {
  test.for<[title: string, command: Command]>([
    ['seo-sandbox &', shell(`"${process.execPath}" "${BIN}" ${ARGS} & read line `)],
    ['npx seo-sandbox &', shell(`npx seo-sandbox ${ARGS} & read line `)],
    ['nohup npx seo-sandbox &', shell(`nohup npx seo-sandbox ${ARGS} & read line `)],
    ['an npm script with &', ['npm', 'run', 'background']],
  ])('when the shell of "%s" ends', async ([title, command], { expect }) => {
    await using folder = await aProject(SCRIPTS)
    await using server = await launch(command, { cwd: folder.path() })
    server.stdin.end('\n')
    await server.code
    expect(await staysUp(server)).toBe(true)
    const isRunByNpm = title.includes('npx')
    expect(server.first.stops_when).toEqual(isRunByNpm ? ['npm-ended'] : [])
    process.kill(server.first.pid, 'SIGTERM')
    expect(await server.reason).toBe('SIGTERM')
  })

  test.for([`nohup npx seo-sandbox ${ARGS}`, `nohup "${process.execPath}" "${BIN}" ${ARGS}`])(
    'when a terminal that is closed hangs up on %s',
    async (line, { expect }) => {
      await using folder = await aProject(SCRIPTS)
      await using server = await launch(shell(`${line} & wait`), { cwd: folder.path() })
      server.signalGroup('SIGHUP')
      await server.code
      expect(await staysUp(server)).toBe(true)
      process.kill(server.first.pid, 'SIGTERM')
      expect(await server.reason).toBe('SIGTERM')
    },
  )

  const service = ['--start', '--background', '--no-close', '--make-pidfile', '--pidfile', 'pid']

  test.for<[title: string, command: Command]>([
    ['setsid seo-sandbox', ['setsid', '--fork', ...NODE]],
    ['setsid npx seo-sandbox', ['setsid', '--fork', ...NPX]],
    [
      'a service manager',
      [
        'start-stop-daemon',
        ...service,
        '--chdir',
        '.',
        '--startas',
        NODE[0],
        '--',
        ...NODE.slice(1),
      ],
    ],
  ])('in a session of its own: %s', async ([, command], { expect }) => {
    await using folder = await aProject(SCRIPTS)
    await using server = await launch(command, { cwd: folder.path(), isDetaching: true })
    expect(await server.code).toBe(0)
    expect(await staysUp(server)).toBe(true)
    process.kill(server.first.pid, 'SIGTERM')
    expect(await server.reason).toBe('SIGTERM')
  })

  test('when setsid has detached it from a terminal that is closed, which it writes to', async ({
    expect,
  }) => {
    const line = `setsid --fork "${process.execPath}" "${BIN}" ${ARGS}; read line`
    const terminal: Command = ['script', '-qec', line, '/dev/null']
    await using server = await launch(terminal, { isDetaching: true })
    server.command.kill('SIGKILL')
    await server.code
    expect(await staysUp(server)).toBe(true)
  })

  test.for<[title: string, command: Command, pid: number | undefined]>([
    ['it', NODE, 1],
    ['npx', NPX, undefined],
  ])('in a container whose first process is %s', async ([, command, pid], { expect }) => {
    await using folder = await aProject(SCRIPTS)
    const unshare = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child']
    const container: Command = ['unshare', ...unshare, ...command]
    await using server = await launch(container, { cwd: folder.path() })
    if (pid !== undefined) expect(server.first.pid).toBe(pid)
    expect(await staysUp(server)).toBe(true)
    server.signalGroup('SIGTERM')
    expect(await server.reason).toBe('SIGTERM')
  })
})

describe.concurrent('--stdin-close', () => {
  test('takes a pipe, through npx too', { tags: ['core'] }, async ({ expect }) => {
    await using folder = await aProject(SCRIPTS)
    const piped = shell(`cat | npx seo-sandbox --stdin-close ${ARGS}`)
    await using server = await launch(piped, { cwd: folder.path() })
    expect(await staysUp(server)).toBe(true)
    server.stdin.end()
    expect(await server.reason).toBe('stdin-closed')
  })

  test.for([
    ['a file', '<package.json'],
    ['none', '<&-'],
    ['the null device of a background process', '& wait $!'],
  ])('does not take %s', async ([, redirection], { expect }) => {
    await using folder = await aProject(SCRIPTS)
    const line = `"${process.execPath}" "${BIN}" --stdin-close ${redirection}`
    const command = spawn('sh', ['-c', line], {
      cwd: folder.path(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const exited = once(command, 'exit')
    expect(await readText(command.stderr)).toMatch(
      /^error --stdin-close: Standard input is neither /,
    )
    expect(await exited).toEqual([2, null])
  })
})
