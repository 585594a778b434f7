import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Command, FixtureInput, IsolatedWorld, Sandbox } from '../../src/index.ts'
import { bytesOf as bytesOfData } from '../../src/contract/plain-size.ts'
import { storeReview } from '../../src/review/record-review.ts'
import type { ReviewState } from '../../src/review/reviewer.ts'
import { runs } from '../support/depth.ts'
import { limitHeap } from '../support/heap.ts'
import { AGENCY, aProject, aWorld } from '../support/worlds.ts'
import { anything, createPlayer, randomWorld } from './random-steps.ts'

/** The worlds of a process share its memory: what is missed least goes first, and a world in use stays. */

const NOW = Date.parse('2026-03-15T12:00:00Z')
const MEGABYTE = 2 ** 20
const HEAP = 8 * MEGABYTE
/** What all worlds may take. */
const LIMIT = HEAP / 2

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  limitHeap(HEAP)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const FAULT = { kind: 'status', status: 503, endpoint: 'GET /projects', schedule: { every: 3 } }

/** Fixtures of some 200 kB. */
function largeWorld(): FixtureInput {
  return aWorld({ projects: [aProject({ id: 1, name: 'x'.repeat(100_000) })] })
}

async function fill({ worlds }: Sandbox): Promise<{ made: IsolatedWorld[]; refusal: unknown }> {
  const made: IsolatedWorld[] = []
  while (made.length < 100) {
    try {
      made.push(await worlds.create({ fixtures: largeWorld() }))
    } catch (refusal) {
      return { made, refusal }
    }
  }
  throw new Error('There was room for a hundred worlds.')
}

/** Sends a request that takes some 10 kB of the journal. */
async function sendLong({ sandbox, tokens }: IsolatedWorld, index = 0): Promise<void> {
  const headers = { authorization: `Bearer ${tokens[AGENCY]}` }
  await sandbox.fetch(`/api/v1/countries?x=${index}${'y'.repeat(10_000)}`, { headers })
}

function bytesOf(worlds: readonly { sandbox: Sandbox }[]): number {
  return worlds.reduce((sum, { sandbox }) => sum + sandbox.world.memory.bytes, 0)
}

describe('a new world', () => {
  test('is refused with a sentence when there is no memory left, until one was unused for a minute', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    const dropped: unknown[] = []
    sandbox.worlds.control.watchDrops((drop) => dropped.push(drop))
    const { made, refusal } = await fill(sandbox)
    expect(refusal).toMatchObject({ name: 'CommandError', code: 'insufficient_memory' })
    expect(String(refusal)).toMatch(/needs 1 MB .* 4 MB .* Drop one that is no longer needed/)
    expect(made.length).toBeGreaterThan(8)
    expect(sandbox.worlds.list()).toHaveLength(made.length)

    vi.setSystemTime(NOW + 60_000)
    const [first] = made as [IsolatedWorld]
    await sendLong(first)
    await sandbox.worlds.create({ fixtures: largeWorld() })
    expect(dropped).toEqual([{ id: 'w2', reason: 'displaced' }])
  })

  test('has the place of one that was dropped', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    const { made } = await fill(sandbox)
    for (let count = 0; count < 5; count += 1) {
      sandbox.worlds.drop(sandbox.worlds.list()[0]?.id ?? '')
      await sandbox.worlds.create({ fixtures: largeWorld() })
    }
    expect(sandbox.worlds.list()).toHaveLength(made.length)
  })

  test('of the same fixtures as others shares their memory with them', async () => {
    const sandbox = await createSandbox({ fixtures: largeWorld() })
    for (let count = 0; count < 40; count += 1) await sandbox.worlds.create()
    expect(sandbox.worlds.list()).toHaveLength(40)
  })

  test('takes the place of journals first, the least recently used first', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    const worlds: IsolatedWorld[] = []
    for (let count = 0; count < 4; count += 1) worlds.push(await sandbox.worlds.create())
    for (const world of worlds) {
      for (let index = 0; index < 50; index += 1) await sendLong(world, index)
    }
    const counts = (): number[] => worlds.map((world) => world.sandbox.requests.count())
    expect(counts()).toEqual([50, 50, 50, 50])
    for (let count = 0; count < 12; count += 1) {
      await sandbox.worlds.create({ fixtures: largeWorld() })
    }
    expect(counts()).toEqual([0, 0, 50, 50])
    await expect(worlds[0]?.sandbox.session()).rejects.toThrow('its memory was needed')
    expect((await worlds[3]?.sandbox.session())?.steps).toHaveLength(50)
  })
})

