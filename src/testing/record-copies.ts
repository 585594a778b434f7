/** The fields of a record that differ; undefined where one was removed, which a patch cannot express. */
export function changesOf(before: object, after: object): Record<string, unknown> | undefined {
  const fields = new Map(Object.entries(before))
  const isKept = (field: string): boolean => (after as Record<string, unknown>)[field] !== undefined
  if (![...fields.keys()].every(isKept)) return undefined
  const changed = Object.entries(after).filter(
    ([field, value]) => !isSame(fields.get(field), value),
  )
  return Object.fromEntries(changed)
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (!isObject(one) || !isObject(other)) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function copyFrozen(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(copyFrozen))
  return isObject(value) ? Object.freeze(copyFields(value)) : value
}

/**
 * A copy of a record, or of a part of it, whose parts are frozen. The content of generated reports is only
 * generated when it is read, as that takes long: their copies leave it at that.
 */
export function copyFields(source: object): object {
  const copy = {}
  for (const [field, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(source))) {
    const { enumerable = false } = descriptor
    let made: unknown
    const read = () => (made ??= copyFrozen((source as Record<string, unknown>)[field]))
    const part = 'value' in descriptor ? { value: read() } : { get: read }
    Object.defineProperty(copy, field, { ...part, enumerable })
  }
  return copy
}
