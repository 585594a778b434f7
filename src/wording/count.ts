/** Formats a number with its noun: `1 keyword`, `1200 keywords`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** Formats a number with thousands separators and its noun: `1,200 keywords`. */
export function countGrouped(number: number, one: string, many = `${one}s`): string {
  return count(number, one, many).replace(/\B(?=(?:\d{3})+ )/g, ',')
}
