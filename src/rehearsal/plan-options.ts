import { describe } from '../contract/text.ts'
import { dayOfMonth, HOUR_MS, MINUTE_MS, parseAbsolute, toDateTime } from '../contract/time.ts'
import { addDuration, parseDuration } from '../world/duration.ts'
import type { Duration } from '../world/duration.ts'
import { OptionError } from '../world/options/option-error.ts'
import { MAXIMUM_REHEARSAL_RUNS } from '../contract/limits.ts'
import { EXPECTATIONS } from '../review/review.ts'
import type { ExpectedReports } from '../review/review.ts'
import { PROFILES } from './rehearsal-plan.ts'
import type { PlanOptions, Profile } from './rehearsal-plan.ts'

export interface PlanInputs {
  every?: string | undefined
  for?: string | undefined
  start?: string | undefined
  profile?: string | undefined
}

export type ReadPlanOptions = Pick<PlanOptions, 'every' | 'for' | 'texts' | 'profile'> & {
  /** Start of the first run, in epoch milliseconds; undefined if it depends on the world. */
  startMs: number | undefined
}

/**
 * Parses the times of the runs and the profile.
 *
 * @param sourceOf returns the name of an option in messages: `every` in the library, `--every` on the command line
 * @throws OptionError if an option is invalid, or `for` is more than `MAXIMUM_REHEARSAL_RUNS` times `every`
 */
export function readPlanOptions(
  inputs: PlanInputs,
  sourceOf = (name: string): string => name,
): ReadPlanOptions {
  const texts = { every: inputs.every ?? 'P1D', for: inputs.for ?? 'P12M' }
  const { profile = inputs.for === undefined ? 'smoke' : 'year', start } = inputs
  const invalid = (name: keyof PlanInputs, message: string) =>
    new OptionError(`${sourceOf(name)}: ${message}`)
  const readDuration = (name: 'every' | 'for'): Duration => {
    const duration = typeof texts[name] === 'string' ? parseDuration(texts[name]) : undefined
    if (duration) return duration
    throw invalid(
      name,
      `${describe(texts[name])} is not an ISO 8601 duration. Use one like P1D, PT12H or P12M.`,
    )
  }
  const every = readDuration('every')
  const length = readDuration('for')
  if (addDuration(0, every) < HOUR_MS)
    throw invalid('every', `${describe(texts.every)} is less than an hour. Use PT1H or longer.`)
  if (addDuration(0, length) / addDuration(0, every) > MAXIMUM_REHEARSAL_RUNS)
    throw invalid(
      'for',
      `That would be more than ${MAXIMUM_REHEARSAL_RUNS} runs. Shorten it, or lengthen ${sourceOf('every')}.`,
    )
  if (!isProfile(profile))
    throw invalid('profile', `${describe(profile)} is not a profile. Use ${PROFILES.join(', ')}.`)
  const startMs = start === undefined ? undefined : readStart(start)
  if (Number.isNaN(startMs))
    throw invalid(
      'start',
      `${describe(start)} is not a time. Use one like 2026-01-01 or 2026-01-01T06:00:00Z.`,
    )
  return { every, for: length, texts, profile, startMs }
}

/**
 * Parses the choice of reports that a client must fetch; undefined if its first run decides.
 *
 * @param required requirements of the same rehearsal
 * @throws OptionError if the choice is unknown, or `required` contains `delivered` or `delivered:new`
 */
export function readExpect(
  expect: unknown,
  required: readonly string[],
  sourceOf = (name: string): string => name,
): ExpectedReports | undefined {
  if (expect === undefined) return undefined
  const what = EXPECTATIONS.find((known) => known === expect)
  if (what === undefined)
    throw new OptionError(
      `${sourceOf('expect')}: ${describe(expect)} is not a choice of expected reports. Use ${EXPECTATIONS.join(' or ')}.`,
    )
  const clash = required.find((one) => one === 'delivered' || one === 'delivered:new')
  if (clash !== undefined)
    throw new OptionError(
      `${sourceOf('expect')}: It cannot be combined with ${sourceOf('require')} ${clash}, which also selects the reports to deliver. Leave one out.`,
    )
  return what
}

function isProfile(profile: string): profile is Profile {
  return PROFILES.some((known) => known === profile)
}

/** Time of day of the first run if `start` is a date, and of the default start: 06:00 UTC. */
const RUN_HOUR_MS = 6 * HOUR_MS

function readStart(start: unknown): number {
  const moment = typeof start === 'string' ? parseAbsolute(start) : undefined
  if (!moment) return NaN
  return String(start).includes('T') ? moment.ms : moment.ms + RUN_HOUR_MS
}

interface Begun {
  /** Start of the first run, from the options, in epoch milliseconds; undefined if omitted. */
  startMs: number | undefined
  /** Time at which the world clock started, in epoch milliseconds. */
  loadedMs: number
  /** Time by the machine's clock when the world clock started, in epoch milliseconds. */
  realMs: number
}

/**
 * Returns the start of the first run, in epoch milliseconds. Defaults to the first of the month in which the world clock
 * started. If that clock did not start at the machine's time, the first run never begins before the clock's start.
 *
 * @throws OptionError if `startMs` is before the start of such a clock
 */
export function toStart({ startMs, loadedMs, realMs }: Begun, source: string): number {
  if (Math.abs(loadedMs - realMs) < MINUTE_MS) return startMs ?? firstOfMonth(realMs)
  if (startMs === undefined) return Math.max(firstOfMonth(loadedMs), loadedMs)
  if (startMs >= loadedMs) return startMs
  throw new OptionError(
    `${source}: It is before ${toDateTime(loadedMs)}, the start of the world clock. Start then, or later.`,
  )
}

function firstOfMonth(ms: number): number {
  return dayOfMonth(ms, 0, 1) + RUN_HOUR_MS
}
