import type { LedgerEntry, Review } from './review.ts'

/** Whether a review fails a run: something is wrong, or no request of the client got a 200. */
export function isFailure({ verdict }: Pick<Review, 'verdict'>): boolean {
  return verdict === 'failed' || verdict === 'nothing-read'
}

/** Whether the client got the content of a report as it should. */
export function isDelivered({ state }: Pick<LedgerEntry, 'state'>): boolean {
  return state === 'delivered' || state === 'twice'
}
