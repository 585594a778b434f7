import { memoize } from '../../contract/cache.ts'
import {
  HOUR_MS,
  MINUTE_MS,
  clampToYears,
  dayOfMonth,
  wholeMinute,
} from '../../contract/moments.ts'
import type { Generate } from './generate.ts'
import type { Words } from './words.ts'
import type { Trade } from './copy.ts'
import { createRandom } from '../random.ts'

/** What a world is generated from, as plain data. */
export interface GenerationInput {
  seed: string
  /** The world clock at load, in epoch milliseconds. */
  loadedMs: number
  options: Generate
  /** The ids of the agencies that projects are spread over, and of each one's users. */
  agencies: readonly { id: number; users: readonly number[] }[]
  country: number | null
  language: number | null
}

/** The same with the words of its locale. */
export interface GenerationContext extends GenerationInput {
  words: Words
}

/** What a project's own records have in common; a pure function of the seed and its id. */
export interface ProjectPlan {
  id: number
  trade: Trade
  city: string
  company: string
  /** A host of its own below a reserved domain. */
  domain: string
  /** How many reports are due up to the month of the load. */
  dueReports: number
  /** The day of the month on which its reports are due. */
  dueDay: number
}

export function planProject(id: number, { seed, options, words }: GenerationContext): ProjectPlan {
  const random = createRandom(seed, 'project', id)
  const trade = random.pick(words.copy.trades)
  const city = random.pick(words.copy.cities)
  const surname = random.pick(words.surnames)
  return {
    id,
    trade,
    city,
    domain: flat(toSlug(surname), '-', trade.name, '-', id, '.example'),
    company: flat(
      random.pick(trade.companies).replace('{surname}', surname).replace('{city}', city),
    ),
    dueReports: pickInRange(options.reports, random),
    dueDay: random.integer(1, 28),
  }
}

/**
 * Concatenates texts into a flat string. V8 keeps concatenated strings as trees of their parts, which take three
 * times the memory, and 100,000 projects have such texts.
 */
export function flat(...parts: (string | number)[]): string {
  return parts.join('')
}

/** The figure as stated, or one within the bounds. */
export function pickInRange(
  figure: number | { min: number; max: number },
  { integer }: { integer: (minimum: number, maximum: number) => number },
): number {
  return typeof figure === 'number' ? figure : integer(figure.min, figure.max)
}

/** Midnight UTC of a day in the month that lies `months` away from that of the load. */
export function dayFromLoad({ loadedMs }: GenerationContext, months: number, day: number): number {
  return clampToYears(dayOfMonth(loadedMs, months, day))
}

/** When the project was created: in the month before its first report is due, and before the load. */
export function createdMs({ id, dueReports }: ProjectPlan, context: GenerationContext): number {
  const random = createRandom(context.seed, 'created', id)
  if (dueReports === 0) {
    return wholeMinute(clampToYears(context.loadedMs - random.integer(1, 12) * HOUR_MS))
  }
  const day = dayFromLoad(context, -dueReports, random.integer(1, 26))
  return clampToYears(day + random.integer(7 * 60, 18 * 60) * MINUTE_MS)
}

/** Letters that are transliterated, rather than stripped of their accents. */
const SPELLINGS: Record<string, string> = {
  æ: 'ae',
  ø: 'oe',
  å: 'aa',
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
}

/** A name as part of an address: lower-case ASCII. Cached, because a few hundred names recur. */
const toSlug = memoize((name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[æøåäöüß]/g, (letter) => SPELLINGS[letter] ?? '')
    .normalize('NFD')
    .replaceAll(/[^a-z]/g, ''),
)
