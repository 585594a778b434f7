import { expect, test } from 'vitest'
import { stopOn } from '../../src/cli/stopping.ts'
import type { StopReason } from '../../src/cli/stopping.ts'

/** `test/processes/serve.test.ts` sends a program the signals that Linux has. */
test.for<[signal: NodeJS.Signals, stops: StopReason[]]>([
  ['SIGINT', ['SIGINT']],
  ['SIGTERM', ['SIGTERM']],
  // Ctrl-Break, which only Windows sends.
  ['SIGBREAK', ['SIGBREAK']],
  ['SIGHUP', []],
])('%s stops a server for %j', ([signal, stops]) => {
  const reasons: StopReason[] = []
  using _ = withoutListeners()
  stopOn({ stdin: undefined, hasNpmEnded: undefined }, (reason) => reasons.push(reason))
  process.emit(signal, signal)
  expect(reasons).toEqual(stops)
})

/** Removes the listeners of signals until the end of the scope, those of the test runner included. */
function withoutListeners(): Disposable {
  const signals = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] as const
  const usual = signals.map((signal) => [signal, process.listeners(signal)] as const)
  for (const signal of signals) process.removeAllListeners(signal)
  return {
    [Symbol.dispose]: () => {
      for (const [signal, listeners] of usual) {
        process.removeAllListeners(signal)
        for (const listener of listeners) process.on(signal, listener)
      }
    },
  }
}
