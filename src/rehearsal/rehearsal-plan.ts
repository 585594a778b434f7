import { DEFAULT_PER_PAGE } from '../contract/limits.ts'
import type { RecordReader } from '../contract/records.ts'
import { DAY_MS, toDateTime, monthOf } from '../contract/time.ts'
import type { TokenRecord } from '../contract/token.ts'
import { createRandom } from '../records/random.ts'
import type { Random } from '../records/random.ts'
import type { Plan, PlannedRun } from '../review/review.ts'
import type { Command } from '../world/commands/index.ts'
import { addDuration } from '../world/duration.ts'
import type { Duration } from '../world/duration.ts'
import type { FaultInput } from '../world/faults/fault.ts'
import { describeEvent, listReportEvents } from './report-events.ts'
import type { ReportEvent } from './report-events.ts'
import { TOKEN_DISTURBANCES, DISTURBANCE_KINDS } from './disturbances.ts'
import type { DisturbanceTarget, Disturbance, DisturbanceKind } from './disturbances.ts'
import { CALM_AT_THE_END, planWorldEvents } from './world-events.ts'

/** `smoke` has 40 runs with every kind of disturbance; `year` has as many runs as fit into the option `for`. */
export const PROFILES = ['smoke', 'year'] as const
export type Profile = (typeof PROFILES)[number]

/** Number of runs in `smoke`. If runs are a day apart, 40 of them always include the last day of a month. */
const SMOKE_RUNS = 40
/** In a `year`, disturbances are added until this many runs in ten are disturbed. */
const DISTURBED_OF_TEN = 3
/** At most one run in each quarter starts this long before the end of a month. */
const BEFORE_MIDNIGHT_MS = 10_000

/** Maximum Retry-After if waiting takes real time. */
const REAL_TIME_RETRY_AFTER_S = 2

/**
 * Delay of each of the first `MONTH_END_RESPONSES` responses in a run at the end of a month. The delays add up to more
 * than `BEFORE_MIDNIGHT_MS`, so that the month ends between two responses.
 */
const MONTH_END_LATENCY_MS = 400
const MONTH_END_RESPONSES = 30

export interface RehearsalStep {
  /** Start of the run by the world clock, in epoch milliseconds. */
  atMs: number
  /** True if the world clock is not frozen during the run, because a month ends in it. */
  isRunning: boolean
  commands: Command[]
  faults: FaultInput[]
  isCalm: boolean
  /** The disturbance of the run, as a phrase; null if the run is calm. */
  disturbance: string | null
  kind: Pick<DisturbanceKind, 'id' | 'nounPhrase' | 'isMet'> | null
  /** True if the client is killed while it waits for a response. */
  isKilled: boolean
  /** True if some data cannot be read during the whole run, whatever the client does. */
  isOutage: boolean
  /** True if the hourly limit of the token is so low that exhausting it is no mistake. */
  isTight: boolean
  events: string[]
}

export interface RehearsalPlan {
  steps: RehearsalStep[]
  /** Ids of the projects that are on the second page of the list for some time. */
  pastPage: ReadonlySet<number>
  shown: Plan
}

export interface PlanOptions {
  seed: string
  profile: Profile
  startMs: number
  every: Duration
  for: Duration
  /** `every` and `for` as ISO 8601 strings, such as `P1D`. */
  texts: { every: string; for: string }
  /** Records of the world at the start of the rehearsal. */
  records: RecordReader
  token: TokenRecord
  /** True if the client's pauses take real time, so that long waits must be avoided. */
  isRealTime?: boolean
  /** True if the client can be killed in the middle of a run, and restarted with its saved state. `isRealTime` implies it. */
  canBeKilled?: boolean
}

