import { memoize, memoizeByObject } from '../contract/cache.ts'
import { DEFAULT_PER_PAGE } from '../contract/limits.ts'
import type { Shown } from '../engine/messages.ts'

/** The parameters of a query, in their order. */
export const parametersOf = memoize((query: string): readonly (readonly [string, string])[] => [
  ...new URLSearchParams(query),
])

/** A page of a list: its number, and the other parameters, sorted. */
export interface PageUrl {
  page: number
  filters: readonly string[]
  /** Both as one text. */
  text: string
}

/** The page that a query asks for, without the parameters that change nothing. */
export const pageUrlOf = memoize((query: string): PageUrl => {
  const parameters = parametersOf(query)
  const page = Number(parameters.findLast(([name]) => name === 'page')?.[1] || 1)
  const filters = parameters
    .filter(([name, value]) => name !== 'page' && value !== '')
    .filter(([name, value]) => name !== 'per_page' || value !== String(DEFAULT_PER_PAGE))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
  return toPageUrl(Number.isSafeInteger(page) ? page : 1, filters)
})

/** The page that a list links to; undefined on the last page, and for a body that is not a list. */
export const nextPageOf = memoizeByObject(({ next }: Shown): PageUrl | undefined =>
  next ? pageUrlOf(next.slice(next.indexOf('?') + 1)) : undefined,
)

/** The first page of the same list. */
export function firstPageOf({ filters }: PageUrl): PageUrl {
  return toPageUrl(1, filters)
}

function toPageUrl(page: number, filters: readonly string[]): PageUrl {
  return { page, filters, text: `${page} ${filters.join('&')}` }
}

/** Whether a page only has filters that a link to it has too, whatever the size of the pages. */
export function isWithin(filters: readonly string[], link: readonly string[]): boolean {
  return filters.every((filter) => filter.startsWith('per_page=') || link.includes(filter))
}

export function isSameFilters(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((filter, index) => filter === other[index])
}
