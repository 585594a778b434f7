/** Longer texts are rare, and would take more memory than working it out again takes time. */
const MAXIMUM_LENGTH = 200
const MAXIMUM_TEXTS = 5000

/**
 * A function of a text that remembers what it came to for short ones, as long as there are not too many.
 * It must be pure; `undefined` is not remembered, so that texts that mean nothing cost no memory.
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
