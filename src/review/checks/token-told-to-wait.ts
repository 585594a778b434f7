import { WAIT_TOLERANCE_MS } from '../../contract/limits.ts'
import { defineCheck, remember } from '../check.ts'
import { recordRefused, isOver, startRefusal } from '../refusal.ts'
import type { StandingRefusal } from '../refusal.ts'
import { listSequences, resourceOf } from '../reviewed-request.ts'
import type { NamedRequest } from '../reviewed-request.ts'

/** The wait of a token, and the requests refused during it, by resource. */
interface Wait {
  refusal: StandingRefusal
  resources: Map<string, NamedRequest>
}

export const tokenToldToWait = defineCheck({
  id: 'token-told-to-wait',
  category: 'retries',
  severity: 'error',
  section: '8',
  finds:
    'went on with a token that had used up its limit, and got more than ten 429s within one wait',
  instead:
    'Let all requests of a token wait as long as Retry-After says, because they share its limit.',
  exercise:
    'Let the client send more requests than its token is allowed per minute, such as with `--rate-limit 10/min`, and go on afterwards.',
  sees: 'errors',
  start: () => new Map<string, Wait>(),
  read: (request, report, waits) => {
    const { head, caller, before, isFailure, retryAfterMs, sequence } = request
    const wait = waits.get(caller)
    if (wait) report.meet()
    // A refusal by a fault has nothing to do with the token's limit, and a response that never arrived tells nobody to
    // wait.
    if (head.exhausted.length === 0 || isFailure) return
    const resource = resourceOf(request)
    if (!wait || isOver(wait.refusal, request)) {
      const refusal = startRefusal(request, (retryAfterMs ?? 0) - WAIT_TOLERANCE_MS, wait?.refusal)
      remember(waits, caller, { refusal, resources: new Map([[resource, request.toNamed()]]) })
      return
    }
    const { refusal, resources } = wait
    // The check `retry-after` covers repetitions of a request that got a 429 during this wait.
    if (before?.status === 429 && before.rateMs >= refusal.fromMs) return
    const other = resources.get(resource)
    if (other !== undefined) {
      report.fail(
        () =>
          `Request ${sequence} repeats request ${other.sequence} in another form before its wait was over.`,
        () => [other, request.toNamed()],
        { waitedMs: request.rateMs - other.rateMs },
      )
      return
    }
    remember(resources, resource, request.toNamed())
    if (!recordRefused(refusal, request)) return
    report.fail(
      () =>
        `After request ${refusal.request.sequence} was told to wait ${(refusal.untilMs - refusal.fromMs + WAIT_TOLERANCE_MS) / 1000} s, its token went on with requests ${listSequences(refusal.requests)} for other URLs.`,
      () => [refusal.request, ...refusal.requests],
    )
  },
})
