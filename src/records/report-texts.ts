import type { ProjectRecord } from '../contract/project.ts'
import type { RecordOf, RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'
import type { StatedBusiness, TextWriter } from './generation/text-writer.ts'

/** Where the language of a project is looked up. */
type Lookup = Pick<RecordReader, 'get'>

type Written = Readonly<{
  [Name in 'languages' | 'projects' | 'reports']: readonly RecordOf<Name>[]
}>

/** Writes the texts of completed reports in the languages of their projects, each of which is loaded when it is needed. */
export class ReportTexts {
  readonly #seed: string
  /** What the fixture says of the businesses of generated projects, by project. */
  businesses: ReadonlyMap<number, StatedBusiness> = new Map()
  readonly #writers = new Map<string | undefined, TextWriter>()

  constructor(seed: string) {
    this.#seed = seed
  }

  /** Loads what the texts in the language with that label are written with; undefined for no language. */
  async load(label: string | undefined): Promise<void> {
    if (this.#writers.has(label)) return
    const { loadTextWriter, localeOfLanguage } = await import('./generation/text-writer.ts')
    this.#writers.set(label, await loadTextWriter(localeOfLanguage(label), this.#seed))
  }

  /** The same for all languages in which reports are still to be completed. */
  async loadFor({ languages, projects, reports }: Written): Promise<void> {
    const open = new Set(reports.filter(isOpen).map(({ project }) => project))
    const written = projects.filter(({ id }) => open.has(id))
    for (const id of new Set(written.map(({ text_language }) => text_language))) {
      await this.load(languages.find((language) => language.id === id)?.label)
    }
  }

  /**
   * What writes the texts of a project.
   *
   * @throws RangeError for a language that was not loaded.
   */
  writerOf(project: ProjectRecord, lookup: Lookup): TextWriter {
    const label = textLanguageOf(project, lookup)
    const writer = this.#writers.get(label)
    if (!writer) throw new RangeError(`No texts of ${label} are loaded.`)
    return writer
  }
}

function isOpen({ status }: ReportRecord): boolean {
  return status === 'pending' || status === 'running'
}

/** The label of a project's text language; undefined where it has none. */
export function textLanguageOf(
  { text_language }: ProjectRecord,
  lookup: Lookup,
): string | undefined {
  return text_language === null ? undefined : lookup.get('languages', text_language)?.label
}

type Content = NonNullable<ReportRecord['content']>

/** Adds content to a report that is written when it is read, because most of it never is. */
export function withLazyContent(report: ReportRecord, write: () => Content): ReportRecord {
  let content: Content | undefined
  Object.defineProperty(report, WRITTEN, { value: () => (content ??= write()) })
  return Object.defineProperty(report, 'content', CONTENT)
}

/** The function that writes the content of a report when it is first read. */
const WRITTEN = Symbol('written')

/**
 * One accessor for all reports: an accessor per report would give each one its own hidden class, which V8 keeps
 * until its next full collection.
 */
const CONTENT: PropertyDescriptor & ThisType<{ [WRITTEN]: () => ReportRecord['content'] }> = {
  enumerable: true,
  get() {
    return this[WRITTEN]()
  },
}

/**
 * A copy of a generated report to be stored, with content only for the keywords that its project has: commands may
 * have removed others before the report was completed.
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
