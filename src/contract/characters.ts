/** Added for each entry of a list or map, so that numbers and empty lists are not free. */
const ENTRY_CHARACTERS = 20

/** Characters of the texts of a record, by field. Each entry of a list or map in it counts as 20 more, and as its key. */
export function charactersOf(record: object): number {
  let sum = 0
  for (const value of Object.values(record)) sum += charactersIn(value)
  return sum
}

function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let sum = 0
  if (Array.isArray(value)) {
    for (const item of value) sum += ENTRY_CHARACTERS + charactersIn(item)
  } else {
    for (const [key, part] of Object.entries(value))
      sum += ENTRY_CHARACTERS + key.length + charactersIn(part)
  }
  return sum
}
