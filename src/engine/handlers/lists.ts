import type { OperationContext } from '../operation-context.ts'
import type { Outcome } from '../messages.ts'
import { paginate, parsePaging } from '../pagination.ts'
import { compare } from '../selection.ts'

/** A list without pagination in the specification (4.4, 4.8, 4.9), but paginated where policy says so (G-045). */
export function listOutcome<Item>(
  context: OperationContext,
  items: readonly Item[],
  present: (item: Item) => object,
  closing: { cache_refreshed_at?: string } = {},
): Outcome {
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

/** A list in ascending order of id, sorted into the order that policy selects (G-046). */
export function inListOrder<Item>(
  { policy }: OperationContext,
  items: readonly Item[],
  labelOf: (item: Item) => string,
): readonly Item[] {
  if (items.length < 2 || policy('list-order') === 'id') return items
  return items.toSorted((one, other) => compare(labelOf(one), labelOf(other)))
}
