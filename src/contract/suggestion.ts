import { closestMatch } from 'leven'

/** The possible names, preceded by the nearest one where a typo is likely. */
export function suggest(word: string, candidates: readonly string[]): string {
  const nearest = closestMatch(word, candidates, { maxDistance: Math.ceil(word.length / 2) })
  const listed = `Use one of: ${candidates.join(', ')}.`
  return nearest === undefined ? listed : `Did you mean "${nearest}"? ${listed}`
}
