import type { CollectionName } from '../contract/collections.ts'
import { contentSchemeOf, H3_TEXT_BLOCKS } from '../contract/report-facts.ts'
import { toRateLimits } from '../contract/rate-limits.ts'
import type { Fields, RecordLookup, Violation } from './record-lookup.ts'
import { findDangling } from './references.ts'

/** The rules that a record violates: references, and numbers and bearer values that must be unique. */
export function findViolations(
  name: CollectionName,
  record: Fields,
  lookup: RecordLookup,
): Violation[] {
  return [
    ...findDangling(name, record, lookup),
    ...(name === 'reports' ? reportViolations(record, lookup) : []),
    ...(name === 'tokens' ? tokenViolations(record, lookup) : []),
  ]
}

/** Numbers are unique within a project (G-080); content belongs to its keywords and has its scheme's shape. */
function reportViolations(report: Fields, lookup: RecordLookup): Violation[] {
  const { id, project, report_number } = report
  if (typeof project !== 'number') return []
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

function contentViolations(project: number, report: Fields, lookup: RecordLookup): Violation[] {
  const { content } = report
  if (typeof content !== 'object' || content === null) return []
  const isBlocks = contentSchemeOf(report) === H3_TEXT_BLOCKS
  return Object.entries(content).flatMap(([keyword, entry]: [string, unknown]) => {
    const problems: Violation[] = []
    const isId = /^[1-9]\d*$/.test(keyword)
    if (isId && lookup.get('keywords', Number(keyword))?.['project'] !== project) {
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
  { id, token, spent, rate_limit }: Fields,
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
