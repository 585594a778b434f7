import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { anything, createPlayer, randomWorld, UNKNOWN_VALUE, VALUES } from './random-steps.ts'
import { runs } from '../support/depth.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-15T12:00:30.250Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const MADE: SandboxOptions[] = [
  { fixtures: randomWorld(), latency: '0-50' },
  { fixtures: randomWorld({ frozen: false, now: 'now-3d' }), rateLimit: '3/min,30/h' },
  {
    fixtures: randomWorld({ generate: { projects: 3 }, progress: { mode: 'time' } }),
    policies: { 'data-refresh': 'stale', 'rate-window': 'sliding' },
  },
]

const PATHS = Object.values(OPERATIONS).map(({ path }) =>
  path.replaceAll(/\{[^}]*\}/g, '1').replace(/^/, '/api/v1'),
)
const BEARERS = [...Object.values(VALUES), UNKNOWN_VALUE]

/** Everything that a client and a test can see of a world; observing it changes the world. */
async function observe({ world, ...sandbox }: Sandbox): Promise<object> {
  const { taken_at: _, sequence, commands, ...snapshot } = await sandbox.snapshot()
  const state = {
    snapshot,
    clock: world.clock,
    policies: world.policies,
    faults: sandbox.faults.list(),
    requests: world.journal.requests(),
    loaded: world.records.all('projects').map(({ id }) => id),
  }
  const answers = [1, 2].flatMap(() =>
    PATHS.flatMap((path) =>
      BEARERS.map((bearer) => {
        const headers = new Map([['authorization', `Bearer ${bearer}`]])
        const header = (name: string) => headers.get(name)
        const target = { method: 'GET', path, query: '', clientIp: '127.0.0.1', origin: 'http://a' }
        const { body, ...answer } = sandbox.answer({ ...target, header })
        return { ...answer, text: new TextDecoder().decode(body) }
      }),
    ),
  )
  return { ...state, answers, commands: commands.length, sequence }
}

/** All of the records, both clocks, policies, faults, counters and journal. */
test('a reset world is as it was created, after 200 random commands and requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MADE),
      fc.array(anything, { minLength: 200, maxLength: 200 }),
      async (options, steps) => {
        const used = await createSandbox(options)
        const player = createPlayer(used)
        // Excluded: loading fixtures changes the seed that a reset returns to.
        for (const step of steps) {
          if (!('command' in step && step.command.type === 'fixtures.load')) await player(step)
        }
        await used.reset()
        expect(used.world.journal.commands).toMatchObject([
          { sequence: 1, command: { type: 'reset' } },
        ])

        const fresh = await createSandbox(options)
        expect(await observe(used)).toEqual({ ...(await observe(fresh)), commands: 1, sequence: 1 })
      },
    ),
    { numRuns: runs(25), endOnFailure: true },
  )
})
