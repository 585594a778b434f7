import { createPermutation } from '../permutation.ts'

/** So many keywords of a report have texts at most. */
export const MAXIMUM_TEXTS = 8

/** The keywords that a report has texts about, in their order: all of them, or some that follow from the keys. */
export function pickCovered<Keyword>(
  keywords: readonly Keyword[],
  room: number,
  ...keys: (string | number)[]
): readonly Keyword[] {
  if (keywords.length <= room) return keywords
  const permutation = createPermutation(keywords.length, ...keys)
  const places = new Set(
    Array.from({ length: Math.max(0, room) }, (_, place) => permutation(place)),
  )
  return keywords.filter((_, place) => places.has(place))
}
