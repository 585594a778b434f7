import { Cache } from '../../contract/cache.ts'
import { createCalendar, planProject, agencyOf, generateProject } from './project-plan.ts'
import type { GenerationInput, GenerationContext } from './project-plan.ts'
import { Companies } from './companies.ts'
import { withShowcaseNames } from './examples.ts'
import { localesOf } from './generate.ts'
import type { Generate } from './generate.ts'
import { FIRST_PROJECT_ID, KEYWORDS_PER_PROJECT, REPORTS_PER_PROJECT } from '../generated-ids.ts'
import type { KeywordRecord } from '../../contract/keyword.ts'
import { monthOf } from '../../contract/time.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { RecordSet } from '../../contract/records.ts'
import { LAST_REPORT_NUMBER } from '../../contract/limits.ts'
import type { ReportRecord } from '../../contract/report.ts'
import type { ReportProgress } from '../report-progress.ts'
import { movesOf } from '../report-timeline.ts'
import { courseOf, hasStory, placeCompanies } from './showcase.ts'
import { generateKeywords, positionIn, withPositions } from './keywords.ts'
import { completeReferenceRecords } from './people.ts'
import { ReportRows, toReport, toFixtureBusiness } from './reports.ts'
import type { ReportedProject } from './reports.ts'
import { createTextWriter } from './text-writer.ts'
import type { FixtureBusiness } from './text-writer.ts'
import { loadWords } from './words.ts'
import type { LocaleWords } from './words.ts'

interface GenerationOptions {
  seed: string
  generate: Generate
  /** The world clock at load, in epoch milliseconds. */
  loadedMs: number
  progress: ReportProgress
}

/**
 * Generates the records that a fixture leaves out: reference records immediately, and projects with their keywords and reports on
 * demand, through a {@link Generator}.
 */
export async function createGenerator(
  written: RecordSet,
  { seed, generate: options, loadedMs, progress }: GenerationOptions,
): Promise<{ records: RecordSet; generator: Generator }> {
  const generate = options.showcase ? await withShowcaseNames(options, seed) : options
  const words = await Promise.all(localesOf(generate).map(loadWords))
  const referenceRecords = completeReferenceRecords(
    written,
    { seed, agencies: generate.agencies, agency: generate.agency },
    words,
  )
  const { agencies, users, countries, languages } = referenceRecords
  const input: GenerationInput = {
    seed,
    loadedMs,
    options: generate,
    agencies: agencies.map(({ id }) => ({
      id,
      users: users.filter(({ agency }) => agency === id).map((user) => user.id),
    })),
    markets: words.map(({ country, language }) => ({
      country: idOf(country.label, countries),
      language: idOf(language.label, languages),
    })),
  }
  return {
    records: { ...written, ...referenceRecords },
    generator: new Generator(input, words, progress),
  }
}

export async function resumeGenerator(
  input: GenerationInput,
  progress: ReportProgress,
): Promise<Generator> {
  return new Generator(input, await Promise.all(localesOf(input.options).map(loadWords)), progress)
}

/** Returns the id of the item with a label, or of the first item if none has that label; null for an empty list. */
function idOf(label: string, list: readonly { id: number; label: string }[]): number | null {
  return (list.find((item) => item.label === label) ?? list[0])?.id ?? null
}

interface CachedProject extends ReportedProject {
  rows: ReportRows
  /** Keywords with the positions of the month for which they were last read. */
  positioned?: { month: number; list: readonly KeywordRecord[] }
  /** Reports as last read, for the time `ms` in epoch milliseconds. */
  reports?: { ms: number; list: ReportRecord[] }
}

/** A generated row of a report, and the times at which it changes. */
export interface RowMoves {
  id: number
  project: number
  report_number: number
  createdMs: number
  /** Times at which the row changes its status, is approved or is sent, in epoch milliseconds, unordered; Infinity for never. */
  moves: readonly number[]
}

/** `size` counts keywords, and one text for each keyword in each report. A full cache takes about 6 MB. */
const CACHE_LIMITS = { entries: 200, size: 100_000 }

/**
 * The projects of a generated world. Their keywords and reports are generated when read. All lists are in ascending order of id.
 */
export class Generator {
  readonly input: GenerationInput
  readonly #context: GenerationContext
  readonly #progress: ReportProgress
  readonly #cache: Cache<number, CachedProject>

