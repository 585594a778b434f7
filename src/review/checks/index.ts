import type { AnyCheck } from '../check.ts'
import { reportNumberRange } from './report-number-range.ts'
import { retryAfter } from './retry-after.ts'
import { tokenInBrowser } from './token-in-browser.ts'

/** Every check, in the order of a review. */
export const CHECKS: readonly AnyCheck[] = [retryAfter, reportNumberRange, tokenInBrowser]
