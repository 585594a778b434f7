import { CHECKS } from '../../src/review/checks/index.ts'
import { TOKEN_TROUBLES, TROUBLE_KINDS } from '../../src/rehearsal/troubles.ts'
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

/** Every kind of trouble of a rehearsal, with the requests that meet it. */
export function troubleTable(): string {
  const rows = TROUBLE_KINDS.map(({ what, places, times }) => [
    times === 1 ? what : `${what}, ${times} times`,
    places.map(({ name }) => name).join(', or '),
  ])
  const ofToken = Object.values(TOKEN_TROUBLES).map(({ what }) => [what, 'everything'])
  return table(['kind', 'of requests for'], [...rows, ...ofToken])
}
