import { REFERENCES, SINGULAR } from '../contract/collection-facts.ts'
import type { CollectionName } from '../contract/collection-facts.ts'
import { toRateLimits } from '../contract/limits.ts'
import { contentSchemeOf, H3_TEXT_BLOCKS } from '../contract/report-facts.ts'
import { findMisspelt } from '../contract/suggestion.ts'
import { describe } from '../contract/text.ts'
import type { Problem } from '../contract/validation.ts'

/** Returns the violations of a record: dangling references, values that must be unique, and fields that do not fit together. */
export function findViolations(
  name: CollectionName,
  record: UncheckedRecord,
  lookup: RecordLookup,
): Violation[] {
  return [
    ...findDangling(name, record, lookup),
    ...(name === 'reports' ? reportViolations(record, lookup) : []),
    ...(name === 'tokens' ? tokenViolations(record, lookup) : []),
  ]
}

function reportViolations(report: UncheckedRecord, lookup: RecordLookup): Violation[] {
  const { id, project, report_number } = report
  if (typeof project !== 'number') return []
  // A report number is unique within its project (G-080).
  const twin = lookup
    .reportsOf(project)
    .find((other) => other['id'] !== id && other['report_number'] === report_number)
  const problems: Violation[] = []
  if (twin && typeof report_number === 'number') {
    problems.push({
      path: ['report_number'],
      message: `Report ${String(twin['id'])} of project ${project} already has number ${report_number}. Give each report of a project a number of its own.`,
    })
  }
  return [...problems, ...contentViolations(project, report, lookup)]
}

function contentViolations(
  project: number,
  report: UncheckedRecord,
  lookup: RecordLookup,
): Violation[] {
  const { content } = report
  if (typeof content !== 'object' || content === null) return []
  const isBlocks = contentSchemeOf(report) === H3_TEXT_BLOCKS
  return Object.entries(content).flatMap(([keyword, entry]: [string, unknown]) => {
    const problems: Violation[] = []
    const hasIdForm = /^[1-9]\d*$/.test(keyword)
    if (hasIdForm && lookup.get('keywords', Number(keyword))?.['project'] !== project) {
      const message = `Project ${project} has no keyword ${keyword}. Write the id of one of its keywords.`
      problems.push({ path: ['content', keyword], message, isKey: true, isDangling: true })
    }
    if (typeof entry === 'object' && entry !== null && Array.isArray(entry) !== isBlocks) {
      const message = isBlocks
        ? 'Content of the scheme h3_text_blocks is a list of blocks. Write blocks { h3, text }, or state another content_scheme.'
        : 'Content of a scheme other than h3_text_blocks has two forms. Write { content, html }.'
      problems.push({ path: ['content', keyword], message })
    }
    return problems
  })
}

function tokenViolations(
  { id, token, spent, rate_limit }: UncheckedRecord,
  lookup: RecordLookup,
): Violation[] {
  const problems: Violation[] = []
  const twin =
    typeof token === 'string' && lookup.tokensOf(token).find((other) => other['id'] !== id)
  if (twin) {
    problems.push({
      path: ['token'],
      message: `Token ${String(twin['id'])} has the same bearer value. Give each token a value of its own.`,
    })
  }
  if ((spent === 'minute' || spent === 'hour') && isUnlimited(rate_limit, spent)) {
    problems.push({
      path: ['spent'],
      message: `An unlimited ${spent} cannot be spent. Limit it in rate_limit, or leave spent out.`,
    })
  }
  return problems
}

function isUnlimited(limit: unknown, window: 'minute' | 'hour'): boolean {
  const isLimit = limit === 'unlimited' || (typeof limit === 'object' && limit !== null)
  if (!isLimit) return false
  const limited = { per_minute: 1, per_hour: 1 }
  return toRateLimits(limit, limited)[`per_${window}`] === 'unlimited'
}

function findDangling(
  name: CollectionName,
  record: UncheckedRecord,
  lookup: RecordLookup,
): Violation[] {
  return Object.entries(REFERENCES[name]).flatMap(([field, target]) => {
    const id = record[field]
    if (!isId(id) || lookup.get(target, id)) return []
    const ids = listIds(lookup.all(target))
    const remedy =
      ids === '' ? `Add it under ${target}.` : `Use one of: ${ids}; or add it under ${target}.`
    const message = `There is no ${SINGULAR[target]} ${id}. ${remedy}`
    return [{ path: [field], message, isDangling: true }]
  })
}

export function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

/**
 * Rewrites the messages of problems with reference fields. The message then lists existing ids and, for a value such as a name,
 * suggests the record that is probably meant. The problem of a missing field stays unchanged.
 */
export function explainReferences(
  name: CollectionName,
  record: UncheckedRecord,
  problems: readonly Problem[],
  lookup: Pick<RecordLookup, 'all'>,
): Problem[] {
  return problems.map((problem) => {
    const [field = '', ...rest] = problem.path.map(String)
    const target = rest.length === 0 && !problem.isKey ? REFERENCES[name][field] : undefined
    const value = record[field]
    if (target === undefined || value === undefined) return problem
    const remedy = suggestIds(value, target, lookup.all(target))
    const message = `${describe(value)} is not the id of ${withArticle(SINGULAR[target])}. ${remedy}`
    return { ...problem, message }
  })
}

/** Maximum number of records searched for a suggestion: all projects of a large generated world would take noticeable time. */
const MAXIMUM_SEARCHED = 1000

function suggestIds(
  value: unknown,
  target: CollectionName,
  records: readonly UncheckedRecord[],
): string {
  const ids = listIds(records)
  if (ids === '') return `Add one under ${target}, and write its id.`
  if (typeof value !== 'string') return `Use one of: ${ids}.`
  const searched = records.slice(0, MAXIMUM_SEARCHED)
  if (searched.some(({ id }) => String(id) === value)) return `Write ${value} without quotes.`
  const names = searched.map((record) => nameOf(record).toLowerCase())
  const meant = searched[names.indexOf(findMisspelt(value.toLowerCase(), names) ?? '')]
  return meant ? `Did you mean ${listIds([meant])}? Use one of: ${ids}.` : `Use one of: ${ids}.`
}

const SHOWN_IDS = 10

/** Lists at most ten records, as `45 (Denmark), 46 (Sweden) and 3 more`. */
function listIds(records: readonly UncheckedRecord[]): string {
  const shown = records.slice(0, SHOWN_IDS).map((record) => {
    const label = nameOf(record)
    return label === '' ? String(record['id']) : `${String(record['id'])} (${label})`
  })
  const more = records.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** Returns the name or label of a record; an empty string if it has neither. */
function nameOf({ label, name = label }: UncheckedRecord): string {
  return typeof name === 'string' ? name : ''
}

function withArticle(noun: string): string {
  return /^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`
}

export type UncheckedRecord = Readonly<Record<string, unknown>>

export interface RecordLookup {
  get: (name: CollectionName, id: number) => UncheckedRecord | undefined
  all: (name: CollectionName) => readonly UncheckedRecord[]
  reportsOf: (project: number) => readonly UncheckedRecord[]
  tokensOf: (bearer: string) => readonly UncheckedRecord[]
}

export interface Violation extends Problem {
  /** True for a reference to a missing record; omitted for all other violations. */
  isDangling?: boolean
}
