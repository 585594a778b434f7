import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { createCaches } from '../../src/engine/caches.ts'
import { AGENCY, aProject, aReport, aWorld, SUPER } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'

test('bodies are kept up to 8 MB and 2,000 of them', () => {
  const bodyOf = (bytes: number) => ({
    bytes: new Uint8Array(bytes),
    used: { names: [], next: new Map() },
    origin: undefined,
    shown: {},
  })
  const cache = createCaches().bodies
  for (let count = 0; count < 20; count += 1) cache.set(`/projects/${count}`, bodyOf(2 ** 20))
  expect(cache.size).toBeLessThanOrEqual(2 ** 23)
  expect(cache.entries).toBe(8)
  for (let count = 0; count < 3000; count += 1) cache.set(`/users/${count}`, bodyOf(1))
  expect(cache.entries).toBe(2000)
})

const PATHS = [
  '/projects',
  '/projects?status=active',
  '/projects?search=2',
  '/projects/1',
  '/projects/1/reports',
  '/projects/1/reports/latest',
  '/projects/1/reports/last-generated',
  '/projects/1/reports/1/content',
  '/projects/1/keywords',
  '/users',
  '/users/1',
  '/me',
]

async function readAll(sandbox: Sandbox): Promise<string[]> {
  const bodies = []
  for (const token of [AGENCY, SUPER]) {
    for (const path of PATHS) {
      const headers = { authorization: `Bearer ${token}` }
      const response = await sandbox.fetch(`/api/v1${path}`, { headers })
      bodies.push(`${path} ${response.status} ${await response.text()}`)
    }
  }
  return bodies
}

const world = aWorld({
  users: [{ id: 1, name: 'Maja', agency: 1 }],
  projects: [
    aProject({
      id: 1,
      managing_user: 1,
      keywords: [{ id: 1, keyword: 'fish', create_date: '2026-01-01' }],
      reports: [
        aReport({ id: 1, status: 'completed', date_to_create_texts: '2026-03-31' }),
        aReport({ id: 2, date_to_create_texts: '2026-04-01' }),
      ],
    }),
    aProject({ id: 2, agency: 2 }),
  ],
})

const patch = (collection: string, id: number, fields: object) => ({
  type: 'record.patch',
  collection,
  id,
  patch: fields,
})

const other = await createSandbox({ fixtures: world })
await other.command(patch('agencies', 1, { name: 'Of a snapshot' }) as never)
const snapshot = await other.snapshot()

const commands = fc.constantFrom<any>(
  patch('projects', 1, { name: 'Renamed 2' }),
  patch('projects', 1, { status: 'paused' }),
  patch('projects', 1, { agency: 2 }),
  patch('projects', 2, { agency: 1 }),
  patch('agencies', 1, { name: 'Renamed', report_cc_email: 'cc@north.example' }),
  patch('users', 1, { name: 'Renamed' }),
  patch('keywords', 1, { active: false }),
  patch('reports', 1, { status: 'failed' }),
  patch('reports', 1, { content: { 1: [{ h3: 'H', text: 'T' }] } }),
  patch('reports', 2, { status: 'completed', date_to_create_texts: '2026-03-01' }),
  patch('tokens', 1, { name: 'Renamed', agency: 2 }),
  { type: 'record.put', collection: 'reports', record: { ...aReport({ id: 3 }), project: 1 } },
  { type: 'record.delete', collection: 'reports', id: 2 },
  { type: 'record.delete', collection: 'projects', id: 2 },
  { type: 'clock.set', now: '2026-03-31T23:59:30Z' },
  { type: 'clock.advance', by: 'PT30S' },
  { type: 'clock.advance', by: 'P1M' },
  { type: 'policy.set', policies: { 'project-order': 'name', 'error-body': 'envelope' } },
  { type: 'policy.set', policies: { 'data-refresh': 'stale' } },
  { type: 'fault.set', faults: [{ kind: 'status', status: 503, endpoint: 'GET /users' }] },
  { type: 'snapshot.restore', snapshot },
  { type: 'reset' },
)

test('no response is ever stale after a command, a clock change or a reset: each is the same as in a world that was never read', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-15T12:00:00Z') })
  await fc.assert(
    fc.asyncProperty(fc.array(commands, { minLength: 1, maxLength: 8 }), async (sequence) => {
      const read = await createSandbox({ fixtures: world })
      const unread = await createSandbox({ fixtures: world })
      for (const command of sequence) {
        await readAll(read)
        const outcomes = await Promise.allSettled([read.command(command), unread.command(command)])
        expect(outcomes[0].status).toBe(outcomes[1].status)
      }
      expect(await readAll(read)).toEqual(await readAll(unread))
    }),
    { numRuns: runs(60) },
  )
  vi.useRealTimers()
})

test('modifying the bytes of a response does not affect the next one', async () => {
  const sandbox = await createSandbox({ fixtures: world })
  const headers = { authorization: `Bearer ${AGENCY}` }
  const first = await sandbox.fetch('/api/v1/me', { headers })
  new Uint8Array(await first.arrayBuffer()).fill(0)
  const second = await sandbox.fetch('/api/v1/me', { headers })
  expect(await second.json()).toMatchObject({ id: 1 })
})
