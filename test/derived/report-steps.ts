import { REPORT_STEP_NAMES, REPORT_STEPS } from '../../src/contract/report-facts.ts'
import { code, table } from './markdown.ts'

/** The transitions of a report, each with the states that it can follow. */
export function stepTable(): string {
  const rows = REPORT_STEP_NAMES.map((step) => {
    const { from, description } = REPORT_STEPS[step]
    return [code(step), from.join(', '), description]
  })
  return table(['transition', 'follows', 'does'], rows)
}
