import { HOUR_MS, MINUTE_MS, clampToYears, wholeMinute } from '../../contract/moments.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import type { Calendar } from './calendar.ts'
import type { Companies, Company } from './companies.ts'
import { FIRST_PROJECT_ID } from '../generated-ids.ts'
import type { Generate } from './generate.ts'
import type { Placed, Situation } from './showcase.ts'
import type { TextWriter } from './text-writer.ts'

/** What a world is generated from, as plain data. */
export interface GenerationInput {
  seed: string
  /** The world clock at load, in epoch milliseconds. */
  loadedMs: number
  options: Generate
  /** The ids of the agencies that projects are spread over, and of each one's users. */
  agencies: readonly { id: number; users: readonly number[] }[]
  /** The ids of the country and the language of each locale's projects, in the order of the locales; at least one. */
  markets: readonly Market[]
}

interface Market {
  country: number | null
  language: number | null
}

/** The same with what is computed from it once. */
export interface GenerationContext extends GenerationInput {
  companies: Companies
  /** What is special about a project, by its place. */
  placed: ReadonlyMap<number, Placed>
  calendar: Calendar
  /** What writes the texts of each locale's projects, in the order of the locales. */
  texts: readonly TextWriter[]
}

/** What a project's own records have in common; a pure function of the seed, its id and the time of the load. */
export interface ProjectPlan extends Company {
  id: number
  /** How many reports are due up to the month of the load. */
  dueReports: number
  /** The day of the month on which its reports are due, 1 to 28. */
  dueDay: number
  createdMs: number
  /** What it shows at the start; undefined for a healthy project. */
  situation: Situation | undefined
}

export function planProject(id: number, context: GenerationContext): ProjectPlan {
  const { seed, options, companies, placed, loadedMs } = context
  const index = id - FIRST_PROJECT_ID
  const random = createRandom(seed, 'project', id)
  // Four numbers are skipped: the dates of every seed follow from those after them.
  for (let drawn = 0; drawn < 4; drawn += 1) random.next()
  let schedule = {
    dueReports: pickInRange(options.reports, random),
    dueDay: random.integer(1, 28),
  }
  const { situation, company } = placed.get(index) ?? {}
  if (situation) schedule = situation.schedule(schedule, loadedMs)
  const { dueReports, dueDay } = schedule
  return {
    ...(company === undefined ? companies.at(index) : companies.given(company, index)),
    id,
    dueReports,
    dueDay,
    createdMs: situation?.createdMs?.(loadedMs) ?? createdMs(id, dueReports, context),
    situation,
  }
}

/** The figure that is stated, or one within the bounds. */
export function pickInRange(figure: number | { min: number; max: number }, random: Random): number {
  return typeof figure === 'number' ? figure : random.integer(figure.min, figure.max)
}

/** When a project was created: in the month before its first report is due, and before the load. */
function createdMs(
  id: number,
  dueReports: number,
  { seed, loadedMs, calendar }: GenerationContext,
): number {
  const random = createRandom(seed, 'created', id)
  if (dueReports === 0) return wholeMinute(clampToYears(loadedMs - random.integer(1, 12) * HOUR_MS))
  const day = calendar.dayFromLoad(-dueReports, random.integer(1, 26))
  return clampToYears(day + random.integer(7 * 60, 18 * 60) * MINUTE_MS)
}
