import type { Review } from './review.ts'

/** Whether a review fails a run: something is wrong, or nothing was answered of what the client asked. */
export function isFailure({ verdict }: Pick<Review, 'verdict'>): boolean {
  return verdict === 'failed' || verdict === 'nothing-read'
}
