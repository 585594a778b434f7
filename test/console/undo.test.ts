import { expect, test } from 'vitest'
import { prepareUndo } from '../../src/console/api/undo.ts'
import { createSandbox } from '../../src/index.ts'
import type { Command } from '../../src/index.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

/** Undo of the console through the control API; the browser tests cover the rest. */

async function open() {
  const sandbox = await createSandbox({ fixtures: aWorld(), latency: 1 })
  const read = (path: string): unknown => {
    if (path === '/clock') return sandbox.clock.read()
    return path === '/faults' ? sandbox.faults.list() : sandbox.world.journal.commands
  }
  /** Applies a command. Returns a function that undoes it, which resolves to the types of the commands that did. */
  const apply = async (command: Command) => {
    const finish = await prepareUndo(command, async (path: string) => read(path) as never)
    const undo = await finish!(await sandbox.command(command))
    return async () => {
      const commands = 'toCommands' in undo ? await undo.toCommands() : undefined
      for (const one of commands ?? []) await sandbox.command(one)
      return commands?.map(({ type }) => type)
    }
  }
  return { sandbox, apply }
}

test('faults that were set in place of others give them their place again, with their counts', async () => {
  const { sandbox, apply } = await open()
  await sandbox.faults.add({ kind: 'status', status: 503, schedule: { first: 2 } })
  const headers = { authorization: `Bearer ${AGENCY}` }
  await sandbox.fetch('/api/v1/me', { headers })
  const before = sandbox.faults.list()
  const takeBack = await apply({
    type: 'fault.set',
    faults: [{ kind: 'latency', ms: 1 }],
  })
  expect(sandbox.faults.list()).toHaveLength(1)
  expect(await takeBack()).toEqual(['fault.remove', 'fault.restore'])
  expect(sandbox.faults.list()).toEqual(before)
})

test('nothing is done where one of them was disarmed since', async () => {
  const { sandbox, apply } = await open()
  const takeBack = await apply({ type: 'fault.set', faults: [{ kind: 'html' }] })
  await sandbox.faults.clear()
  expect(await takeBack()).toBeUndefined()
  expect(sandbox.faults.list()).toEqual([])
})

test.each([
  [{ type: 'clock.advance', by: 'P1D' }, true, ['clock.set']],
  [{ type: 'clock.freeze', frozen: false }, true, ['clock.freeze', 'clock.set']],
  [{ type: 'clock.freeze', frozen: true }, false, ['clock.freeze', 'clock.set']],
] as const)('%j is undone on a clock that is frozen: %s', async (command, frozen, commands) => {
  const { sandbox, apply } = await open()
  await sandbox.clock.set('2026-03-15T12:00:00Z')
  await sandbox.clock.freeze(frozen)
  const before = sandbox.clock.read()
  const takeBack = await apply(command)
  expect(await takeBack()).toEqual(commands)
  const after = sandbox.clock.read()
  expect(after.frozen).toBe(frozen)
  expect(Date.parse(after.now) - Date.parse(before.now)).toBeLessThan(frozen ? 1 : 60_000)
})
