/** A list whose items are computed when they are read. */
export class LazyList<Item> implements Iterable<Item> {
  readonly #read: () => Iterator<Item>

  constructor(read: () => Iterator<Item>) {
    this.#read = read
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#read()
  }

  toJSON(): Item[] {
    return [...this]
  }

  filter(condition: (item: Item) => boolean): LazyList<Item> {
    const items = this as Iterable<Item>
    return new LazyList(function* () {
      for (const item of items) if (condition(item)) yield item
    })
  }

  map<Other>(convert: (item: Item) => Other): LazyList<Other> {
    const items = this as Iterable<Item>
    return new LazyList(function* () {
      for (const item of items) yield convert(item)
    })
  }

  static of<Item>(items: readonly Item[]): LazyList<Item> {
    return new LazyList(() => items.values())
  }
}

/**
 * Returns the lowest index below `end` for which `holds` is true, by binary search; `end` if there is none. If `holds` is true
 * for an index, it must be true for all higher indexes.
 */
export function lowerBound(end: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
