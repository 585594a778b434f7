import { runInThisContext } from 'node:vm'
import { expect } from 'vitest'

/** Runs a test that the console has written in TypeScript: its body is JavaScript too. */
export async function runConsoleTest(code: string, createSandbox: unknown): Promise<void> {
  const [body = ''] = /(?<=async \(\) => )\{.*\}(?=\)$)/su.exec(code) ?? []
  expect(body).not.toBe('')
  const run = runInThisContext(`async (createSandbox, expect) => ${body}`) as (
    ...given: unknown[]
  ) => Promise<void>
  await run(createSandbox, expect)
}
