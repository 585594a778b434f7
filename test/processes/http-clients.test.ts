import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import type { JournalRequest } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import type { Review } from '../../src/review/review.ts'
import { aFolder, fromRoot } from '../support/cli.ts'
import { exec } from '../support/exec.ts'
import { installPackages } from '../docs/install-packages.ts'

/** HTTP clients: the tables of their own behaviour in docs/examples/README.md, and of following links in docs/api.md. */

const API = await readFile(fromRoot('docs/api.md'), 'utf8')
const README = await readFile(fromRoot('docs/examples/README.md'), 'utf8')

/** The clients, by the first words of their rows. Debian's packages are for Debian's Python. */
const CLIENTS: Record<string, [program: string, file: string]> = {
  got: ['node', 'got.js'],
  ky: ['node', 'ky.js'],
  axios: ['node', 'axios-retry.js'],
  requests: ['/usr/bin/python3', 'requests_retry.py'],
  Guzzle: ['php', 'guzzle.php'],
}

/** Tolerance for early timers, in seconds. A busy machine makes a pause up to a second longer. */
const TOLERANCE = 0.1

/** The cells of the row of a client in a table of a page. */
function readRow(client: string, page = README): string[] {
  const row = page.split('\n').find((line) => line.startsWith(`| ${client} `))
  return (
    row
      ?.split('|')
      .slice(2, -1)
      .map((cell) => cell.trim()) ?? []
  )
}

/** Runs a client against failing responses. */
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

// One after the other, because parallel clients would lengthen each other's pauses.
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

/** Programs that read all projects a page at a time with the cells of the table, and print their ids. */
const READERS: Record<string, { run: string[]; text: (create: string, read: string) => string }> = {
  ...Object.fromEntries(
    [
      ['axios', "import axios from 'axios'"],
      ['ky 1', "import ky from 'ky'"],
      ['got', "import { got } from 'got'"],
    ].map(([name, statement]) => [name, { run: ['node', 'reader.mjs'], text: inNode(statement!) }]),
  ),
  requests: {
    run: ['/usr/bin/python3', 'reader.py'],
    text: (create, read) => `import json, os, requests, urllib.parse
BASE = os.environ["BASE"]
headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
client = ${create}
ids, next = [], "projects?per_page=1"
while next is not None:
    page = ${read}
    ids += [project["id"] for project in page["data"]]
    next = page["links"]["next"]
print(json.dumps(ids))
`,
  },
  Guzzle: {
    run: ['php', 'reader.php'],
    text: (create, read) => `<?php
require 'GuzzleHttp/autoload.php';
define('BASE', getenv('BASE'));
$headers = ['Authorization' => 'Bearer ' . getenv('TOKEN')];
$client = ${create};
for ($ids = [], $next = 'projects?per_page=1'; $next !== null; $next = $page['links']['next']) {
    $page = ${read};
    array_push($ids, ...array_column($page['data'], 'id'));
}
echo json_encode($ids);
`,
  },
}

function inNode(statement: string) {
  return (create: string, read: string) => `${statement}
const { BASE, TOKEN } = process.env
const headers = { authorization: \`Bearer \${TOKEN}\` }
const client = ${create}
const ids = []
let next = 'projects?per_page=1'
while (next !== null) {
  const page = ${read}
  ids.push(...page.data.map(({ id }) => id))
  next = page.links.next
}
console.log(JSON.stringify(ids))
`
}

describe('HTTP clients follow links.next by the lines of docs/api.md', () => {
  test.for(
    Object.keys(READERS).flatMap((client) =>
      (['relative', 'absolute'] as const).map((links) => ({ client, links })),
    ),
  )('$client, where links are $links', async ({ client, links }, { expect, onTestFinished }) => {
    const server = await startServer({ port: 0, policies: { 'page-links': links } })
    onTestFinished(() => server.close())
    const ids = server.sandbox.world.records.all('projects').map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(1)
    const { run, text } = READERS[client]!
    const [create = '', read = ''] = readRow(client, API).map((cell) => cell.replaceAll('`', ''))
    const [program = '', file = ''] = run
    await using folder = await aFolder({ [file]: text(create, read) })
    await installPackages(folder)
    const env = { ...process.env, BASE: `${server.url}/api/v1/`, TOKEN: 'sandbox-super' }
    const { stdout } = await promisify(execFile)(program, [file], { cwd: folder.path(), env })
    expect(JSON.parse(stdout)).toEqual(ids)
  })
})
