import type { Shown } from '../engine/messages.ts'
import { resumeRequests, saveRequests } from '../journal/saved-requests.ts'
import type { SavedRequests } from '../journal/saved-requests.ts'
import { isRequest } from './review-queue.ts'
import type { Waiting } from './review-queue.ts'
import type { WorldChange } from './reviewer.ts'

/** What waits for a review, as plain JSON. */
export interface StoredQueue {
  requests: SavedRequests
  /** What checks read of each response that its saved request lacks; null for an unreadable one. */
  shown: ([contentDigest: number, next: Shown['next']] | null)[]
  changes: WorldChange[]
}

export function storeQueue(waiting: readonly Waiting[]): StoredQueue {
  const requests = waiting.filter(isRequest)
  return {
    requests: saveRequests(requests),
    shown: requests.map(({ contentDigest, shown }) => (shown ? [contentDigest, shown.next] : null)),
    changes: waiting.flatMap((one) => (isRequest(one) ? [] : [one])),
  }
}

export function resumeQueue({ requests, shown, changes }: StoredQueue): Waiting[] {
  const resumed = resumeRequests(requests)
  for (const [index, recorded] of resumed.entries()) {
    const [contentDigest, next] = shown[index] ?? []
    if (contentDigest === undefined) continue
    recorded.contentDigest = contentDigest
    recorded.shown = { ...recorded.shown, ...(next !== undefined && { next }) }
  }
  return [...resumed, ...changes].toSorted((one, other) => one.sequence - other.sequence)
}