  constructor(input: GenerationInput, words: readonly LocaleWords[], progress: ReportProgress) {
    this.input = input
    const companies = new Companies(words, input.seed, input.options)
    this.#context = {
      ...input,
      companies,
      placed: placeCompanies(input.options),
      calendar: createCalendar(input.loadedMs),
      texts: words.map((each) => createTextWriter(each, input.seed)),
    }
    this.#progress = progress
    progress.texts.businesses = this.#fixtureBusinesses()
    this.#cache = new Cache({ ...CACHE_LIMITS, sizeOf: () => sizeOfProject(input) })
  }

  /** Yields all projects in ascending order of id, each generated on demand. */
  *projects(): Iterable<ProjectRecord> {
    for (let index = 0; index < this.#context.options.projects; index += 1) {
      yield generateProject(planProject(FIRST_PROJECT_ID + index, this.#context), this.#context)
    }
  }

  keywordsOf(project: number): readonly KeywordRecord[] {
    const cached = this.#cached(project)
    if (!cached) return []
    const month = monthOf(this.#progress.worldTime())
    if (cached.positioned?.month !== month) {
      const list = withPositions(cached.keywords(), this.#positionKeys(project, month))
      cached.positioned = { month, list }
    }
    return cached.positioned.list
  }

  /**
   * Returns the position of a generated keyword in a month; null if the keyword does not rank, or was not created before that
   * month. `month` is the number of months since January of the year 0.
   */
  positionOf(keyword: KeywordRecord, month: number): number | null {
    return positionIn(keyword, this.#positionKeys(keyword.project, month))
  }

  #positionKeys(project: number, month: number) {
    const { seed, options, loadedMs, placed } = this.#context
    const place = project - FIRST_PROJECT_ID
    const company = options.companies?.[placed.get(place)?.company ?? -1]?.name
    const factor = courseOf(place, options)?.(month - monthOf(loadedMs)) ?? 1
    return { month, seed, factor, isSpread: hasStory(place, options), company }
  }

  reportsOf(project: number, atMs?: number): readonly ReportRecord[] {
    const cached = this.#cached(project)
    if (!cached) return []
    const ms = this.#progress.timeOf(project, atMs)
    if (cached.reports?.ms !== ms) {
      const rows = cached.rows.at(ms)
      cached.reports = { ms, list: rows.map((row) => toReport(row, ms, cached, this.#context)) }
    }
    return cached.reports.list
  }

  /** Upper bound of the ids of all generated reports, future ones included. */
  get lastReportId(): number {
    return (FIRST_PROJECT_ID + this.#context.options.projects) * REPORTS_PER_PROJECT - 1
  }

  /** Returns all generated rows of a project's reports, future ones included, with the times at which they change. */
  reportMovesOf(project: number): readonly RowMoves[] {
    const rows = this.#cached(project)?.rows.all() ?? []
    // `replacedMs` is left out, because it equals the `createdMs` of the row that replaces this one.
    return rows.map(({ id, number, timeline }) => ({
      id,
      project,
      report_number: number,
      createdMs: timeline.createdMs,
      moves: movesOf(timeline),
    }))
  }

  keyword(id: number): KeywordRecord | undefined {
    return this.keywordsOf(Math.floor(id / KEYWORDS_PER_PROJECT)).find((item) => item.id === id)
  }

  report(id: number): ReportRecord | undefined {
    return this.reportsOf(Math.floor(id / REPORTS_PER_PROJECT)).find((item) => item.id === id)
  }

  #fixtureBusinesses(): Map<number, FixtureBusiness> {
    const { placed, companies } = this.#context
    return new Map(
      [...placed].flatMap(([place, { company }]) => {
        const business =
          company === undefined
            ? undefined
            : toFixtureBusiness(companies.fromFixture(company, place))
        return business ? [[FIRST_PROJECT_ID + place, business]] : []
      }),
    )
  }

  #cached(project: number): CachedProject | undefined {
    const index = project - FIRST_PROJECT_ID
    // A client may send anything as a project's id. NaN fails both comparisons.
    const isGenerated = index >= 0 && index < this.#context.options.projects
    if (!isGenerated) return undefined
    const known = this.#cache.get(project)
    if (known) return known
    const plan = planProject(project, this.#context)
    let keywords: readonly KeywordRecord[] | undefined
    let record: ProjectRecord | undefined
    const cached: CachedProject = {
      plan,
      record: () => (record ??= generateProject(plan, this.#context)),
      users: agencyOf(project, this.#context).users,
      rows: new ReportRows(plan, this.#context),
      keywords: () => (keywords ??= generateKeywords(plan, this.#context)),
    }
    this.#cache.set(project, cached)
    return cached
  }
}

/** Returns the size of an average project with all possible reports, as `CACHE_LIMITS` counts it. */
function sizeOfProject({ options: { keywords } }: GenerationInput): number {
  const count = typeof keywords === 'number' ? keywords : (keywords.min + keywords.max) / 2
  return count * (1 + LAST_REPORT_NUMBER)
}
