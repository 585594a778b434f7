import { listChanged } from '../contract/policies.ts'
import { toDateTime } from '../contract/time.ts'
import { clocksBetween, judgeRun } from '../review/judge.ts'
import type { Demands, JudgedReview } from '../review/judge.ts'
import type { ClockState } from '../journal/applied-command.ts'
import { explainUnmet, noteRequested } from '../rehearsal/storm.ts'
import type { Requested } from '../rehearsal/storm.ts'
import { restartReview, recordReview, reviewOf } from '../review/record-review.ts'
import { Reviewer } from '../review/reviewer.ts'
import type { Review } from '../review/review.ts'
import type { SessionRun, SteppedSession } from '../session/session.ts'
import type { World } from '../world/world.ts'

const RECORDED_BY_OTHER_CHECKS =
  'This session was recorded by a release with other checks, so its review at that time may have differed.'

type Projects = readonly number[] | undefined

/**
 * Reviews the client of a recorded session by replaying the session in a new world. If the same checks reviewed the original world,
 * the results are equal.
 *
 * @param session The result of `sandbox.session()`, or a session read from a file.
 * @throws SessionError if the input is not a session of this release, or if it replays differently.
 */
export async function reviewSession(
  session: unknown,
  { projects }: { projects?: Projects } = {},
): Promise<Review> {
  const { parseSession } = await import('../session/session.ts')
  return (await replayReviewed(parseSession(session))).review(projects)
}

/**
 * Judges the run of a recorded session, by its recorded requirements and waivers and by those passed in. A waiver passed in
 * replaces the recorded one for the same requirement or check. If the session has no details of its run, the `command` in the
 * result is null.
 *
 * @throws SessionError if the session replays differently.
 */
export async function judgeSession(
  session: SteppedSession,
  { projects, require, waive }: Demands & { projects: Projects },
): Promise<JudgedReview> {
  const { review, ...replayed } = await replayReviewed(session)
  const run = session.run ?? toRun(session, replayed)
  const waived = new Set(waive.map(({ what }) => what))
  const demands = {
    require: [...run.require, ...require],
    waive: [...run.waive.filter(({ what }) => !waived.has(what)), ...waive],
  }
  const { release: version } = session
  return judgeRun(
    { ...run, ...demands },
    {
      version,
      review: (of = projects) => review(of),
      explainUnmet: (id) => explainUnmet(id, replayed.requested),
    },
  )
}

interface Replayed {
  world: World
  /** The clocks at the beginning of the review. */
  began: ClockState
  requested: Requested
  /** Recorded time of the last step, or of the session's beginning if it has no steps, in epoch milliseconds. */
  lastMs: number
}

async function replayReviewed(
  session: SteppedSession,
): Promise<Replayed & { review: (projects: Projects) => Review }> {
  const { replaySession } = await import('../session/replay-session.ts')
  const isOwn = session.review.version === Reviewer.version
  // If other checks reviewed the original world, the review starts anew at the beginning of the session.
  const review = isOwn ? session.review : { version: Reviewer.version }
  let replayed: Omit<Replayed, 'lastMs'> | undefined
  let lastMs = session.beginning.at_ms
  let lastStep = 0
  const { difference } = await replaySession(
    { ...session, review },
    {
      onReview: (world) => {
        recordReview(world)
        if (review.began) restartReview(world, review.version)
        replayed = { world, began: world.clock, requested: noteRequested(world) }
      },
      onStep: ({ at_ms, sequence }) => {
        lastMs = at_ms
        lastStep = sequence
      },
    },
  )
  if (!replayed || difference) {
    const { SessionError } = await import('../session/session-error.ts')
    throw new SessionError(
      `Step ${difference?.sequence} of this session differs when it is replayed, so that its client cannot be reviewed. Replay it to see the difference.`,
    )
  }
  const { world } = replayed
  const notices = [
    ...(isOwn ? [] : [RECORDED_BY_OTHER_CHECKS]),
    ...(session.cut === true
      ? [
          `Only requests up to #${lastStep} are reviewed, because the session grew too large after that.`,
        ]
      : []),
  ]
  return {
    ...replayed,
    lastMs,
    review: (projects) => {
      const found = reviewOf(world, { projects })
      const all = [...notices, ...(isOwn && found.notice !== undefined ? [found.notice] : [])]
      return all.length === 0 ? found : { ...found, notice: all.join(' ') }
    },
  }
}

/** Derives the details of a run from a session that has none. */
function toRun({ beginning }: SteppedSession, { world, began, lastMs }: Replayed): SessionRun {
  return {
    command: null,
    exit: null,
    date: toDateTime(lastMs),
    world: { seed: beginning.random_seed },
    policies: listChanged(world.policies),
    clocks: clocksBetween(began, world.clock),
    require: [],
    waive: [],
  }
}
