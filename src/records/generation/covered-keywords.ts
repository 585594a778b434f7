import { createPermutation } from '../permutation.ts'

/** The most keywords of a report that have texts. */
export const MAXIMUM_TEXTS = 8

/**
 * The keywords that a report has texts about, in their order: all of them if there is room, otherwise some that the keys
 * determine, spread evenly over their kinds.
 */
export function pickCovered<Keyword>(
  keywords: readonly Keyword[],
  room: number,
  kindOf: (keyword: Keyword) => string,
  ...keys: (string | number)[]
): readonly Keyword[] {
  if (keywords.length <= room) return keywords
  const permutation = createPermutation(keywords.length, ...keys)
  const counts = new Map<string, number>()
  const ranked = Array.from(keywords, (_, index) => {
    const place = permutation(index)
    const kind = kindOf(keywords[place] as Keyword)
    const rank = counts.get(kind) ?? 0
    counts.set(kind, rank + 1)
    return { place, rank }
  }).toSorted((one, other) => one.rank - other.rank)
  const places = new Set(ranked.slice(0, Math.max(0, room)).map(({ place }) => place))
  return keywords.filter((_, place) => places.has(place))
}
