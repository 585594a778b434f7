import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'

/** A server runs for weeks: a command that replaces the records of a world must leave none of the old ones in memory. */

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const GENERATE = { projects: 3, reports: 2 }

const REPLACING: [string, (sandbox: Sandbox) => Promise<unknown>][] = [
  ['a reset of a generated world', ({ reset }) => reset()],
  ['a snapshot', async (sandbox) => sandbox.restore(await sandbox.snapshot())],
]

test.each(REPLACING)('nothing of what was there before %s is kept', async (_, replace) => {
  const sandbox = await createSandbox({ generate: GENERATE })
  const before: WeakRef<object>[] = []
  for (let times = 0; times < 3; times += 1) {
    await readOnce(sandbox)
    before.push(new WeakRef(sandbox.world.records))
    await replace(sandbox)
  }
  await readOnce(sandbox)
  const countKept = (): number => {
    collectGarbage()
    return before.filter((records) => records.deref() !== undefined).length
  }
  await expect.poll(countKept).toBe(0)
})

async function readOnce(sandbox: Sandbox): Promise<void> {
  const headers = { authorization: 'Bearer sandbox-unlimited' }
  await (await sandbox.fetch('/api/v1/projects', { headers })).json()
}
