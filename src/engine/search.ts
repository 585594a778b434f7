import type { ReadPolicy } from '../contract/policies.ts'
import type { ProjectRecord } from '../contract/project.ts'

/** Returns true if a project's name or domain, passed as `field`, matches a search (specification 4.3, G-042). */
export type IsMatch = (field: string) => boolean

/** Creates the matcher of a search. Policy decides between a substring and a LIKE pattern (G-042). */
export function createMatch(wanted: string, policy: ReadPolicy): IsMatch {
  return policy('search-match') === 'like' ? createLike(wanted) : createSubstring(wanted)
}

/** Returns the projects whose name or domain matches, in their original order. */
export function findMatches(
  projects: readonly ProjectRecord[],
  isMatch: IsMatch,
): readonly ProjectRecord[] {
  return projects.filter(({ name, domain }) => isMatch(name) || isMatch(domain ?? ''))
}

/** Creates a matcher for a substring of a field, ignoring case. */
export function createSubstring(text: string): IsMatch {
  const wanted = text.toLowerCase()
  return (field) => field.toLowerCase().includes(wanted)
}

/**
 * Creates a matcher for `%wanted%` as in SQL's LIKE. The parts between `%` match in order, each at the earliest position, so no
 * pattern needs backtracking.
 */
function createLike(wanted: string): IsMatch {
  const parts = foldAccents(wanted).split('%').map(toPart)
  const minimumLength = parts.reduce((sum, { characters }) => sum + characters.length, 0)
  return (field) => {
    const text = foldAccents(field)
    if (text.length < minimumLength) return false
    let position = 0
    return parts.every((part) => {
      position = endOfPart(part, text, position)
      return position !== -1
    })
  }
}

/** Text between two `%` of a pattern. */
interface Part {
  text: string
  characters: readonly number[]
  hasWildcard: boolean
}

/** Matches any single character, like `_` in a pattern. */
const ANY = -1

function toPart(text: string): Part {
  const characters = Array.from(text, (character) =>
    character === '_' ? ANY : (character.codePointAt(0) ?? ANY),
  )
  return { text, characters, hasWildcard: text.includes('_') }
}

/** Returns the end of the first match of a part at or after a position; -1 if there is none. */
function endOfPart(
  { text: literal, characters, hasWildcard }: Part,
  text: string,
  from: number,
): number {
  if (!hasWildcard) {
    const at = text.indexOf(literal, from)
    return at === -1 ? -1 : at + literal.length
  }
  for (
    let start = from;
    start + characters.length <= text.length;
    start += codeUnitsOf(codePoint(text, start))
  ) {
    let position = start
    let index = 0
    while (index < characters.length && position < text.length) {
      const character = codePoint(text, position)
      if (characters[index] !== character && characters[index] !== ANY) break
      position += codeUnitsOf(character)
      index += 1
    }
    if (index === characters.length) return position
  }
  return -1
}

function codePoint(text: string, position: number): number {
  return text.codePointAt(position) ?? 0
}

function codeUnitsOf(character: number): number {
  return character > 0xffff ? 2 : 1
}

/** Removes accents from a string, and converts it to lower case. */
export function foldAccents(text: string): string {
  // Most strings are plain ASCII, and this test is far faster than normalizing.
  if (!/[^ -~]/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
}
