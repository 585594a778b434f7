import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox, replay } from '../src/index.ts'
import type { Command, Sandbox, SandboxOptions, Session, Snapshot } from '../src/index.ts'
import { startServer } from '../src/server.ts'
import { EXAMPLE_YAML } from './support/worlds.ts'

/**
 * Snapshots, state files and sessions still load, and give the same answers as when they were written. Until there is a
 * release, they are written anew whenever a format changes: `RECORD_FORMATS=1 npx vitest run test/compatibility.test.ts`.
 */

const FOLDER = new URL('data/formats/', import.meta.url)

interface Answer {
  path: string
  token: string
  status: number
  body: string
}

/** A snapshot, and the answers of its world. */
interface Written {
  snapshot: Snapshot
  answers: Answer[]
}

/** The path of a request, or a command. */
type Step = string | Command

interface Recipe {
  options: SandboxOptions
  steps: Step[]
  /** Paths requested once the snapshot is taken. */
  paths: string[]
  token: string
}

const PROJECT = '/projects/101'
const REPORTS = `${PROJECT}/reports`

/** Two worlds that have something in every field of a snapshot, and most commands in their sessions. */
const RECIPES: Record<'written' | 'generated', Recipe> = {
  written: {
    options: { fixtures: EXAMPLE_YAML, policies: { 'foreign-project': '403' }, latency: 5 },
    token: 'northlight-live',
    steps: [
      '/me',
      '/countries',
      '/projects?search=a&per_page=2',
      REPORTS,
      `${REPORTS}/latest`,
      { type: 'clock.freeze', frozen: false },
      { type: 'clock.advance', by: 'P10D' },
      { type: 'clock.freeze', frozen: true },
      { type: 'clock.set', now: '2026-03-27T08:00:00Z' },
      { type: 'policy.set', policies: { 'data-refresh': 'stale', 'rate-window': 'sliding' } },
      { type: 'fault.add', fault: { kind: 'status', status: 503, endpoint: 'GET /languages' } },
      { type: 'fault.add', fault: { kind: 'latency', ms: 9, schedule: { until: 'now+1d' } } },
      '/languages',
      '/projects/999',
      '/projects',
      '/nowhere',
      { type: 'journal.clear' },
      {
        type: 'record.put',
        collection: 'tokens',
        record: { id: 9, name: 'New', token: 'northlight-new', agency: 1 },
      },
      { type: 'record.patch', collection: 'projects', id: 101, patch: { plan: 'Premium' } },
      { type: 'record.delete', collection: 'reports', id: 5004 },
      { type: 'report.complete', report: 5103 },
      { type: 'report.create', project: 104, fields: {} },
      { type: 'report.regenerate', report: 5001 },
      '/me',
      PROJECT,
      REPORTS,
      `${REPORTS}/1/content`,
      '/projects/102/reports/latest',
    ],
    paths: [
      '/me',
      '/languages',
      '/users',
      '/projects?status=active',
      '/projects/201',
      '/projects/999',
      PROJECT,
      REPORTS,
      `${REPORTS}/latest`,
      `${REPORTS}/last-generated`,
      `${PROJECT}/keywords`,
      `${REPORTS}/1/content`,
      '/projects/102/reports/3/content',
      '/projects/104/reports',
    ],
  },
  generated: {
    options: {
      seed: 'spring',
      now: '2026-05-20T10:00:00Z',
      frozen: true,
      fixtures: { version: 1, progress: { mode: 'reads', reads: 2 } },
      generate: { projects: 5, keywords: 2, reports: 4, agencies: 2, locale: ['da', 'sv'] },
    },
    token: 'sandbox-super',
    steps: [
      ...Array.from({ length: 5 }, () => '/projects/1001/reports/latest'),
      { type: 'record.delete', collection: 'projects', id: 1003 },
      {
        type: 'record.patch',
        collection: 'reports',
        id: 100_101,
        patch: { report_name: 'Changed' },
      },
      { type: 'report.create', project: 1002, fields: { report_name: 'By a command' } },
      { type: 'clock.advance', by: 'P1M' },
      '/projects',
      '/projects/1001/reports',
      '/projects/1002/reports/latest',
    ],
    paths: [
      '/projects',
      '/projects/1001',
      '/projects/1003',
      '/countries',
      '/projects/1001/reports',
      '/projects/1002/reports',
      '/projects/1002/keywords',
      '/projects/1004/reports/1/content',
    ],
  },
}

