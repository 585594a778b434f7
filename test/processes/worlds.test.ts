import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { aFolder, fromRoot } from '../support/cli.ts'
import { FILES, start } from '../support/program.ts'

/** Advances the machine's clock by an hour and a millisecond on a message of the parent. */
const HOURS =
  'data:text/javascript,process.on("message", () => { const now = Date.now; Date.now = () => now() + 3600001; process.send("moved") })'

/** The built server with its lines of output, and a clock that can be advanced by an hour. */
async function openServer(...args: string[]) {
  const child = fork(fromRoot('bin/seo-sandbox.js'), ['--port', '0', ...args], {
    execArgv: ['--import', HOURS],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'] },
  })
  const lines: AsyncIterator<string> = createInterface({ input: child.stdout ?? process.stdin })[
    Symbol.asyncIterator
  ]()
  const until = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`The output ended without ${pattern}.`)
      if (pattern.test(value)) return value
    }
  }
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await until(/http:/)) ?? []
  return {
    url,
    until,
    passHour: async () => {
      child.send('hour')
      await once(child, 'message')
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      // The IPC channel would keep the process alive.
      child.disconnect()
      child.kill()
      await ended
    },
  }
}

test.each([
  [[], '  World w1 was dropped: not used for an hour.'],
  [['--json'], '{"event":"world-dropped","world":"w1","reason":"idle"}'],
])('a server with %j names the world that it dropped', async (args, line) => {
  await using server = await openServer(...args)
  const made = await fetch(`${server.url}/_sandbox/worlds`, { method: 'POST' })
  const { tokens } = (await made.json()) as { tokens: Record<string, string> }
  const ask = () =>
    fetch(`${server.url}/api/v1/me`, {
      headers: { authorization: `Bearer ${tokens['sandbox-super']}` },
    })
  expect((await ask()).status).toBe(200)
  await server.passHour()
  expect((await ask()).status).toBe(401)
  expect(await server.until(/dropped/)).toBe(line)
})

test('no line of the log has a bearer value of an isolated world', async () => {
  await using server = await openServer()
  const made = await fetch(`${server.url}/_sandbox/worlds`, { method: 'POST' })
  const { tokens } = (await made.json()) as { tokens: Record<string, string> }
  const token = tokens['sandbox-super'] ?? ''
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${server.url}/api/v1/projects?search=${token}`, { headers })
  const line = await server.until(/search=/)
  expect(line).toContain('200 GET /api/v1/projects?search=[token')
  expect(line).not.toContain(token)
})

test('a body that would not fit into memory is refused before it is parsed, and the server goes on', async () => {
  await using folder = await aFolder(FILES)
  await using program = await start(folder, [], { node: ['--max-old-space-size=64'] })
  const snapshot = await program.control('GET', '/snapshots')
  snapshot.body.records.keywords = Array.from({ length: 1_000_000 }, () => ({}))
  const refused = await program.control('POST', '/snapshots', snapshot.body)
  expect([refused.status, refused.body.error.code]).toEqual([507, 'insufficient_memory'])
  expect((await program.control('GET', '/health')).status).toBe(200)
})
