import type { CollectionName } from '../contract/collection-facts.ts'
import { lowerBound } from '../contract/lists.ts'
import type { RecordOf } from '../contract/records.ts'

interface Identified {
  id: number
}

/** Records in groups by key, each group in ascending order of id. */
export class OrderedIndex<Item extends Identified> {
  readonly #keysOf: (item: Item) => string[]
  #groups = new Map<string, Item[]>()

  /** `keysOf` returns the keys of a record's groups. */
  constructor(keysOf: (item: Item) => string[]) {
    this.#keysOf = keysOf
  }

  /** Returns the records of a group. The list is not a copy: it changes with the group. */
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

  copy(): OrderedIndex<Item> {
    const copy = new OrderedIndex(this.#keysOf)
    for (const [key, group] of this.#groups) copy.#groups.set(key, [...group])
    return copy
  }
}

const NOTHING: readonly never[] = []

/** Returns the index of an id, or its insertion point. Adding at the end needs no search. */
function positionOf(group: readonly Identified[], id: number): number {
  const last = group.at(-1)
  if (last === undefined || last.id < id) return group.length
  return lowerBound(group.length, (index) => (group[index]?.id ?? Infinity) >= id)
}

/** Key of the group of all records. */
export const ALL = ''

/** Functions that return the keys of a record's groups, by collection. */
export const KEYS: { [Name in CollectionName]: (record: RecordOf<Name>) => string[] } = {
  agencies: () => [ALL],
  countries: () => [ALL],
  languages: () => [ALL],
  users: ({ agency }) => [ALL, String(agency)],
  tokens: ({ token }) => [ALL, bearerKey(token)],
  projects: ({ agency, status }) => [
    ALL,
    String(agency),
    projectsKey(undefined, status),
    projectsKey(agency, status),
  ],
  keywords: ({ project }) => [ALL, String(project)],
  reports: ({ project }) => [ALL, String(project)],
}

/**
 * Returns the key of the group of tokens with this bearer value. The key is the whole Authorization header, so that the token of a
 * request is found in a single look-up.
 */
export function bearerKey(bearer: string): string {
  return `Bearer ${bearer}`
}

/** Returns the key of the group of projects with an agency and a status; undefined stands for any. */
export function projectsKey(agency: number | undefined, status: string | undefined): string {
  if (status === undefined) return agency === undefined ? ALL : String(agency)
  return `${agency ?? 'any'} ${status}`
}
