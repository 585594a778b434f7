import { LAST_REPORT_NUMBER } from '../contract/limits.ts'
import { DAY_MS, toDateTime, formatMonth, monthOf } from '../contract/time.ts'
import type { CheckResult } from '../review/review.ts'
import { statusOf } from '../review/reviewed-request.ts'
import { dayOf } from '../review/reports/rehearsal.ts'
import type { Deliveries, Undelivered } from './report-deliveries.ts'
import type { EndedRun, Mistake, FailedRead } from './ended-run.ts'
import type { RehearsalPlan } from './rehearsal-plan.ts'

interface UndeliveredOptions {
  plan: RehearsalPlan
  runs: readonly EndedRun[]
  deliveries: Deliveries
}

type FailedReadOfRun = FailedRead & { index: number }

interface UndeliveredCause {
  /** Reports with equal keys are one mistake. */
  key:
    | 'failed-read'
    | 'cut-short'
    | 'delayed'
    | 'refused'
    | 'unfinished'
    | 'regenerated'
    | 'stopped'
    | 'feed'
    | 'unasked'
    | 'never'
  /** Predicate of a sentence about the report: `was never fetched`. */
  text: string
  /** Special situations of the report that may explain the cause, likeliest first. */
  reasons: readonly string[]
  failedRead?: FailedReadOfRun
  possibleCauses?: readonly CheckResult['id'][]
}

interface ExplainedDelivery {
  delivery: Undelivered
  cause: UndeliveredCause
}

/**
 * Lists the undelivered reports as mistakes, one per kind of cause, in the order in which the reports could first be
 * fetched.
 */
export function listUndelivered(options: UndeliveredOptions): Mistake[] {
  const context = createContext(options)
  const found = options.deliveries
    .undelivered()
    .map((delivery): ExplainedDelivery => ({ delivery, cause: causeOf(delivery, context) }))
  const unexplained = found.filter(({ cause }) => cause.key === 'never')
  const known = new Set(unexplained.flatMap(({ cause }) => cause.reasons.map(kindOf)))
  const plain = unexplained.filter(({ cause }) => cause.reasons.length === 0).length
  const groups = new Map<string, ExplainedDelivery[]>()
  for (const { delivery, cause } of found) {
    // A cause in `ABSORBED` becomes `never` if more than half of the reports are `never` without a reason, or if a
    // report that is `never` has a similar reason.
    const isShared =
      plain > found.length / 2 || cause.reasons.some((reason) => known.has(kindOf(reason)))
    const isAbsorbed = isShared && ABSORBED.includes(cause.key)
    const text = delivery.state === 'late' ? LATE : NEVER
    const own: UndeliveredCause = isAbsorbed ? { ...cause, key: 'never', text } : cause
    groups.set(own.key, [...(groups.get(own.key) ?? []), { delivery, cause: own }])
  }
  return [...groups.values()].map(toMistake)
}

const NEVER = 'was never fetched'
const LATE = 'was first fetched after its date_to_send_to_client'

/** Replaces numbers, so that reasons that differ only in a number, such as that of a run, are equal. */
function kindOf(reason: string): string {
  return reason.replaceAll(/\d+/g, '#')
}

const ABSORBED: readonly UndeliveredCause['key'][] = ['regenerated', 'unasked', 'delayed']

function toMistake(found: readonly ExplainedDelivery[]): Mistake {
  const reasons = found[0]!.cause.key === 'regenerated' ? [] : reasonsOf(found)
  const [reason] = reasons
  const isLate = ({ delivery: { state } }: ExplainedDelivery) => state === 'late'
  const allLate = found.filter(isLate)
  const [late] = allLate.length >= found.length / 2 ? allLate : []
  const first =
    late ??
    found.find(({ cause }) => cause.reasons[0] === reason && reasons.length > 0) ??
    found[0]!
  const { delivery, cause } = first
  const { project, number, finishedMs } = delivery
  const when = finishedMs === null ? '' : `, completed on ${dayOf(toDateTime(finishedMs))},`
  const why = reason === undefined ? '' : `${cause.text.includes(': ') ? '; ' : ': '}${reason}`
  const same = found.filter((one) => isLate(one) === isLate(first)).length - 1
  const other = found.length - same - 1
  const more = [
    ...(same > 0 ? [` The same is true of ${same} more.`] : []),
    ...(other > 0 ? [` Each of ${other} others ${isLate(first) ? NEVER : LATE}.`] : []),
    ...(reasons.length > 1 ? [` Other possible reasons: ${reasons.slice(1).join('; ')}.`] : []),
  ].join('')
  const isOfOne = found.every((one) => one.cause.possibleCauses?.[0] === cause.possibleCauses?.[0])
  return {
    index: runIndexOf(first),
    message: `Report ${number} of project ${project}${when} ${cause.text}${why}.${more}`,
    requests: cause.failedRead ? [cause.failedRead.request] : [],
    indexes: found.map(runIndexOf),
    reports: found.length,
    possibleCauses: (isOfOne && cause.possibleCauses) || [],
  }
}

