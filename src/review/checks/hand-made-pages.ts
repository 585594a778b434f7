import { defineCheck, remember } from '../check.ts'
import type { NamedRequest } from '../reviewed-request.ts'
import { isSameFilters, isWithin, nextPageFor, pageUrlOf } from '../reviewed-request.ts'

/** The links to one page number that a caller has received. */
interface Links {
  /** The filters of the last `MAXIMUM_LINKS` links, latest last, without duplicates. */
  filters: (readonly string[])[]
  /** The request whose response had the latest link. */
  request: NamedRequest
}

const MAXIMUM_LINKS = 20

export const handMadePages = defineCheck({
  id: 'hand-made-pages',
  category: 'paging',
  severity: 'error',
  section: '4.3(4)',
  finds: 'requested a page of projects with other filters or another size than the page before it',
  instead:
    'Send `status`, `search`, `agency_id` and `per_page` with every page, as with the first: a `links.next` may lack them (policy `page-link-parameters`).',
  exercise: 'Let the client list more projects than fit into a page, with a filter or `per_page`.',
  sees: ['listProjects'],
  start: () => new Map<string, Links>(),
  read: (request, report, shownTo) => {
    const { sender, query, caller, isRead, shown, sequence } = request
    if (sender.method !== 'GET') return
    const next = isRead && shown ? nextPageFor(shown, query) : undefined
    if (query === '' && !next) return
    const { page, filters } = pageUrlOf(query)
    const links = page > 1 ? shownTo.get(`${caller} ${page}`) : undefined
    if (links) {
      if (links.filters.some(({ length }) => length > 0)) report.meet()
      const isShown = links.filters.some((link) => isSameFilters(link, filters))
      if (!isShown && links.filters.some((link) => isWithin(filters, link))) {
        report.fail(
          () =>
            `Request ${sequence} asks for page ${page} with parameters other than those of request ${links.request.sequence}, whose links.next leads there.`,
          () => [links.request, request.toNamed()],
        )
      }
    }
    if (!next) return
    const key = `${caller} ${next.page}`
    const before = shownTo.get(key)?.filters ?? []
    remember(shownTo, key, {
      filters: withLast(before, next.filters),
      request: request.toNamed(),
    })
  },
})

function withLast(all: Links['filters'], last: readonly string[]): Links['filters'] {
  const before = all.at(-1)
  if (before && isSameFilters(before, last)) return all
  return [...all.filter((link) => !isSameFilters(link, last)), last].slice(-MAXIMUM_LINKS)
}
