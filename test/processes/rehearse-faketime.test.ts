import { cp, readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { rehearse } from '../../src/rehearse.ts'
import type { RehearsedClient } from '../../src/rehearse.ts'
import type { JudgedRehearsal } from '../../src/rehearsal/judge-rehearsal.ts'
import { withMistake } from '../rehearse/wrong-commands.ts'
import { aFolder, fromRoot } from '../support/cli.ts'
import { isFullDepth } from '../support/depth.ts'
import { rehearse as rehearseCommand } from '../support/rehearse.ts'

/** A command whose clock is faked is rehearsed as a client in this process is. */

/** Runs a client of docs/examples once, with what it has fetched in a file. */
const PROGRAM = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
const [, , module, file] = process.argv
const { createSync } = await import(module)
const { run, state } = createSync()
if (existsSync(file)) state.load(deserialize(readFileSync(file)))
const { SEO_SANDBOX_URL: url, SEO_SANDBOX_TOKEN: token, SEO_SANDBOX_CLIENT_NOW: now } = process.env
if (Math.abs(Date.now() - Date.parse(now)) > 5000) throw new Error('Not the same clock: ' + new Date())
try {
  await run({ url, fetch, token, now: new Date() })
} finally {
  writeFileSync(file, serialize(state.save()))
}
`

interface Findings {
  checks: unknown[]
  ledger: unknown[]
  runs: unknown[]
}

function findingsOf({ checks, ledger, runs }: JudgedRehearsal): Findings {
  const failed = checks.filter(({ result }) => result === 'failed')
  return {
    checks: failed.map(({ id, runs: found, findings }) => [id, found, findings.length]),
    ledger: ledger.map(({ report_id, state }) => [report_id, state]),
    runs: runs.map(({ number, ended, requests, findings }) => [number, ended, requests, findings]),
  }
}

/** In an outage they would wait for minutes. */
const SHORT_PAUSES = [
  [
    'read-api.js',
    [
      ['FIRST_PAUSE_MS = 500', 'FIRST_PAUSE_MS = 60'],
      ['TIMEOUT_MS = 30_000', 'TIMEOUT_MS = 2000'],
    ],
  ],
  ['wrong-sync.js', [['500 * 2 ** attempt', '30 * 2 ** attempt']]],
] as const

/** Whole rehearsals with `PROPERTY_DEPTH=1`, as in .ci/nightly: their pauses take real time. */
const until = isFullDepth ? 30 : 6
const CLIENTS = [
  'wrong-sync.js',
  ...(isFullDepth ? ['right-sync.js', 'last-generated-sync.js'] : []),
]

test.for(CLIENTS)(
  '%s has the same findings',
  { timeout: 3_600_000 },
  async (client, { expect }) => {
    await using folder = await aFolder({ 'package.json': '{"type":"module"}', 'run.js': PROGRAM })
    await cp(fromRoot('docs/examples/rehearse'), folder.path('clients'), { recursive: true })
    for (const [file, pauses] of SHORT_PAUSES) {
      const path = folder.path(`clients/${file}`)
      await writeFile(path, withMistake(await readFile(path, 'utf8'), pauses))
    }
    const options = `--profile smoke --start 2026-01-01 --until ${until} --client-clock faketime`
    const own = '--client-state state --rate-limit unlimited --json'
    const line = [...options.split(' '), ...own.split(' '), '--', process.execPath, 'run.js']
    await using run = await rehearseCommand(
      [...line, `./clients/${client}`, 'state/fetched'],
      folder.path(),
    )
    const { stdout, stderr } = await run.outcome
    expect(stderr).not.toContain('Not the same clock')
    const module = (await import(pathToFileURL(folder.path(`clients/${client}`)).href)) as {
      createSync: () => { run: RehearsedClient }
    }
    const inProcess = await rehearse(module.createSync().run, {
      profile: 'smoke',
      start: '2026-01-01',
      until,
      sandbox: createSandbox({ demo: true, rateLimit: 'unlimited' }),
    })
    expect(findingsOf(JSON.parse(stdout) as JudgedRehearsal)).toEqual(findingsOf(inProcess))
  },
)
