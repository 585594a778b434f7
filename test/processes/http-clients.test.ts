import { readFile } from 'node:fs/promises'
import { describe, test } from 'vitest'
import type { JournalRequest } from '../../src/index.ts'
import type { Review } from '../../src/review/review.ts'
import { aFolder, fromRoot } from '../support/cli.ts'
import { exec } from '../support/exec.ts'

/** What HTTP clients do by themselves: the table in docs/examples/README.md. */

const README = await readFile(fromRoot('docs/examples/README.md'), 'utf8')

/** The clients, by the first words of their rows. Debian's packages are for Debian's Python. */
const CLIENTS: Record<string, [program: string, file: string]> = {
  got: ['node', 'got.js'],
  ky: ['node', 'ky.js'],
  axios: ['node', 'axios-retry.js'],
  requests: ['/usr/bin/python3', 'requests_retry.py'],
  Guzzle: ['php', 'guzzle.php'],
}

/** What timers may be too early by, in seconds. A busy machine makes a pause up to a second longer. */
const TOLERANCE = 0.1

/** The cells of the row of a client. */
function readRow(client: string): string[] {
  const row = README.split('\n').find((line) => line.startsWith(`| ${client} `))
  return (
    row
      ?.split('|')
      .slice(2, -1)
      .map((cell) => cell.trim()) ?? []
  )
}

/** Runs a client in trouble. */
async function measure([program, file]: [string, string]) {
  await using folder = await aFolder({})
  const clients = fromRoot('test/clients')
  const args = ['--report', `json=${folder.path('review.json')}`, '--']
  const client = [program, `${clients}/${file}`]
  await using run = exec([...args, 'node', `${clients}/minute.js`, ...client], {
    cwd: folder.path(),
  })
  const { stdout } = await run.outcome
  const { checks } = JSON.parse(await folder.read('review.json')) as Review
  const findings = checks.filter(({ result }) => result === 'failed').map(({ id }) => `\`${id}\``)
  return { requests: JSON.parse(stdout) as JournalRequest[], findings: findings.join(', ') }
}

/** The pauses before each request for a project but the first, in seconds. */
function pausesOf(requests: readonly JournalRequest[], project: number): number[] {
  const times = requests
    .filter((request) => request.project === project)
    .map(({ clock }) => Date.parse(clock.rate_clock) / 1000)
  return times.slice(1).map((time, index) => time - times[index]!)
}

// One after the other: at the same time, they would make each other's pauses longer.
describe('HTTP clients do what the table says', () => {
  test.for(Object.entries(CLIENTS))('%s', async ([name, command], { expect }) => {
    const { requests, findings } = await measure(command)
    const waits = (project: number, seconds: number) =>
      pausesOf(requests, project)[0]! > seconds - TOLERANCE ? 'waits' : 'too soon'
    const readsAgain = (project: number) =>
      pausesOf(requests, project).length > 0 ? 'reads again' : 'lost'
    const row = readRow(name)
    expect(row).toEqual([
      waits(101, 2),
      waits(102, 3),
      // The date is in whole seconds.
      waits(107, 3),
      expect.stringMatching(/^after [\d.]+ s, [\d.]+ s$/),
      readsAgain(104),
      readsAgain(105),
      readsAgain(106),
      findings,
    ])
    const stated = [...(row[3] ?? '').matchAll(/[\d.]+/g)].map(Number)
    const longer = pausesOf(requests, 103).map((seconds, index) => seconds - stated[index]!)
    expect(longer.map((seconds) => Math.floor(seconds + TOLERANCE))).toEqual([0, 0])
  })
})
