import { expect, test } from 'vitest'
import { stopOn } from '../../src/cli/stopping.ts'
import type { StopReason } from '../../src/cli/stopping.ts'

/** A program gets those that Linux has in `test/processes/serve.test.ts`. */
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

/** Those of the test runner are back at the end of the scope. */
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
