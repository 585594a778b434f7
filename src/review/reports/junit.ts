import { withoutControls } from '../../contract/text.ts'
import { element, escapeText } from '../../drawing/svg.ts'
import type { JudgedCheck, JudgedReview } from '../judge.ts'
import type { LedgerEntry } from '../review.ts'
import { TONES } from './record.ts'
import type { Demand } from './record.ts'
import {
  CALENDAR_LEGEND,
  calendarLines,
  describeExpected,
  describeNotRehearsed,
  isRehearsed,
  summarizeRehearsal,
} from './rehearsal.ts'
import type { ReportInput } from './report-input.ts'
import {
  causesOf,
  daysOf,
  describeDelivery,
  exceptionsOf,
  sortLedger,
  insteadsOf,
  findingMessage,
  outlineOf,
  reproductionOf,
  requestLines,
  STATE_LABELS,
  STATE_MEANINGS,
  summarizeLedger,
  summarizeReview,
} from './wording.ts'

interface Case {
  name: string
  result: 'passed' | 'passed-with-output' | 'skipped' | 'failed'
  /** The reason for a failure or skip, on one line. */
  message?: string
  text?: string
}

interface Suite {
  name: string
  cases: Case[]
  properties?: readonly (readonly [name: string, value: string])[]
  output?: string
}

/**
 * Writes a review as JUnit XML: a suite for each category of checks, with a test case per check, and suites for
 * requirements, waivers and the ledger.
 *
 * - Failed: a mistake that is an error or causes one, an unmet requirement, an expired waiver, a stopped rehearsal, and
 *   the verdict `nothing-read`.
 * - Skipped: a check that was not exercised or is unsettled, and a waived check or requirement.
 * - Passed with output: other findings, waivers in force, and reports with problems.
 */
