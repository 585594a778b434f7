import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox, FixtureError } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import { sendRaw } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld } from '../support/worlds.ts'

const LIMITED = aToken({ id: 1, token: AGENCY, rate_limit: { per_minute: 3, per_hour: 9 } })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-15T12:00:30Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

async function get(sandbox: Sandbox, path: string): Promise<[status: number, body: any]> {
  const headers = { authorization: `Bearer ${AGENCY}` }
  const response = await sandbox.fetch(`/api/v1${path}`, { headers })
  return [response.status, await response.json()]
}

const before = aWorld({ tokens: [LIMITED], projects: [aProject({ id: 1 }), aProject({ id: 2 })] })
const after = aWorld({ tokens: [LIMITED], projects: [aProject({ id: 1, name: 'Renamed' })] })

describe('the command fixtures.load', () => {
  test('replaces the whole world, while both clocks and the rate windows continue', async () => {
    const sandbox = await createSandbox({ fixtures: before })
    await sandbox.clock.set('2026-05-01T08:00:00Z')
    await sandbox.clock.advance('PT10S')
    const clock = sandbox.clock.read()
    for (const remaining of [2, 1]) {
      const { headers } = await sandbox.fetch('/api/v1/me', {
        headers: { authorization: `Bearer ${AGENCY}` },
      })
      expect(headers.get('x-ratelimit-remaining')).toBe(String(remaining))
    }
    await sandbox.command({ type: 'fixtures.load', fixtures: after })
    expect(sandbox.clock.read()).toEqual(clock)
    const [status, { data }] = await get(sandbox, '/projects')
    expect([status, data.map(({ name }: any) => name)]).toEqual([200, ['Renamed']])
    expect((await get(sandbox, '/projects'))[0]).toBe(429)
  })

  test('takes policies, progress and relative dates from the new fixtures, at the current clock', async () => {
    const sandbox = await createSandbox({ fixtures: before })
    await sandbox.clock.set('2026-05-01T08:00:00Z')
    const reports = [aReport({ id: 5, date_to_create_texts: 'month+0/09' })]
    const fixtures = aWorld({
      tokens: [LIMITED],
      policies: { 'foreign-project': '403' },
      projects: [aProject({ id: 1, reports }), aProject({ id: 2, agency: 2 })],
    })
    await sandbox.command({ type: 'fixtures.load', fixtures })
    expect((await get(sandbox, '/projects/2'))[0]).toBe(403)
    const [, { data }] = await get(sandbox, '/projects/1/reports')
    expect(data[0].date_to_create_texts).toBe('2026-05-09')
  })

  test('sets what a reset returns to, with the clock of the new fixtures', async () => {
    const sandbox = await createSandbox({ fixtures: before })
    await sandbox.command({
      type: 'fixtures.load',
      fixtures: { ...after, now: '2027-01-01T00:00:00Z' },
    })
    await sandbox.command({ type: 'record.delete', collection: 'projects', id: 1 })
    await sandbox.reset()
    expect(sandbox.clock.read().now).toBe('2027-01-01T00:00:00.000000Z')
    expect((await get(sandbox, '/projects/1'))[1].data.name).toBe('Renamed')
  })

  test.each([
    ['an invalid world', { ...after, tokens: [{ id: 1 }] }, FixtureError, 'tokens[0].name'],
    ['invalid YAML', 'version: [', FixtureError, 'This is not valid YAML'],
    ['invalid files', { files: [1] }, FixtureError, '"files" is not a field here'],
    ['no fixtures', undefined, Error, 'fixtures: nothing is not a fixture. Send an object'],
  ])('changes nothing when given %s', async (_, fixtures, kind, sentence) => {
    const sandbox = await createSandbox({ fixtures: before })
    const snapshot = await sandbox.snapshot()
    const refused = sandbox.command({ type: 'fixtures.load', fixtures: fixtures as object })
    await expect(refused).rejects.toThrow(kind)
    await expect(refused).rejects.toThrow(sentence)
    expect(await sandbox.snapshot()).toEqual(snapshot)
  })

  test('works over HTTP too; invalid fixtures are a 422 with the location of each problem', async () => {
    const server = await startServer({ port: 0, fixtures: before })
    const load = (fixtures: unknown) =>
      sendRaw(server.port, {
        target: '/_sandbox/commands',
        method: 'POST',
        body: JSON.stringify({ type: 'fixtures.load', fixtures }),
      })
    const refused = await load({ files: [{ name: 'north.yaml', text: 'version: 1\nagency: []' }] })
    expect([refused.status, refused.body.error]).toMatchObject([
      422,
      {
        code: 'invalid_fixture',
        problems: [{ path: 'north.yaml:2:1  agency', message: expect.any(String) as string }],
      },
    ])
    expect((await load(after)).status).toBe(200)
    expect((await get(server.sandbox, '/projects/1'))[1].data.name).toBe('Renamed')
    await server.close()
  })
})

test('setting a policy in a scenario keeps the other policies of the scenario', async () => {
  const fixtures = { ...before, policies: { 'missing-token': '403' } }
  const sandbox = await createSandbox({ fixtures })
  await sandbox.command({ type: 'scenario.load', scenario: 'empty-agency' })
  await sandbox.command({ type: 'policy.set', policies: { 'foreign-project': '403' } })
  expect((await sandbox.fetch('/api/v1/me')).status).toBe(401)
  await sandbox.reset()
  expect((await sandbox.fetch('/api/v1/me')).status).toBe(403)
})
