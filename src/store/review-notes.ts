import { toDateTime } from '../contract/time.ts'
import { clearTimeout, setTimeout } from '../contract/timers.ts'
import { SEVERITIES } from '../contract/verdicts.ts'
import { reviewOf } from '../review/record-review.ts'
import type { Review } from '../review/review.ts'
import { isDelivered } from '../review/verdict.ts'
import type { ReviewSummary } from '../world/hosted-worlds.ts'
import type { World } from '../world/world.ts'
import { StoreError } from './store-error.ts'
import type { AppliedPosition, WorldLog } from './world-log.ts'

/** Time from the first entry after the review was stored until the review is stored again. */
const STORED_AFTER_MS = 15_000

interface ReviewNotesOptions {
  log: WorldLog
  /** Called when the review must be stored, even during a call to the store. */
  onDue: () => void
  onError: (error: unknown) => void
}

/** The stored review of a partner's client. It is kept beside the world, so that a list of partners loads no world. */
export class ReviewNotes {
  readonly #options: ReviewNotesOptions
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: ReviewNotesOptions) {
    this.#options = options
  }

  /** True if entries from this server were applied since the review was last stored. */
  get isDue(): boolean {
    return this.#timer !== undefined
  }

  /** Schedules a write of the review. Called for each entry that came from this server. */
  touch(): void {
    this.#timer ??= setTimeout(this.#options.onDue, STORED_AFTER_MS).unref()
  }

  /** Stores the review in the background, as of the last entry. */
  write(world: World, at: AppliedPosition): void {
    this.clear()
    this.#write(world, at).catch((error: unknown) => {
      // A StoreError needs no report, because the next write makes up for this one.
      if (!(error instanceof StoreError)) this.#options.onError(error)
    })
  }

  async #write(world: World, at: AppliedPosition): Promise<void> {
    const review = reviewOf(world)
    // After a reset, the review of the previous session is kept until a client sends a request.
    if (review.requests === 0 && reviewOf(world, { since: 'start' }).requests > 0) return
    const summary = { at: toDateTime(at.atMs), ...summarizeReview(review) }
    await this.#options.log.noteReview(at, summary)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** Maximum length of a stored message, in characters. A message may contain a long path of a request. */
const MAXIMUM_MESSAGE_LENGTH = 500

/** Summarizes a review for one line in a list of clients. */
function summarizeReview({ verdict, checks, ledger }: Review): Omit<ReviewSummary, 'at'> {
  const failed = checks.filter(({ result }) => result === 'failed')
  const worst = SEVERITIES.flatMap((severity) =>
    failed.filter((check) => check.severity === severity),
  )[0]
  const [finding] = worst?.findings ?? []
  return {
    verdict,
    worst:
      worst && finding
        ? {
            check: worst.id,
            severity: worst.severity,
            message: finding.message.slice(0, MAXIMUM_MESSAGE_LENGTH),
            instead: finding.instead,
          }
        : null,
    delivered: ledger.filter(isDelivered).length,
    finished: ledger.length,
  }
}
