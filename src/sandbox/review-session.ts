import { beginReview, recordReview, reviewOf } from '../review/record-review.ts'
import { Reviewer } from '../review/reviewer.ts'
import type { Review } from '../review/review.ts'
import type { World } from '../world/world.ts'

const RECORDED_BY_OTHER_CHECKS =
  'This session was recorded by a release with other checks, so its review at that time may have differed.'

/**
 * Reviews the client of a recorded session, which it replays in a world of its own: the same as the review of the world that
 * it was recorded in, if that was by the same checks.
 *
 * @param session What `sandbox.session()` returned, or read from a file.
 * @throws SessionError for anything but a session of this release, and for one that replays differently.
 */
export async function reviewSession(
  session: unknown,
  { projects }: { projects?: readonly number[] | undefined } = {},
): Promise<Review> {
  const [{ replaySession }, { parseSession }] = await Promise.all([
    import('../session/replay.ts'),
    import('../session/session.ts'),
  ])
  const recorded = parseSession(session)
  const isOwn = recorded.review.version === Reviewer.version
  // Other checks reviewed the world when it was recorded: those of this release begin again.
  const review = isOwn ? recorded.review : { version: Reviewer.version }
  let replayed: World | undefined
  const { difference } = await replaySession({ ...recorded, review }, (world) => {
    recordReview(world)
    if (review.began) beginReview(world, review.version)
    replayed = world
  })
  if (!replayed || difference) {
    const { SessionError } = await import('../session/session-error.ts')
    throw new SessionError(
      `Step ${difference?.sequence} of this session differs when it is replayed, so that its client cannot be reviewed. Replay it to see how.`,
    )
  }
  const found = reviewOf(replayed, projects)
  return isOwn ? found : { ...found, notice: RECORDED_BY_OTHER_CHECKS }
}
