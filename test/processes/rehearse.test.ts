import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fromRoot, runNode } from '../support/cli.ts'

/** A rehearsal in a program of its own: its output, and nothing that keeps the program alive. */

const REHEARSE = JSON.stringify(fromRoot('dist/rehearse.js'))
const SERVER = JSON.stringify(fromRoot('dist/server.js'))
const RIGHT = JSON.stringify(fromRoot('docs/examples/rehearse/right-sync.js'))

/** Runs a module until the program ends by itself. */
async function runModule(text: string): Promise<string> {
  const { code, stdout, stderr } = await runNode(['--input-type=module', '-e', text], { cwd: '/' })
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

/** `test/rehearse/rehearse.test.ts` records the digest, in Vitest. */
test('a report has the digest that it has in Vitest', async () => {
  const printed = await runModule(`
    import { createHash } from 'node:crypto'
    import { rehearse } from ${REHEARSE}
    import { createSync } from ${RIGHT}
    const { context, kept, ...report } =
      await rehearse(createSync().run, { start: '2026-01-01', profile: 'smoke' })
    const text = JSON.stringify({ ...report, kept, context: { ...context, date: null } })
    console.log(createHash('sha256').update(text).digest('hex'))
  `)
  expect(printed).toBe(readFileSync(fromRoot('test/rehearse/expected/report.sha256'), 'utf8'))
})

test.for([
  [
    'leaves an interval and a timer behind',
    'setInterval(() => {}, 1000); setTimeout(() => {}, 1e9)',
    'done',
  ],
  ['throws', 'throw new Error()', 'failed'],
  [
    'throws in a timer',
    'setTimeout(() => { throw new Error() }, 5); await new Promise((resolve) => setTimeout(resolve, 99))',
    'failed',
  ],
  [
    'has a fetch without a time limit, which gives up after five minutes',
    "await fetch(url + '/api/v1/me', { headers })",
    'failed',
  ],
  [
    'waits for a response that never comes',
    "const { get } = await import('node:http'); await new Promise((resolve) => get(url + '/api/v1/me', { headers }, resolve).on('error', () => {}))",
    'timeout',
  ],
  ['never ends', 'for (;;) await new Promise((resolve) => setTimeout(resolve, 60_000))', 'timeout'],
  [
    'sleeps without a pause',
    'const until = Date.now() + 5000; while (Date.now() < until);',
    'done',
  ],
] as const)('a client that %s keeps no program alive', async ([, body, ended]) => {
  const printed = await runModule(`
    import { rehearse } from ${REHEARSE}
    import { startServer } from ${SERVER}
    const server = await startServer({ port: 0, demo: true })
    const { runs } = await rehearse(
      async ({ url, token }) => {
        await server.sandbox.faults.add({ kind: 'no-answer' })
        const headers = { Authorization: 'Bearer ' + token }
        ${body}
      },
      { sandbox: server, start: '2026-01-01', until: 2, require: [] },
    )
    await server.close()
    console.log(runs.map((run) => run.ended).join())
  `)
  expect(printed).toBe(`${ended},${ended}\n`)
})
