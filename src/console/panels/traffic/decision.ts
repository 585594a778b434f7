import type { JournalRequest } from '../../api/types.ts'

/** The sections by which a report is selected, and 4.5(3), by which none is. */
const RULES: Record<string, string> = {
  '4.5(1)': 'The latest of the reports completed and dated in this month',
  '4.5(2)': 'No report is completed this month: the open one with the smallest date',
  '4.5(3)': 'No report is completed this month, and none is open',
  '4.6': 'The completed report that was created last',
}

/** What decided a response, in words. */
export function toDecision({ decided_by, rule, status }: JournalRequest): string {
  if (decided_by === '') return 'The file does not say'
  if (rule === '4.6' && status >= 400) return 'No report is completed, 4.6'
  if (rule !== null) return `${RULES[rule] ?? 'By the rule'}, ${rule}`
  if (decided_by === 'resource') return 'The resource itself: no rule, limit or fault'
  if (decided_by.endsWith('window')) return `The ${decided_by}: the token had used it up`
  if (decided_by.startsWith('fault ')) return `${upperFirst(decided_by)}, in place of the API`
  return upperFirst(decided_by.replaceAll('_', ' '))
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