/** Plans a rehearsal. Equal options and an equal world give an equal plan. */
export function planRehearsal(options: PlanOptions): RehearsalPlan {
  const { seed, profile, startMs, records, token, texts } = options
  const random = createRandom(seed, 'rehearsal', profile)
  const { times, monthEnds } = toTimes(options, random)
  const projects = records
    .projectsOf({ agency: token.agency ?? undefined, status: undefined })
    .map(({ id }) => id)
  const toMs = times.at(-1) ?? startMs
  const events = listReportEvents(records, { projects, fromMs: startMs, toMs })
  const steps = times.map((atMs, index): RehearsalStep => ({
    atMs,
    isRunning: monthEnds.has(index),
    commands: [],
    faults: monthEnds.has(index)
      ? [{ kind: 'latency', ms: MONTH_END_LATENCY_MS, schedule: { first: MONTH_END_RESPONSES } }]
      : [],
    isCalm: true,
    disturbance: null,
    kind: null,
    isKilled: false,
    isOutage: false,
    isTight: false,
    events: monthEnds.has(index) ? ['it begins ten seconds before a month ends'] : [],
  }))
  const world = planWorldEvents({ records, token, random, times, monthEnds, events })
  addWorldEvents(steps, world.events)
  const isTaken = (index: number) =>
    index === 0 ||
    index >= steps.length - CALM_AT_THE_END ||
    monthEnds.has(index) ||
    !steps[index]!.isCalm
  const finishes = runsAfterCompletions(times, events)
  const unplaced = addDisturbances(steps, {
    isTaken,
    random,
    profile,
    meetsNeed: {
      report: (index) => finishes.has(index),
      page: (index) => projects.length > DEFAULT_PER_PAGE || isPastPage(world.events, index),
    },
    maximumRetryAfterS: options.isRealTime ? REAL_TIME_RETRY_AFTER_S : Infinity,
    canBeKilled: options.isRealTime === true || options.canBeKilled === true,
  })
  addReportEvents(steps, events)
  const notRehearsed = [
    ...world.notRehearsed,
    ...unplaced,
    ...(monthEnds.size === 0
      ? [
          {
            event: 'a run begins ten seconds before a month ends',
            reason: 'No run is on the last day of a month.',
          },
        ]
      : []),
  ]
  const runs = steps.map(
    ({ atMs, isCalm, isOutage, disturbance, events: said }, index): PlannedRun => ({
      number: index + 1,
      at: toDateTime(atMs),
      kind: isOutage ? 'outage' : isCalm ? 'calm' : 'fault',
      trouble: disturbance,
      events: said,
    }),
  )
  return {
    steps,
    pastPage: new Set(world.events.flatMap(({ pastPage = [] }) => pastPage)),
    shown: { seed, profile, start: toDateTime(startMs), ...texts, runs, lacks: notRehearsed },
  }
}

/**
 * Returns the start of each run, in epoch milliseconds, and the indexes of the runs that start shortly before the end
 * of a month. There is at most one of them in each quarter, and the first and the last run are never among them.
 */
function toTimes(
  { profile, startMs, every, for: length }: PlanOptions,
  random: Random,
): { times: number[]; monthEnds: ReadonlySet<number> } {
  const endMs = addDuration(startMs, length)
  const times: number[] = []
  for (let atMs = startMs; ;) {
    times.push(atMs)
    const { months, ms } = every
    const count = times.length
    atMs = addDuration(startMs, { months: months * count, ms: ms * count })
    if (profile === 'smoke' ? count >= SMOKE_RUNS : atMs >= endMs) break
  }
  const byQuarter = new Map<number, number[]>()
  for (const [index, atMs] of times.entries()) {
    const midnightMs = nextMidnight(atMs)
    const isFree = index > 0 && index < times.length - 1
    if (!isFree || monthOf(atMs) === monthOf(midnightMs)) continue
    // The next run must begin after this midnight.
    if (times[index + 1]! <= midnightMs) continue
    const quarter = Math.floor(monthOf(atMs) / 3)
    byQuarter.set(quarter, [...(byQuarter.get(quarter) ?? []), index])
  }
  const monthEnds = new Set([...byQuarter.values()].map((indexes) => random.pick(indexes)))
  for (const index of monthEnds) times[index] = nextMidnight(times[index]!) - BEFORE_MIDNIGHT_MS
  return { times, monthEnds }
}

function nextMidnight(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS
}

function addWorldEvents(
  steps: RehearsalStep[],
  events: ReturnType<typeof planWorldEvents>['events'],
): void {
  for (const { run, text, commands, disturbs, end } of events) {
    const step = steps[run]
    if (!step) continue
    step.commands.push(...commands)
    step.events.push(text)
    if (disturbs !== undefined) Object.assign(step, { isCalm: false, disturbance: text })
    if (disturbs === 'refused') step.isOutage = true
    if (disturbs === 'tight') step.isTight = true
    if (disturbs !== undefined) step.kind = TOKEN_DISTURBANCES[disturbs]
    const last = end && steps[end.run]
    if (!end || !last) continue
    last.commands.push(...end.commands)
    last.events.push(end.text)
  }
}

interface DisturbanceOptions {
  isTaken: (index: number) => boolean
  random: Random
  profile: Profile
  meetsNeed: Record<NonNullable<DisturbanceTarget['needs']>, (index: number) => boolean>
  maximumRetryAfterS: number
  canBeKilled: boolean
}

const NO_RUN: Record<NonNullable<DisturbanceTarget['needs']> | 'free' | 'state', string> = {
  report: 'No otherwise undisturbed run has a new report.',
  page: 'No otherwise undisturbed run has a second page of projects.',
  free: 'There are too few runs.',
  state: 'It needs the option `state`, to restart the client from its saved state.',
}

