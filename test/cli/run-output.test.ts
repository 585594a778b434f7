import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RunOutput } from '../../src/cli/rehearse/run-folder.ts'
import { aFolder } from '../support/cli.ts'

/** The kept output of a rehearsal's run, as `docs/judging.md` describes it. */

const LIMIT = 1_000_000
const FULL = '/dev/full'

test.for([
  [10, 10, ''],
  [LIMIT, LIMIT, ''],
  [LIMIT + 5, LIMIT, '\n[0 bytes left out]\nyyyyz'],
  [LIMIT + 100_000, LIMIT, `\n[91808 bytes left out]\n${'y'.repeat(8191)}z`],
] as const)('of %i bytes, the first %i are kept, and the end', async ([bytes, kept, rest]) => {
  await using folder = await aFolder({})
  const output = new RunOutput(folder.path('run.log'), {
    onError: (error) => expect.unreachable(String(error)),
  })
  const text = Buffer.from(`${'y'.repeat(bytes - 1)}z`)
  for (let at = 0; at < bytes; at += 70_001) output.take(text.subarray(at, at + 70_001))
  output.end()
  expect(await folder.read('run.log')).toBe(`${text.subarray(0, kept).toString()}${rest}`)
})

test('its last lines are without controls and empty ones', async () => {
  await using folder = await aFolder({})
  const output = new RunOutput(folder.path('run.log'), {
    onError: (error) => expect.unreachable(String(error)),
  })
  output.take(Buffer.from('one\r\n\n10 %\r20 %\r\u001B[31mtwo\u001B[0m  \nthree'))
  output.note('Not a line of the run.')
  output.end()
  expect(output.lastLines(3)).toEqual(['20 %', String.raw`\u001b[31mtwo\u001b[0m`, 'three'])
  expect(await folder.read('run.log')).toContain('seo-sandbox: Not a line of the run.\n')
})

// Only Linux has a file that is always full.
test.runIf(existsSync(FULL))('a full disk is said once, and the run goes on', () => {
  const errors: unknown[] = []
  const output = new RunOutput(FULL, { onError: (error) => errors.push(error) })
  output.take(Buffer.from('one\n'))
  output.take(Buffer.from('two\n'))
  output.end()
  expect(errors).toMatchObject([{ code: 'ENOSPC' }])
  expect(output.lastLines(1)).toEqual(['two'])
})
