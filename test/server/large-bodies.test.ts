import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonPieces } from '../../src/contract/json-pieces.ts'
import { LazyList } from '../../src/contract/lists.ts'
import { startServer } from '../../src/server.ts'
import type { SandboxServer } from '../../src/server.ts'
import { runs } from '../support/depth.ts'
import { sendRaw } from '../support/transports.ts'
import { aProject, aWorld } from '../support/worlds.ts'

const MEGABYTE = 2 ** 20

/** Longer than YAML may be in a body, alone or together. */
const YAML = `version: 1 # ${'x'.repeat(MEGABYTE / 4)}`
const TEXT = { name: 'a.yaml', text: YAML.slice(0, MEGABYTE / 6) }

describe('plain data in pieces', () => {
  /** Plain data with some parts larger than a piece. */
  const data = fc.letrec((tie) => ({
    value: fc.oneof(
      { withCrossShrink: true },
      fc.jsonValue({ maxDepth: 2 }),
      fc.string({ maxLength: 5 }).map((text) => text.padEnd(70_000, 'x')),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4 }),
      fc.constant(Object.fromEntries([['__proto__', 'x'.repeat(200_000)]])),
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
})
