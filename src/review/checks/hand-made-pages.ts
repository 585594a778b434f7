import { defineCheck, remember } from '../check.ts'
import { hasMore, isSameFilters, pageUrlOf } from '../query.ts'

/** The links to a page that a caller was shown. */
interface Links {
  filters: (readonly string[])[]
  sequence: number
}

const MAXIMUM_LINKS = 20

export const handMadePages = defineCheck({
  id: 'hand-made-pages',
  category: 'paging',
  severity: 'error',
  section: '4.3(4)',
  finds:
    'A page of the project list was requested without the filters or the page size of the page before it',
  instead:
    'Request `links.next` as it is: it keeps `status`, `search`, `agency_id` and `per_page`.',
  sees: ['listProjects'],
  start: () => new Map<string, Links>(),
  read: (shownTo, { operation, method, query, caller, isRead, shown, sequence }, report) => {
    if (operation !== 'listProjects' || method !== 'GET') return
    if (query === '' && !shown?.next) return
    const { page, filters } = pageUrlOf(query)
    if (page === 1 && !shown?.next) return
    const links = page > 1 ? shownTo.get(`${caller} ${page}`) : undefined
    if (links) {
      if (links.filters.some(({ length }) => length > 0)) report.meet()
      const isShown = links.filters.some((link) => isSameFilters(link, filters))
      if (!isShown && links.filters.some((link) => hasMore(link, filters))) {
        report.fail(() => ({
          requests: [links.sequence, sequence],
          message: `Request ${sequence} asks for page ${page} without parameters that links.next of request ${links.sequence} has.`,
        }))
      }
    }
    if (!isRead || !shown?.next) return
    const next = pageUrlOf(shown.next.slice(shown.next.indexOf('?') + 1))
    const key = `${caller} ${next.page}`
    const before = shownTo.get(key)?.filters ?? []
    const others = before.filter((link) => !isSameFilters(link, next.filters))
    const all = [...others, next.filters].slice(-MAXIMUM_LINKS)
    remember(shownTo, key, { filters: all, sequence })
  },
})
