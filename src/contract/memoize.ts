/** Longer texts are rare, and not worth the memory. */
const MAXIMUM_LENGTH = 200
const MAXIMUM_TEXTS = 5000

/**
 * Caches the results of a pure function for short texts, up to a limit. `undefined` is not cached, so that
 * invalid texts cost no memory.
 */
export function memoize<Value>(compute: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>()
  return (text) => {
    const known = values.get(text)
    if (known !== undefined) return known
    const value = compute(text)
    if (value !== undefined && text.length <= MAXIMUM_LENGTH) {
      if (values.size >= MAXIMUM_TEXTS) values.clear()
      values.set(text, value)
    }
    return value
  }
}
