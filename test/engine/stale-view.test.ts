import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { AGENCY, aProject, aReport, aWorld, withReports } from '../support/worlds.ts'

/** G-058, `data-refresh: stale`: a change shows with the next refresh, at the next whole minute. */

const headers = { authorization: `Bearer ${AGENCY}` }

async function create(): Promise<Sandbox> {
  const sandbox = await createSandbox({
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

test('a removed record is shown until the refresh, also after a snapshot is restored', async () => {
  const sandbox = await create()
  await removeProject(sandbox, 2)
  const snapshot = await sandbox.snapshot()
  const restored = await createSandbox({ policies: { 'data-refresh': 'stale' } })
  await restored.restore(snapshot)
  for (const one of [sandbox, restored]) {
    expect(await statusOf(one, 2)).toBe(200)
    await one.clock.advance('PT50S')
    expect(await statusOf(one, 2)).toBe(404)
    expect(await statusOf(one, 1)).toBe(200)
  }
})

test('so is a removed record that was generated', async () => {
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
