/** The lowest number from 0 that meets a condition, if all higher ones meet it too; `end` if none below it does. */
export function lowest(end: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