export function toJunit(input: ReportInput): string {
  const { review, hints, reproductions, demands } = outlineOf(input)
  const footer = reproductions.map((words) => words.join(' '))
  const categories = [...new Set(review.checks.map(({ category }) => category))]
  const suites: Suite[] = [
    ...categories.map((category) => {
      const checks = review.checks.filter((check) => check.category === category)
      return { name: category, cases: checks.map((check) => toCase(check, review, footer)) }
    }),
    ...(review.verdict === 'nothing-read' ? [nothingReadSuite(hints)] : []),
    ...(review.stopped ? [stoppedSuite(review)] : []),
    ...demands.map(({ name, list }) => ({ name, cases: list.map(toDemandCase) })),
    ledgerSuite(input),
  ]
  const all = { name: 'seo-sandbox review', ...countsOf(suites.flatMap(({ cases }) => cases)) }
  const written = suites.map((suite) => `\n${write(suite)}`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', all, ...written, '\n')}\n`
}

function toCase(check: JudgedCheck, review: JudgedReview, footer: readonly string[]): Case {
  const { id, result, exercise, waived } = check
  const name = withoutControls(id)
  if (result === 'passed') return { name, result }
  if (result === 'not-exercised') {
    const message = `Not exercised: the client never met the situation. ${withoutControls(exercise)}`
    return { name, result: 'skipped', message }
  }
  const text = [...describeFindings(check, review), ...footer].join('\n')
  if (result === 'unsettled') {
    return {
      name,
      result: 'skipped',
      message: isRehearsed(review)
        ? 'Unsettled: runs that were left out could have made up for it.'
        : 'Unsettled: a reset ended the session.',
      text,
    }
  }
  if (waived) return { name, result: 'skipped', message: 'Failed, and waived.', text }
  const causes = causesOf(review).filter((cause) => cause.id === id)
  const [first] = causes
  if (!first)
    return { name, result: 'passed-with-output', text: `Follows from another mistake: ${text}` }
  const isFailure = causes.some(({ label }) => label === 'failed')
  if (!isFailure) return { name, result: 'passed-with-output', text: `${first.label}: ${text}` }
  return { name, result: 'failed', message: findingMessage(first.findings[0]!, review), text }
}

function describeFindings(check: JudgedCheck, review: JudgedReview): string[] {
  const causes = causesOf(review).filter(({ id }) => id === check.id)
  return [
    `Specification ${withoutControls(check.section)}`,
    ...check.findings.flatMap((finding) => [
      findingMessage(finding, review),
      ...requestLines(finding).map((line) => `  ${line}`),
      ...reproductionOf(finding, review).map((line) => `  ${line}`),
    ]),
    ...causes.flatMap(({ consequencePhrase }) => consequencePhrase ?? []),
    ...causes.flatMap((cause) => daysOf(cause, review)),
    ...insteadsOf(check).map((instead) => `Instead: ${withoutControls(instead)}`),
  ]
}

function nothingReadSuite(hints: readonly string[]): Suite {
  const nothing: Case = { name: 'nothing-read', result: 'failed', message: hints.join(' ') }
  return { name: 'answers', cases: [nothing] }
}

/** A stopped rehearsal fails, because it shows nothing about the runs that it left out. */
function stoppedSuite({ notice = '' }: JudgedReview): Suite {
  return { name: 'runs', cases: [{ name: 'all-runs', result: 'failed', message: notice }] }
}

const RESULTS = { passed: 'passed', warning: 'passed-with-output', failed: 'failed' } as const

function toDemandCase({ what, label, text }: Demand): Case {
  const message = withoutControls(text)
  const result = label === 'waived' ? 'skipped' : RESULTS[TONES[label]]
  return { name: withoutControls(what), result, message, text: `${label}: ${message}` }
}

/**
 * Creates a suite with a case for each project, which lists its reports with problems. No case fails: deliveries affect
 * the verdict only through requirements and the check `undelivered`.
 */
function ledgerSuite(input: ReportInput): Suite {
  const { review, rehearsal, budget, run } = outlineOf(input)
  const projects = [...new Set(sortLedger(review.ledger).map(({ project }) => project))]
  const exceptions = exceptionsOf(review)
  const cases = projects.map((project): Case => {
    const own = exceptions.filter((entry) => entry.project === project)
    const name = `project ${project}`
    if (own.length === 0) return { name, result: 'passed' }
    return {
      name,
      result: 'passed-with-output',
      text: own.map((entry) => describeState(entry, review)).join('\n'),
    }
  })
  const output = [
    ...(rehearsal
      ? [
          `${summarizeRehearsal(rehearsal)}.`,
          describeExpected(rehearsal),
          ...calendarLines(rehearsal),
          ...CALENDAR_LEGEND,
          ...describeNotRehearsed(rehearsal),
        ]
      : []),
    summarizeReview(review),
    `Reports: ${summarizeLedger(review)}.`,
    ...(budget === undefined ? [] : [budget]),
  ].join('\n')
  return { name: 'ledger', cases, properties: run, output }
}

function describeState(entry: LedgerEntry, review: JudgedReview): string {
  return `${STATE_LABELS[entry.state]}: ${describeDelivery(entry, review)} (${STATE_MEANINGS[entry.state]})`
}

function write({ name, cases, properties = [], output }: Suite): string {
  const facts = properties.map(([of, value]) => `\n    ${element('property', { name: of, value })}`)
  const children = [
    ...(facts.length > 0 ? [element('properties', {}, ...facts, '\n  ')] : []),
    ...cases.map((one) => writeCase(one, name)),
    ...(output === undefined ? [] : [element('system-out', {}, escapeText(output))]),
  ]
  const lines = children.map((child) => `\n  ${child}`)
  return element('testsuite', { name, ...countsOf(cases) }, ...lines, '\n')
}

function writeCase({ name, result, message, text = '' }: Case, suite: string): string {
  const attributes = { name, classname: `seo-sandbox.review.${suite}`, time: 0 }
  const content = escapeText(text)
  if (result === 'passed') return element('testcase', attributes)
  if (result === 'passed-with-output') {
    return element('testcase', attributes, element('system-out', {}, content))
  }
  const detail =
    result === 'skipped'
      ? element('skipped', { message }, content)
      : element('failure', { message, type: name }, content)
  return element('testcase', attributes, detail)
}

function countsOf(cases: readonly Case[]) {
  return {
    tests: cases.length,
    failures: cases.filter(({ result }) => result === 'failed').length,
    errors: 0,
    skipped: cases.filter(({ result }) => result === 'skipped').length,
    time: 0,
  }
}
