/** What a review judges by, in the order in which it lists them. */
export const CHECK_IDS = [
  'retry-after',
  'backoff',
  'retry-unauthorised',
  'missing-after-error',
  'unfinished-content',
  'poll-latest',
  'report-number-range',
  'next-link',
  'hand-made-pages',
  'unknown-parameter',
  'agency-filter-scoped',
  'doubled-prefix',
  'one-by-one',
  'repeated-read',
  'hour-budget',
  'json-accept',
  'token-in-url',
  'token-in-browser',
] as const
export type CheckId = (typeof CHECK_IDS)[number]

/** What checks are about. */
export const CATEGORIES = ['retries', 'reports', 'paging', 'requests', 'security'] as const
export type Category = (typeof CATEGORIES)[number]

/** An error fails the review; a warning and a notice are only shown. */
export const SEVERITIES = ['error', 'warning', 'notice'] as const
export type Severity = (typeof SEVERITIES)[number]

/** What became of a finished report, the best first: the worst that happened is shown. */
export const LEDGER_STATES = [
  'delivered',
  'twice',
  'late',
  'stale',
  'unfinished',
  'missing',
] as const
