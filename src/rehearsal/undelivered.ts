import { LAST_REPORT_NUMBER } from '../contract/limits.ts'
import { DAY_MS, toDateTime, formatMonth, monthOf } from '../contract/time.ts'
import { dayOf } from '../review/reports/rehearsal.ts'
import type { Deliveries, Undelivered } from './report-deliveries.ts'
import type { EndedRun, Mistake, FailedRead } from './ended-run.ts'
import type { RehearsalPlan } from './rehearsal-plan.ts'

interface UndeliveredOptions {
  plan: RehearsalPlan
  runs: readonly EndedRun[]
  deliveries: Deliveries
}

/** A loss, and the index of its run. */
type LostIn = FailedRead & { index: number }

/** Why a report was not delivered: those with the same key are one mistake. */
interface Cause {
  key: string
  /** What follows the name of the report, without a full stop. */
  text: string
  loss?: LostIn
  /** Whether it is only guessed from what was special about the report, which may be a coincidence. */
  isGuess?: true
}

/** The reports that were not delivered, one mistake for each cause, in the order in which they could first be fetched. */
export function listUndelivered(options: UndeliveredOptions): Mistake[] {
  const context = createContext(options)
  const found = options.deliveries
    .undelivered()
    .map((delivery) => ({ delivery, cause: causeOf(delivery, context) }))
  // If reports with nothing special about them are missing too, what is special about others is not the
  // cause.
  const hasPlain = found.some(({ cause }) => cause.key === NEVER.key)
  const groups = new Map<string, typeof found>()
  for (const { delivery, cause } of found) {
    const settled = hasPlain && cause.isGuess === true ? NEVER : cause
    const group = groups.get(settled.key) ?? []
    groups.set(settled.key, [...group, { delivery, cause: settled }])
  }
  return [...groups.values()].map((group) => {
    const [first, ...others] = group
    return toMistake(first!, others)
  })
}

interface Found {
  delivery: Undelivered
  cause: Cause
}

function toMistake({ delivery, cause }: Found, others: readonly Found[]): Mistake {
  const { project, number, finishedMs } = delivery
  const index = runIndexOf({ delivery, cause })
  const when = finishedMs === null ? '' : `, completed on ${dayOf(toDateTime(finishedMs))},`
  const more = others.length > 0 ? ` The same is true of ${others.length} more.` : ''
  return {
    index,
    message: `Report ${number} of project ${project}${when} ${cause.text}.${more}`,
    requests: cause.loss ? [cause.loss.request] : [],
    others: others.map(runIndexOf),
  }
}

function runIndexOf({ delivery: { firstRun }, cause: { loss } }: Found): number {
  return loss?.index ?? firstRun ?? 0
}

interface Context extends UndeliveredOptions {
  /** For each path, the last loss that no later run has made up for. */
  lost: ReadonlyMap<string, LostIn>
  /** The index of the last run that was done; -1 for none. */
  lastDone: number
  /** The projects with at least one report that was fetched. */
  fetched: ReadonlySet<number>
}

function createContext(options: UndeliveredOptions): Context {
  const lost = new Map<string, LostIn>()
  for (const { index, failedReads, read } of options.runs) {
    for (const path of read) lost.delete(path)
    for (const loss of failedReads) lost.set(loss.request.target.path, { ...loss, index })
  }
  const rows = options.deliveries.list().filter(({ fetches }) => fetches > 0)
  return {
    ...options,
    lost,
    lastDone: options.runs.findLast(({ ended }) => ended === 'done')?.index ?? -1,
    fetched: new Set(rows.map(({ project }) => project)),
  }
}

const NEVER: Cause = { key: 'never', text: 'was never fetched' }

function causeOf(delivery: Undelivered, context: Context): Cause {
  return knownCauseOf(delivery, context) ?? guessedCauseOf(delivery, context) ?? NEVER
}

/** The cause that the client's requests show; undefined if they show none. */
function knownCauseOf(
  { state, project, number, finishedMs, firstRun, isReplacement }: Undelivered,
  { lost, lastDone }: Context,
): Cause | undefined {
  if (state === 'late')
    return { key: 'late', text: 'was first fetched after its date_to_send_to_client' }
  if (state === 'unfinished')
    return {
      key: 'unfinished',
      text: 'was fetched before it was completed, and not again once it was',
    }
  const path = `/api/v1/projects/${project}/reports`
  const loss = [lost.get(`${path}/${number}/content`), lost.get(path)].find(
    (one) => one && (finishedMs ?? 0) <= one.request.atMs + one.request.worldOffsetMs,
  )
  if (loss)
    return {
      key: 'lost',
      text: `was never fetched: run ${loss.index + 1} asked for ${loss.what}, and no later one read it`,
      loss,
    }
  if (state === 'stale')
    return {
      key: 'stale',
      text: 'was regenerated with a new id, and only the content from before was fetched',
    }
  if (isReplacement)
    return { key: 'regenerated', text: `${NEVER.text}: it was regenerated with a new id` }
  if (lastDone >= 0 && (firstRun ?? 0) > lastDone)
    return { key: 'stopped', text: `${NEVER.text}: from run ${lastDone + 2} on no run ended well` }
  return undefined
}

/** A guess at the cause: something special about the report that the client may not handle; undefined if there is nothing. */
function guessedCauseOf(
  delivery: Undelivered,
  { plan, runs, fetched }: Context,
): Cause | undefined {
  const guess = (key: string, text: string): Cause => ({
    key,
    text: `${NEVER.text}: ${text}`,
    isGuess: true,
  })
  const { project, number, finishedMs, firstRun, textsMs } = delivery
  const added = plan.shown.runs.find(({ events }) => events.includes(`project ${project} is added`))
  if (added && !fetched.has(project))
    return guess('added', `its project was added before run ${added.number}`)
  if (plan.pastPage.has(project))
    return guess('page', 'its project is on the second page of the list')
  if (finishedMs === null) return guess('before', 'it was completed before the first run')
  if (delivery.hasFailed) return guess('retried', 'it had failed, and was started again')
  if (delivery.isOlder)
    return guess(
      'older',
      'another report of its project has a later created_at, so last-generated shows that one, and numbers continue from it',
    )
  if (textsMs !== null && monthOf(textsMs) !== monthOf(finishedMs))
    return guess(
      'month',
      `it was due in ${formatMonth(monthOf(textsMs))}, and latest shows it in that month alone`,
    )
  if (runs.some(({ index, ended }) => index === firstRun && ended !== 'done'))
    return guess(
      'outage',
      'the first run that could have fetched it failed, and later ones did not ask for it',
    )
  if (textsMs !== null && monthOf(textsMs) !== monthOf(textsMs - DAY_MS))
    return guess(
      'first',
      'it was due on the first of a month, which is still the previous month west of UTC',
    )
  if (number === LAST_REPORT_NUMBER) return guess('last', 'it has the last number')
  if (firstRun !== null && monthOf(finishedMs) !== monthOf(plan.steps[firstRun]!.atMs))
    return guess(
      'turn',
      'it was completed in one month, and the first run that could fetch it was in the next',
    )
  return undefined
}