/**
 * Lists the first reason of each report, most frequent first; empty if any report has none. `ADDED` always comes first:
 * an added project is usually on the first page, so paging does not explain its reports. `BEFORE` always comes last.
 */
function reasonsOf(found: readonly ExplainedDelivery[]): string[] {
  const counts = new Map<string, number>()
  for (const { cause } of found) {
    const [reason] = cause.reasons
    if (reason === undefined) return []
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const rank = (reason: string) =>
    reason === BEFORE ? 0 : reason.startsWith(ADDED) ? Infinity : (counts.get(reason) ?? 0)
  return [...counts.keys()].toSorted((one, other) => rank(other) - rank(one))
}

function runIndexOf({ delivery: { firstRun }, cause: { failedRead } }: ExplainedDelivery): number {
  return failedRead?.index ?? firstRun ?? 0
}

interface Context extends UndeliveredOptions {
  /** By path, the last failed read that no later run has repeated with success. */
  failedReads: ReadonlyMap<string, FailedReadOfRun>
  /** Index of the last run that ended well; -1 if none did. */
  lastDone: number
  /** For each project whose reports were read, the index of the last run that read them. */
  lastReads: ReadonlyMap<number, number>
  /** The projects beyond the first page of the client's list in any run. */
  pastPage: ReadonlySet<number>
}

const PROJECT_IN_PATH = /\/projects\/(\d+)\/reports/

function createContext(options: UndeliveredOptions): Context {
  const failedReads = new Map<string, FailedReadOfRun>()
  const lastReads = new Map<number, number>()
  for (const { index, failedReads: own, readPaths } of options.runs) {
    for (const path of readPaths) {
      failedReads.delete(path)
      const id = PROJECT_IN_PATH.exec(path)?.[1]
      if (id !== undefined) lastReads.set(Number(id), index)
    }
    for (const failedRead of own)
      failedReads.set(failedRead.request.target.path, { ...failedRead, index })
  }
  return {
    ...options,
    failedReads,
    lastDone: options.runs.findLast(({ ended }) => ended === 'done')?.index ?? -1,
    lastReads,
    pastPage: new Set(options.runs.flatMap(({ pastPage }) => pastPage)),
  }
}

/** Returns a cause that the runs of the client prove, or else one with possible reasons. */
function causeOf(delivery: Undelivered, context: Context): UndeliveredCause {
  const { state, project, number, finishedMs, firstRun, isReplacement } = delivery
  const { failedReads, lastDone, lastReads, pastPage, runs } = context
  const reasons = guessReasons(delivery, context)
  if (state === 'unfinished')
    return {
      key: 'unfinished',
      text: 'was fetched before it was completed, but not again afterwards',
      reasons: [],
      possibleCauses: ['unfinished-content'],
    }
  const path = `/api/v1/projects/${project}/reports`
  const failedRead = [failedReads.get(`${path}/${number}/content`), failedReads.get(path)].find(
    (one) => one && (finishedMs ?? 0) <= one.request.atMs + one.request.worldOffsetMs,
  )
  if (failedRead && state !== 'late')
    return {
      key: 'failed-read',
      text: `${NEVER}: run ${failedRead.index + 1} asked for ${failedRead.description}, and no later one read it`,
      failedRead,
      reasons: [],
      possibleCauses: possibleCausesOf(failedRead),
    }
  const ofProject = [...failedReads.values()].find(
    ({ request }) => request.target.project === project,
  )
  if (ofProject && ofProject.index >= (lastReads.get(project) ?? -1) && state === 'missing')
    return {
      key: 'failed-read',
      text: `${NEVER}: run ${ofProject.index + 1} asked for ${ofProject.description}, and no later one asked for its project`,
      failedRead: ofProject,
      reasons: [],
      possibleCauses: possibleCausesOf(ofProject),
    }
  if (state !== 'late' && lastDone < 0)
    return {
      key: 'stopped',
      text: `${NEVER}: no run ended well`,
      reasons: [],
      possibleCauses: [
        'unknown-parameter',
        'unknown-path',
        'doubled-prefix',
        'recovery',
        'endless-run',
      ],
    }
  if (state !== 'late' && (firstRun ?? 0) > lastDone)
    return {
      key: 'stopped',
      text: `${NEVER}: from run ${lastDone + 2} on no run ended well`,
      reasons: [],
      possibleCauses: ['recovery', 'endless-run'],
    }
  const first = runs.find(({ index }) => index === firstRun)
  if (state !== 'stale' && first?.failedReads.some(({ request }) => statusOf(request) === 429))
    return {
      key: 'refused',
      text: `${state === 'late' ? LATE : NEVER}: run ${first.index + 1}, the first that could have fetched it, got no further than a 429`,
      reasons: [],
      possibleCauses: RATE_LIMIT_CHECKS,
    }
  if (first?.ended === 'timeout')
    return {
      key: 'cut-short',
      text: `${state === 'late' ? LATE : NEVER}: run ${first.index + 1}, the first that could have fetched it, did not end`,
      reasons: [],
      possibleCauses: ['endless-run'],
    }
  const failure = delayingRunOf(delivery, context)
  if (failure !== undefined)
    return {
      key: 'delayed',
      text: `${LATE}: ${failure.run}, the first after its completion, ${failure.ended}`,
      reasons: [],
    }
  if (!lastReads.has(project))
    return {
      key: 'unasked',
      text: `${NEVER}, nor was any other report of its project`,
      reasons,
      ...(pastPage.has(project) && { possibleCauses: ['next-link', 'hand-made-pages'] }),
    }
  const feed = feedOf(path, runs.slice(firstRun ?? 0))
  if (feed)
    return {
      key: 'feed',
      text: `${NEVER}: run ${feed.index + 1} looked for it only in \`${feed.name}\`, which shows one report of a project`,
      reasons,
    }
  if (state === 'stale')
    return {
      key: 'regenerated',
      text: 'was regenerated with a new id, and only its earlier content was fetched',
      reasons,
    }
  if (isReplacement)
    return {
      key: 'regenerated',
      text: `${NEVER}: it was regenerated with a new id`,
      reasons,
    }
  if (state === 'late') return { key: 'never', text: LATE, reasons: [] }
  return { key: 'never', text: NEVER, reasons }
}

/**
 * Returns the name and the ending of the first run after the completion of a late report: `run 3` and `was killed`.
 * Undefined if the report is not late, or if that run ended well.
 */
export function delayingRunOf(
  { state, finishedMs }: Undelivered,
  { plan, runs }: Pick<UndeliveredOptions, 'plan' | 'runs'>,
): { run: string; ended: string } | undefined {
  if (state !== 'late' || finishedMs === null) return undefined
  const first = runs.find(({ index }) => plan.steps[index]!.atMs >= finishedMs)
  if (!first || first.ended === 'done') return undefined
  const ended = first.ended === 'timeout' ? 'did not end' : 'failed'
  return { run: `run ${first.index + 1}`, ended: first.isKilled ? 'was killed' : ended }
}

const RATE_LIMIT_CHECKS = ['retry-after', 'token-told-to-wait', 'hour-budget'] as const

function possibleCausesOf({ request }: FailedReadOfRun): readonly CheckResult['id'][] {
  return statusOf(request) === 429
    ? ['missing-after-error', ...RATE_LIMIT_CHECKS]
    : ['missing-after-error']
}

/**
 * Returns the first of `runs` that requested `latest` or `last-generated` of a project, with the name of that endpoint.
 * Undefined if the same or an earlier run requested the list of reports, or if no run requested any of the three.
 */
function feedOf(
  path: string,
  runs: readonly EndedRun[],
): { index: number; name: string } | undefined {
  for (const { index, requestedPaths } of runs) {
    if (requestedPaths.has(path)) return undefined
    const name = ['latest', 'last-generated'].find((one) => requestedPaths.has(`${path}/${one}`))
    if (name !== undefined) return { index, name }
  }
  return undefined
}

const BEFORE = 'it was completed before the first run'
const ADDED = 'its project was added'

/** Lists the special situations of a report that the client may not handle, likeliest first. */
function guessReasons(delivery: Undelivered, { plan, runs, lastReads }: Context): string[] {
  const { project, number, finishedMs, firstRun, textsMs, hasFailed, isOlder } = delivery
  if (finishedMs === null) return [BEFORE]
  const added = plan.shown.runs.find(({ events }) => events.includes(`project ${project} is added`))
  const first = runs.find(({ index }) => index === firstRun)
  const finishedIn = monthOf(finishedMs)
  const dueIn = textsMs === null ? finishedIn : monthOf(textsMs)
  const guesses: [isSo: boolean, reason: string][] = [
    [added !== undefined && !lastReads.has(project), `${ADDED} before run ${added?.number}`],
    [plan.pastPage.has(project), 'its project is on the second page of the list'],
    [hasFailed, 'it had failed and was restarted'],
    [
      isOlder,
      'another report of its project has a later created_at, so last-generated shows that one, and a client that continues from its number skips this one',
    ],
    [
      dueIn !== finishedIn,
      `it was due in ${formatMonth(dueIn)}, and latest shows it only in that month`,
    ],
    [
      first !== undefined && first.ended !== 'done',
      'the first run that could have fetched it failed, and later ones did not ask for it',
    ],
    [
      textsMs !== null && dueIn !== monthOf(textsMs - DAY_MS),
      'it was due on the first of a month, which is still the previous month west of UTC',
    ],
    [number === LAST_REPORT_NUMBER, 'it is the last report of its project'],
    [
      firstRun !== null && finishedIn !== monthOf(plan.steps[firstRun]!.atMs),
      'it was completed in one month, and the first run that could fetch it was in the next',
    ],
  ]
  return guesses.flatMap(([isSo, reason]) => (isSo ? [reason] : []))
}
