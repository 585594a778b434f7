import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Command, FixtureInput, Sandbox } from '../../src/index.ts'
import { DEFAULT_LIMITS, LimitsOption, requireWithin } from '../../src/store/store-options.ts'
import type { SharedLimits } from '../../src/store/store-options.ts'
import { definitionOf } from '../../src/world/commands/index.ts'
import { parseCommand } from '../../src/world/commands/prepare-command.ts'
import { parseOption } from '../../src/world/options/parse-option.ts'
import { aProject, aReport, aToken, aWorld } from '../support/worlds.ts'

/** Limits of a world with a key, for commands, fixtures, scenarios and snapshots. */

async function check(
  { world }: Sandbox,
  sent: object,
  limits: Partial<SharedLimits> = {},
): Promise<'fits'> {
  const command = parseCommand(sent)
  const definition = definitionOf(command)
  const loaded = await definition.load?.(world.options, command as never)
  const added = await world.additionsBy(definition, command, loaded)
  if (added) requireWithin({ ...DEFAULT_LIMITS, ...limits }, added, world.size)
  return 'fits'
}

const keywords = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    keyword: `shoes ${at}`,
    create_date: '2026-01-01',
  }))

const contentOf = (texts: string[]) => ({ 1: texts.map((text) => ({ h3: '', text })) })

/** A world with one of everything that is limited, or with the maximum number. */
function aFullWorld(count = 500): FixtureInput {
  return aWorld({
    projects: [
      aProject({
        id: 1,
        keywords: keywords(count),
        reports: [aReport({ id: 1, status: 'running' })],
      }),
      aProject({ id: 2 }),
    ],
  })
}

const put = (collection: string, record: object) => ({ type: 'record.put', collection, record })
const country = (id: number, label: string) => put('countries', { id, label })
const load = (fixtures: FixtureInput) => ({ type: 'fixtures.load', fixtures })

const LONG = 'x'.repeat(150_000)

const tooMany = (name: string, count: number) =>
  new RegExp(`at most \\d+ ${name}.*this would be ${count}\\. Remove some`)

test.each<[string, Partial<SharedLimits>, sent: object, message: RegExp]>([
  ['a record', { records: 507 }, country(5, 'Five'), tooMany('records', 508)],
  ['a project', { projects: 2 }, put('projects', aProject({ id: 3 })), tooMany('projects', 3)],
  [
    'a keyword',
    {},
    put('keywords', { ...keywords(501)[500], project: 1 }),
    tooMany('keywords', 501),
  ],
  ['a fault', { faults: 0 }, { type: 'fault.add', fault: { kind: 'html' } }, tooMany('faults', 1)],
  ['a name', {}, country(5, 'x'.repeat(201)), /^record\.label.* 201 characters.* at most 200/],
  [
    'the name in a patch',
    {},
    { type: 'record.patch', collection: 'agencies', id: 1, patch: { name: 'x'.repeat(201) } },
    /^patch\.name/,
  ],
  [
    'an address in a list',
    {},
    put('projects', aProject({ id: 2, client_emails: ['a@b.example', 'x'.repeat(201)] })),
    /^record\.client_emails\[1\]/,
  ],
  [
    'the content of a report',
    {},
    { type: 'report.complete', report: 1, fields: { content: contentOf([LONG, LONG]) } },
    /^fields.* 300\d+ characters, and one has at most 200000/,
  ],
  [
    'content of nothing but lists',
    {},
    {
      type: 'report.complete',
      report: 1,
      fields: {
        content_scheme: 'own',
        content: { 1: { content: Array.from({ length: 10_000 }, () => []), html: [] } },
      },
    },
    /200\d+ characters/,
  ],
  [
    'the texts that completing a report writes',
    { text: 10_200 },
    { type: 'report.complete', report: 1 },
    /at most 10200 characters.* this would be \d{5}\./,
  ],
  [
    'fixtures with a long name',
    {},
    load(aWorld({ countries: [{ id: 1, label: 'x'.repeat(201) }] })),
    /^fixtures\.countries\[0\]\.label/,
  ],
  ['fixtures with keywords', {}, load(aFullWorld(501)), tooMany('keywords', 501)],
  ['fixtures with texts', { text: 20_000 }, load(aFullWorld(600)), /at most/],
  ['fixtures to generate', {}, load({ version: 1, generate: { projects: 1001 } }), /1001/],
])('a world may not get more than its limits: %s', async (_, limits, sent, message) => {
  const sandbox = await createSandbox({ fixtures: aFullWorld() })
  await expect(check(sandbox, sent, limits)).rejects.toThrow(message)
})

test('a world may get as much as its limits', async () => {
  const sandbox = await createSandbox({ fixtures: aFullWorld(499) })
  const { records, text } = sandbox.world.size
  const label = 'x'.repeat(200)
  expect(await check(sandbox, country(5, label), { records: records + 1, text: text + 200 })).toBe(
    'fits',
  )
  expect(await check(sandbox, put('keywords', { ...keywords(500)[499], project: 1 }))).toBe('fits')
  expect(
    await check(sandbox, {
      type: 'report.complete',
      report: 1,
      fields: { content: contentOf([LONG]) },
    }),
  ).toBe('fits')
  expect(await check(sandbox, load(aFullWorld(500)), { records: 600 })).toBe('fits')
})

