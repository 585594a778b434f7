import { DEFAULT_PER_PAGE } from '../contract/limits.ts'
import { toDateTime } from '../contract/time.ts'
import type { RecordReader } from '../contract/records.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { judge } from '../review/judge.ts'
import type { Demands, JudgedCheck, JudgedReview, RunContext } from '../review/judge.ts'
import type { Trace } from '../review/causes.ts'
import { MAXIMUM_FINDINGS, MAXIMUM_REQUESTS_OF_FINDING } from '../review/check-findings.ts'
import { statusOf, shortenPath } from '../review/reviewed-request.ts'
import { REHEARSAL_CHECKS } from '../review/requirements.ts'
import type { RehearsalCheckId } from '../review/requirements.ts'
import type {
  Expected,
  Rehearsed,
  RehearsedRun,
  CheckResult,
  Finding,
  Plan,
  Review,
} from '../review/review.ts'
import type { Deliveries } from './report-deliveries.ts'
import type { EndedRun, Mistake } from './ended-run.ts'
import type { RehearsalPlan } from './rehearsal-plan.ts'
import { delayingRunOf, listUndelivered } from './undelivered.ts'

export type JudgedRehearsal = JudgedReview & Rehearsed

interface JudgeOptions extends Demands {
  plan: RehearsalPlan
  runs: readonly EndedRun[]
  /** The review of all runs, which share one session. */
  review: Review
  deliveries: Deliveries
  expect: Expected
  notRehearsed: Plan['lacks']
  context: RunContext
  /** The records at the end of the rehearsal. */
  records: RecordReader
  /** The agency of the token; undefined for a token of all agencies. */
  agency: number | undefined
  redact: (text: string) => string
  /** True if the client requested reports, or requested anything while a requirement is about delivery. */
  wantsReports: boolean
  explainUnmet: (id: CheckResult['id']) => string
}

export function judgeRehearsal(options: JudgeOptions): JudgedRehearsal {
  const { plan, runs, review, deliveries, context, require, waive } = options
  const traces = new Map<Finding, Trace>()
  const checks = [
    ...review.checks.map((check) => placeInRuns(check, options, traces)),
    ...REHEARSAL_CHECKS.map((check) => judgeRuns(check, options, traces)),
  ]
  const delays = new Map(
    deliveries.undelivered().map((one) => [one.id, delayingRunOf(one, options)]),
  )
  const judged = judge(
    { ...review, checks, ledger: deliveries.list() },
    {
      require,
      waive,
      context,
      traceOf: (finding) => traces.get(finding),
      explainUndelivered: ({ report_id }) => {
        const delay = delays.get(report_id)
        return delay && `${delay.run} ${delay.ended}`
      },
    },
  )
  const ran = runs.map((run): RehearsedRun => {
    const { index, ended, message, exit, requests } = run
    const number = index + 1
    const found = foundIn(run, plan)
    const foundAtEnd = judged.checks.filter((check) => check.runs?.includes(number))
    return {
      ...plan.shown.runs[index]!,
      ended,
      ...(message !== undefined && { message }),
      ...(exit !== undefined && { exit }),
      requests,
      findings: [...new Set([...found, ...foundAtEnd.map(({ id }) => id)])],
    }
  })
  return {
    ...judged,
    plan: plan.shown,
    expect: options.expect,
    lacks: options.notRehearsed,
    runs: ran,
    delays: deliveries.delays(),
  }
}

/**
 * Adapts the review's result for a check to a rehearsal: assigns its findings to runs, and drops those that the plan
 * made unavoidable.
 */
function placeInRuns(
  check: CheckResult,
  options: JudgeOptions,
  traces: Map<Finding, Trace>,
): JudgedCheck {
  const { runs, explainUnmet } = options
  if (check.result === 'not-exercised')
    return { ...check, exercise: `${explainUnmet(check.id)} ${check.exercise}` }
  if (check.result !== 'failed') return check
  const findings = check.findings
    .map((finding) => {
      const own = finding.requests.map(({ sequence }) => runOf(sequence, runs))
      const placed = withRun(check.id, finding, own.at(-1) ?? 0, options)
      const numbers = inOrder(own.map((index) => index + 1))
      traces.set(placed, { runs: numbers, ...(numbers[0] && { spoiltFrom: numbers[0] }) })
      return placed
    })
    .filter((finding) => !isUnavoidable(check, finding, options))
  if (findings.length === 0) return { ...check, result: 'passed', findings }
  if (isCut(options) && DECIDED_AT_END.includes(check.id))
    return { ...check, result: 'unsettled', findings }
  const numbers = [
    ...runs
      .filter((run) => foundIn(run, options.plan).includes(check.id))
      .map(({ index }) => index + 1),
    ...findings.flatMap((finding) => traces.get(finding)?.runs ?? finding.run),
  ]
  return { ...check, findings, runs: inOrder(numbers) }
}

