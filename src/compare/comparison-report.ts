import { listWithOr, toShownJson, withoutControls } from '../contract/text.ts'
import { element, escapeText } from '../drawing/svg.ts'
import type { LockOutcome } from './lock.ts'
import type { Comparison, Unexplained } from './comparison.ts'
import { daySeen } from './results.ts'
import type { PolicyResult } from './results.ts'
import type { ReadFixture } from './read-fixture.ts'

/** The result of a comparison, as `--json` prints it. */
export interface ComparisonReport {
  version: 1
  result: 'finished' | 'stopped'
  url: string
  /** Time of the first answer, in ISO 8601; null if there are no answers. */
  from: string | null
  /** Time of the last answer, in ISO 8601; null if there are no answers. */
  to: string | null
  requests: number
  answers: Comparison['answers']
  policies: PolicyResult[]
  unexplained: Unexplained[]
  assumed: ReadFixture['assumed']
  lock?: LockOutcome
  /** Path of the fixture; omitted if none was written. */
  written?: string
}

/** Sentences that are not in the JSON: the reason for an early stop, or for a missing fixture. */
type Notes = readonly string[]

export const COMPARISON_FORMATS = {
  json: (report: ComparisonReport) => `${toShownJson(report, 2)}\n`,
  junit: toJunit,
  markdown: toMarkdown,
}

/** Describes a policy, like `per-page-above-maximum is 400: G-034, seen 2026-12-03`. */
function describePolicy(policy: PolicyResult): string {
  const { policy: name, result, value, options = [], because = '', gap } = policy
  if (result === 'not-seen' || result === 'not-asked') return `${name} (${gap}): ${because}`
  return `${name} is ${value ?? listFirstOptions(options)}: ${gap}, seen ${daySeen(policy)}`
}

const LISTED_OPTIONS = 5

function listFirstOptions(options: readonly string[]): string {
  const more = options.length - LISTED_OPTIONS
  return listWithOr(more > 0 ? [...options.slice(0, LISTED_OPTIONS), `${more} more`] : options)
}

function describeDifference({ path, place, section, theirs, ours }: Unexplained): string {
  return withoutControls(`GET ${path} ${place} (section ${section}): ${theirs}, and here ${ours}`)
}

interface Section {
  title: string
  lines: string[]
}

/** Maximum number of differences listed as text or Markdown. JSON and JUnit list all. */
const LISTED_DIFFERENCES = 40

function sectionsOf({ policies, unexplained, assumed, lock }: ComparisonReport): Section[] {
  const of = (...results: PolicyResult['result'][]) =>
    policies.filter(({ result }) => results.includes(result)).map(describePolicy)
  const more = unexplained.length - LISTED_DIFFERENCES
  const sections = [
    {
      title: 'The lock is contradicted',
      lines: (lock?.contradictions ?? []).map(describeContradiction),
    },
    { title: 'What the service does', lines: of('seen') },
    { title: 'Answers that fit several options', lines: of('one-of') },
    {
      title: 'Differences that no option explains',
      lines: [
        ...unexplained.slice(0, LISTED_DIFFERENCES).map(describeDifference),
        ...(more > 0 ? [`${more} more, all of them in the JSON`] : []),
      ],
    },
    { title: 'Not seen', lines: of('not-seen') },
    { title: 'Not asked', lines: of('not-asked') },
    {
      title: 'Assumed by the fixture',
      lines: assumed.map(({ field, count }) => `${field} of ${count}`),
    },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

function describeContradiction({ policy, locked, seen }: LockOutcome['contradictions'][number]) {
  return `${policy} is ${listWithOr(seen)}, and ${listWithOr(locked)} in the lock`
}

function summarize({ result, url, requests, answers }: ComparisonReport): string {
  const { equal, explained, unexplained, changed } = answers
  const counts = `${equal} answers equal, ${explained} explained, ${unexplained} unexplained, ${changed} changed while reading`
  return `${withoutControls(url)}: ${result} after ${requests} requests; ${counts}.`
}

/** Formats the report for a terminal. */
export function toText(report: ComparisonReport, notes: Notes): string {
  const sections = sectionsOf(report).map(
    ({ title, lines }) => `\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`,
  )
  return `${summarize(report)}\n${sections.join('')}${notes.map((note) => `\n${note}\n`).join('')}`
}

function toMarkdown(report: ComparisonReport, notes: Notes): string {
  const sections = sectionsOf(report).map(
    ({ title, lines }) =>
      `\n## ${title}\n\n${lines.map((line) => `- ${line.replaceAll(/[\\`*_<|]/g, '\\$&')}\n`).join('')}`,
  )
  const paragraphs = notes.map((note) => `\n${note}\n`).join('')
  return `# Comparison with the service\n\n${summarize(report)}\n${paragraphs}${sections.join('')}`
}

/**
 * Formats the report as JUnit XML, with one test case per policy and one for the whole comparison. The case of a policy fails
 * if the policy contradicts the lock. It is skipped if the comparison has not determined one option. The case of the comparison
 * fails if there are notes.
 */
function toJunit(report: ComparisonReport, notes: Notes): string {
  const contradicted = new Map(
    (report.lock?.contradictions ?? []).map((one) => [one.policy, describeContradiction(one)]),
  )
  const cases = report.policies.map((policy) => {
    const failure = contradicted.get(policy.policy)
    const text = describePolicy(policy)
    const attributes = { classname: 'policies', name: policy.policy }
    if (failure !== undefined)
      return element('testcase', attributes, element('failure', { message: failure }))
    if (policy.result !== 'seen') {
      return element('testcase', attributes, element('skipped', { message: text }))
    }
    return element('testcase', attributes, element('system-out', {}, escapeText(text)))
  })
  const whole = { classname: 'comparison', name: 'answers' }
  const output = [summarize(report), ...report.unexplained.map(describeDifference)].join('\n')
  const reasons = notes.length > 0 ? [element('failure', { message: notes.join(' ') })] : []
  const parts = [...reasons, element('system-out', {}, escapeText(output))]
  const failures = contradicted.size + reasons.length
  const skipped = report.policies.filter(
    ({ policy, result }) => result !== 'seen' && !contradicted.has(policy),
  ).length
  const all = [...cases, element('testcase', whole, ...parts)]
  const counts = { name: 'seo-sandbox compare', tests: all.length, failures, skipped }
  const suite = element('testsuite', counts, ...all.map((one) => `\n${one}`), '\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', {}, suite)}\n`
}