test('a scenario counts as what it has', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld() })
  const turn = { type: 'scenario.load', scenario: 'large-project' }
  await expect(check(sandbox, turn, { records: 100 })).rejects.toThrow(/at most 100 records/)
  expect(await check(sandbox, turn)).toBe('fits')
})

test('a snapshot counts as what it has, its stale view included', async () => {
  const source = await createSandbox({
    fixtures: aFullWorld(),
    policies: { 'data-refresh': 'stale' },
  })
  const { text } = source.world.size
  await source.command(country(5, 'x'.repeat(5000)) as Command)
  await source.command({ type: 'record.delete', collection: 'countries', id: 5 })
  const snapshot = await source.snapshot()
  const sandbox = await createSandbox({ fixtures: aWorld() })
  const restore = { type: 'snapshot.restore', snapshot }
  expect(await check(sandbox, restore, { text })).toBe('fits')
  await expect(check(sandbox, restore, { text: text - 1 })).rejects.toThrow(
    /at most \d+ characters/,
  )
  snapshot.records.agencies[0]!.name = 'x'.repeat(201)
  await expect(check(sandbox, restore)).rejects.toThrow(/^snapshot\.records\.agencies\[0\]\.name/)
})

test('a snapshot may not have more projects and faults; a generated project that it changes or removes is one', async () => {
  const generate = { projects: 50, keywords: 1, reports: 1 }
  const sandbox = await createSandbox({ generate })
  const taken = await sandbox.snapshot()
  await sandbox.faults.set([{ kind: 'html' }])
  const [armed] = (await sandbox.snapshot()).faults.armed
  const project = sandbox.world.records.get('projects', 1001)!
  const withProjects = (...ids: number[]) => ({
    ...taken,
    records: { ...taken.records, projects: ids.map((id) => ({ ...project, id })) },
  })
  const withFaults = (count: number) => {
    const faults = Array.from({ length: count }, (_, at) => ({ ...armed, id: at + 1 }))
    return { ...taken, faults: { last_id: count, armed: faults } }
  }
  const removed = { ...taken.removed, projects: [project.id, project.id] }
  const published = {
    changed: withProjects(1).records,
    added: Object.fromEntries(Object.keys(taken.records).map((name) => [name, []])),
    removed: taken.removed,
    stated: [],
    moving: [],
  }
  const restore = (snapshot: object) =>
    check(sandbox, { type: 'snapshot.restore', snapshot }, { projects: 50, faults: 2 })
  for (const snapshot of [
    withProjects(project.id),
    { ...withProjects(1), removed },
    withFaults(2),
  ]) {
    expect(await restore(snapshot)).toBe('fits')
  }
  for (const [snapshot, message] of [
    [withProjects(1), tooMany('projects', 51)],
    [{ ...withProjects(1, 2), removed }, tooMany('projects', 51)],
    [{ ...taken, published }, tooMany('projects', 51)],
    [withFaults(3), tooMany('faults', 3)],
  ] as const) {
    await expect(restore(snapshot)).rejects.toThrow(message)
  }
})

test('a change that only removes is within the limits of a world that has more', async () => {
  const sandbox = await createSandbox({ fixtures: aFullWorld(501) })
  const none = { records: 0, projects: 0, text: 0, faults: 0 }
  expect(await check(sandbox, { type: 'record.delete', collection: 'keywords', id: 1 }, none)).toBe(
    'fits',
  )
  expect(await check(sandbox, { type: 'fault.set', faults: [] }, none)).toBe('fits')
  expect(await check(sandbox, { type: 'reset' }, none)).toBe('fits')
  expect(await check(sandbox, load(aWorld()), none)).toBe('fits')
})

test('a token, a link and a content may be longer than a name', async () => {
  const sandbox = await createSandbox({ fixtures: aFullWorld(1) })
  const long = 'x'.repeat(2000)
  expect(await check(sandbox, put('tokens', aToken({ id: 5, name: 'Five', token: long })))).toBe(
    'fits',
  )
  expect(await check(sandbox, put('keywords', { ...keywords(2)[1], project: 1, url: long }))).toBe(
    'fits',
  )
})

test.each([
  ['work=5', 'work is no longer a limit: set costly, the number of expensive requests a minute.'],
  [
    'fixtures=5',
    'fixtures is no longer a limit: set text or records for what a world has, or body for what is sent with its key.',
  ],
  ['loaded=none', 'loaded: "none" is not a number of worlds in the memory of this server.'],
  ['recrods=5', '"recrods" is not a limit.'],
])('--limits %s is refused', (given, message) => {
  expect(() => parseOption(LimitsOption, given, 'limits')).toThrow(message)
})