function inOrder(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((one, other) => one - other)
}

function runOf(sequence: number, runs: readonly EndedRun[]): number {
  return (runs.findLast(({ afterSequence }) => afterSequence < sequence) ?? runs[0])?.index ?? 0
}

function foundIn({ index, found }: EndedRun, plan: RehearsalPlan): string[] {
  return found.filter((id) => id !== HOUR || !plan.steps[index]!.isTight)
}

const HOUR = 'hour-budget'

function isUnavoidable(
  { id }: CheckResult,
  { run, requests }: Finding & { run: number },
  options: JudgeOptions,
): boolean {
  if (id === HOUR) return options.plan.steps[run - 1]?.isTight === true
  if (id === 'next-link') {
    // A client that turned pages in another run may have failed in this one before it could, and later the page may be gone.
    const own = options.runs.find(({ index }) => index === run - 1)
    return own?.ended !== 'done' && options.runs.some(({ hasTurnedPage }) => hasTurnedPage)
  }
  return id === 'missing-after-error' && !canStillBeRead(requests[0]?.path ?? '', options)
}

/**
 * True if a path can still be read at the end of the rehearsal. False if its project is gone or paused, if its report
 * is not completed, or if the list no longer has that page.
 */
function canStillBeRead(path: string, { records, agency }: JudgeOptions): boolean {
  const [, project, number] = /\/projects\/(\d+)(?:\/reports\/(\d+))?/.exec(path) ?? []
  if (project !== undefined) {
    if (records.get('projects', Number(project))?.status !== 'active') return false
    if (number === undefined) return true
    const report = records
      .reportsOf(Number(project))
      .find(({ report_number }) => report_number === Number(number))
    return report?.status === 'completed'
  }
  const [list, text] = path.split('?')
  if (!list?.endsWith('/projects')) return true
  const query = new URLSearchParams(text)
  const page = Number(query.get('page') ?? 1)
  const perPage = Number(query.get('per_page')) || DEFAULT_PER_PAGE
  const shown = records.projectsOf({ agency, status: query.get('status') ?? undefined })
  return (page - 1) * perPage < shown.length
}

/** True if the last runs of the plan, which might have made up for missing reads, were left out. */
function isCut({ runs, plan }: JudgeOptions): boolean {
  return (runs.at(-1)?.index ?? 0) < plan.steps.length - 1
}

/** Checks decided at the end, because any later run can make up for a missing read. */
const DECIDED_AT_END: readonly CheckResult['id'][] = ['missing-after-error', 'undelivered']

function withRun(
  id: CheckResult['id'],
  finding: Finding,
  index: number,
  { plan, runs }: JudgeOptions,
): Finding & { run: number } {
  const { seed, start } = plan.shown
  const until = DECIDED_AT_END.includes(id) ? (runs.at(-1)?.index ?? index) + 1 : index + 1
  return { ...finding, run: index + 1, reproduce: { seed, start, until } }
}

const FINDERS: Record<
  RehearsalCheckId,
  (options: JudgeOptions) => { isMet: boolean; mistakes: Mistake[] }
> = {
  twice: ({ deliveries, runs }) => ({
    isMet: runs.length > 1 && deliveries.list().some(({ fetches }) => fetches > 0),
    mistakes: listRefetches(deliveries.refetches, runs),
  }),
  undelivered: (options) => ({
    isMet: options.wantsReports && options.deliveries.list().length > 0,
    mistakes: options.wantsReports ? listUndelivered(options) : [],
  }),
  'silent-failure': ({ runs }) => ({
    isMet: runs.some(({ failedReads }) => failedReads.length > 0),
    mistakes: runs.flatMap(({ index, ended, failedReads }) => {
      const [first] = failedReads
      if (ended !== 'done' || !first) return []
      const more = failedReads.length > 1 ? `, and ${failedReads.length - 1} more` : ''
      const message = `The run asked for ${first.description}${more}, never got it, and ended as if everything was done.`
      return [{ index, message, requests: failedReads.map(({ request }) => request) }]
    }),
  }),
  recovery: (options) => ({
    isMet: options.runs.some(({ ended }) => ended !== 'done'),
    mistakes: listUnrecovered(options),
  }),
  'endless-run': ({ runs }) => ({
    isMet: runs.some(
      ({ hasUnansweredRequest, ended }) => hasUnansweredRequest || ended === 'timeout',
    ),
    mistakes: runs.flatMap(({ index, ended, message = '', unanswered }) =>
      ended === 'timeout' ? [{ index, message, requests: unanswered ? [unanswered] : [] }] : [],
    ),
  }),
}

