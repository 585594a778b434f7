import { CHECKS } from '../../src/review/checks/index.ts'
import { code, table } from './markdown.ts'

/** Every check of a review, with its findings, its remedy, and the way to exercise it. */
export function checkTable(): string {
  const rows = CHECKS.map(({ id, category, severity, section, finds, instead, exercise }) => [
    code(id),
    category,
    severity,
    section,
    finds,
    instead,
    exercise,
  ])
  return table(
    ['check', 'about', 'severity', 'section', 'finds', 'instead', 'how to exercise it'],
    rows,
  )
}
