/** A number with its noun, like `1 project` and `2 projects`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
