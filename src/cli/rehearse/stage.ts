import { toRateLimits } from '../../contract/rate-limits.ts'
import type { RateLimits } from '../../contract/rate-limits.ts'
import type { TokenRecord } from '../../contract/token.ts'
import { planRehearsal } from '../../rehearsal/plan.ts'
import type { RehearsalPlan } from '../../rehearsal/plan.ts'
import { toStart } from '../../rehearsal/plan-options.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { settingOf } from '../../world/options/flags.ts'
import { findUsableToken } from '../../world/usable-token.ts'
import { CommandClock } from './command-clock.ts'
import type { RehearseSettings } from './settings.ts'

/** A world that is ready for the first run, and what will be done in it. */
export interface Stage {
  plan: RehearsalPlan
  token: TokenRecord
  /** The number of runs, which may be less than the plan has. */
  end: number
  clock: CommandClock
  /** The limits that the token has outside the rehearsal. */
  limits: RateLimits
}

/**
 * Makes the world begin where the plan does, and makes the plan.
 *
 * @throws OptionError for a start before the world's, and for a world without a token that can be used.
 */
export async function setStage(
  sandbox: Sandbox,
  { served, planned, clientClock, until }: RehearseSettings,
): Promise<Stage> {
  const { world } = sandbox
  const loadedMs = Date.parse(world.origin.loadedAt)
  const begun = { startMs: planned.startMs, loadedMs, realMs: Date.now() }
  const startMs = toStart(begun, '--start')
  const clock = new CommandClock({ sandbox, isRead: clientClock === 'env' })
  await clock.begin(startMs)
  const { id, rate_limit } = tokenOf(sandbox)
  const limits = toRateLimits(rate_limit, world.options.settings.rateLimit)
  const patch = {
    // Waiting for a limit would take real time.
    rate_limit: { per_minute: 'unlimited', per_hour: 'unlimited' },
    // It was spent in a window that no longer exists.
    spent: null,
  }
  await sandbox.command({ type: 'record.patch', collection: 'tokens', id, patch })
  const token = tokenOf(sandbox)
  const plan = planRehearsal({
    ...planned,
    seed: served.seed ?? settingOf('seed').default,
    startMs,
    records: world.records,
    token,
    isRealTime: true,
  })
  const { length } = plan.steps
  return { plan, token, end: Math.min(until ?? length, length), clock, limits }
}

function tokenOf({ world }: Sandbox): TokenRecord {
  const token = findUsableToken(world.records.all('tokens'))
  if (token) return token
  throw new OptionError(
    'The world has no token that this machine may use. Add an active one to its fixture.',
  )
}
