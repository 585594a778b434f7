import { recordReview, reviewOf } from '../review/record-review.ts'
import type { JournalRequest } from '../journal/journal-request.ts'
import type { Review } from '../review/review.ts'
import type { World } from '../world/world.ts'

/** A review with the requests that it is of. */
export interface ReviewedSession {
  review: Review
  requests: Iterable<JournalRequest>
}

/**
 * Reviews the client of a recorded session, which it replays in a world of its own: the same as the review of the world that
 * it was recorded in.
 *
 * @param session What `sandbox.session()` returned, or read from a file.
 * @throws SessionError for anything but a session of this release, and for one that replays differently.
 */
export async function reviewSession(
  session: unknown,
  { projects }: { projects?: readonly number[] | undefined } = {},
): Promise<ReviewedSession> {
  const [{ replaySession }, { parseSession }] = await Promise.all([
    import('../session/replay.ts'),
    import('../session/session.ts'),
  ])
  let replayed: World | undefined
  const { difference } = await replaySession(parseSession(session), (world) => {
    recordReview(world)
    replayed = world
  })
  if (!replayed || difference) {
    const { SessionError } = await import('../session/session-error.ts')
    throw new SessionError(
      `Step ${difference?.sequence} of this session differs when it is replayed, so that its client cannot be reviewed. Replay it to see how.`,
    )
  }
  return { review: reviewOf(replayed, projects), requests: replayed.journal.requests() }
}
