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
import { TROUBLE_KINDS } from './troubles.ts'
import type { Trouble, TroubleKind, TroubleLimits } from './troubles.ts'
import { CALM_AT_THE_END, planWorldEvents } from './world-events.ts'

/** How hard a rehearsal is: `smoke` has 30 runs, `year` as many as are asked for, and in `storm` nearly every run has trouble. */
export const PROFILES = ['smoke', 'year', 'storm'] as const
export type Profile = (typeof PROFILES)[number]

const SMOKE_RUNS = 30
/** How many of ten runs have trouble, in `year` and `smoke`. */
const TROUBLED_OF_TEN = 3
/** How long before the end of a month one run of each quarter begins. */
const BEFORE_MIDNIGHT_MS = 10_000

/** The longest wait that a response asks for if waiting takes real time. */
const MOST_WAIT_S = 2

/** How slow the first responses of a run at the end of a month are, and how many: the month ends between two of them. */
const TURN_DELAY_MS = 400
const TURN_RESPONSES = 30

/** A run, and what has to be done before it. */
export interface RehearsalStep {
  /** When it begins, by both clocks, in epoch milliseconds. */
  atMs: number
  /** Whether the world clock runs during it, because the month ends in it. */
  isRunning: boolean
  commands: Command[]
  faults: FaultInput[]
  isCalm: boolean
  /** What is in the way of the client, as a phrase; null where it is calm. */
  trouble: string | null
  /** Whether something cannot be read in the whole run, whatever the client does. */
  isOutage: boolean
  /** Whether the token has few requests an hour, so that running out of them is not a mistake. */
  isTight: boolean
  events: string[]
}

export interface RehearsalPlan {
  steps: RehearsalStep[]
  /** The projects that are on the second page of the list for a while. */
  pastPage: ReadonlySet<number>
  shown: Plan
}

export interface PlanOptions {
  seed: string
  profile: Profile
  /** When the first run begins, in epoch milliseconds. */
  startMs: number
  every: Duration
  for: Duration
  /** As they are written: `P1D`. */
  texts: { every: string; for: string }
  /** The world as it was loaded. */
  records: RecordReader
  /** The client's token. */
  token: TokenRecord
  /** Whether the client's pauses take real time, so that nothing may make it wait for long. */
  isRealTime?: boolean
}

/** Plans what a client is put through. The same options and the same world give the same plan. */
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
    // So slow that the month ends between its requests.
    faults: monthEnds.has(index)
      ? [{ kind: 'latency', ms: TURN_DELAY_MS, schedule: { first: TURN_RESPONSES } }]
      : [],
    isCalm: true,
    trouble: null,
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
  const finishes = finishesOf(times, events)
  const limits = options.isRealTime
    ? { mostWaitS: MOST_WAIT_S, project: projects[0] }
    : { mostWaitS: Infinity, project: undefined }
  addTroubles(steps, { isTaken, random, profile, finishes, limits })
  addReportEvents(steps, events)
  const lacks = [
    ...world.lacks,
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
    ({ atMs, isCalm, isOutage, trouble, events: said }, index): PlannedRun => ({
      number: index + 1,
      at: toDateTime(atMs),
      kind: isOutage ? 'outage' : isCalm ? 'calm' : 'fault',
      trouble,
      events: said,
    }),
  )
  return {
    steps,
    pastPage: new Set(world.events.flatMap(({ pastPage = [] }) => pastPage)),
    shown: { seed, profile, start: toDateTime(startMs), ...texts, runs, lacks },
  }
}

/** When the runs begin, and which of them are at the end of a month: one in each quarter. */
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
    // The next run has to begin after that.
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
  for (const { run, text, commands, hinders, end } of events) {
    const step = steps[run]
    if (!step) continue
    step.commands.push(...commands)
    step.events.push(text)
    if (hinders !== undefined) Object.assign(step, { isCalm: false, trouble: text })
    if (hinders === 'refused') step.isOutage = true
    if (hinders === 'tight') step.isTight = true
    const last = end && steps[end.run]
    if (!end || !last) continue
    last.commands.push(...end.commands)
    last.events.push(end.text)
  }
}

interface TroubleOptions {
  isTaken: (index: number) => boolean
  random: Random
  profile: Profile
  /** The runs before which a report is completed. */
  finishes: ReadonlySet<number>
  limits: TroubleLimits
}

function addTroubles(
  steps: RehearsalStep[],
  { isTaken, random, profile, finishes, limits }: TroubleOptions,
): void {
  const free = new Set(steps.flatMap((_, index) => (isTaken(index) ? [] : [index])))
  const share = profile === 'storm' ? 1 : TROUBLED_OF_TEN / 10
  const hindered = steps.filter(({ isCalm }) => !isCalm).length
  let left = Math.min(free.size, Math.round(steps.length * share) - hindered)
  let kinds: TroubleKind[] = []
  // What needs a new report, or several days in a row, is left out where there is no room for it.
  let withoutRoom = 0
  while (left > 0 && withoutRoom < TROUBLE_KINDS.length) {
    if (kinds.length === 0) kinds = shuffle(TROUBLE_KINDS, random)
    const kind = kinds.pop()!
    const { runs } = kind
    const places = [...free].filter((index) =>
      Array.from({ length: runs }, (_, next) => index + next).every((one) => free.has(one)),
    )
    const fitting = runs <= left ? places : []
    const apt = kind.needsFinish ? fitting.filter((index) => finishes.has(index)) : fitting
    withoutRoom = apt.length === 0 ? withoutRoom + 1 : 0
    if (apt.length === 0) continue
    const place = random.pick(apt)
    const trouble = kind.create(random, limits)
    for (let index = place; index < place + runs; index += 1) {
      addTrouble(steps[index]!, trouble)
      free.delete(index)
    }
    left -= runs
  }
}

function addTrouble(step: RehearsalStep, { text, faults, isOutage }: Trouble): void {
  step.faults.push(...faults)
  step.events.push(text)
  step.isCalm = false
  step.trouble = text
  if (isOutage) step.isOutage = true
}

function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  const left = [...items]
  return items.map(() => left.splice(random.integer(0, left.length - 1), 1)[0]!)
}

/** The first run after each report is completed. */
function finishesOf(times: readonly number[], events: readonly ReportEvent[]): Set<number> {
  const finished = events.filter(
    ({ kind }) => kind.startsWith('finished') || kind === 'last-report',
  )
  return new Set(finished.map(({ ms }) => runAfter(times, ms)))
}

function runAfter(times: readonly number[], ms: number): number {
  return times.findIndex((atMs) => atMs >= ms)
}

/** Reports that are completed as usual are not mentioned, because that happens every day. */
function addReportEvents(steps: RehearsalStep[], events: readonly ReportEvent[]): void {
  const times = steps.map(({ atMs }) => atMs)
  for (const event of events) {
    if (event.kind !== 'finished')
      steps[runAfter(times, event.ms)]?.events.push(describeEvent(event))
  }
}
