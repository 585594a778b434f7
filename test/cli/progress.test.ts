import { describe, expect, test } from 'vitest'
import { createProgress } from '../../src/cli/command-progress.ts'

/** Issue 16(4): work of over a second describes itself on standard error, with progress if the amount is known. */

interface Step {
  ms: number
  what?: string
  done: number
}

/** The texts written while these steps of 8 are reported. */
function written(steps: Step[], isTTY: boolean): string[] {
  const texts: string[] = []
  let ms = 0
  const output = { isTTY, write: (text: string) => texts.push(text) }
  const progress = createProgress(output, () => ms)
  for (const { ms: at, what = 'Reading a.yaml', done } of steps) {
    ms = at
    progress.report(what, done, 8)
  }
  progress.end()
  return texts
}

describe('progress', () => {
  test.each([true, false])('is silent within the first second (terminal: %s)', (isTTY) => {
    expect(
      written(
        [0, 500, 999].map((ms, done) => ({ ms, done })),
        isTTY,
      ),
    ).toEqual([])
  })

  test('is a line at once and every ten seconds where there is no terminal', () => {
    const steps = [0, 1000, 1100, 10_999, 11_000, 12_000, 21_000].map((ms, done) => ({ ms, done }))
    expect(written(steps, false)).toEqual([
      'Reading a.yaml: 12%\n',
      'Reading a.yaml: 50%\n',
      'Reading a.yaml: 75%\n',
    ])
  })

  test('is one line on a terminal, which is removed at the end', () => {
    const steps = [
      { ms: 0, done: 0 },
      { ms: 1000, done: 1 },
      { ms: 1099, done: 2 },
      { ms: 1100, done: 8 },
      { ms: 1200, what: 'Checking a.yaml', done: 0 },
    ]
    const clear = '\r\u001B[2K'
    expect(written(steps, true)).toEqual([
      `${clear}Reading a.yaml: 12%`,
      `${clear}Reading a.yaml: 100%`,
      `${clear}Checking a.yaml: 0%`,
      clear,
    ])
  })

  test('of a list is reported with each of its items, which it passes on', () => {
    const texts: string[] = []
    let ms = 0
    const output = { isTTY: false, write: (text: string) => texts.push(text) }
    const items = createProgress(output, () => (ms += 600)).during('Generating', [1, 2, 3, 4], 4)
    expect([...items]).toEqual([1, 2, 3, 4])
    expect(texts).toEqual(['Generating: 25%\n'])
  })
})
