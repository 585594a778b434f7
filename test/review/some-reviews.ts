import { listCauses } from '../../src/review/causes.ts'
import type { JudgedCheck, JudgedReview, RunContext } from '../../src/review/judge.ts'
import type { Finding, LedgerEntry } from '../../src/review/review.ts'
import type { SessionRun } from '../../src/session/session.ts'
import type { ReportInput } from '../../src/review/reports/report-input.ts'

/** Markup of every format, terminal codes, marks that change the direction of text, and characters that XML does not allow. */
export const HOSTILE =
  '<script>alert(1)</script> "&amp;\' `code` [link](javascript:x) | \u001b[31m \u202Eabc\u202C \u0000\uFFFE ]]> *b* שלום\nline'

export function aCheck(given: Partial<JudgedCheck> = {}): JudgedCheck {
  const check = {
    id: 'retry-after',
    category: 'retries',
    severity: 'error',
    section: '5.3',
    exercise: 'Add a fault, such as one of `status` 429.',
  } as const
  return { ...check, result: 'passed', findings: [], ...given }
}

function aFailure(given: Partial<JudgedCheck> = {}): JudgedCheck {
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

export function anEntry(given: Partial<LedgerEntry> = {}): LedgerEntry {
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

/** The context of a run that has ended. */
type EndedContext = RunContext & Pick<SessionRun, 'clocks'>

export function aContext(given: Partial<EndedContext> = {}): EndedContext {
  return {
    command: 'python3 sync.py',
    exit: 0,
    version: '1.2.3',
    date: '2026-03-31T18:30:00.000000Z',
    world: { seed: '7', fixtures: ['agency.yaml'] },
    policies: { 'foreign-project': '403' },
    clocks: {
      world: { from: '2026-03-01T00:00:00.000000Z', to: '2026-03-31T00:00:05.000000Z' },
      rate: { from: '2026-03-31T18:29:55.000000Z', to: '2026-03-31T18:30:00.000000Z' },
    },
    ...given,
  }
}

/** A review of a run without requirements. */
export function aReview(given: Partial<JudgedReview> = {}): JudgedReview {
  const counts = { requests: 3, sessions: 1, answered: true }
  const run = { context: aContext(), required: [], waived: [] }
  const parts = { ...counts, checks: [aCheck()], ledger: [], ...run }
  const causes = listCauses(given.checks ?? parts.checks)
  return { version: 1, verdict: 'passed', ...parts, causes, ...given }
}

/** A review with an example of everything. */
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
    required: [
      { what: 'backoff', met: true, message: 'It passed.', exercise: 'Add a fault.' },
      { what: 'delivered', met: false, message: '2 are missing.', exercise: 'Read them.' },
      { what: 'warnings', met: false, message: 'There are some.', exercise: 'Change them.' },
    ],
    waived: [
      { what: 'warnings', reason: 'The old client.', until: '2026-04-30', state: 'used' },
      { what: 'probing', reason: 'The new client.', until: '2026-04-30', state: 'unused' },
      { what: 'one-by-one', reason: 'A bug.', until: '2026-03-30', state: 'expired' },
    ],
  }),
  session: 'out/review.session.jsonl',
}

/** The review of a run with three sessions. */
export const SESSIONS: ReportInput = {
  review: aReview({
    verdict: 'failed',
    requests: 9,
    sessions: 3,
    checks: [
      aFailure({ findings: [aFinding(), aFinding({ session: 3 })] }),
      aCheck({ id: 'next-link', result: 'unsettled', findings: [aFinding({ message: 'Open.' })] }),
    ],
    ledger: [
      anEntry({ session: 2, state: 'late' }),
      anEntry({ session: 3, first_fetched_at: null, fetches: 0, state: 'unsettled' }),
    ],
  }),
  session: 'last.session.jsonl',
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
    context: aContext({ command: HOSTILE, version: HOSTILE, world: { fixtures: [HOSTILE] } }),
    required: [{ what: HOSTILE, met: false, message: HOSTILE, exercise: HOSTILE }],
    waived: [{ what: HOSTILE, reason: HOSTILE, until: '2026-04-30', state: 'unused' }],
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

/** A review of a client that was refused each time. */
export const UNREAD: ReportInput = {
  review: aReview({ verdict: 'nothing-read', requests: 2 }),
}

/** A review of a client that made no request. */
export const NOTHING: ReportInput = {
  review: aReview({
    verdict: 'nothing-asked',
    requests: 0,
    checks: [aCheck({ result: 'not-exercised' })],
  }),
}
