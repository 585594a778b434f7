import { lowest } from '../contract/binary-search.ts'

interface Identified {
  id: number
}

/** Records in groups by key, each group in ascending order of id. */
export class OrderedIndex<Item extends Identified> {
  readonly #keysOf: (item: Item) => string[]
  #groups = new Map<string, Item[]>()

  /** `keysOf` names the groups that a record belongs to. */
  constructor(keysOf: (item: Item) => string[]) {
    this.#keysOf = keysOf
  }

  /** The records of a group; the same list until the group changes. */
  list(key: string): readonly Item[] {
    return this.#groups.get(key) ?? NOTHING
  }

  add(item: Item): void {
    for (const key of this.#keysOf(item)) {
      const group = this.#groups.get(key) ?? []
      group.splice(positionOf(group, item.id), 0, item)
      this.#groups.set(key, group)
    }
  }

  remove(item: Item): void {
    for (const key of this.#keysOf(item)) {
      const group = this.#groups.get(key) ?? []
      const index = positionOf(group, item.id)
      if (group[index] === item) group.splice(index, 1)
      if (group.length === 0) this.#groups.delete(key)
    }
  }

  /** The groups as they are now, untouched by later changes. */
  copy(): OrderedIndex<Item> {
    const copy = new OrderedIndex(this.#keysOf)
    for (const [key, group] of this.#groups) copy.#groups.set(key, [...group])
    return copy
  }
}

const NOTHING: readonly never[] = []

/** The position of an id, or where it belongs, by binary search, which an id above all others does not need. */
function positionOf(group: readonly Identified[], id: number): number {
  const last = group.at(-1)
  if (last === undefined || last.id < id) return group.length
  return lowest(group.length, (index) => (group[index]?.id ?? Infinity) >= id)
}
