/** `a, b or c`. Intl.ListFormat would write the same, but loading it takes 10 ms of every start. */
export function listWithOr(words: readonly string[]): string {
  const [last = '', ...others] = words.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`
}