test('requests and commands never take more memory than there is, and every answer is right', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld() })
  const worlds: IsolatedWorld[] = []
  for (let count = 0; count < 8; count += 1) worlds.push(await sandbox.worlds.create())
  let most = 0
  for (let index = 0; index < 400; index += 1) {
    const world = worlds[index % worlds.length] as IsolatedWorld
    await sendLong(world, index)
    const name = `${index}${'z'.repeat(5000)}`
    await world.sandbox.command({
      type: 'record.patch',
      collection: 'projects',
      id: 1,
      patch: { name },
    })
    expect(world.sandbox.world.records.get('projects', 1)?.name).toBe(name)
    most = Math.max(most, bytesOf(worlds))
  }
  expect(most).toBeGreaterThan(LIMIT / 2)
  expect(most).toBeLessThanOrEqual(LIMIT)
  expect(sandbox.worlds.list()).toHaveLength(8)
})

describe('a command', () => {
  test.each([
    { type: 'record.put', collection: 'agencies', record: { id: 3, name: 'x'.repeat(1_000_000) } },
    { type: 'record.patch', collection: 'agencies', id: 1, patch: { name: 'x'.repeat(1_000_000) } },
    { type: 'fixtures.load', fixtures: largeWorld() },
    { type: 'fixtures.load', fixtures: { version: 1, generate: { projects: 1000 } } },
    { type: 'fault.set', faults: Array.from({ length: 1000 }, () => FAULT) },
  ] as const)('that needs more memory than there is changes nothing: $type', async (command) => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    const { made } = await fill(sandbox)
    const [first] = made as [IsolatedWorld]
    const before = await first.sandbox.snapshot()
    const sent = first.sandbox.command(command as Command)
    await expect(sent).rejects.toMatchObject({
      code: expect.stringMatching(/^insufficient_memory$/),
    })
    expect(await first.sandbox.snapshot()).toEqual(before)
  })

  test('that needs none is applied even if there is none left', async () => {
    const sandbox = await createSandbox({ fixtures: aWorld() })
    const { made } = await fill(sandbox)
    const [first] = made as [IsolatedWorld]
    await first.sandbox.clock.advance('P1D')
    await first.sandbox.command({ type: 'record.delete', collection: 'projects', id: 1 })
    await first.sandbox.reset()
    expect(first.sandbox.world.records.all('projects')).toHaveLength(1)
  })
})

test('whatever happens to a world, nothing is counted that it no longer has', async () => {
  limitHeap(2 ** 40)
  const sandbox = await createSandbox({ fixtures: aWorld() })
  const countAnew = async ({ sandbox: { world, reset } }: IsolatedWorld): Promise<number> => {
    await world.command({ type: 'fixtures.load', fixtures: randomWorld() })
    await reset()
    world.freeCaches()
    world.freeJournal()
    // It keeps what its reviewer found before.
    const { ended } = storeReview(world)!.state as ReviewState
    return world.memory.bytes - (ended.sessions === 0 ? 0 : bytesOfData(ended))
  }
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { maxLength: 40, size: 'max' }), async (steps) => {
      const options = { fixtures: randomWorld({ generate: { projects: 2 } }) }
      const world = await sandbox.worlds.create(options)
      const before = await countAnew(world)
      const play = createPlayer(world.sandbox)
      for (const step of steps) await play(step)
      expect(await countAnew(world)).toBe(before)
      sandbox.worlds.drop(world.id)
    }),
    { numRuns: runs(100) },
  )
})

test('what finds the gaps for X-Sandbox-Gaps is counted, and freed with the other caches', async () => {
  const headers = { authorization: `Bearer ${AGENCY}` }
  const growthWith = async (showGaps: boolean): Promise<number[]> => {
    const { world, fetch } = await createSandbox({ fixtures: largeWorld(), showGaps })
    const before = world.memory.bytes
    for (const path of ['/projects', '/projects/1']) await fetch(`/api/v1${path}`, { headers })
    const after = world.memory.bytes
    world.freeCaches()
    return [after - before, after - world.memory.bytes]
  }
  const [usual = 0, freed = 0] = await growthWith(false)
  const [withGaps = 0, freedWithGaps = 0] = await growthWith(true)
  // Each response has the project's name of a hundred thousand characters.
  expect(withGaps - usual).toBeGreaterThan(2 * 100_000)
  expect(freedWithGaps - freed).toBeGreaterThan(2 * 100_000)
})
