import { once } from 'node:events'
import process from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { ForwardedSignals, runCommand } from '../../src/cli/exec/run-command.ts'

/** SIGINT, SIGTERM and SIGHUP are forwarded to the command (docs/judging.md). */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Keeps the listeners of the test runner, which `ForwardedSignals` removes. */
function keepListeners(): void {
  for (const signal of SIGNALS) {
    const before = process.listeners(signal)
    onTestFinished(() => {
      process.removeAllListeners(signal)
      for (const listener of before) process.on(signal, listener)
    })
  }
}

test.skipIf(process.platform === 'win32').each(SIGNALS)(
  'a %s that arrives before the command runs ends it, and no later command',
  async (signal) => {
    keepListeners()
    const signals = new ForwardedSignals({ isSeries: true })
    const arrived = once(process, signal)
    process.kill(process.pid, signal)
    await arrived
    const run = (line: readonly string[]) =>
      runCommand(line, {
        env: process.env,
        timeoutMs: 10_000,
        leavesDaemons: false,
        hasNpmEnded: undefined,
        output: () => {},
        signals,
      })
    expect(await run(['sleep', '60'])).toMatchObject({ signal, reason: null })
    expect(await run(['true'])).toMatchObject({ signal: null, code: 0 })
  },
)
