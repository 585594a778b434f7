import type { Check } from '../check.ts'
import { agencyFilterScoped } from './agency-filter-scoped.ts'
import { backoff } from './backoff.ts'
import { doubledPrefix } from './doubled-prefix.ts'
import { handMadePages } from './hand-made-pages.ts'
import { hourBudget } from './hour-budget.ts'
import { jsonAccept } from './json-accept.ts'
import { missingAfterError } from './missing-after-error.ts'
import { nextLink } from './next-link.ts'
import { oneByOne } from './one-by-one.ts'
import { pollLatest } from './poll-latest.ts'
import { probing } from './probing.ts'
import { repeatedRead } from './repeated-read.ts'
import { reportNumberRange } from './report-number-range.ts'
import { retryAfter } from './retry-after.ts'
import { retryMissing } from './retry-missing.ts'
import { retryUnauthorised } from './retry-unauthorised.ts'
import { tokenInBrowser } from './token-in-browser.ts'
import { tokenInUrl } from './token-in-url.ts'
import { tokenToldToWait } from './token-told-to-wait.ts'
import { unauthenticated } from './unauthenticated.ts'
import { unfinishedContent } from './unfinished-content.ts'
import { unknownParameter } from './unknown-parameter.ts'
import { unknownPath } from './unknown-path.ts'

const LISTED = [
  retryAfter,
  tokenToldToWait,
  backoff,
  retryUnauthorised,
  retryMissing,
  missingAfterError,
  unfinishedContent,
  pollLatest,
  reportNumberRange,
  nextLink,
  handMadePages,
  unknownParameter,
  agencyFilterScoped,
  unknownPath,
  doubledPrefix,
  oneByOne,
  probing,
  repeatedRead,
  hourBudget,
  jsonAccept,
  unauthenticated,
  tokenInUrl,
  tokenInBrowser,
] as const

export type CheckId = (typeof LISTED)[number]['id']

/** Every check, in the order of a review. */
export const CHECKS: readonly Check<CheckId>[] = LISTED

export const CHECK_IDS = CHECKS.map(({ id }) => id)
