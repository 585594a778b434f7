import { expect, test } from 'vitest'
import { COMPARISON_FORMATS } from '../../src/compare/comparison-report.ts'
import type { Received } from '../../src/compare/ask.ts'
import type { SandboxOptions } from '../../src/index.ts'
import { aProject, AGENCY, aWorld } from '../support/worlds.ts'
import { aService, compareWith, toReport } from './service.ts'
import type { Service } from './service.ts'

/** `compare` with a service that differs from the specification, or answers differently while it is read. */

const KEYWORD = { id: 5, keyword: 'soup', create_date: '2026-01-01' }
const WORLD = aWorld({
  projects: [
    aProject({ id: 1, keywords: [KEYWORD] }),
    aProject({ id: 2, keywords: [{ ...KEYWORD, id: 6 }] }),
  ],
})

function altering(service: Service, path: string, alter: (body: string) => string): Service {
  return {
    ...service,
    send: async (question): Promise<Received> => {
      const received = await service.send(question)
      return question.path === path ? { ...received, body: alter(received.body) } : received
    },
  }
}

test.for<[string, string, (body: string) => string, string]>([
  [
    'a new field',
    '/api/v1/projects/1',
    (body) => body.replace('"plan"', '"tier":1,"plan"'),
    '/data/tier',
  ],
  [
    'a field of another type',
    '/api/v1/me',
    (body) => body.replace('"status":"active"', '"status":5'),
    '/status',
  ],
  [
    'a report number beyond 26',
    '/api/v1/projects/1/keywords',
    (body) => body.replace('"content_action_ids":[]', '"content_action_ids":[27]'),
    '/data/0/content_action_ids/0',
  ],
  [
    'an id that occurs twice',
    '/api/v1/projects/2/keywords',
    (body) => body.replace('"id":6', '"id":5'),
    '',
  ],
])('%s: no fixture can be written, and comparing goes on', async ([, path, alter, place]) => {
  const service = altering(await aService({ fixtures: WORLD }, AGENCY), path, alter)
  const { comparison } = await compareWith(service)
  expect(comparison?.read?.unknown).not.toEqual([])
  const found = comparison?.unexplained.filter((one) => one.path === path) ?? []
  if (place !== '') expect(found.map((one) => one.place)).toContain(place)
  const seen = comparison?.policies.filter(({ result }) => result === 'seen') ?? []
  expect(seen.length).toBeGreaterThan(15)
})

test('a next link that is no URL ends the list', async () => {
  const alter = (body: string) => body.replace('{', '{"links":{"next":"http://["},')
  const service = altering(await aService({ fixtures: WORLD }, AGENCY), '/api/v1/users', alter)
  const { comparison } = await compareWith(service)
  expect(comparison?.unexplained.map(({ path }) => path)).toContain('/api/v1/users')
})

test('the rate limit in the fixture is that of the token, even if /me changes while it is read', async () => {
  let asked = 0
  const alter = (body: string) => {
    asked += 1
    return asked === 1 ? body.replace('"status":"active"', '"status":"paused"') : body
  }
  const options: SandboxOptions = {
    fixtures: aWorld({ tokens: [{ ...WORLD.tokens![0]!, rate_limit: { per_minute: 50 } }] }),
    policies: { 'authorization-scheme': 'strict' },
  }
  const service = altering(await aService(options, AGENCY), '/api/v1/me', alter)
  const { comparison } = await compareWith(service)
  expect(comparison?.answers).toMatchObject({ changed: 1, unexplained: 0 })
  expect(comparison?.read?.fixture.tokens).toMatchObject([{ rate_limit: { per_minute: 50 } }])
})

test('reports of a refused list are counted as assumed once', async () => {
  const reports = [2, 1].map((number) => ({
    id: number,
    report_number: number,
    status: 'completed' as const,
    created_at: `2026-01-0${number}T00:00:00Z`,
  }))
  const fixtures = aWorld({ projects: [aProject({ id: 1, reports })] })
  const service = await aService({ fixtures }, AGENCY)
  const refusing: Service = {
    ...service,
    send: async (question) => ({
      ...(await service.send(question)),
      ...(question.path === '/api/v1/projects/1/reports' && { status: 404 }),
    }),
  }
  const { comparison } = await compareWith(refusing)
  const [project] = comparison?.read?.fixture.projects ?? []
  const assumed = comparison?.read?.assumed ?? []
  const reportsRead = project?.reports?.length ?? 0
  expect(reportsRead).toBeGreaterThan(0)
  expect(assumed.find(({ field }) => field === 'created_at')?.count).toBe(reportsRead)
})

test('a comparison without a fixture fails in JUnit, as in its exit code', async () => {
  const { comparison } = await compareWith(await aService({ fixtures: WORLD }, AGENCY))
  const junit = COMPARISON_FORMATS.junit(toReport(comparison!), ['There is no fixture.'])
  expect(junit).toContain('failures="1"')
  expect(junit).toContain('<failure message="There is no fixture."')
})

test('an undated report that latest skips does not show that undated ones are excluded', async () => {
  const created_at = '2026-01-01T00:00:00Z'
  const report = {
    id: 1,
    report_number: 1,
    status: 'pending' as const,
    level: 'keyword',
    created_at,
  }
  const fixtures = aWorld({ projects: [aProject({ id: 1, reports: [report] })] })
  const options: SandboxOptions = { fixtures, policies: { 'undated-reports': 'first' } }
  const { comparison } = await compareWith(await aService(options, AGENCY))
  const result = comparison?.policies.find(({ policy }) => policy === 'undated-reports')
  expect(result?.result).toBe('not-seen')
})
