import type { KeywordRecord } from '../../src/contract/keyword.ts'
import type { ReportRecord } from '../../src/contract/report.ts'

/** The rules of the specification 4.4 to 4.8, transcribed from it rather than taken from the engine. */

/** The fields of a report that selection depends on. */
export interface Row {
  id: number
  status: ReportRecord['status']
  level: string
  action_type: string
  date_to_create_texts: string | null
  created_at: string
}

/** Rule 4.5 with G-072 to G-075. */
export function latestBySpecification(
  rows: readonly Row[],
  nowMs: number,
): { rule: string; id?: number } {
  const now = new Date(nowMs)
  let current: Row | undefined
  let open: Row | undefined
  for (const row of rows) {
    if (row.level !== 'project' || row.action_type !== 'regular') continue
    if (row.date_to_create_texts === null) continue
    const date = new Date(`${row.date_to_create_texts}T00:00:00Z`)
    if (row.status === 'completed') {
      if (date.getUTCFullYear() !== now.getUTCFullYear()) continue
      if (date.getUTCMonth() !== now.getUTCMonth()) continue
      const lead = current ? date.getTime() - Date.parse(current.date_to_create_texts!) : 1
      if (!current || lead > 0 || (lead === 0 && row.id > current.id)) current = row
    } else {
      const lag = open ? date.getTime() - Date.parse(open.date_to_create_texts!) : -1
      if (!open || lag < 0 || (lag === 0 && row.id < open.id)) open = row
    }
  }
  if (current) return { rule: '4.5(1)', id: current.id }
  if (open) return { rule: '4.5(2)', id: open.id }
  return { rule: '4.5(3)' }
}

/** Rule 4.6 with G-076 and G-077. */
export function lastGeneratedBySpecification(rows: readonly Row[]): number | undefined {
  const micros = ({ created_at }: Row) =>
    Date.parse(`${created_at.slice(0, 19)}Z`) * 1000 + Number(created_at.slice(20, 26))
  let last: Row | undefined
  for (const row of rows) {
    if (row.level !== 'project' || row.status !== 'completed') continue
    const lead = last ? micros(row) - micros(last) : 1
    if (!last || lead > 0 || (lead === 0 && row.id > last.id)) last = row
  }
  return last?.id
}

/** Rule 4.4 with G-078 and G-079: all reports, by creation and then by id. */
export function listBySpecification(rows: readonly Row[]): number[] {
  const left = [...rows]
  const ids: number[] = []
  while (left.length > 0) {
    const newest = left.reduce((one, other) => {
      if (other.created_at > one.created_at) return other
      return other.created_at === one.created_at && other.id > one.id ? other : one
    })
    ids.push(newest.id)
    left.splice(left.indexOf(newest), 1)
  }
  return ids
}

/** Content of a report by 2.7 and 4.7, with G-061, G-062 and G-085. */
export function contentBySpecification(
  { id, status, content = {} }: ReportRecord,
  keywords: readonly KeywordRecord[],
): object {
  const active = keywords.filter((keyword) => keyword.active)
  const covered = active.filter((keyword) => String(keyword.id) in content)
  return {
    report_id: id,
    is_generated: status === 'completed',
    generation_status: status,
    summary: { keyword_count: active.length, keywords_with_content: covered.length },
    keywords: active.map((keyword) => ({
      keyword_id: keyword.id,
      has_content: covered.includes(keyword),
    })),
  }
}

/** Keywords of a project by 2.8 and 4.8, with G-061, G-071 and trap T16. */
export function coverageBySpecification(
  reports: readonly ReportRecord[],
  keywords: readonly KeywordRecord[],
): object[] {
  return keywords.map(({ id }) => {
    const numbers: number[] = []
    for (let number = 1; number <= 26; number += 1) {
      const report = reports.find(({ report_number }) => report_number === number)
      if (report?.content && String(id) in report.content) numbers.push(number)
    }
    return { id, content_count: numbers.length, content_action_ids: numbers }
  })
}