/**
 * Adds disturbances: in `smoke`, each kind as often as its `times`; in a `year`, one of each kind in turn until enough
 * runs are disturbed. Returns the kinds that this rehearsal cannot have, with reasons.
 */
function addDisturbances(steps: RehearsalStep[], options: DisturbanceOptions): Plan['lacks'] {
  const { isTaken, random, profile, canBeKilled } = options
  const free = new Set(steps.flatMap((_, index) => (isTaken(index) ? [] : [index])))
  const most = Math.round((steps.length * DISTURBED_OF_TEN) / 10)
  const isFull = () => profile === 'year' && steps.filter(({ isCalm }) => !isCalm).length >= most
  const unplaced = new Map<DisturbanceKind, string>()
  for (let round = 0, hasAdded = true; hasAdded && !isFull(); round += 1) {
    hasAdded = false
    for (const kind of round === 0 ? DISTURBANCE_KINDS : shuffle(DISTURBANCE_KINDS, random)) {
      const times = profile === 'smoke' ? kind.times : 1
      for (let time = 0; time < times; time += 1) {
        if (kind.id === 'killed' && !canBeKilled) {
          unplaced.set(kind, NO_RUN.state)
          break
        }
        if (isFull()) break
        // Starts with the first and most telling target. Each further disturbance of the kind starts with the next one.
        const offset = round + time
        const targets = kind.targets.map(
          (_, index) => kind.targets[(offset + index) % kind.targets.length]!,
        )
        if (addKind(steps, { kind, targets, free, ...options })) hasAdded = true
        else if (offset === 0)
          unplaced.set(kind, NO_RUN[free.size === 0 ? 'free' : (targets[0]!.needs ?? 'free')])
      }
    }
    if (profile === 'smoke') break
  }
  return [...unplaced].map(([{ nounPhrase }, reason]) => ({ event: nounPhrase, reason }))
}

interface KindOptions extends DisturbanceOptions {
  kind: DisturbanceKind
  targets: readonly DisturbanceTarget[]
  free: Set<number>
}

/** Adds a kind of disturbance, with the first target that has suitable free runs. Returns false if none has. */
function addKind(
  steps: RehearsalStep[],
  { kind, targets, free, ...options }: KindOptions,
): boolean {
  const { random, meetsNeed, maximumRetryAfterS } = options
  for (const target of targets) {
    const runs = [...free].filter((index) => {
      const all = Array.from({ length: kind.runs }, (_, next) => index + next)
      return all.every((one) => free.has(one)) && (!target.needs || meetsNeed[target.needs](index))
    })
    if (runs.length === 0) continue
    const late = kind.isLate ? runs.filter((index) => index >= steps.length / 2) : []
    const first = random.pick(late.length > 0 ? late : runs)
    const disturbance = kind.create(target, { random, maximumRetryAfterS })
    for (let index = first; index < first + kind.runs; index += 1) {
      addDisturbance(steps[index]!, kind, disturbance)
      free.delete(index)
    }
    return true
  }
  return false
}

function addDisturbance(
  step: RehearsalStep,
  kind: DisturbanceKind,
  { text, faults, isOutage, isKilled }: Disturbance,
): void {
  step.faults.push(...faults)
  step.events.push(text)
  Object.assign(step, { isCalm: false, disturbance: text, kind, isKilled: isKilled === true })
  if (isOutage) step.isOutage = true
}

/** True if planned events add projects beyond the first page before a run, and remove them only after it. */
function isPastPage(events: ReturnType<typeof planWorldEvents>['events'], index: number): boolean {
  return events.some(
    ({ pastPage, run, end }) => pastPage && run <= index && index < (end?.run ?? 0),
  )
}

function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  const left = [...items]
  return items.map(() => left.splice(random.integer(0, left.length - 1), 1)[0]!)
}

function runsAfterCompletions(
  times: readonly number[],
  events: readonly ReportEvent[],
): Set<number> {
  const finished = events.filter(
    ({ kind }) => kind.startsWith('finished') || kind === 'last-report',
  )
  return new Set(finished.map(({ ms }) => runAfter(times, ms)))
}

function runAfter(times: readonly number[], ms: number): number {
  return times.findIndex((atMs) => atMs >= ms)
}

/** Adds each event to the first run at or after it. Ordinary completions are left out, because they happen every day. */
function addReportEvents(steps: RehearsalStep[], events: readonly ReportEvent[]): void {
  const times = steps.map(({ atMs }) => atMs)
  for (const event of events) {
    if (event.kind !== 'finished')
      steps[runAfter(times, event.ms)]?.events.push(describeEvent(event))
  }
}
