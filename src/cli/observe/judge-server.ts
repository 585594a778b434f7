import { z } from 'zod'
import { GapStatus } from '../../contract/gap-status.ts'
import { changedOf } from '../../contract/list-gaps.ts'
import { toDateTime } from '../../contract/moments.ts'
import { ClockState } from '../../journal/clock-state.ts'
import { judge } from '../../review/judge.ts'
import type { Demands, JudgedReview } from '../../review/judge.ts'
import { RequiredReview } from '../../review/review.ts'
import { WorldOrigin } from '../../world/world-origin.ts'
import type { ControlClient } from './control-client.ts'

const Health = z.looseObject({ version: z.string() })

/**
 * Judges the client of a running server, which reviews requests as they come, by what is required and waived here.
 *
 * @throws OptionError
 */
export async function judgeServer(
  { get }: ControlClient,
  { require, waive, projects }: Demands & { projects: readonly number[] | undefined },
): Promise<JudgedReview> {
  const query = {
    projects: projects?.join(','),
    // Its ledger then has the projects that requirements name.
    require: require.length > 0 ? require.join(',') : undefined,
  }
  const [{ required: _, ...review }, origin, clock, gaps, { version }] = await Promise.all([
    get('/review', RequiredReview, query),
    get('/origin', WorldOrigin),
    get('/clock', ClockState),
    get('/policies', z.array(GapStatus)),
    get('/health', Health),
  ])
  const fixtures = origin.fixtures ?? []
  const context = {
    command: null,
    exit: null,
    date: toDateTime(Date.now()),
    world: { ...origin.options, ...(fixtures.length > 0 && { fixtures }) },
    policies: changedOf(gaps),
    clocks: { world: { from: origin.loaded_at, to: clock.now }, rate: null },
    version,
  }
  return judge(review, { require, waive, context })
}
