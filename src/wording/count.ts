/** A number with its noun: `1 keyword`, `12 keywords`, `1,200 keywords`. Without Intl, whose loading slows every start. */
export function count(number: number, one: string, many = `${one}s`): string {
  const figures = String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${figures} ${number === 1 ? one : many}`
}
