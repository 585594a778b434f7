import { readFileSync } from 'node:fs'
import { fromRoot } from '../support/cli.ts'

/** A row of docs/conformance.md. */
export interface Statement {
  /** The section, and the number or name of the statement in it: `4.5(2)`, `2.6 pdf_link`, `T7`. */
  id: string
  statement: string
  /** The full title of the test that proves it. */
  title: string
}

/** The rows of all tables, without their headings. */
function readStatements(page: string): Statement[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| (id|---) \|/.test(line))
    .map((line) => {
      const [id = '', statement = '', proof = ''] = line
        .slice(1)
        .split('|')
        .map((cell) => cell.trim())
      return { id, statement, title: /^`(.+)`$/.exec(proof)?.[1] ?? '' }
    })
}

export const STATEMENTS: readonly Statement[] = readStatements(
  readFileSync(fromRoot('docs/conformance.md'), 'utf8'),
)
