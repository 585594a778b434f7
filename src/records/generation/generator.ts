import { Cache } from '../../contract/cache.ts'
import { MemoryUse } from '../../contract/memory-use.ts'
import { FIRST_PROJECT_ID, KEYWORDS_PER_PROJECT, REPORTS_PER_PROJECT } from './generate.ts'
import type { Generate } from './generate.ts'
import type { KeywordRecord } from '../../contract/keyword.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { RecordSet } from '../../contract/records.ts'
import type { ReportRecord } from '../../contract/report.ts'
import type { GeneratedRecords } from '../indexes.ts'
import type { ReportProgress } from '../report-progress.ts'
import { changesOf, momentsOf } from '../timeline.ts'
import { generateKeywords } from './keywords.ts'
import { completeReferenceRecords } from './people.ts'
import { planProject } from './plan.ts'
import type { GenerationInput, ProjectPlan, GenerationContext } from './plan.ts'
import { generateProject } from './project.ts'
import { planReports, reportsAt } from './reports.ts'
import { loadWords } from './words.ts'
import type { Words } from './words.ts'

export interface GenerationOptions {
  seed: string
  generate: Generate
  /** The world clock at load, in epoch milliseconds. */
  loadedMs: number
  progress: ReportProgress
}

/**
 * Generates what a world has in addition to its fixture: missing reference records at once, projects with their
 * keywords and reports by a {@link Generator}.
 */
export async function createGenerator(
  written: RecordSet,
  { seed, generate, loadedMs, progress }: GenerationOptions,
): Promise<{ records: RecordSet; generator: Generator }> {
  const words = await loadWords(generate.locale)
  const referenceRecords = completeReferenceRecords(
    written,
    { seed, agencies: generate.agencies },
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
    country: idOf(words.copy.country.label, countries),
    language: idOf(words.copy.language.label, languages),
  }
  return {
    records: { ...written, ...referenceRecords },
    generator: new Generator(input, words, progress),
  }
}

/** Recreates a generator from the input of another one. */
export async function resumeGenerator(
  input: GenerationInput,
  progress: ReportProgress,
): Promise<Generator> {
  return new Generator(input, await loadWords(input.options.locale), progress)
}

/** The id of the item with that label, or of the first one where none has it; null for an empty list. */
function idOf(label: string, list: readonly { id: number; label: string }[]): number | null {
  return (list.find((item) => item.label === label) ?? list[0])?.id ?? null
}

/** What is cached of a project that was read. */
interface Touched {
  plan: ProjectPlan
  users: readonly number[]
  keywords: KeywordRecord[]
  rows: ReturnType<typeof planReports>
  /** Its reports at the time for which they were last read. */
  reports?: { ms: number; list: ReportRecord[] }
}

const MAXIMUM_BYTES = 6 * 1024 * 1024
const KEYWORD_BYTES = 300
const REPORT_BYTES = 750
/** What a report keeps for each keyword once its content was read. */
const CONTENT_BYTES = 40

/** The projects of a generated world; their keywords and reports are generated when they are read. */
export class Generator implements GeneratedRecords {
  readonly input: GenerationInput
  readonly #context: GenerationContext
  readonly #progress: ReportProgress
  /** What its cache takes. */
  readonly memory = new MemoryUse()
  readonly #touched = new Cache<number, Touched>(
    MAXIMUM_BYTES,
    (_, touched) => bytesOf(touched),
    this.memory,
  )

  constructor(input: GenerationInput, words: Words, progress: ReportProgress) {
    this.input = input
    this.#context = { ...input, words }
    this.#progress = progress
  }

  /** All projects, by ascending id; each is generated when it is asked for. */
  *projects(): Iterable<ProjectRecord> {
    for (let index = 0; index < this.#context.options.projects; index += 1) {
      yield this.#project(planProject(FIRST_PROJECT_ID + index, this.#context))
    }
  }

  keywordsOf(project: number): readonly KeywordRecord[] {
    return this.#touch(project)?.keywords ?? []
  }

  reportsOf(project: number, atMs?: number): readonly ReportRecord[] {
    const touched = this.#touch(project)
    if (!touched) return []
    const changes = () => touched.rows.flatMap(({ timeline }) => changesOf(timeline))
    const ms = this.#progress.timeOf(project, changes, atMs)
    if (touched.reports?.ms !== ms) {
      touched.reports = { ms, list: reportsAt(ms, touched.rows, touched, this.#context) }
    }
    return touched.reports.list
  }

  reportMomentsOf(project: number): readonly number[] {
    if (!this.#progress.isMovingWithTime) return []
    // No moment for a replaced row: it is the one at which its replacement is created.
    return this.#touch(project)?.rows.flatMap(({ timeline }) => momentsOf(timeline)) ?? []
  }

  keyword(id: number): KeywordRecord | undefined {
    return this.keywordsOf(Math.floor(id / KEYWORDS_PER_PROJECT)).find((item) => item.id === id)
  }

  report(id: number): ReportRecord | undefined {
    return this.reportsOf(Math.floor(id / REPORTS_PER_PROJECT)).find((item) => item.id === id)
  }

  clearCaches(): void {
    this.#touched.clear()
  }

  #project(plan: ProjectPlan): ProjectRecord {
    return generateProject(plan, this.#context)
  }

  #has(project: number): boolean {
    const index = project - FIRST_PROJECT_ID
    return index >= 0 && index < this.#context.options.projects
  }

  #touch(project: number): Touched | undefined {
    if (!this.#has(project)) return undefined
    const known = this.#touched.get(project)
    if (known) return known
    const plan = planProject(project, this.#context)
    const { agency } = this.#project(plan)
    const touched: Touched = {
      plan,
      users: this.#context.agencies.find(({ id }) => id === agency)?.users ?? [],
      keywords: generateKeywords(plan, this.#context),
      rows: planReports(plan, this.#context),
    }
    this.#touched.set(project, touched)
    return touched
  }
}

function bytesOf({ keywords, rows }: Touched): number {
  const reports = rows.length * (REPORT_BYTES + CONTENT_BYTES * keywords.length)
  return keywords.length * KEYWORD_BYTES + reports
}
