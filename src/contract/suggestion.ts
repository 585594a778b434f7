import leven, { closestMatch } from 'leven'
import { describe } from './text.ts'

/** Returns the possible names, preceded by the nearest one if a typo is likely. */
export function suggest(word: string, candidates: readonly string[]): string {
  const nearest = closestMatch(word, candidates, { maxDistance: Math.ceil(word.length / 2) })
  const listed = `Use one of: ${candidates.join(', ')}.`
  return nearest === undefined ? listed : `Did you mean "${nearest}"? ${listed}`
}

/** Refuses a field that a map does not have, in a sentence. */
export function unknownField(name: string, known: readonly string[]): string {
  return `${describe(name)} is not a field here. ${suggest(name, known)}`
}

const MOST_SUGGESTED = 3

/** Suggests the nearest names, followed by `whole`, which says where to find the full list. For lists too long to print. */
export function suggestFew(word: string, candidates: readonly string[], whole: string): string {
  const names = nearestOf(word, candidates).map((name) => `"${name}"`)
  if (names.length === 0) return whole
  return `Did you mean ${new Intl.ListFormat('en', { type: 'disjunction' }).format(names)}? ${whole}`
}

const MOST_TYPOS = 3

/** Returns the name that a word is likely a misspelling of. */
export function findMisspelt<Name extends string>(
  word: string,
  candidates: readonly Name[],
): Name | undefined {
  const maxDistance = Math.min(MOST_TYPOS, Math.floor(word.length / 2))
  return closestMatch(word, candidates, { maxDistance }) as Name | undefined
}

/** Returns the name that is likely meant; otherwise the names that share a word with it. */
function nearestOf(word: string, candidates: readonly string[]): string[] {
  const meant = findMisspelt(word, candidates)
  if (meant !== undefined) return [meant]
  const words = word.toLowerCase().split('-')
  return candidates
    .filter((name) => name.split('-').some((part) => part !== '' && words.includes(part)))
    .toSorted((one, other) => leven(word, one) - leven(word, other))
    .slice(0, MOST_SUGGESTED)
}
