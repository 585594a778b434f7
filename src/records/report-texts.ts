import type { ProjectRecord } from '../contract/project.ts'
import type { RecordOf, RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'
import type { Locale } from '../contract/locales.ts'
import { isGeneratedProject } from './generated-ids.ts'
import type { FixtureBusiness, TextWriter } from './generation/text-writer.ts'

type Lookup = Pick<RecordReader, 'get'>

type Written = Readonly<{
  [Name in 'countries' | 'languages' | 'projects' | 'reports']: readonly RecordOf<Name>[]
}>

/** Labels that texts depend on: the language, and the country of a generated project. */
interface TextLabels {
  language: string | undefined
  country?: string | undefined
}

type Module = typeof import('./generation/text-writer.ts')

/** Writers of the texts of completed reports, by locale. The locale of a project must be loaded before its texts are written. */
export class ReportTexts {
  readonly #seed: string
  /** Businesses that the fixture names for generated projects, by project id. */
  businesses: ReadonlyMap<number, FixtureBusiness> = new Map()
  readonly #writers = new Map<Locale, TextWriter>()
  #localeOf: Module['localeOf'] | undefined

  constructor(seed: string) {
    this.#seed = seed
  }

  async load(project: ProjectRecord, lookup: Lookup): Promise<void> {
    await this.#load([labelsOf(project, lookup)])
  }

  /**
   * Loads each locale that a new label may select: for a language, on its own and with each country; for a country, with each
   * language.
   */
  async loadLabel(
    name: 'countries' | 'languages',
    label: string,
    records: Pick<RecordReader, 'all'>,
  ): Promise<void> {
    const isLanguage = name === 'languages'
    const others = records.all(isLanguage ? 'countries' : 'languages')
    const pairs = others.map((other) =>
      isLanguage
        ? { language: label, country: other.label }
        : { language: other.label, country: label },
    )
    await this.#load(isLanguage ? [{ language: label }, ...pairs] : pairs)
  }

  /** Loads the locales of all projects with pending or running reports. */
  async loadFor({ countries, languages, projects, reports }: Written): Promise<void> {
    const open = new Set(reports.filter(isOpen).map(({ project }) => project))
    const lists = { countries: toMap(countries), languages: toMap(languages) }
    const lookup = (name: 'countries' | 'languages', id: number) => lists[name].get(id)?.label
    const written = projects.filter(({ id }) => open.has(id))
    await this.#load(written.map((project) => toLabels(project, lookup)))
  }

  async #load(labels: readonly TextLabels[]): Promise<void> {
    if (labels.length === 0) return
    const { loadTextWriter, localeOf } = await import('./generation/text-writer.ts')
    this.#localeOf = localeOf
    for (const locale of new Set(labels.map((each) => localeOf(each.language, each.country)))) {
      if (!this.#writers.has(locale))
        this.#writers.set(locale, await loadTextWriter(locale, this.#seed))
    }
  }

  /**
   * Returns the writer of a project's texts.
   *
   * @throws RangeError for a locale that was not loaded.
   */
  writerOf(project: ProjectRecord, lookup: Lookup): TextWriter {
    const { language, country } = labelsOf(project, lookup)
    const locale = this.#localeOf?.(language, country)
    const writer = locale && this.#writers.get(locale)
    if (!writer) throw new RangeError(`No texts of ${language} are loaded.`)
    return writer
  }
}

function isOpen({ status }: ReportRecord): boolean {
  return status === 'pending' || status === 'running'
}

function toMap<Item extends { id: number }>(list: readonly Item[]): ReadonlyMap<number, Item> {
  return new Map(list.map((item) => [item.id, item]))
}

function labelsOf(project: ProjectRecord, lookup: Lookup): TextLabels {
  return toLabels(project, (name, id) => lookup.get(name, id)?.label)
}

function toLabels(
  project: ProjectRecord,
  labelOf: (name: 'countries' | 'languages', id: number) => string | undefined,
): TextLabels {
  const { text_language, country } = project
  const language = text_language === null ? undefined : labelOf('languages', text_language)
  if (!isGeneratedProject(project) || country === null) return { language }
  return { language, country: labelOf('countries', country) }
}

type Content = NonNullable<ReportRecord['content']>

/** Adds content to `report` itself. The content is written when it is first read, because most content is never read. */
export function withLazyContent(report: ReportRecord, write: () => Content): ReportRecord {
  let content: Content | undefined
  Object.defineProperty(report, WRITTEN, { value: () => (content ??= write()) })
  return Object.defineProperty(report, 'content', CONTENT)
}

/** Key of the function that writes the content of a report when it is first read. */
const WRITTEN = Symbol('written')

/**
 * One accessor for all reports. An accessor per report would give each report a hidden class of its own, which V8 keeps until its
 * next full collection.
 */
const CONTENT: PropertyDescriptor & ThisType<{ [WRITTEN]: () => ReportRecord['content'] }> = {
  enumerable: true,
  get() {
    return this[WRITTEN]()
  },
}

/**
 * Returns a copy of a report to store, with its content written. Leaves out content for keywords that the project no longer has.
 */
export function withOwnContent(report: ReportRecord, records: RecordReader): ReportRecord {
  const { content, ...rest } = report
  if (!content) return rest
  const isOwn = (keyword: string): boolean =>
    records.get('keywords', Number(keyword))?.project === report.project
  return {
    ...rest,
    content: Object.fromEntries(Object.entries(content).filter(([keyword]) => isOwn(keyword))),
  }
}
