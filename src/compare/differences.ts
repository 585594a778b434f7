import { COMPARED_HEADER_NAMES, COMPARED_HEADERS, fieldOf, toJsonValue } from './question.ts'
import type { ComparedResponse } from './question.ts'

interface ResponseDifference {
  /** `status`, a header, `body`, or a JSON pointer into the body. */
  place: string
  theirs: string
  ours: string
}

/** Describes a compared value; undefined means that it is absent. */
type Describe = (value: unknown) => string

/** Returns the differences between two responses, in their status, their compared headers and their bodies. */
export function findDifferences(
  theirs: ComparedResponse,
  ours: ComparedResponse,
  describe: Describe,
): ResponseDifference[] {
  const found: ResponseDifference[] = []
  const note: Note = (place, one, other, describeBy = describe) =>
    found.push({ place, theirs: describeBy(one), ours: describeBy(other) })
  if (theirs.status !== ours.status) {
    found.push({ place: 'status', theirs: String(theirs.status), ours: String(ours.status) })
  }
  for (const name of COMPARED_HEADER_NAMES) {
    const [one, other] = [theirs.headers[name], ours.headers[name]]
    if (name === 'location' ? withoutHost(one) !== withoutHost(other) : one !== other) {
      note(COMPARED_HEADERS[name], one, other)
    }
  }
  if (theirs.body === ours.body) return found
  const [one, other] = [toJsonValue(theirs.body), toJsonValue(ours.body)]
  if (isTree(one) && isTree(other)) compareValues('', [one, other], note)
  else if (one === undefined || other === undefined) note('body', theirs.body, ours.body)
  else note('body', one, other)
  return found
}

type Note = (place: string, theirs: unknown, ours: unknown, describeBy?: Describe) => void

function compareValues(
  place: string,
  [theirs, ours]: readonly [unknown, unknown],
  note: Note,
): void {
  if (Object.is(theirs, ours) || isUncompared(place, theirs, ours)) return
  if (!isTree(theirs) || !isTree(ours) || Array.isArray(theirs) !== Array.isArray(ours)) {
    return note(place, theirs, ours)
  }
  const keys = Object.keys(theirs)
  const others = Object.keys(ours)
  for (const key of new Set([...keys, ...others])) {
    const pair = [fieldAt(theirs, key), fieldAt(ours, key)] as const
    compareValues(`${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, pair, note)
  }
  const isSameSet = keys.length === others.length && keys.every((key) => others.includes(key))
  if (isSameSet && !Array.isArray(theirs) && keys.join('\0') !== others.join('\0')) {
    note(`${place}/`, keys, others, describeValue)
  }
}

function fieldAt(tree: object, key: string): unknown {
  return Array.isArray(tree) ? (tree as unknown[])[Number(key)] : fieldOf(tree, key)
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** True for `cache_refreshed_at`, and for links that differ only in scheme and host, except links to a project's website. */
function isUncompared(place: string, theirs: unknown, ours: unknown): boolean {
  if (typeof theirs !== 'string' || typeof ours !== 'string') return false
  if (place === '/cache_refreshed_at') return true
  const isLink = /\/links\/(?!project_website)|\/(?:pdf|web)_link$/.test(place)
  return (
    isLink && isAbsolute(theirs) && isAbsolute(ours) && withoutHost(theirs) === withoutHost(ours)
  )
}

function isAbsolute(link: string): boolean {
  return /^https?:\/\//.test(link)
}

function withoutHost(link: string | undefined): string | undefined {
  return link?.replace(/^https?:\/\/[^/?#]*/, '')
}

/** Describes a value by its type, and by its length if it has one. */
export const describeType: Describe = (value) => {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  if (typeof value === 'string') return `string of ${Array.from(value).length}`
  if (Array.isArray(value)) return `list of ${value.length}`
  return typeof value === 'object' ? `object of ${Object.keys(value).length}` : typeof value
}

/** Describes a value in full, as JSON. */
export const describeValue: Describe = (value) =>
  value === undefined ? 'absent' : JSON.stringify(value)
