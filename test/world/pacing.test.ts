import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Command, FixtureInput, Sandbox } from '../../src/index.ts'
import { aProject, aReport, aWorld, SUPER } from '../support/worlds.ts'

const MANY = 100

const large = worldOf(MANY)
const generated: FixtureInput = aWorld({ projects: [], generate: { projects: MANY } })

function worldOf(count: number): FixtureInput {
  return aWorld({
    projects: Array.from({ length: count }, (_, index) =>
      aProject({
        id: index + 1,
        name: 'Loaded',
        reports: [aReport({ id: index + 1, report_number: 1 })],
      }),
    ),
  })
}

/** A sandbox that takes down what it answers whenever a command lets others go on. */
async function watched(fixtures: FixtureInput): Promise<{ sandbox: Sandbox; seen: string[] }> {
  const sandbox = await createSandbox({ fixtures, seed: 'x' })
  const seen: string[] = []
  sandbox.world.options.pacing.pause = () => {
    seen.push(answerOf(sandbox))
    return undefined
  }
  return { sandbox, seen }
}

function answerOf(sandbox: Sandbox): string {
  const headers: Record<string, string> = { authorization: `Bearer ${SUPER}` }
  const { body } = sandbox.answer({
    method: 'GET',
    path: '/api/v1/projects',
    query: 'per_page=1',
    origin: 'http://localhost',
    clientIp: '127.0.0.1',
    header: (name) => headers[name.toLowerCase()],
  })
  return new TextDecoder().decode(body)
}

describe('while a command does much', () => {
  const commands: [string, FixtureInput, () => Promise<Command>][] = [
    ['loading fixtures', aWorld(), async () => ({ type: 'fixtures.load', fixtures: large })],
    ['generating projects', aWorld(), async () => ({ type: 'fixtures.load', fixtures: generated })],
    ['a reset that generates projects', generated, async () => ({ type: 'reset' })],
    [
      'restoring a snapshot',
      aWorld(),
      async () => ({
        type: 'snapshot.restore',
        snapshot: await (await createSandbox({ fixtures: large })).snapshot(),
      }),
    ],
    [
      'restoring generated projects',
      aWorld(),
      async () => ({
        type: 'snapshot.restore',
        snapshot: await (await createSandbox({ fixtures: generated })).snapshot(),
      }),
    ],
  ]

  test.for(commands)(
    'requests are answered in between, as before it: %s',
    async ([, fixtures, toCommand], { expect: expectHere }) => {
      const { sandbox, seen } = await watched(fixtures)
      const command = await toCommand()
      const before = answerOf(sandbox)
      await sandbox.command(command)
      expectHere(seen.length).toBeGreaterThanOrEqual(MANY)
      expectHere(new Set(seen)).toEqual(new Set([before]))
      const alone = await createSandbox({ fixtures, seed: 'x' })
      await alone.command(command)
      expectHere(answerOf(sandbox)).toBe(answerOf(alone))
    },
  )

  test('they do not change the snapshot that is being taken', async () => {
    // Many records go together.
    const { sandbox, seen } = await watched(worldOf(10 * MANY))
    const before = await sandbox.snapshot()
    expect(seen.length).toBeGreaterThan(MANY)
    let deleted: Promise<unknown> | undefined
    sandbox.world.options.pacing.pause = () => {
      deleted ??= sandbox.command({ type: 'record.delete', collection: 'reports', id: 10 * MANY })
      return Promise.resolve()
    }
    const during = await sandbox.snapshot()
    await deleted
    expect({ ...during, taken_at: '', sequence: 0 }).toEqual({
      ...before,
      taken_at: '',
      sequence: 0,
    })
  })
})
