import { REFERENCES, SINGULAR } from './records.ts'
import type { AnyRecord, CollectionName, RecordOf } from './records.ts'
import { contentSchemeOf, H3_TEXT_BLOCKS } from './report.ts'
import type { ReportRecord } from './report.ts'
import { toRateLimits } from './token.ts'
import type { TokenRecord } from './token.ts'
import type { Problem } from './validation.ts'

/** What the rules between records need to look up. */
export interface RecordLookup {
  get<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined
  reportsOf(project: number): readonly ReportRecord[]
  tokensOf(bearer: string): readonly TokenRecord[]
}

/** What a record breaks among the others: references, numbers and bearer values that must be unique. */
export function findViolations(
  name: CollectionName,
  record: AnyRecord,
  lookup: RecordLookup,
): Problem[] {
  return [
    ...danglingReferences(name, record, lookup),
    ...(name === 'reports' ? reportViolations(record as ReportRecord, lookup) : []),
    ...(name === 'tokens' ? tokenViolations(record as TokenRecord, lookup) : []),
  ]
}

/** The fields that hold the id of no record. It needs no valid record to find them. */
export function danglingReferences(
  name: CollectionName,
  fields: Record<string, unknown>,
  lookup: Pick<RecordLookup, 'get'>,
): Problem[] {
  return Object.entries(REFERENCES[name]).flatMap(([field, target]) => {
    const id = fields[field]
    if (typeof id !== 'number' || lookup.get(target, id)) return []
    return [
      {
        path: [field],
        message: `There is no ${SINGULAR[target]} ${id}. Write the id of one under ${target}, or add it there.`,
      },
    ]
  })
}

/** Numbers are unique within a project (G-080); content belongs to its keywords and has its scheme's shape. */
function reportViolations(report: ReportRecord, lookup: RecordLookup): Problem[] {
  const problems: Problem[] = []
  const twin = lookup
    .reportsOf(report.project)
    .find(({ id, report_number }) => id !== report.id && report_number === report.report_number)
  if (twin) {
    problems.push({
      path: ['report_number'],
      message: `Report ${twin.id} of project ${report.project} already has number ${report.report_number}. Give each report of a project a number of its own.`,
    })
  }
  const isBlocks = contentSchemeOf(report) === H3_TEXT_BLOCKS
  for (const [keywordId, content] of Object.entries(report.content ?? {})) {
    if (lookup.get('keywords', Number(keywordId))?.project !== report.project) {
      problems.push({
        path: ['content', keywordId],
        message: `Project ${report.project} has no keyword ${keywordId}. Write the id of one of its keywords.`,
        isKey: true,
      })
    }
    if (Array.isArray(content) !== isBlocks) {
      problems.push({
        path: ['content', keywordId],
        message: isBlocks
          ? 'Content of the scheme h3_text_blocks is a list of blocks. Write blocks { h3, text }, or state another content_scheme.'
          : 'Content of a scheme other than h3_text_blocks has two forms. Write { content, html }.',
      })
    }
  }
  return problems
}

function tokenViolations(token: TokenRecord, lookup: RecordLookup): Problem[] {
  const problems: Problem[] = []
  const twin = lookup.tokensOf(token.token).find(({ id }) => id !== token.id)
  if (twin) {
    problems.push({
      path: ['token'],
      message: `Token ${twin.id} has the same bearer value. Give each token a value of its own.`,
    })
  }
  const defaults = { per_minute: 1, per_hour: 1 }
  if (
    token.spent &&
    toRateLimits(token.rate_limit, defaults)[`per_${token.spent}`] === 'unlimited'
  ) {
    problems.push({
      path: ['spent'],
      message: `An unlimited ${token.spent} cannot be spent. Limit it in rate_limit, or leave spent out.`,
    })
  }
  return problems
}
