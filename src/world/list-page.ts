/** Which part of a list that is sorted by age. */
export interface ListRange {
  /** How many at most; all if omitted. */
  limit?: number | undefined
  /** Where the last page ended: its `next`. The first page if omitted. */
  after?: string | undefined
}

/** A part of a list. */
export interface ListPage<Item> {
  items: Item[]
  /** How many the whole list has. */
  total: number
  /** Where it ends; null for the last page. */
  next: string | null
}
