/** Which part of a list, whose order is by age. */
export interface ListRange {
  /** How many at most; all that there are if omitted. */
  limit?: number | undefined
  /** Where the page before ended: `next` of it. The first page if omitted. */
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
