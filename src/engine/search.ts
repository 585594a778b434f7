import type { ReadPolicy } from '../contract/policies.ts'

/** What a search looks for in the fields of projects (specification 4.3, G-042). */
export interface SearchPattern {
  /** The name of the form in which fields are compared. */
  form: 'lower' | 'folded'
  /** A field in that form. */
  fold: (field: string) => string
  /** The texts that a field must contain, one after the other without overlaps. */
  runs: readonly string[]
  /** Whether the part of a text that is such a field matches; omitted where the runs are enough. */
  isMatch?: (text: string, start: number, end: number) => boolean
}

/** A partial match, in one of the ways of G-042. */
export function createPattern(wanted: string, policy: ReadPolicy): SearchPattern {
  return policy('search-match') === 'like' ? createLike(wanted) : createSubstring(wanted)
}

/** A text anywhere in a field, in any case. */
export function createSubstring(wanted: string): SearchPattern {
  return { form: 'lower', fold: lower, runs: wanted === '' ? [] : [lower(wanted)] }
}

/** `%wanted%` as in LIKE: the parts between `%` match in order, each as early as possible. */
function createLike(wanted: string): SearchPattern {
  const folded = foldAccents(wanted)
  const runs = folded.split(/[%_]+/).filter((run) => run !== '')
  if (!folded.includes('_')) return { form: 'folded', fold: foldAccents, runs }

  const parts = folded.split('%').map(toCodePoints)
  const minimumLength = parts.reduce((sum, { length }) => sum + length, 0)
  return {
    form: 'folded',
    fold: foldAccents,
    runs,
    isMatch: (text, start, end) => {
      if (end - start < minimumLength) return false
      let position = start
      return parts.every((part) => {
        position = endOfPart(part, text, position, end)
        return position !== -1
      })
    },
  }
}

/** Stands for any one character. */
const ANY = -1

function toCodePoints(part: string): number[] {
  return Array.from(part, (character) =>
    character === '_' ? ANY : (character.codePointAt(0) ?? ANY),
  )
}

/** Where the first match of a part between two positions ends; -1 where there is none. A part is tried at each character. */
function endOfPart(part: readonly number[], text: string, from: number, end: number): number {
  for (let start = from; start + part.length <= end; start += lengthOf(codePoint(text, start))) {
    let position = start
    let index = 0
    while (index < part.length && position < end) {
      const character = codePoint(text, position)
      if (part[index] !== character && part[index] !== ANY) break
      position += lengthOf(character)
      index += 1
    }
    if (index === part.length) return position
  }
  return -1
}

function codePoint(text: string, position: number): number {
  return text.codePointAt(position) ?? 0
}

/** How many code units a character takes. */
function lengthOf(character: number): number {
  return character > 0xffff ? 2 : 1
}

function lower(text: string): string {
  return text.toLowerCase()
}

/** Without accents and case. */
function foldAccents(text: string): string {
  // Most texts have no accents at all, and normalizing takes ten times as long as looking.
  if (!/[^ -~]/.test(text)) return lower(text)
  return lower(text.normalize('NFD').replaceAll(/\p{Mn}/gu, ''))
}
