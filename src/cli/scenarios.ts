import { printJson, colorsFor } from './print.ts'
import { SCENARIOS } from '../fixtures/scenarios/index.ts'

/** `seo-sandbox scenarios`: lists the names and purposes of the scenarios. */
export function printScenarios({ json }: { json: boolean }): void {
  const scenarios = Object.entries(SCENARIOS).map(([name, { purpose }]) => ({ name, purpose }))
  if (json) {
    printJson(scenarios)
    return
  }
  const { cyan } = colorsFor(process.stdout)
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  for (const { name, purpose } of scenarios) {
    process.stdout.write(`${cyan(name.padEnd(width))}  ${purpose}\n`)
  }
}
