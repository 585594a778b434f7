import { toRateLimits } from '../../contract/rate-limits.ts'
import type { RateLimits } from '../../contract/rate-limits.ts'
import type { TokenRecord } from '../../contract/token.ts'
import { planRehearsal } from '../../rehearsal/plan.ts'
import type { RehearsalPlan } from '../../rehearsal/plan.ts'
import { toStart } from '../../rehearsal/plan-options.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { OptionError } from '../../world/option-error.ts'
import { SETTING_DEFAULTS } from '../../world/setting-defaults.ts'
import { findUsableToken } from '../../world/usable-token.ts'
import { createCommandClock } from './command-clock.ts'
import type { CommandClock } from './command-clock.ts'
import type { FakedClock } from './faked-clock.ts'
import type { RepeatableRun } from './kept-runs.ts'
import type { RehearseSettings } from './settings.ts'

/** A world that is ready for the first run, and what will be done in it. */
export interface Stage {
  plan: RehearsalPlan
  token: TokenRecord
  /** The indexes of the first run and of the one after the last. */
  first: number
  end: number
  clock: CommandClock
  /** What the token may ask for, unless it was given more for the rehearsal. */
  limits: RateLimits
}

interface StageOptions {
  settings: RehearseSettings
  /** A run that is repeated alone, in the world that was kept. */
  repeated: RepeatableRun | undefined
  /** What moves the clock of the command; undefined where nothing does. */
  faked: FakedClock | undefined
}

/**
 * Makes the world begin where the plan does, and makes the plan.
 *
 * @throws OptionError for a start before the world's, and for a world without a token that can be used.
 */
export async function setStage(
  sandbox: Sandbox,
  { settings, repeated, faked }: StageOptions,
): Promise<Stage> {
  const { served, planned, clientClock, until } = settings
  const { world } = sandbox
  const clock = createCommandClock(clientClock, { sandbox, faked })
  const limitsOf = ({ rate_limit }: TokenRecord) =>
    toRateLimits(rate_limit, world.options.settings.rateLimit)
  if (repeated) {
    const { plan, number } = repeated
    const token = tokenOf(sandbox)
    return { plan, token, first: number - 1, end: number, clock, limits: limitsOf(token) }
  }
  const loadedMs = Date.parse(world.origin.loadedAt)
  const begun = { startMs: planned.startMs, loadedMs, realMs: Date.now() }
  const startMs = toStart(begun, '--start')
  await clock.begin(startMs)
  const limits = limitsOf(tokenOf(sandbox))
  if (!clock.isFaked) {
    // Waiting for a limit would take real time.
    const { id } = tokenOf(sandbox)
    const patch = {
      rate_limit: { per_minute: 'unlimited', per_hour: 'unlimited' },
      // It was spent in a window that no longer exists.
      spent: null,
    }
    await sandbox.command({ type: 'record.patch', collection: 'tokens', id, patch })
  }
  const token = tokenOf(sandbox)
  const plan = planRehearsal({
    ...planned,
    seed: served.seed ?? SETTING_DEFAULTS.seed.default,
    startMs,
    records: world.records,
    token,
    isRealTime: !clock.isFaked,
  })
  const { length } = plan.steps
  return { plan, token, first: 0, end: Math.min(until ?? length, length), clock, limits }
}

function tokenOf({ world }: Sandbox): TokenRecord {
  const token = findUsableToken(world.records.all('tokens'))
  if (token) return token
  throw new OptionError(
    'The world has no token that this machine may use. Add an active one to its fixture.',
  )
}
