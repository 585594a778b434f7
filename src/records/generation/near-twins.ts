/**
 * Whether two names, in lower case, are hard to tell apart where both are in a list: the same, one letter or one pair of neighbours
 * different (andersen, andresen), or one of them longer by up to two letters (hunt, hunter).
 */
export function isNearTwin(one: string, other: string): boolean {
  if (one.length > other.length) return isNearTwin(other, one)
  if (other.length - one.length > 2) return false
  if (other.startsWith(one)) return true
  let start = 0
  while (one[start] === other[start]) start += 1
  const [left, right] = [one.slice(start), other.slice(start)]
  return (
    left.slice(1) === right.slice(1) ||
    left === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2))
  )
}
