import { withoutControls } from '../../contract/describe.ts'
import { element, escapeText } from '../../drawing/svg.ts'
import type { CheckResult } from '../review.ts'
import type { ReportInput } from './report-input.ts'
import {
  describeDelivery,
  exceptionsOf,
  insteadsOf,
  labelOf,
  outlineOf,
  requestLines,
  STATE_MEANINGS,
  summarizeLedger,
  summarizeReview,
} from './wording.ts'

/**
 * A review as JUnit XML: a suite for each category, and a test case for each check. Only checks of severity `error`
 * fail, as for the verdict; what other checks found is their output. Checks that were not exercised are skipped.
 */
export function toJunit(input: ReportInput): string {
  const { review, hints, commands } = outlineOf(input)
  const footer = commands.map((command) => `Reproduce it with ${command}`)
  const categories = [...new Set(review.checks.map(({ category }) => category))]
  const suites = categories.map((category) => {
    const checks = review.checks.filter((check) => check.category === category)
    const cases = checks.map((check) => toCase(check, [...describeFindings(check), ...footer]))
    return suite(category, checks, cases)
  })
  const all = { name: 'seo-sandbox review', ...countsOf(review.checks) }
  if (review.verdict === 'nothing-read') {
    all.tests += 1
    all.failures += 1
    suites.push(nothingReadSuite(hints))
  }
  const written = [...suites, ledgerSuite(input)].map((text) => `\n${text}`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', all, ...written, '\n')}\n`
}

function suite(name: string, checks: readonly CheckResult[], cases: readonly string[]): string {
  const lines = cases.map((text) => `\n  ${text}`)
  return element('testsuite', { name, ...countsOf(checks) }, ...lines, '\n')
}

function countsOf(checks: readonly CheckResult[]) {
  const labels = checks.map(labelOf)
  return {
    tests: checks.length,
    failures: labels.filter((label) => label === 'failed').length,
    errors: 0,
    skipped: labels.filter((label) => label === 'not exercised').length,
    time: 0,
  }
}

function toCase(check: CheckResult, lines: readonly string[]): string {
  const { id, category, result, severity, section, exercise, findings } = check
  const attributes = {
    name: withoutControls(id),
    classname: `seo-sandbox.review.${category}`,
    time: 0,
  }
  if (result === 'passed') return element('testcase', attributes)
  if (result === 'not-exercised') {
    const message = `Not exercised: the client never met the situation. ${withoutControls(exercise)}`
    return element('testcase', attributes, element('skipped', { message }))
  }
  const text = escapeText(lines.join('\n'))
  if (severity !== 'error') {
    return element('testcase', attributes, element('system-out', {}, `${severity}: ${text}`))
  }
  const message = withoutControls(findings[0]?.message ?? `Specification ${section}`)
  return element(
    'testcase',
    attributes,
    element('failure', { message, type: withoutControls(id) }, text),
  )
}

function describeFindings(check: CheckResult): string[] {
  return [
    `Specification ${withoutControls(check.section)}`,
    ...check.findings.flatMap((finding) => [
      withoutControls(finding.message),
      ...requestLines(finding).map((line) => `  ${line}`),
    ]),
    ...insteadsOf(check).map((instead) => `Instead: ${withoutControls(instead)}`),
  ]
}

/** Without a test case that fails, a run that read nothing would pass. */
function nothingReadSuite(hints: readonly string[]): string {
  const name = 'nothing-read'
  const failure = element('failure', { message: hints.join(' '), type: name })
  const attributes = { name, classname: 'seo-sandbox.review.answers', time: 0 }
  const counts = { tests: 1, failures: 1, errors: 0, skipped: 0, time: 0 }
  const testCase = `\n  ${element('testcase', attributes, failure)}\n`
  return element('testsuite', { name: 'answers', ...counts }, testCase)
}

/** The reports that were not simply delivered, on which the verdict does not depend. */
function ledgerSuite({ review }: ReportInput): string {
  const lines = [
    summarizeReview(review),
    `Reports: ${summarizeLedger(review)}.`,
    ...exceptionsOf(review).map(
      (entry) => `${entry.state}: ${describeDelivery(entry)} (${STATE_MEANINGS[entry.state]})`,
    ),
  ]
  const output = element('system-out', {}, escapeText(lines.join('\n')))
  return element('testsuite', { name: 'ledger', ...countsOf([]) }, `\n  ${output}\n`)
}
