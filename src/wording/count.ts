/** A number with its noun, like `1 keyword` and `1200 keywords`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** A number with separators and its noun, like `1,200 keywords`. */
export function countGrouped(number: number, one: string, many = `${one}s`): string {
  return count(number, one, many).replace(/\B(?=(?:\d{3})+ )/g, ',')
}
