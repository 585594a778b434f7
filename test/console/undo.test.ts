import { expect, test } from 'vitest'
import { prepareUndo } from '../../src/console/api/undo.ts'
import { createSandbox } from '../../src/index.ts'
import type { Command } from '../../src/index.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

/** Undo of the console through the control API; the browser tests cover the rest. */

async function open() {
  const sandbox = await createSandbox({ fixtures: aWorld(), latency: 1 })
  const read = (path: string): unknown =>
    path === '/faults' ? sandbox.faults.list() : sandbox.world.journal.commands
  const api = {
    get: async (path: string) => read(path) as never,
    send: (command: Command) => sandbox.command(command),
    moveClock: async () => undefined,
  } as Parameters<typeof prepareUndo>[1]
  const take = async (command: Command) => {
    const finish = await prepareUndo(command, api)
    return finish!(await sandbox.command(command))
  }
  return { sandbox, take }
}

test('faults that were set in place of others give them their place again, with their counts', async () => {
  const { sandbox, take } = await open()
  await sandbox.faults.add({ kind: 'status', status: 503, schedule: { first: 2 } })
  const headers = { authorization: `Bearer ${AGENCY}` }
  await sandbox.fetch('/api/v1/me', { headers })
  const before = sandbox.faults.list()
  const { take: takeBack } = await take({
    type: 'fault.set',
    faults: [{ kind: 'latency', ms: 1 }],
  })
  expect(sandbox.faults.list()).toHaveLength(1)
  expect(await takeBack()).toBe(true)
  expect(sandbox.faults.list()).toEqual(before)
})

test('nothing is done where one of them was disarmed since', async () => {
  const { sandbox, take } = await open()
  const { take: takeBack } = await take({ type: 'fault.set', faults: [{ kind: 'html' }] })
  await sandbox.faults.clear()
  expect(await takeBack()).toBe(false)
  expect(sandbox.faults.list()).toEqual([])
})