function listRefetches(refetches: Deliveries['refetches'], runs: readonly EndedRun[]): Mistake[] {
  const [first] = refetches
  if (!first) return []
  const all = runs.reduce((sum, { requests }) => sum + requests, 0)
  const share = Math.max(1, Math.round((100 * refetches.length) / all))
  const message = `${refetches.length.toLocaleString('en')} of ${all.toLocaleString('en')} requests in ${runs.length} runs (${share}%) fetched content that had not changed since an earlier run had fetched it and ended well.`
  const indexes = refetches.map(({ index }) => index)
  return [{ index: first.index, message, requests: [first.request], indexes }]
}

/** Checks whose mistakes can make a run fail, by the status of the response. */
const CHECKS_BY_STATUS: readonly (readonly [status: number, ids: readonly CheckResult['id'][]])[] =
  [
    [400, ['unknown-parameter', 'token-in-url']],
    [401, ['unauthenticated']],
    [403, ['agency-filter-scoped']],
    [404, ['probing', 'retry-missing', 'unknown-path', 'doubled-prefix']],
  ]

/**
 * After a failed run, the client has not recovered if this many calm runs fail too. A single one may fail because of
 * leftovers of the first failure.
 */
const CALM_RUNS_TO_RECOVER = 2

function listUnrecovered({ runs, plan }: JudgeOptions): Mistake[] {
  const mistakes: Mistake[] = []
  let failedIndex: number | undefined
  let calm = 0
  let isKilled = false
  for (const { index, ended, message, statuses, isKilled: own } of runs) {
    if (ended === 'done') {
      failedIndex = undefined
      continue
    }
    if (failedIndex === undefined) {
      failedIndex = index
      isKilled = own === true
      calm = 0
      continue
    }
    if (!plan.steps[index]!.isCalm) continue
    // The check `endless-run` reports timeouts.
    if (ended === 'timeout') continue
    calm += 1
    if (calm !== CALM_RUNS_TO_RECOVER) continue
    const reason = message === undefined ? '.' : `: ${message}`
    mistakes.push({
      index,
      message: `No run has ended well since run ${failedIndex + 1}${isKilled ? ', which was killed' : ' failed'}, although nothing disturbed this one${reason}`,
      requests: [],
      spoiltFrom: failedIndex,
      possibleCauses: CHECKS_BY_STATUS.filter(([status]) => statuses.has(status)).flatMap(
        ([, ids]) => ids,
      ),
    })
  }
  return mistakes
}

function judgeRuns(
  { id, category, severity, section, exercise, instead }: (typeof REHEARSAL_CHECKS)[number],
  options: JudgeOptions,
  traces: Map<Finding, Trace>,
): JudgedCheck {
  const { isMet, mistakes } = FINDERS[id](options)
  const findings = mistakes.slice(0, MAXIMUM_FINDINGS).map((mistake) => {
    const {
      index,
      message,
      requests,
      reports,
      indexes = [index],
      possibleCauses,
      spoiltFrom,
    } = mistake
    const named = requests.slice(0, MAXIMUM_REQUESTS_OF_FINDING)
    const at = named.at(-1)
    const finding: Finding = {
      session: 1,
      at: toDateTime(at ? at.atMs + at.rateOffsetMs : options.plan.steps[index]!.atMs),
      requests: named.map((request) => toNamed(request, options.redact)),
      message: options.redact(message),
      instead,
      ...(reports !== undefined && { reports }),
    }
    const placed = withRun(id, finding, index, options)
    const numbers = inOrder(indexes.map((one) => one + 1))
    traces.set(placed, { runs: numbers, possibleCauses, spoiltFrom: (spoiltFrom ?? index) + 1 })
    return placed
  })
  const isOpen = isCut(options) && DECIDED_AT_END.includes(id)
  const found = isOpen ? 'unsettled' : 'failed'
  const result = mistakes.length > 0 ? found : isMet ? 'passed' : 'not-exercised'
  return {
    id,
    category,
    // `twice` is an error if the client also exceeds the hourly limit: the repeated fetches then keep it from fetching
    // new content.
    severity: id === 'twice' && hasFailed(HOUR, options) ? 'error' : severity,
    section,
    result,
    exercise,
    findings,
    ...(result === 'failed' && {
      runs: inOrder(
        mistakes.flatMap(({ index, indexes = [] }) => [index, ...indexes].map((one) => one + 1)),
      ),
    }),
  }
}

function hasFailed(id: CheckResult['id'], options: JudgeOptions): boolean {
  const check = options.review.checks.find((one) => one.id === id)
  return check !== undefined && placeInRuns(check, options, new Map()).result === 'failed'
}

function toNamed(
  request: RecordedRequest,
  redact: (text: string) => string,
): Finding['requests'][number] {
  const { sequence, target, query, sender } = request
  const path = query === '' ? target.path : `${target.path}?${query}`
  return {
    sequence,
    method: redact(sender.method),
    path: shortenPath(redact(path)),
    status: statusOf(request),
  }
}
