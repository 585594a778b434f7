import leven, { closestMatch } from 'leven'
import { describe } from './text.ts'

/** Returns a sentence that lists the candidates, preceded by the nearest one if `word` is likely a misspelling of it. */
export function suggest(word: string, candidates: readonly string[]): string {
  const nearest = closestMatch(word, candidates, { maxDistance: Math.ceil(word.length / 2) })
  const listed = `Use one of: ${candidates.join(', ')}.`
  return nearest === undefined ? listed : `Did you mean "${nearest}"? ${listed}`
}

export function unknownField(name: string, known: readonly string[]): string {
  return `${describe(name)} is not a field here. ${suggest(name, known)}`
}

const MAXIMUM_SUGGESTED = 3

/** Returns `whole`, a sentence that refers to the full list, preceded by the nearest candidates if any are near. */
export function suggestFew(word: string, candidates: readonly string[], whole: string): string {
  const names = nearestOf(word, candidates).map((name) => `"${name}"`)
  if (names.length === 0) return whole
  return `Did you mean ${new Intl.ListFormat('en', { type: 'disjunction' }).format(names)}? ${whole}`
}

const MAXIMUM_TYPOS = 3

/** Returns the candidate that `word` is likely a misspelling of; undefined if there is none. */
export function findMisspelt<Name extends string>(
  word: string,
  candidates: readonly Name[],
): Name | undefined {
  const maxDistance = Math.min(MAXIMUM_TYPOS, Math.floor(word.length / 2))
  return closestMatch(word, candidates, { maxDistance }) as Name | undefined
}

/**
 * Returns the candidate that `word` is likely a misspelling of; if there is none, up to three that share a word with `word`, the
 * nearest first.
 */
function nearestOf(word: string, candidates: readonly string[]): string[] {
  const meant = findMisspelt(word, candidates)
  if (meant !== undefined) return [meant]
  const words = word.toLowerCase().split('-')
  return candidates
    .filter((name) => name.split('-').some((part) => part !== '' && words.includes(part)))
    .toSorted((one, other) => leven(word, one) - leven(word, other))
    .slice(0, MAXIMUM_SUGGESTED)
}
