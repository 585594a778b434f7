import type { JournalRequest } from '../../api/types.ts'

/** The rules by which a report is selected, and 4.5(3), by which none is. */
const RULES: Record<string, string> = {
  '4.5(1)': 'The latest of the reports completed and dated in this month (4.5, rule 1)',
  '4.5(2)': 'No report is completed this month: the open one with the smallest date (4.5, rule 2)',
  '4.5(3)': 'No report is completed this month, and none is open (4.5, rule 3)',
}

/** What decided a response, in words. */
export function toDecision({ decided_by, rule, status }: JournalRequest): string {
  if (decided_by === '') return 'The file does not say'
  if (rule === '4.6') {
    return status < 400
      ? 'The last created of the completed reports (4.6)'
      : 'No report is completed (4.6)'
  }
  if (rule !== null) return RULES[rule] ?? rule
  if (decided_by === 'resource') return 'The resource as it is: no rule, limit or fault decided'
  if (decided_by.endsWith('window')) return `The ${decided_by}: the token had used it up`
  if (decided_by.startsWith('fault ')) return `${upperFirst(decided_by)}, in place of the API`
  return upperFirst(decided_by.replaceAll('_', ' '))
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
