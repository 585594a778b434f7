import type { Reporter, TestCase } from 'vitest/node'

/** Prints a line `flaky: FILE > TEST` for each test that failed first and passed when it ran again. */
export class FlakyReporter implements Reporter {
  #flaky: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) {
      this.#flaky.push(`${test.module.relativeModuleId} > ${test.fullName}`)
    }
  }

  onTestRunEnd(): void {
    for (const name of this.#flaky) process.stdout.write(`flaky: ${name}\n`)
  }
}
