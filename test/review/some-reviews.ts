import type { CheckResult, Finding, LedgerEntry, Review } from '../../src/review/review.ts'
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
  return aCheck({ result: 'failed', findings: [aFinding()], ...given })
}

export function aFinding(given: Partial<Finding> = {}): Finding {
  return {
    session: 1,
    at: '2026-03-04T12:00:01.000000Z',
    requests: [
      { sequence: 1, method: 'GET', path: '/api/v1/projects', status: 429 },
      { sequence: 2, method: 'GET', path: '/api/v1/projects?page=2', status: 0 },
    ],
    message: 'The request was sent again 60 ms after a 429 that said to wait 12 s.',
    instead: 'Wait as long as Retry-After says.',
    ...given,
  }
}

function anEntry(given: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    session: 1,
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
  const counts = { requests: 3, sessions: 1 }
  return { version: 1, verdict: 'passed', ...counts, checks: [aCheck()], ledger: [], ...given }
}

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
        findings: [
          aFinding({
            at: HOSTILE,
            requests: [{ sequence: 1, method: HOSTILE, path: HOSTILE, status: 200 }],
            message: HOSTILE,
            instead: HOSTILE,
          }),
        ],
      }),
      aCheck({ id: 'poll-latest', result: 'not-exercised', exercise: HOSTILE }),
    ],
    ledger: [anEntry({ finished_at: HOSTILE, state: 'late' })],
  }),
  session: HOSTILE,
}

/** A long review of a large agency. */
export const LARGE: ReportInput = {
  review: aReview({
    verdict: 'failed',
    requests: 5000,
    checks: [
      aFailure({
        findings: Array.from({ length: 200 }, (_, index) =>
          aFinding({
            requests: Array.from({ length: 30 }, (_unused, place) => ({
              sequence: index * 30 + place,
              method: 'GET',
              path: '/api/v1/me',
              status: 200,
            })),
            message: `Finding ${index + 1}.`,
            instead: 'Wait.',
          }),
        ),
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
}

/** One of a client that was refused each time. */
export const UNREAD: ReportInput = {
  review: aReview({ verdict: 'nothing-read', requests: 2 }),
}

/** One of a client that made no request. */
export const NOTHING: ReportInput = {
  review: aReview({
    verdict: 'nothing-asked',
    requests: 0,
    checks: [aCheck({ result: 'not-exercised' })],
  }),
}
