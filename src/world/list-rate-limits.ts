import { toDateTime } from '../contract/moments.ts'
import type { RateLimitStatus } from '../contract/rate-gauge.ts'
import type { WorldParts } from './commands/command.ts'

/** The rate windows of all tokens of a world, by ascending id of the token; nothing is counted. */
export function listRateLimits({ state, secrets }: WorldParts): RateLimitStatus {
  const { clock, engine, policies, records } = state
  const { redactor } = secrets
  return {
    rate_clock: toDateTime(clock.rateMs()),
    rate_window: policies['rate-window'],
    tokens: records.indexes.all('tokens').map((token) => ({
      token_id: token.id,
      token: redactor.inText(token.name),
      ...engine.gaugesOf(token),
    })),
  }
}
