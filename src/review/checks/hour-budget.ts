import { HOUR_MS } from '../../contract/time.ts'
import { toRateLimits } from '../../contract/limits.ts'
import type { World } from '../../world/world.ts'
import { defineCheck, remember } from '../check.ts'

/** The requests of a token in one hour, which begins with the first request after the previous hour. */
interface Hour {
  startMs: number
  count: number
  isOver: boolean
}

/** Interval, in requests, at which the count of an hour is compared with half of the hourly limit. */
const COMPARISON_INTERVAL = 50

export const hourBudget = defineCheck({
  id: 'hour-budget',
  category: 'requests',
  severity: 'warning',
  section: '8',
  finds: 'used up the requests of an hour, so that the rest had to wait',
  instead:
    'Fit a sync into the hourly limit: read lists instead of single records, full pages, and the content of new reports only.',
  exercise: 'Let the client send at least half of the requests that its token is allowed per hour.',
  sees: 'all',
  start: () => new Map<string, Hour>(),
  read: ({ sender, head, caller, rateMs, status, sequence }, report, hours, world) => {
    const token = sender.token?.id
    if (token === undefined || status === 0 || status === 401 || status === 403) return
    const known = hours.get(caller)
    const isOpen = known !== undefined && rateMs < known.startMs + HOUR_MS
    const hour = isOpen ? known : { startMs: rateMs, count: 0, isOver: false }
    if (!isOpen) remember(hours, caller, hour)
    if (status !== 429) {
      hour.count += 1
      if (hour.count % COMPARISON_INTERVAL === 0 && hour.count * 2 >= limitOf(token, world))
        report.meet()
      return
    }
    if (hour.isOver || !head.exhausted.includes('hour')) return
    // A fixture may have used up part of the hourly limit before the first request.
    if (hour.count < limitOf(token, world)) return
    hour.isOver = true
    report.fail(
      () =>
        `Request ${sequence} is refused by the hourly limit, after ${hour.count} requests in that hour.`,
    )
  },
})

function limitOf(token: number, { records, options }: Pick<World, 'records' | 'options'>): number {
  const limit = records.get('tokens', token)?.rate_limit
  if (limit === undefined) return Infinity
  const { per_hour } = toRateLimits(limit, options.settings.rateLimit)
  return per_hour === 'unlimited' ? Infinity : per_hour
}
