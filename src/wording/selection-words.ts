import type { SelectionExplanation } from '../contract/explanation.ts'

type Selection = Pick<SelectionExplanation, 'selected' | 'next_selection'>

/** What an endpoint selects after the current report: `report 4, pending`, `404`. */
export function nextWords({ selected, next_selection }: Selection): string {
  const next = next_selection?.selected
  if (!next) return '404'
  const { report_number, status } = next
  const again = report_number === selected?.report_number ? 'regenerated and ' : ''
  return `report ${report_number}, ${again}${status}`
}
