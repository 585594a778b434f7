import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { SandboxOptions } from '../../src/index.ts'
import { loadFixtures } from '../../src/server.ts'
import { worldOriginOf } from '../../src/world/world-origin.ts'
import { aWorld } from '../support/worlds.ts'

/** Origin of a world, from which a test of the console creates an equal one. */

const NOW = { now: '2026-03-15T12:00:00Z', frozen: true } as const
const FILE = fileURLToPath(new URL('../../fixtures/examples/agency.yaml', import.meta.url))

async function read(options: SandboxOptions) {
  const { world } = await createSandbox(options)
  return worldOriginOf(world, false)
}

test.each<[string, SandboxOptions, object]>([
  ['the default world', {}, { options: {}, shared: {}, fixtures: [] }],
  ['the demo', { demo: true }, { options: { demo: true }, fixtures: [] }],
  [
    'the demo in a language',
    { demo: true, locale: 'de', seed: 7 },
    { options: { demo: true, locale: 'de', seed: '7' }, fixtures: [] },
  ],
  [
    'a scenario in two languages',
    { scenario: 'demo', locale: ['en', 'da'] },
    { options: { demo: true, locale: ['en', 'da'] } },
  ],
  [
    'a scenario',
    { scenario: 'empty-agency' },
    { options: { scenario: 'empty-agency' }, fixtures: [] },
  ],
  [
    'a generated world',
    { generate: { projects: 3 }, locale: 'nl' },
    { options: { generate: { projects: 3 }, locale: 'nl' }, fixtures: [] },
  ],
  [
    'settings',
    {
      policies: { 'G-001': '403' },
      rateLimit: '5/min',
      latency: '1-3',
      showGaps: true,
      journal: 9,
    },
    {
      options: {
        policies: { 'missing-token': '403' },
        rate_limit: { per_minute: 5, per_hour: 1000 },
      },
      shared: { latency: '1-3', show_gaps: true, journal: 9 },
    },
  ],
  ['fixtures without a name', { fixtures: aWorld() }, { options: {}, fixtures: null }],
  ['fixtures of a file', { fixtures: loadFixtures(FILE) }, { options: {}, fixtures: [FILE] }],
])('says what %s is of', async (_, options, expected) => {
  expect(await read({ ...NOW, ...options })).toMatchObject(expected)
})

test('a world that is only generated says how, wherever it was loaded from', async () => {
  const fixtures = { version: 1, generate: { projects: 2, agency: { name: 'Klitrose' } } } as const
  const { options, fixtures: files } = await read({ ...NOW, fixtures })
  expect(files).toEqual([])
  expect(options).toMatchObject({ generate: { projects: 2, agency: { name: 'Klitrose' } } })
  const again = await createSandbox({ ...NOW, ...options })
  const first = await createSandbox({ ...NOW, fixtures })
  expect(again.world.records.all('projects')).toEqual(first.world.records.all('projects'))
})

test('policies of the options survive a reset, and are apart from those of the fixtures and of commands', async () => {
  const fixtures = aWorld({ policies: { 'missing-token': '403' } })
  const options = { policies: { 'foreign-project': '403' } }
  const sandbox = await createSandbox({ fixtures, ...options })
  expect(worldOriginOf(sandbox.world, false)).toMatchObject({ options, policies: {} })
  await sandbox.command({ type: 'policy.set', policies: { 'missing-token': '401' } })
  const changed = { options, policies: { 'missing-token': '401' }, changes: 0 }
  expect(worldOriginOf(sandbox.world, false)).toMatchObject(changed)
  const snapshot = await sandbox.snapshot()
  await sandbox.reset()
  expect(worldOriginOf(sandbox.world, false)).toMatchObject({ options, policies: {} })
  await sandbox.restore(snapshot)
  expect(worldOriginOf(sandbox.world, false)).toMatchObject(changed)
})

test('it is loaded when its clock began, also where that has moved, and counts what changed', async () => {
  const sandbox = await createSandbox({ ...NOW, demo: true })
  await sandbox.clock.advance('P1M')
  await sandbox.faults.add({ kind: 'html' })
  expect(worldOriginOf(sandbox.world, false)).toMatchObject({
    loaded_at: '2026-03-15T12:00:00.000000Z',
    restored: false,
    changes: 1,
  })
  await sandbox.command({ type: 'scenario.load', scenario: 'empty-agency' })
  expect(worldOriginOf(sandbox.world, false)).toMatchObject({
    options: { scenario: 'empty-agency' },
    changes: 0,
  })
  await sandbox.restore(await sandbox.snapshot())
  expect(worldOriginOf(sandbox.world, false).restored).toBe(true)
  await sandbox.reset()
  expect(worldOriginOf(sandbox.world, false)).toMatchObject({
    options: { demo: true },
    restored: false,
  })
})

test('with a store no world says which files it is of', async () => {
  const { world } = await createSandbox({ fixtures: loadFixtures(FILE) })
  expect(worldOriginOf(world, true)).toMatchObject({ options: {}, fixtures: null })
})

test('an isolated world says what it is of, and what it has of the default one', async () => {
  const { worlds } = await createSandbox({ demo: true, latency: 1, ...NOW })
  const { sandbox } = await worlds.create()
  expect(worldOriginOf(sandbox.world, false)).toMatchObject({
    options: { demo: true },
    shared: { latency: 1 },
  })
})
