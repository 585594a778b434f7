import type { GapStatus } from '../../contract/gap-status.ts'
import { changedOf } from '../../contract/list-gaps.ts'
import { toDateTime } from '../../contract/moments.ts'
import type { ClockState } from '../../journal/clock-state.ts'
import { judge } from '../../review/judge.ts'
import type { Demands, JudgedReview } from '../../review/judge.ts'
import type { Review } from '../../review/review.ts'
import type { WorldOrigin } from '../../world/world-origin.ts'
import type { ControlClient } from './control-client.ts'

interface Health {
  version: string
}

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
    get<Review & { required?: unknown }>('/review', query),
    get<WorldOrigin>('/origin'),
    get<ClockState>('/clock'),
    get<GapStatus[]>('/policies'),
    get<Health>('/health'),
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
