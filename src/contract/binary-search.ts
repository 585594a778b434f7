/** The lowest number from 0 for which a condition holds, which holds for all above it too; `end` where it holds for none. */
export function lowest(end: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
