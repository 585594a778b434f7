import { defineCheck, remember } from '../check.ts'
import { firstPageOf, isWithin, nextPageFor, pageUrlOf } from '../reviewed-request.ts'
import type { PageUrl, NamedRequest } from '../reviewed-request.ts'

interface OpenLink extends Pick<PageUrl, 'page' | 'filters'> {
  caller: string
  request: NamedRequest
}

interface Walks {
  /** Links that have not been followed yet, by caller, page and filters. */
  open: Map<string, OpenLink>
  /** Sequence of the last request for a page, by caller, page and filters. */
  asked: Map<string, number>
}

export const nextLink = defineCheck({
  id: 'next-link',
  category: 'paging',
  severity: 'error',
  section: '4.3(4)',
  finds: 'never requested the `links.next` of a page of projects, except in a search',
  instead: 'Request `links.next` until it is null: a page has at most 100 projects.',
  exercise:
    'Let the client list the projects of an agency that has more than the 100 that fit into a page.',
  sees: ['listProjects'],
  start: (): Walks => ({ open: new Map(), asked: new Map() }),
  read: (request, report, { open, asked }) => {
    const { sender, query, caller, isRead, shown, sequence } = request
    if (sender.method !== 'GET') return
    const next = shown && nextPageFor(shown, query)
    if (query === '' && !next) return
    const asks = pageUrlOf(query)
    const { page, filters } = asks
    if (page === 1 && !next) return
    remember(asked, keyOf(caller, asks), sequence)
    if (page > 1) {
      for (const [key, link] of open) {
        // A request for the page with fewer filters or a different page size also follows the link. The check
        // `hand-made-pages` reports it.
        const isThatPage = link.caller === caller && link.page === page
        if (isThatPage && isWithin(filters, link.filters)) open.delete(key)
      }
    }
    if (!isRead || !next) return
    report.meet()
    if (filters.some((filter) => filter.startsWith('search='))) return
    const key = keyOf(caller, next)
    // A client that requests pages in parallel may request the next page before it receives this link.
    const start = page === 1 ? sequence : (asked.get(keyOf(caller, firstPageOf(asks))) ?? 0)
    if ((asked.get(key) ?? 0) > start) return
    // The first response with an unfollowed link shows the beginning of the mistake.
    if (open.has(key)) return
    const link = { page: next.page, filters: next.filters, caller, request: request.toNamed() }
    remember(open, key, link)
  },
  mendedIn: 'session',
  pending: ({ open }) =>
    [...open.values()].map(({ request, page }) => ({
      requests: [request],
      message: `Request ${request.sequence} has a link to page ${page}, which was never requested.`,
    })),
})

function keyOf(caller: string, { text }: PageUrl): string {
  return `${caller} ${text}`
}
