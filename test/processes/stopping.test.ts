import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { describe, test } from 'vitest'
import { aFolder, runCli } from '../support/cli.ts'
import { BIN, FLAGS, launch, staysUp } from '../support/launch.ts'

/** Conditions that stop a server, and its stated reasons; starting-and-stopping.test.ts starts it in more ways, on Linux. */

const SERVER: [string, ...string[]] = [process.execPath, BIN, ...FLAGS]
/** A program that waits for the server. */
const UNDER_A_SHELL: [string, ...string[]] = ['sh', '-c', '"$0" "$@"; exit', ...SERVER]

describe.concurrent('--stdin-close', () => {
  test(
    'stops the server when standard input is closed, and a response in progress is finished',
    { tags: ['core'] },
    async ({ expect }) => {
      await using server = await launch([...SERVER, '--stdin-close'])
      expect(server.first.stops_when).toEqual(['stdin-closed'])
      const { port } = new URL(server.first.url)
      const client = connect(Number(port), '127.0.0.1')
      client.write(
        'GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sandbox-agency\r\n\r\n',
      )
      server.stdin.write('What is written there is ignored.\n')
      expect(await staysUp(server)).toBe(true)
      server.stdin.end()
      expect(await readText(client)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(await server.reason).toBe('stdin-closed')
      expect(await server.code).toBe(0)
    },
  )

  test('takes the socket of a connection, and its loss', async ({ expect }) => {
    const listener = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const client = connect((listener.address() as AddressInfo).port, '127.0.0.1')
    const [stdin] = await once(listener, 'connection')
    await using server = await launch([...SERVER, '--stdin-close'], { stdin })
    stdin.destroy()
    listener.close()
    client.resetAndDestroy()
    expect(await server.reason).toBe('stdin-closed')
    expect(await server.code).toBe(0)
  })

  test('stops it although nobody reads its log', async ({ expect }) => {
    await using server = await launch([...SERVER, '--stdin-close'])
    server.command.stdout?.destroy()
    server.stdin.end()
    expect(await server.code).toBe(0)
  })

  test('is refused where nobody could close it', async ({ expect }) => {
    await using folder = await aFolder({})
    const outcome = await runCli(['--stdin-close'], { cwd: folder.path() })
    expect(outcome).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error --stdin-close: Standard input is neither a pipe nor a socket, so no program can close it. Start it with a pipe as its standard input, or leave --stdin-close out.\n',
    })
  })

  test('is off where it is not set: a closed standard input does not matter', async ({
    expect,
  }) => {
    await using server = await launch(SERVER)
    expect(server.first.stops_when).toEqual([])
    server.stdin.end()
    expect(await staysUp(server)).toBe(true)
    process.kill(server.first.pid, 'SIGTERM')
    expect(await server.reason).toBe('SIGTERM')
  })
})

describe.concurrent('the end of the parent process', () => {
  test('stops a server that npm runs', { tags: ['core'] }, async ({ expect }) => {
    await using server = await launch(UNDER_A_SHELL, { env: { npm_command: 'exec' } })
    expect(server.first.stops_when).toEqual(['npm-ended'])
    server.command.kill('SIGKILL')
    expect(await server.reason).toBe('npm-ended')
  })

  test('does not stop any other', { tags: ['core'] }, async ({ expect }) => {
    await using server = await launch(UNDER_A_SHELL)
    server.command.kill('SIGKILL')
    await server.code
    expect(await staysUp(server)).toBe(true)
    process.kill(server.first.pid, 'SIGINT')
    expect(await server.reason).toBe('SIGINT')
  })
})

test('an error that nobody reads has its exit code all the same', async ({ expect }) => {
  const command = spawn(process.execPath, [BIN, '--port', 'x'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  command.stderr.destroy()
  expect(await once(command, 'exit')).toEqual([2, null])
})
