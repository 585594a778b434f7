import type { CheckResult, LedgerEntry, Review } from '../../src/review/review.ts'
import type { ReportInput } from '../../src/review/reports/report-input.ts'

/** Markup of every format, a terminal's codes, marks that change the direction of text, and what XML does not allow. */
export const HOSTILE =
  '<script>alert(1)</script> "&amp;\' `code` [link](javascript:x) | \u001b[31m \u202Eabc\u202C \u0000\uFFFE ]]> *b* שלום\nline'

export function aCheck(given: Partial<CheckResult> = {}): CheckResult {
  const check = {
    id: 'retry-after',
    category: 'retries',
    severity: 'error',
    section: '5.3',
    exercise: 'Add a fault, such as one of `status` 429.',
  } as const
  return { ...check, result: 'passed', findings: [], ...given }
}

function aFailure(given: Partial<CheckResult> = {}): CheckResult {
  const finding = {
    requests: [1, 2],
    message: 'The request was sent again 60 ms after a 429 that said to wait 12 s.',
    instead: 'Wait as long as Retry-After says.',
  }
  return aCheck({ result: 'failed', findings: [finding], ...given })
}

function anEntry(given: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    project: 101,
    report_number: 4,
    report_id: 14,
    finished_at: '2026-03-04T12:00:00.000000Z',
    first_fetched_at: '2026-03-04T12:05:00.000000Z',
    fetches: 1,
    state: 'delivered',
    ...given,
  }
}

export function aReview(given: Partial<Review> = {}): Review {
  return { version: 1, verdict: 'passed', requests: 3, checks: [aCheck()], ledger: [], ...given }
}

const SENT = { method: 'GET', path: '/api/v1/projects', query: '' }

/** A review with something of everything. */
export const FAILED: ReportInput = {
  review: aReview({
    verdict: 'failed',
    requests: 42,
    checks: [
      aCheck({ id: 'backoff' }),
      aFailure({ id: 'json-accept', category: 'requests', severity: 'notice', section: '1.1' }),
      aCheck({ id: 'next-link', category: 'paging', section: '3.2', result: 'not-exercised' }),
      aFailure({ id: 'poll-latest', category: 'reports', severity: 'warning', section: '4.5' }),
      aFailure(),
    ],
    ledger: [
      anEntry({ project: 102, report_number: 1, fetches: 3, state: 'twice' }),
      anEntry(),
      anEntry({ report_number: 6, first_fetched_at: null, fetches: 0, state: 'missing' }),
      anEntry({ report_number: 5, first_fetched_at: null, fetches: 0, state: 'missing' }),
    ],
  }),
  requests: [
    { ...SENT, sequence: 1, status: 429 },
    { ...SENT, sequence: 2, query: 'page=2', status: 0 },
  ],
  session: 'out/review.session.json',
}

/** A review in which every text is hostile. */
export const HOSTILE_REVIEW: ReportInput = {
  review: aReview({
    verdict: 'failed',
    checks: [
      aFailure({
        id: HOSTILE as 'backoff',
        section: HOSTILE,
        findings: [{ requests: [1], message: HOSTILE, instead: HOSTILE }],
      }),
      aCheck({ id: 'poll-latest', result: 'not-exercised', exercise: HOSTILE }),
    ],
    ledger: [anEntry({ finished_at: HOSTILE, state: 'late' })],
  }),
  requests: [{ sequence: 1, method: HOSTILE, path: HOSTILE, query: HOSTILE, status: 200 }],
  session: HOSTILE,
}

/** A long review of a large agency. */
export const LARGE: ReportInput = {
  review: aReview({
    verdict: 'failed',
    requests: 5000,
    checks: [
      aFailure({
        findings: Array.from({ length: 200 }, (_, index) => ({
          requests: Array.from({ length: 30 }, (_unused, place) => index * 30 + place),
          message: `Finding ${index + 1}.`,
          instead: 'Wait.',
        })),
      }),
    ],
    ledger: Array.from({ length: 1200 }, (_, index) =>
      anEntry({
        project: 1300 - index,
        report_id: index,
        finished_at: new Date(Date.UTC(2026, index % 12, 1 + (index % 28))).toISOString(),
        state: index % 3 === 0 ? 'late' : 'delivered',
      }),
    ),
  }),
  requests: [],
}

/** One of a client that was refused each time. */
export const UNREAD: ReportInput = {
  review: aReview({ verdict: 'nothing-read', requests: 2 }),
  requests: [],
}

/** One of a client that made no request. */
export const NOTHING: ReportInput = {
  review: aReview({
    verdict: 'nothing-asked',
    requests: 0,
    checks: [aCheck({ result: 'not-exercised' })],
  }),
  requests: [],
}
