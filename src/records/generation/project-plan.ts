import { memoize } from '../../contract/cache.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { H3TextBlock } from '../../contract/report.ts'
import { escapeHtml } from '../../contract/text.ts'
import {
  HOUR_MS,
  MINUTE_MS,
  clampToYears,
  wholeMinute,
  DAY_MS,
  dayOfMonth,
  toDateTime,
} from '../../contract/time.ts'
import { FIRST_PROJECT_ID } from '../generated-ids.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import type { Companies, Company } from './companies.ts'
import type { Generate } from './generate.ts'
import { withStory } from './showcase.ts'
import type { Placed, Situation } from './showcase.ts'
import { flat, slugOf } from './slug.ts'
import type { TextWriter } from './text-writer.ts'

export interface GenerationInput {
  seed: string
  /** The world clock at load, in epoch milliseconds. */
  loadedMs: number
  options: Generate
  /** Ids of the agencies and of their users; at least one agency. */
  agencies: readonly { id: number; users: readonly number[] }[]
  /** Ids of the country and language of each locale's projects, in the order of the locales; at least one locale. */
  markets: readonly Market[]
}

interface Market {
  country: number | null
  language: number | null
}

/** The input of a generator, with values derived from it. */
export interface GenerationContext extends GenerationInput {
  companies: Companies
  /** Special situations and companies of the fixture, by index of the project. */
  placed: ReadonlyMap<number, Placed>
  calendar: Calendar
  /** Text writers in the order of the locales. */
  texts: readonly TextWriter[]
}

/** Properties from which a project's record, keywords and reports are generated; a pure function of its id and the input. */
export interface ProjectPlan extends Company {
  id: number
  /** Number of reports due by the end of the month of the load. */
  dueReports: number
  /** The day of the month on which the project's reports are due, 1 to 28. */
  dueDay: number
  createdMs: number
  /** Situation at the start of the world; undefined for a healthy project. */
  situation: Situation | undefined
}

export function planProject(id: number, context: GenerationContext): ProjectPlan {
  const { seed, options, companies, placed, loadedMs } = context
  const index = id - FIRST_PROJECT_ID
  const random = createRandom(seed, 'project', id)
  // Skips four numbers that once chose the name of the project, so that the dates of every seed stay the same.
  for (let drawn = 0; drawn < 4; drawn += 1) random.next()
  let schedule = {
    dueReports: pickInRange(options.reports, random),
    dueDay: random.integer(1, 28),
  }
  const { situation, company } = placed.get(index) ?? {}
  schedule = situation?.schedule(schedule, loadedMs) ?? withStory(index, schedule, options)
  const { dueReports, dueDay } = schedule
  return {
    ...(company === undefined ? companies.at(index) : companies.fromFixture(company, index)),
    id,
    dueReports,
    dueDay,
    createdMs: situation?.createdMs?.(loadedMs) ?? createdMs(id, dueReports, context),
    situation,
  }
}

/** Returns `figure` or, if it is a range, a random integer within its bounds, inclusive. */
export function pickInRange(figure: number | { min: number; max: number }, random: Random): number {
  return typeof figure === 'number' ? figure : random.integer(figure.min, figure.max)
}

/**
 * Returns the time at which a project was created, in epoch milliseconds: in the month before its first report is due or, if none
 * is due by the end of the month of the load, within twelve hours before the load.
 */
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

/** Returns the agency of a project. The agency is the first draw for the project's record, so no other draws are needed. */
export function agencyOf(id: number, { seed, agencies }: GenerationContext) {
  return createRandom(seed, 'record', id).pick(agencies)
}

export function generateProject(plan: ProjectPlan, context: GenerationContext): ProjectRecord {
  const { id, company, domain, market, situation, fixturePhrases } = plan
  const random = createRandom(context.seed, 'record', id)
  const agency = random.pick(context.agencies)
  const { country, language } = (context.markets[market] ?? context.markets[0])!
  const user = () => (agency.users.length === 0 ? null : random.pick(agency.users))
  const { variety, showcase } = context.options
  const various = variety ? createRandom(context.seed, 'variety', id) : undefined
  const contact = pickAddress(plan, random)
  return {
    id,
    agency: agency.id,
    name: company,
    status: situation?.status ?? (various && !showcase ? various.pick(STATUSES) : 'active'),
    created_at: context.calendar.toDateTime(plan.createdMs),
    company_name: random.chance(0.8) || fixturePhrases ? company : null,
    domain: flat('https://', domain),
    country,
    text_language: language,
    report_language: language,
    managing_user: user(),
    created_by: user(),
    contact_email: contact,
    client_emails: listAddresses(contact, plan, random),
    receives_monthly_reports: random.chance(0.85),
    plan: various ? various.pick(PLANS) : null,
    gsc_status: various ? various.pick(GSC_STATUSES) : random.chance(0.9) ? 'connected' : null,
  }
}

