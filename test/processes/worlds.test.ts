import { expect, test } from 'vitest'
import { run } from '../support/serve-program.ts'

/** Advances the machine's clock by an hour and a millisecond on a signal. */
const HOURS =
  'data:text/javascript,process.on("SIGUSR2", () => { const now = Date.now; Date.now = () => now() + 3600001; console.error("moved") })'

function start(...args: string[]) {
  return run(['--port', '0', ...args], { nodeArgs: ['--import', HOURS] })
}

test.each([
  [[], '  World w1 was dropped: not used for an hour.'],
  [['--json'], '{"event":"world-dropped","world":"w1","reason":"idle"}'],
])('a server with %j names the world that it dropped', async (args, line) => {
  await using server = start(...args)
  const url = await server.until(/http:\/\/127\.0\.0\.1:\d+(?=\D)/)
  const made = await fetch(`${url}/_sandbox/worlds`, { method: 'POST' })
  const { tokens } = (await made.json()) as { tokens: Record<string, string> }
  const ask = () =>
    fetch(`${url}/api/v1/me`, {
      headers: { authorization: `Bearer ${tokens['sandbox-super']}` },
    })
  expect((await ask()).status).toBe(200)
  server.kill('SIGUSR2')
  await server.until(/moved/)
  expect((await ask()).status).toBe(401)
  expect(await server.until(/^.*dropped.*(?=\n)/m)).toBe(line)
})

test('no line of the log has a bearer value of an isolated world', async () => {
  await using server = start()
  const url = await server.until(/http:\/\/127\.0\.0\.1:\d+(?=\D)/)
  const made = await fetch(`${url}/_sandbox/worlds`, { method: 'POST' })
  const { tokens } = (await made.json()) as { tokens: Record<string, string> }
  const token = tokens['sandbox-super'] ?? ''
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${url}/api/v1/projects?search=${token}`, { headers })
  const line = await server.until(/^.*\?search=.*(?=\n)/m)
  expect(line).toContain('200 GET /api/v1/projects?search=[token')
  expect(line).not.toContain(token)
})
