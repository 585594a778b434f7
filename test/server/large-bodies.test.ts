import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonPieces } from '../../src/contract/json-pieces.ts'
import { LazyList } from '../../src/contract/lazy-list.ts'
import { createSandbox } from '../../src/index.ts'
import type { Command, Sandbox, Snapshot } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import type { SandboxServer } from '../../src/server.ts'
import { runs } from '../support/depth.ts'
import { sendRaw } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aWorld } from '../support/worlds.ts'

const MEGABYTE = 2 ** 20

/** Larger than what is read without the worker, for any body that has it as a name. */
const LONG_NAME = 'x'.repeat(20_000)

/** Longer than YAML may be in a body, alone or together. */
const YAML = `version: 1 # ${'x'.repeat(MEGABYTE / 4)}`
const TEXT = { name: 'a.yaml', text: YAML.slice(0, MEGABYTE / 6) }

const world = aWorld({
  projects: [
    aProject({ id: 1, name: LONG_NAME, reports: [aReport({ id: 11 })] }),
    aProject({ id: 2, reports: [aReport({ id: 21 })] }),
  ],
})

describe('plain data in pieces', () => {
  /** Some of it larger than a piece. */
  const data = fc.letrec((tie) => ({
    value: fc.oneof(
      { withCrossShrink: true },
      fc.jsonValue({ maxDepth: 2 }),
      fc.string({ maxLength: 5 }).map((text) => text.padEnd(70_000, 'x')),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4 }),
      fc.constant(Object.fromEntries([['__proto__', LONG_NAME.repeat(10)]])),
    ),
  })).value

  test('is JSON text in pieces of many items, of a bounded size', () => {
    const records = Array.from({ length: 5_000 }, (_, id) => ({ id, name: `Name ${id}` }))
    const value = { records, nested: { deep: { ids: records.map(({ id }) => id) } } }
    const pieces = [...jsonPieces(value)]
    expect(pieces.join('')).toBe(JSON.stringify(value))
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(MEGABYTE / 32)
    expect(pieces.length).toBeLessThan(records.length / 20)
  })

  test('is the same as JSON text, also where its lists are lazy', () => {
    const toLazy = (value: unknown): unknown => {
      if (Array.isArray(value)) return LazyList.of(value).map(toLazy)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toLazy(part)]))
    }
    fc.assert(
      fc.property(data, (value) => {
        const text = JSON.stringify(value)
        expect([...jsonPieces(value)].join('')).toBe(text)
        expect([...jsonPieces(toLazy(value))].join('')).toBe(text)
      }),
      { numRuns: runs(300, 20) },
    )
  })
})