const SESSIONS = ['written', 'generated', 'written-restored', 'generated-restored', 'loads']

/** Options of a world that adds nothing to a restored snapshot. */
const EMPTY: SandboxOptions = { fixtures: { version: 1 } }

async function ask(sandbox: Sandbox, path: string, token: string): Promise<Answer> {
  const response = await sandbox.fetch(`https://seo.example.com/api/v1${path}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
  })
  return { path, token, status: response.status, body: await response.text() }
}

async function askAll(
  sandbox: Sandbox,
  requests: readonly Pick<Answer, 'path' | 'token'>[],
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const { path, token } of requests) answers.push(await ask(sandbox, path, token))
  return answers
}

async function drive(sandbox: Sandbox, steps: readonly Step[], token: string): Promise<void> {
  for (const step of steps) {
    if (typeof step === 'string') await ask(sandbox, step, token)
    else await sandbox.command(step)
  }
}

async function record(name: keyof typeof RECIPES): Promise<void> {
  const { options, steps, token, paths } = RECIPES[name]
  const sandbox = await createSandbox(options)
  await drive(sandbox, steps, token)
  await write(`${name}.session.json`, await sandbox.session())
  const snapshot = await sandbox.snapshot()
  const restored = await createSandbox(EMPTY)
  await restored.restore(snapshot)
  const answers = await askAll(
    restored,
    paths.map((path) => ({ path, token })),
  )
  await write(`${name}.snapshot.json`, { snapshot, answers })
  await drive(restored, [...steps.slice(-3), { type: 'fault.set', faults: [] }, '/me'], token)
  await write(`${name}-restored.session.json`, await restored.session())
}

async function recordLoads(): Promise<void> {
  const sandbox = await createSandbox(EMPTY)
  await sandbox.command({ type: 'scenario.load', scenario: 'latest-ties' })
  await drive(sandbox, ['/me', '/projects'], 'sandbox-agency')
  await sandbox.command({ type: 'fixtures.load', fixtures: EXAMPLE_YAML })
  await drive(sandbox, ['/me', PROJECT], 'northlight-live')
  await write('loads.session.json', await sandbox.session())
}

function write(name: string, data: object): Promise<void> {
  return writeFile(new URL(name, FOLDER), `${JSON.stringify(data)}\n`)
}

async function read<Data>(name: string): Promise<Data> {
  return JSON.parse(await readFile(new URL(name, FOLDER), 'utf8')) as Data
}

if (process.env['RECORD_FORMATS'] === '1')
  test('the files are written', async () => {
    await record('written')
    await record('generated')
    await recordLoads()
    expect(await readdir(FOLDER)).toHaveLength(SESSIONS.length + Object.keys(RECIPES).length)
  })

describe.each(Object.keys(RECIPES))('a snapshot of a %s world', (name) => {
  test('is restored', async () => {
    const { snapshot, answers } = await read<Written>(`${name}.snapshot.json`)
    const sandbox = await createSandbox(EMPTY)
    await sandbox.restore(snapshot)
    expect(await askAll(sandbox, answers)).toEqual(answers)
  })

  test('is a state file', async () => {
    const { snapshot, answers } = await read<Written>(`${name}.snapshot.json`)
    const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-state-'))
    try {
      const state = join(folder, 'state.json')
      await writeFile(state, JSON.stringify(snapshot))
      const server = await startServer({ port: 0, state })
      expect(await askAll(server.sandbox, answers)).toEqual(answers)
      await server.close()
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

test.each(SESSIONS)('the session %s is replayed', async (name) => {
  const session = await read<Session>(`${name}.session.json`)
  expect(await replay(session)).toEqual({ steps: session.steps.length, difference: null })
})
