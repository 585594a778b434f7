import { DEFAULT_PER_PAGE, MAXIMUM_PER_PAGE } from '../contract/limits.ts'
import type { PageLinks, PageMeta } from '../contract/operations.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import { refuse } from './messages.ts'
import type { OperationContext, Refusal, OperationResult } from './messages.ts'
import { parsePlainDecimal, readParameter } from './parameters.ts'
import { compare } from './selection.ts'

interface Page<Item> {
  items: readonly Item[]
  meta: PageMeta
  links: PageLinks
}

interface Paging {
  page: number
  perPage: number
}

/** Reads `page` and `per_page` (specification 4.3). */
export function parsePaging({ query, policy }: OperationContext): Paging | Refusal {
  const page = parsePage(readParameter(query, 'page', policy), policy)
  if (typeof page !== 'number') return page
  const perPage = parsePerPage(readParameter(query, 'per_page', policy), policy)
  return typeof perPage === 'number' ? { page, perPage } : perPage
}

/** Returns one page of the results (specification 4.3(3), 4.3(4)). Policy may demand a refusal of a page past the end (G-037). */
export function paginate<Item>(
  context: OperationContext,
  { page, perPage }: Paging,
  results: readonly Item[],
): Page<Item> | Refusal {
  const total = results.length
  const pages = Math.max(1, Math.ceil(total / perPage))
  const pastTheEnd = page > pages ? context.policy('page-past-the-end') : undefined
  if (pastTheEnd === '404') return refuse('page_not_found')

  const link = (target: number) => pageLink(context, target)
  const hasPrev = page > 1 && (page - 1 <= pages || pastTheEnd === 'empty-with-prev')
  return {
    items: results.slice((page - 1) * perPage, page * perPage),
    meta: {
      current_page: page,
      per_page: perPage,
      total,
      last_page: total === 0 && context.policy('empty-last-page') === '0' ? 0 : pages,
    },
    links: {
      first: link(1),
      last: link(pages),
      prev: hasPrev ? link(page - 1) : null,
      next: page < pages ? link(page + 1) : null,
    },
  }
}

function parsePage(text: string | undefined, policy: ReadPolicy): number | Refusal {
  const page = text === undefined ? 1 : parseCount(text)
  if (page !== undefined) return page
  return policy('invalid-page') === '400' ? refuse('invalid_parameter') : 1
}

function parsePerPage(text: string | undefined, policy: ReadPolicy): number | Refusal {
  const perPage = text === undefined ? DEFAULT_PER_PAGE : parseCount(text)
  if (perPage === undefined) {
    const fallback = policy('invalid-per-page')
    return fallback === '422' ? refuse('unprocessable_parameter') : Number(fallback)
  }
  if (perPage <= MAXIMUM_PER_PAGE) return perPage
  const excess = policy('per-page-above-maximum')
  if (excess === 'clamp') return MAXIMUM_PER_PAGE
  return refuse(excess === '422' ? 'unprocessable_parameter' : 'invalid_parameter')
}

/** Parses a plain decimal of at least 1, and caps it at the largest safe integer; undefined for any other string. */
function parseCount(text: string): number | undefined {
  if (!/^[1-9]\d*$/.test(text)) return undefined
  return parsePlainDecimal(text) ?? Number.MAX_SAFE_INTEGER
}

/**
 * Returns the link to a page, relative or absolute (G-032). Policy may keep the other known parameters, as sent, before `page`
 * (G-033).
 */
function pageLink(context: OperationContext, page: number): string {
  const { query, knownParameters, path, origin, policy } = context
  const others = [...query].filter(([name]) => name !== 'page' && knownParameters.includes(name))
  const areKept = others.length > 0 && policy('page-link-parameters') === 'kept'
  const parameters = new URLSearchParams(areKept ? others : [])
  parameters.append('page', String(page))
  return `${policy('page-links') === 'absolute' ? origin() : ''}${path}?${parameters.toString()}`
}

/** Returns the result of an operation that lists everything (specification 4.4, 4.8, 4.9), unless policy demands pages (G-045). */
export function listResult<Item>(
  context: OperationContext,
  items: readonly Item[],
  present: (item: Item) => object,
  closing: { cache_refreshed_at?: string } = {},
): OperationResult {
  if (context.policy('list-pagination') === 'none') {
    return { body: { data: items.map(present), ...closing } }
  }
  const paging = parsePaging(context)
  if ('problem' in paging) return paging
  const page = paginate(context, paging, items)
  if ('problem' in page) return page
  const { meta, links } = page
  return { body: { data: page.items.map(present), meta, links, ...closing } }
}

/** Sorts a list by the policy `list-order` (G-046). The input must be in ascending order of id. */
export function inListOrder<Item>(
  { policy }: OperationContext,
  items: readonly Item[],
  labelOf: (item: Item) => string,
): readonly Item[] {
  if (items.length < 2 || policy('list-order') === 'id') return items
  return items.toSorted((one, other) => compare(labelOf(one), labelOf(other)))
}
