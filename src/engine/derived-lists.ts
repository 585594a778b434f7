const MAXIMUM_LISTS = 200

/** Lists that were searched or sorted out of the records, kept until the records change. */
export class DerivedLists {
  readonly #lists = new Map<string, readonly unknown[]>()
  #revision = -1

  /** The list of that name, computed on its first use at this revision of the records. */
  get<Item>(name: string, revision: number, compute: () => readonly Item[]): readonly Item[] {
    if (revision !== this.#revision || this.#lists.size >= MAXIMUM_LISTS) {
      this.#lists.clear()
      this.#revision = revision
    }
    const known = this.#lists.get(name) as readonly Item[] | undefined
    if (known) return known
    // A copy, for lists of records change in place, and stale ones are read at this revision later (G-058).
    const list = [...compute()]
    this.#lists.set(name, list)
    return list
  }
}
