import { closestMatch } from 'leven'

/** The names that were possible, the nearest one first when a slip of the keys is likely. */
export function suggest(word: string, candidates: readonly string[]): string {
  const nearest = closestMatch(word, candidates, { maxDistance: Math.ceil(word.length / 2) })
  const listed = `Use one of: ${candidates.join(', ')}.`
  return nearest === undefined ? listed : `Did you mean "${nearest}"? ${listed}`
}
