import { CHECKS } from '../../src/review/checks/index.ts'
import { code, table } from './markdown.ts'

/** Every check of a review, with what it finds and what to do instead. */
export function checkTable(): string {
  const rows = CHECKS.map(({ id, category, severity, section, finds, instead }) => [
    code(id),
    category,
    severity,
    section,
    finds,
    instead,
  ])
  return table(['check', 'about', 'severity', 'section', 'finds', 'instead'], rows)
}