describe('a large body', () => {
  let server: SandboxServer
  beforeAll(async () => {
    server = await startServer({ port: 0, fixtures: aWorld() })
  })
  afterAll(() => server.close())

  async function post(path: string, body: unknown): Promise<{ status: number; body: any }> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return sendRaw(server.port, { target: `/_sandbox${path}`, method: 'POST', body: text })
  }

  const commands: [string, Command][] = [
    ['fixtures', { type: 'fixtures.load', fixtures: world }],
    ['fixtures as YAML', { type: 'fixtures.load', fixtures: `version: 1 # ${LONG_NAME}` }],
    [
      'fixtures with errors',
      {
        type: 'fixtures.load',
        fixtures: `version: 1\nprojects: [{ name: ${LONG_NAME} }]\nx: 1`,
      },
    ],
    ['fixtures that are none', { type: 'fixtures.load', fixtures: [LONG_NAME] } as never],
    ['fields that do not belong', { type: 'clock.freeze', fixtures: world, snapshot: {} } as never],
  ]

  test.for(commands)('does what a small one does: %s', async ([, command]) => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    await server.sandbox.command({ type: 'fixtures.load', fixtures: aWorld() })
    const sent = await post('/commands', command)
    const expected = await sandbox.command(command).then(
      () => ({ status: 200, message: undefined }),
      (error: Error) => ({ status: 422, message: error.message }),
    )
    expect([sent.status, sent.body.error?.message]).toEqual([expected.status, expected.message])
    expect(await contentOf(server.sandbox)).toEqual(await contentOf(sandbox))
  })

  test('restores a snapshot, sent as a command or by itself', async () => {
    const other = await createSandbox({ fixtures: world })
    const snapshot = await other.snapshot()
    const bodies = [
      ['/snapshots', snapshot],
      ['/commands', { type: 'snapshot.restore', snapshot }],
    ] as const
    for (const [path, body] of bodies) {
      await server.sandbox.reset()
      expect((await post(path, body)).status).toBe(200)
      expect(await contentOf(server.sandbox)).toEqual(await contentOf(other))
      const session = await sendRaw(server.port, { target: '/_sandbox/session' })
      expect(session.body.steps[0].command.snapshot.records.projects[0].name).toBe(LONG_NAME)
    }
  })

  test('names the places of what is wrong in it', async () => {
    const snapshot = structuredClone(await server.sandbox.snapshot())
    snapshot.records.projects[0]!.name = LONG_NAME
    snapshot.records.projects[0]!.agency = 99
    const { body } = await post('/snapshots', snapshot)
    expect(body.error.problems).toEqual([
      {
        path: 'snapshot.records.projects[0].agency',
        message: expect.stringMatching(/no agency 99/),
      },
    ])
  })

  test('creates an isolated world, with what it states besides its fixtures', async () => {
    const settings = { fixtures: world, generate: { projects: 2 }, now: '2026-01-01T00:00:00Z' }
    const { status, body } = await post('/worlds', settings)
    expect(status).toBe(201)
    const isolated = server.sandbox.worlds.control.get(body.id)
    expect(isolated.clock.now).toBe('2026-01-01T00:00:00.000000Z')
    expect(isolated.records.all('projects').map(({ id }) => id)).toEqual([1, 2, 1001, 1002])
    expect(Object.keys(body.tokens)).toContain(AGENCY)
    const refused = await post('/worlds', { fixtures: world, scenario: 'empty-agency' })
    expect([refused.status, refused.body.error.code]).toEqual([422, 'invalid_option'])
  })

  test.for([
    ['/commands', { type: 'reset', x: 'x'.repeat(4 * MEGABYTE) }, 'at most 4 MB: .+--fixtures'],
    ['/snapshots', 'x'.repeat(4 * MEGABYTE + 1), 'at most 4 MB: .+ --snapshot or --state'],
    ['/commands', { type: 'fixtures.load', fixtures: YAML }, 'have at most 256 kB'],
    ['/worlds', { fixtures: { files: [TEXT, TEXT] } }, 'have at most 256 kB'],
    ['/partners/claim', { code: 'x'.repeat(MEGABYTE / 64) }, 'at most 16 kB here'],
  ])('is 413 above its limit: %s %#', async ([path, body, says]) => {
    const { status, body: answer } = await post(path as string, body)
    expect([status, answer.error.code]).toEqual([413, 'body_too_large'])
    expect(answer.error.message).toMatch(new RegExp(says as string))
  })

  test('is accepted up to its limit', async () => {
    const text = (length: number) => `version: 1 #${'x'.repeat(length - 12)}`
    const load = (fixtures: unknown) => post('/commands', { type: 'fixtures.load', fixtures })
    expect((await load(text(MEGABYTE / 4))).status).toBe(200)
    const projects = [aProject({ id: 1, name: 'x'.repeat(4 * MEGABYTE - 1000) })]
    expect((await load(aWorld({ projects }))).status).toBe(200)
    const taken = await sendRaw(server.port, { target: '/_sandbox/snapshots' })
    expect(taken.body.error.code).toBe('snapshot_too_large')
    await server.sandbox.command({ type: 'fixtures.load', fixtures: aWorld() })
  })

  test('of unknown length is a small one until it is large', async () => {
    const send = () =>
      sendRaw(server.port, {
        method: 'POST',
        target: '/_sandbox/worlds',
        headers: { 'transfer-encoding': 'chunked' },
        body: '{}',
      })
    const answers = await Promise.all(Array.from({ length: 8 }, send))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
  })
})

/** The fixture's part of a world, which does not depend on when its commands came. */
async function contentOf(sandbox: Sandbox): Promise<Partial<Snapshot>> {
  const { records, removed, stated } = await sandbox.snapshot()
  return { records, removed, stated }
}
