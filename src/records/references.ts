import { describe } from '../contract/describe.ts'
import { REFERENCES, SINGULAR } from '../contract/collections.ts'
import type { CollectionName } from '../contract/collections.ts'
import { findMisspelt } from '../contract/suggestion.ts'
import type { Problem } from '../contract/validation.ts'
import type { Fields, RecordLookup, Violation } from './record-lookup.ts'

/** The references of a record to records that do not exist. */
export function findDangling(
  name: CollectionName,
  record: Fields,
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

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

/** The problems of a record alone. Where a reference is not an id, such as a name, the ids that exist are listed. */
export function explainReferences(
  name: CollectionName,
  record: Fields,
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

/** Searching all projects of a generated world would take noticeable time. */
const MOST_SEARCHED = 1000

/** The record that is probably meant, and the ids of all records. */
function suggestIds(value: unknown, target: CollectionName, records: readonly Fields[]): string {
  const ids = listIds(records)
  if (ids === '') return `Add one under ${target}, and write its id.`
  if (typeof value !== 'string') return `Use one of: ${ids}.`
  const searched = records.slice(0, MOST_SEARCHED)
  if (searched.some(({ id }) => String(id) === value)) return `Write ${value} without quotes.`
  const names = searched.map((record) => nameOf(record).toLowerCase())
  const meant = searched[names.indexOf(findMisspelt(value.toLowerCase(), names) ?? '')]
  return meant ? `Did you mean ${listIds([meant])}? Use one of: ${ids}.` : `Use one of: ${ids}.`
}

const SHOWN_IDS = 10

/** `45 (Denmark), 46 (Sweden) and 3 more` */
function listIds(records: readonly Fields[]): string {
  const shown = records.slice(0, SHOWN_IDS).map((record) => {
    const label = nameOf(record)
    return label === '' ? String(record['id']) : `${String(record['id'])} (${label})`
  })
  const more = records.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** What a record is called; empty where it has no name. */
function nameOf({ label, name = label }: Fields): string {
  return typeof name === 'string' ? name : ''
}

function withArticle(noun: string): string {
  return /^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`
}
