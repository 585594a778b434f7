import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { AGENCY, aProject, aReport, aWorld, withReports } from '../support/worlds.ts'

/** G-058, `data-refresh: stale`: a change shows with the next refresh, at the next whole minute. */

const headers = { authorization: `Bearer ${AGENCY}` }

async function create(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({
    ...options,
    fixtures: aWorld({ projects: [aProject({ id: 1 }), aProject({ id: 2 })] }),
    policies: { 'data-refresh': 'stale' },
  })
  await sandbox.clock.set('2026-03-15T12:00:10Z')
  return sandbox
}

async function statusOf(sandbox: Sandbox, project: number): Promise<number> {
  return (await sandbox.fetch(`/api/v1/projects/${project}`, { headers })).status
}

async function removeProject(sandbox: Sandbox, id: number): Promise<void> {
  await sandbox.command({ type: 'record.delete', collection: 'projects', id })
}

test('a removed record, here a generated one, is shown until the refresh, also after a snapshot is restored', async () => {
  const policies = { 'data-refresh': 'stale' }
  const options = { generate: { projects: 2 }, now: '2026-03-15T12:00:10Z', frozen: true, policies }
  const sandbox = await createSandbox(options)
  await removeProject(sandbox, 1002)
  const restored = await createSandbox({ policies })
  await restored.restore(await sandbox.snapshot())
  const headersOfSuper = { authorization: 'Bearer sandbox-super' }
  const ask = async (one: Sandbox) =>
    (await one.fetch('/api/v1/projects/1002', { headers: headersOfSuper })).status
  for (const one of [sandbox, restored]) {
    expect(await ask(one)).toBe(200)
    await one.clock.advance('PT50S')
    expect(await ask(one)).toBe(404)
  }
})

test('a response that shows a removed record names G-058 besides the gaps that it named before', async () => {
  const sandbox = await create({ showGaps: true })
  const gapsOf = async () => {
    const response = await sandbox.fetch('/api/v1/projects/2', { headers })
    return response.headers.get('X-Sandbox-Gaps')?.split(',') ?? []
  }
  const before = await gapsOf()
  await removeProject(sandbox, 2)
  expect(await gapsOf()).toEqual([...before, 'G-058'])
})

test('a move of the clock that fails leaves the stale view as it was', async () => {
  const sandbox = await create()
  await removeProject(sandbox, 2)
  const move = sandbox.world.moveClock([
    { type: 'clock.set', now: '2026-03-15T12:00:20Z' },
    { type: 'clock.advance', by: 'P9000Y' },
  ])
  await expect(move).rejects.toThrow('year 9999')
  expect(sandbox.clock.read().now).toBe('2026-03-15T12:00:10.000000Z')
  expect(await statusOf(sandbox, 2)).toBe(200)
  await sandbox.clock.set('2026-03-15T12:00:20Z')
  expect(await statusOf(sandbox, 2)).toBe(404)
})

test('after a change that is refused, no response depends on the gap', async () => {
  const sandbox = await createSandbox({ fixtures: withReports([aReport({ id: 1 })]) })
  const dependsOnIt = async () => {
    await statusOf(sandbox, 1)
    return [...sandbox.requests].at(-1)?.gaps.includes('G-058')
  }
  const refused = sandbox.reports.approve({ project: 1, report_number: 1 })
  await expect(refused).rejects.toThrow('approve can only follow')
  expect(await dependsOnIt()).toBe(false)
  await sandbox.reports.complete({ project: 1, report_number: 1 })
  expect(await dependsOnIt()).toBe(true)
})

test.each(['fresh', 'stale'])(
  '5(7) with data-refresh %s a token that changes sees the data of its agency at once',
  async (refresh) => {
    const sandbox = await createSandbox({
      fixtures: aWorld({
        projects: [
          aProject({ id: 1, reports: [aReport({ id: 1 })] }),
          aProject({ id: 2, agency: 2 }),
        ],
      }),
      policies: { 'data-refresh': refresh },
    })
    const restored = await createSandbox({ policies: { 'data-refresh': refresh } })
    const paths = ['/projects', '/projects?search=p']
    for (const project of ['/projects/1', '/projects/2'])
      paths.push(project, `${project}/reports`, `${project}/keywords`)
    const ask = async (one: Sandbox, path: string) => {
      const response = await one.fetch(`/api/v1${path}`, { headers })
      return [path, response.status, await response.text()]
    }
    const seen: unknown[] = []
    for (const agency of [1, 2, null, 2, 1]) {
      const patch = { agency, name: `Of ${agency}` }
      await sandbox.command({ type: 'record.patch', collection: 'tokens', id: 1, patch })
      await restored.restore(await sandbox.snapshot())
      for (const path of paths) expect(await ask(sandbox, path)).toEqual(await ask(restored, path))
      const projects = [await statusOf(sandbox, 1), await statusOf(sandbox, 2)]
      seen.push([agency, ...projects])
    }
    expect(seen).toEqual([
      [1, 200, 404],
      [2, 404, 200],
      [null, 200, 200],
      [2, 404, 200],
      [1, 200, 404],
    ])
  },
)
