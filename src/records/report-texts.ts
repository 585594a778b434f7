import type { ProjectRecord } from '../contract/project.ts'
import type { RecordOf, RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'
import { FIRST_PROJECT_ID } from './generated-ids.ts'
import type { StatedBusiness, TextWriter } from './generation/text-writer.ts'

/** Where the language and the country of a project are looked up. */
type Lookup = Pick<RecordReader, 'get'>

type Written = Readonly<{
  [Name in 'countries' | 'languages' | 'projects' | 'reports']: readonly RecordOf<Name>[]
}>

/** The labels that decide what texts are written with: the language, and the country of a generated project. */
export interface TextLabels {
  language: string | undefined
  country?: string | undefined
}

/** Writes the texts of completed reports in the languages of their projects, each of which is loaded when it is needed. */
export class ReportTexts {
  readonly #seed: string
  /** What the fixture says of the businesses of generated projects, by project. */
  businesses: ReadonlyMap<number, StatedBusiness> = new Map()
  readonly #writers = new Map<string, TextWriter>()

  constructor(seed: string) {
    this.#seed = seed
  }

  async load(labels: TextLabels): Promise<void> {
    const key = toKey(labels)
    if (this.#writers.has(key)) return
    const { loadTextWriter, localeOf } = await import('./generation/text-writer.ts')
    const locale = localeOf(labels.language, labels.country)
    this.#writers.set(key, await loadTextWriter(locale, this.#seed))
  }

  /** Loads what the reports that are still to be completed are written with. */
  async loadFor({ countries, languages, projects, reports }: Written): Promise<void> {
    const open = new Set(reports.filter(isOpen).map(({ project }) => project))
    const labels = {
      countries: new Map(countries.map(({ id, label }) => [id, label])),
      languages: new Map(languages.map(({ id, label }) => [id, label])),
    }
    for (const project of projects) {
      if (open.has(project.id))
        await this.load(toLabels(project, (name, id) => labels[name].get(id)))
    }
  }

  /**
   * What writes the texts of a project.
   *
   * @throws RangeError for a language that was not loaded.
   */
  writerOf(project: ProjectRecord, lookup: Lookup): TextWriter {
    const labels = textLabelsOf(project, lookup)
    const writer = this.#writers.get(toKey(labels))
    if (!writer) throw new RangeError(`No texts of ${labels.language} are loaded.`)
    return writer
  }
}

function toKey({ language, country }: TextLabels): string {
  return JSON.stringify([language, country])
}

function isOpen({ status }: ReportRecord): boolean {
  return status === 'pending' || status === 'running'
}

/** The labels of a project, undefined where it has none. */
export function textLabelsOf(project: ProjectRecord, lookup: Lookup): TextLabels {
  return toLabels(project, (name, id) => lookup.get(name, id)?.label)
}

/** Projects that somebody wrote by hand have low ids: their texts depend on the language alone. */
function toLabels(
  { id, text_language, country }: ProjectRecord,
  labelOf: (name: 'countries' | 'languages', id: number) => string | undefined,
): TextLabels {
  const language = text_language === null ? undefined : labelOf('languages', text_language)
  if (id < FIRST_PROJECT_ID || country === null) return { language }
  return { language, country: labelOf('countries', country) }
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
