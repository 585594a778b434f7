/**
 * Rehearses forty days of each of the three clients, or a year: `node rehearse.js [smoke|year]`. It exits with 1 if one of them
 * does not pass, and two of them don't.
 */
import process from 'node:process'
import { formatReport, rehearse } from 'seo-sandbox/rehearse'
import * as lastGenerated from './last-generated-sync.js'
import * as right from './right-sync.js'
import * as wrong from './wrong-sync.js'

const profile = /** @type {'smoke' | 'year'} */ (process.argv[2] ?? 'smoke')

for (const [name, { createSync }] of Object.entries({ right, wrong, lastGenerated })) {
  const { run, state } = createSync()
  const report = await rehearse(run, { profile, start: '2026-01-01', state })
  console.log(`${name}: ${report.verdict}\n\n${formatReport(report)}`)
  if (report.verdict !== 'passed') process.exitCode = 1
}