/** Draws an e-mail address of the business: personal, for bookings, or general. */
function pickAddress({ words, surname, trade, mailHost }: ProjectPlan, random: Random) {
  const { general, booking } = words.mailboxes
  if (random.chance(0.35)) {
    const first = random.pick(words.people.companies)
    const last = surname ?? random.pick(words.surnames)
    // The address of a woman would need the Latin form of her feminine surname, which is not known.
    if (words.feminine?.names.has(first)) return flat(slugOf(first, words), '@', mailHost)
    return flat(slugOf(first, words), '.', slugOf(last, words), '@', mailHost)
  }
  const isBooked = trade?.isBooked && random.chance(0.4)
  return flat(isBooked ? booking : random.pick(general), '@', mailHost)
}

/** Returns the recipients of reports: the contact and, for up to 30 % of projects, a second address. */
function listAddresses(contact: string, plan: ProjectPlan, random: Random): string[] {
  if (!random.chance(0.3)) return [contact]
  const other = pickAddress(plan, random)
  return other === contact ? [contact] : [contact, other]
}

// In worlds with variety, projects draw their `status`, `plan` and `gsc_status` from these lists. Some values are not in the
// specification (G-064). Usual values are repeated, because most projects have them.
const STATUSES = [...Array<string>(12).fill('active'), 'onboarding', 'paused', 'ended']
const PLANS = ['Basic', 'Basic', 'Growth', 'Growth', 'Premium', null]
const GSC_STATUSES = [...Array<string>(9).fill('connected'), 'pending', 'disconnected', null]

const ARTICLE_SHARE = 0.15

/** A content scheme that is not in the specification (2.7). */
interface ArticleScheme {
  name: 'article'
  fields: string[]
}

const ARTICLE: ArticleScheme = { name: 'article', fields: ['title', 'sections'] }

/** Draws the content scheme of a project's reports; undefined for the scheme of the specification. */
export function pickScheme(random: Random): ArticleScheme | undefined {
  return random.chance(ARTICLE_SHARE) ? ARTICLE : undefined
}

/** Converts blocks to the article scheme. Its HTML is an object that contains an array; both are allowed (2.7). */
export function toArticle(title: string, blocks: readonly H3TextBlock[]) {
  const sections = blocks.map(({ h3, text }) => ({ heading: h3, paragraphs: [text] }))
  const fragments = blocks.map(
    ({ h3, text }) => `<section><h2>${escapeHtml(h3)}</h2><p>${escapeHtml(text)}</p></section>`,
  )
  return {
    content: { title, sections },
    html: { title: `<h1>${escapeHtml(title)}</h1>`, sections: fragments },
  }
}

/**
 * The calendar of a generated world, counted from the month of its load. Months and days are memoized, because the reports of a
 * project have nearly a hundred dates, most of them shared with other projects.
 */
export interface Calendar {
  /** Returns midnight UTC of a day, from 1 to 28, in the month that is `months` after the month of the load. */
  dayFromLoad: (months: number, day: number) => number
  /** Formats a time as a date of the wire. */
  toDate: (ms: number) => string
  /** Formats a time, which must be a whole minute, as a datetime of the wire. */
  toDateTime: (ms: number) => string
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

export function createCalendar(loadedMs: number): Calendar {
  const firstOf = memoize((months: number) => dayOfMonth(loadedMs, months, 1))
  const dateOf = memoize((day: number) => toDateTime(day * DAY_MS).slice(0, 10))
  const toDate = (ms: number) => dateOf(Math.floor(ms / DAY_MS))
  return {
    dayFromLoad: (months, day) => clampToYears(firstOf(months) + (day - 1) * DAY_MS),
    toDate,
    toDateTime: (ms) => {
      const minutes = Math.floor((ms - Math.floor(ms / DAY_MS) * DAY_MS) / MINUTE_MS)
      const [hour, minute] = [Math.floor(minutes / 60), minutes % 60]
      return flat(toDate(ms), 'T', TWO_DIGITS[hour]!, ':', TWO_DIGITS[minute]!, ':00.000000Z')
    },
  }
}
