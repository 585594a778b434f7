import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { charactersOf } from '../../src/contract/limits.ts'
import { COLLECTION_NAMES } from '../../src/contract/collection-facts.ts'
import { createSandbox } from '../../src/index.ts'
import type { Command, Sandbox } from '../../src/index.ts'
import { sizeOf } from '../../src/world/commands/additions.ts'
import { definitionOf } from '../../src/world/commands/index.ts'
import { parseCommand } from '../../src/world/commands/prepare-command.ts'
import { runs } from '../support/depth.ts'
import { aProject, aReport, aWorld } from '../support/worlds.ts'
import { anything, createPlayer, randomWorld } from './random-steps.ts'

/** The characters of a world's records: an exact sum, which hosts limit. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-15T12:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The sum by its definition: texts, and for each entry of a list or map in a record 20 and its key. */
function countAnew({ world: { records } }: Sandbox): number {
  const countIn = (value: unknown, isRecord = false): number => {
    if (typeof value === 'string') return value.length
    if (typeof value !== 'object' || value === null) return 0
    return Object.entries(value).reduce((sum, [key, part]) => {
      const ofEntry = isRecord ? 0 : 20 + (Array.isArray(value) ? 0 : key.length)
      return sum + ofEntry + countIn(part)
    }, 0)
  }
  return COLLECTION_NAMES.flatMap((name): readonly object[] => records.allStored(name)).reduce(
    (sum, record) => sum + countIn(record, true),
    0,
  )
}

test('whatever happens to a world, its characters are those of its records', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { maxLength: 40, size: 'max' }), async (steps) => {
      const sandbox = await createSandbox({
        fixtures: randomWorld({ generate: { projects: 2, keywords: 2, reports: 3 } }),
      })
      const play = createPlayer(sandbox)
      for (const step of steps) {
        await play(step)
        expect(sandbox.world.size.text).toBe(countAnew(sandbox))
      }
    }),
    { numRuns: runs(100) },
  )
})

test('no generated project has more characters than it counts as before it is generated', async () => {
  const { world } = await createSandbox({
    generate: { projects: 1000 },
    locale: ['da', 'de', 'en', 'nl', 'sv'],
  })
  const counted = sizeOf({ seed: world.seed }).text!
  const most = Math.max(...world.records.all('projects').map((project) => charactersOf(project)))
  expect(most).toBeGreaterThan(counted / 2000)
  expect(most).toBeLessThan(counted / 1000)
})

const LONG = 'A long paragraph. '.repeat(200)

const WORLD = aWorld({
  projects: [
    aProject({
      id: 1,
      text_language: 1,
      keywords: [1, 2, 3].map((id) => ({ id, keyword: `shoes ${id}`, create_date: '2026-01-01' })),
      reports: [
        aReport({ id: 1, status: 'running' }),
        aReport({ id: 2, status: 'completed', content: { 1: [{ h3: 'Shoes', text: LONG }] } }),
        aReport({ id: 3, date_to_create_texts: '2026-03-20' }),
      ],
    }),
  ],
  languages: [{ id: 1, label: 'English' }],
})

test.each<[string, Command, ClockMoved?]>([
  ['a new record', { type: 'record.put', collection: 'countries', record: { id: 5, label: LONG } }],
  ['a patch', { type: 'record.patch', collection: 'projects', id: 1, patch: { name: LONG } }],
  ['the content of a report that is completed', { type: 'report.complete', report: 1 }],
  ['a report that is regenerated', { type: 'report.regenerate', report: 2 }],
  [
    'a keyword before which completed reports are stored',
    {
      type: 'record.put',
      collection: 'keywords',
      record: {
        id: 9,
        project: 1,
        keyword: 'boots',
        create_date: '2026-03-01',
        url: null,
        latest_position: null,
        status_200: null,
        active: true,
      },
    },
    { advance: 'P30D' },
  ],
  [
    'fixtures in place of others',
    {
      type: 'fixtures.load',
      fixtures: aWorld({
        projects: [aProject({ id: 1, created_at: '2026-01-01T00:00:00.000000Z' })],
      }),
    },
  ],
])('a command announces the characters that it adds: %s', async (_, command, moved) => {
  const progress = { mode: moved ? 'time' : 'manual' } as const
  const { world, clock } = await createSandbox({ fixtures: { ...WORLD, progress } })
  if (moved) await clock.advance(moved.advance)
  const definition = definitionOf(parseCommand(command))
  const loaded = await definition.load?.(world.options, parseCommand(command) as never)
  const announced = await world.additionsBy(definition, parseCommand(command), loaded)
  const before = world.size.text
  await world.command(command)
  expect(announced?.text).not.toBe(0)
  expect(world.size.text - before).toBe(announced?.text)
})

interface ClockMoved {
  advance: string
}
