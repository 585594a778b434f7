import { charactersOf } from '../contract/limits.ts'
import { mapCollections } from '../contract/collection-facts.ts'
import type { CollectionName } from '../contract/collection-facts.ts'
import type { AnyRecord, RecordOf, RecordReader } from '../contract/records.ts'
import { isGeneratedId } from './generated-ids.ts'
import type { Generator, RowMoves } from './generation/generator.ts'
import { ALL, bearerKey, KEYS, projectsKey, OrderedIndex } from './ordered-index.ts'

interface ReportMovement {
  isMovingWithTime: boolean
  /** Returns reports after their moves, up to now or, if the world clock moves reports, up to `atMs`. */
  move: (
    reports: readonly RecordOf<'reports'>[],
    records: RecordReader,
    atMs?: number,
  ) => readonly RecordOf<'reports'>[]
  /** Returns the times of all moves of the reports, in epoch milliseconds, unordered; Infinity for a move that never happens. */
  movesOf: (reports: readonly RecordOf<'reports'>[]) => readonly number[]
}

type ChildName = 'keywords' | 'reports'

/** Ids of removed records, by collection. Projects and keywords are included only in a world with generated records. */
export type Removed = Record<GeneratedName, number[]>

const GENERATED_NAMES = ['projects', 'keywords', 'reports'] as const
type GeneratedName = (typeof GENERATED_NAMES)[number]

type Lists = { [Name in CollectionName]: OrderedIndex<RecordOf<Name>> }
type Maps = { [Name in CollectionName]: Map<number, RecordOf<Name>> }

/** The records of a world by id, and in lists by project, agency, status or bearer value. */
export class Indexes implements RecordReader {
  revision = 0
  /** Total size of the stored records, as computed by {@link charactersOf}. */
  characters = 0
  #byId: Maps
  #lists: Lists
  #generated: Generator | undefined
  #movement: ReportMovement | undefined
  #removed = createRemoved()

  constructor() {
    this.#byId = mapCollections(() => new Map()) as Maps
    this.#lists = mapCollections((name): unknown => new OrderedIndex(KEYS[name] as never)) as Lists
  }

  get<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined {
    const stored = this.stored(name, id)
    if (stored && this.#movement && name === 'reports')
      return this.#movedReport(stored) as RecordOf<Name>
    if (stored || !this.#generated || !isChildName(name)) return stored
    const generated = this.#generateChild(name, id)
    return generated && this.#isVisible(name, generated) ? generated : undefined
  }

  all<Name extends CollectionName>(name: Name): readonly RecordOf<Name>[] {
    if (!isChildName(name) || (!this.#generated && !this.#movement)) {
      return this.allStored(name)
    }
    const children = this.all('projects').flatMap(({ id }): readonly AnyRecord[] =>
      name === 'keywords' ? this.keywordsOf(id) : this.reportsOf(id),
    )
    return children.toSorted((one, other) => one.id - other.id) as RecordOf<Name>[]
  }

  /** Returns a collection as stored: without the moves of reports, and without keywords and reports that are generated when read. */
  allStored<Name extends CollectionName>(name: Name): readonly RecordOf<Name>[] {
    return this.#listsOf(name).list(ALL)
  }

  stored<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined {
    return this.#byId[name].get(id)
  }

  usersOf(agency: number): readonly RecordOf<'users'>[] {
    return this.#lists.users.list(String(agency))
  }

  tokensOf(bearer: string): readonly RecordOf<'tokens'>[] {
    return this.#lists.tokens.list(bearerKey(bearer))
  }

  tokenNamed(authorization: string): RecordOf<'tokens'> | undefined {
    return authorization === ALL ? undefined : this.#lists.tokens.list(authorization)[0]
  }

  projectsOf({
    agency,
    status,
  }: {
    agency: number | undefined
    status: string | undefined
  }): readonly RecordOf<'projects'>[] {
    return this.#lists.projects.list(projectsKey(agency, status))
  }

  keywordsOf(project: number): readonly RecordOf<'keywords'>[] {
    return merge(
      this.#lists.keywords.list(String(project)),
      this.#visibleChildrenOf('keywords', project),
    )
  }

  reportsOf(project: number, atMs?: number): readonly RecordOf<'reports'>[] {
    const stored = this.#lists.reports.list(String(project))
    const moved = this.#movement ? this.#movement.move(stored, this, atMs) : stored
    return merge(moved, this.#visibleChildrenOf('reports', project, atMs))
  }

  reportMomentsOf(project: number): readonly number[] {
    if (!this.#movement?.isMovingWithTime) return []
    const rows = this.#visibleRowsOf(project)
    const generated = rows.flatMap(({ createdMs, moves }) => [createdMs, ...moves])
    return [...this.#storedMovesOf(project), ...generated]
  }

  /**
   * Returns the times at which a project's reports move, whether by the clock or by reads, in epoch milliseconds, unordered;
   * Infinity for a move that never happens.
   */
  reportMovesOf(project: number): readonly number[] {
    const generated = this.#visibleRowsOf(project).flatMap(({ moves }) => moves)
    return [...this.#storedMovesOf(project), ...generated]
  }

  #storedMovesOf(project: number): readonly number[] {
    return this.#movement?.movesOf(this.#lists.reports.list(String(project))) ?? NOTHING
  }

  #visibleRowsOf(project: number): readonly RowMoves[] {
    const rows = this.#generated?.reportMovesOf(project) ?? NOTHING
    return rows.filter((row) => this.#isVisible('reports', row))
  }

  get generated(): Generator | undefined {
    return this.#generated
  }

  /** The ids of removed records, ascending. */
  get removed(): Removed {
    const entries = GENERATED_NAMES.map((name) => [
      name,
      [...this.#removed[name]].toSorted((one, other) => one - other),
    ])
    return Object.fromEntries(entries) as Removed
  }

  get removedCount(): number {
    return GENERATED_NAMES.reduce((sum, name) => sum + this.#removed[name].size, 0)
  }

  /** Forgets the ids of removed records, for a world that starts again. */
  forgetRemoved(): void {
    this.#removed = createRemoved()
  }

  /**
   * Returns the id of the next report: above the ids of all reports that existed or are still to be generated. If no safe
   * integer is left above them, returns the lowest id that no report had or will have.
   */
  nextReportId(): number {
    const { reports: removed } = this.#removed
    let last = Math.max(
      this.allStored('reports').at(-1)?.id ?? 0,
      this.#generated?.lastReportId ?? 0,
    )
    for (const id of removed) last = Math.max(last, id)
    if (last < Number.MAX_SAFE_INTEGER) return last + 1
    const { options = { projects: 0 } } = this.#generated?.input ?? {}
    let free = 1
    while (
      this.stored('reports', free) ||
      removed.has(free) ||
      isGeneratedId('reports', free, options)
    )
      free += 1
    return free
  }

  /**
   * Adds generated projects, except removed ones. No stored project may have their ids. A record that is put later replaces the
   * generated record with its id.
   */
  generate(generated: Generator): void {
    this.#generated = generated
    for (const project of generated.projects()) {
      if (!this.#removed.projects.has(project.id)) this.put('projects', project)
    }
  }

  /** Replaces the ids of removed records with `removed`, and removes the stored projects among them. */
  removeForGood(removed: Removed): void {
    for (const name of GENERATED_NAMES) {
      this.#removed[name].clear()
      for (const id of removed[name]) this.#removed[name].add(id)
    }
    for (const id of removed.projects) {
      const project = this.stored('projects', id)
      if (project) this.remove('projects', project)
    }
  }

  /** Sets the movement of reports. If it is undefined, reports are read as stored. */
  setMovement(movement: ReportMovement | undefined): void {
    this.#movement = movement
  }

  /** Adds a record, or replaces the stored record with its id. */
  put<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    const previous = this.stored(name, record.id)
    if (previous) this.#listsOf(name).remove(previous)
    this.characters += charactersOf(record) - (previous ? charactersOf(previous) : 0)
    this.#listsOf(name).add(record)
    this.#mapOf(name).set(record.id, record)
    if (isGeneratedName(name)) this.#removed[name].delete(record.id)
    this.revision += 1
  }

  /** Removes a record, unless another one has replaced it. */
  remove<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    const stored = this.stored(name, record.id)
    if (stored !== undefined && stored !== record) return
    if (stored) {
      this.#listsOf(name).remove(record)
      this.characters -= charactersOf(record)
    }
    this.#mapOf(name).delete(record.id)
    // The id of a report is never reused, and a generated record must not be generated again.
    if (isGeneratedName(name) && (name === 'reports' || this.#generated))
      this.#removed[name].add(record.id)
    this.revision += 1
  }

  /** True for the id of a removed report and, in a world with generated records, of a removed project or keyword. */
  isRemoved(name: CollectionName, id: number): boolean {
    return isGeneratedName(name) && this.#removed[name].has(id)
  }

  /** Stops storing a record. A generated keyword or report with its id becomes visible again, unless `isRemoved`. */
  release(name: CollectionName, id: number, isRemoved: boolean): void {
    const stored = this.stored(name, id)
    if (stored) this.remove(name, stored)
    if (isGeneratedName(name)) this.#removed[name][isRemoved ? 'add' : 'delete'](id)
    this.revision += 1
  }

  /** Returns a copy of the indexes, which later changes do not affect. */
  snapshot(): Indexes {
    const copy = new Indexes()
    copy.revision = this.revision
    copy.characters = this.characters
    copy.#byId = mapCollections((name) => new Map<number, AnyRecord>(this.#byId[name])) as Maps
    copy.#lists = mapCollections((name) => this.#listsOf(name).copy()) as Lists
    copy.#generated = this.#generated
    copy.#movement = this.#movement
    copy.#removed = createRemoved(this.removed)
    return copy
  }

  #movedReport(report: AnyRecord): AnyRecord | undefined {
    const { project } = report as RecordOf<'reports'>
    return this.reportsOf(project).find(({ id }) => id === report.id)
  }

  #generateChild<Name extends ChildName>(name: Name, id: number): RecordOf<Name> | undefined {
    const generated =
      name === 'keywords' ? this.#generated?.keyword(id) : this.#generated?.report(id)
    return generated as RecordOf<Name> | undefined
  }

  #visibleChildrenOf<Name extends ChildName>(
    name: Name,
    project: number,
    atMs?: number,
  ): readonly RecordOf<Name>[] {
    if (!this.#generated) return NOTHING
    const generated =
      name === 'keywords'
        ? this.#generated.keywordsOf(project)
        : this.#generated.reportsOf(project, atMs)
    const isAllVisible =
      this.#removed[name].size === 0 &&
      this.#byId.projects.has(project) &&
      this.#byId[name].size === 0
    const children = generated as readonly RecordOf<Name>[]
    return isAllVisible ? children : children.filter((child) => this.#isVisible(name, child))
  }

  /**
   * True for a generated record that was not removed or replaced, and whose project exists. A stored report also replaces the
   * generated report of its project with the same number.
   */
  #isVisible(name: ChildName, record: AnyRecord | RowMoves): boolean {
    const { id, project, report_number } = record as RecordOf<'reports'>
    if (this.#byId[name].has(id) || this.#removed[name].has(id)) return false
    if (!this.#byId.projects.has(project)) return false
    const stored = name === 'reports' ? this.#lists.reports.list(String(project)) : NOTHING
    return !stored.some((report) => report.report_number === report_number)
  }

  #listsOf<Name extends CollectionName>(name: Name): OrderedIndex<RecordOf<Name>> {
    return this.#lists[name]
  }

  #mapOf<Name extends CollectionName>(name: Name): Map<number, RecordOf<Name>> {
    return this.#byId[name]
  }
}

const NOTHING: readonly never[] = []

function isChildName(name: CollectionName): name is ChildName {
  return name === 'keywords' || name === 'reports'
}

function isGeneratedName(name: CollectionName): name is GeneratedName {
  return GENERATED_NAMES.some((generated) => generated === name)
}

function createRemoved(from?: Removed): Record<GeneratedName, Set<number>> {
  const entries = GENERATED_NAMES.map((name) => [name, new Set(from?.[name])])
  return Object.fromEntries(entries) as Record<GeneratedName, Set<number>>
}

/** Merges two lists by ascending id. If one of them is empty, returns the other without copying it. */
function merge<Item extends { id: number }>(
  stored: readonly Item[],
  generated: readonly Item[],
): readonly Item[] {
  if (generated.length === 0) return stored
  if (stored.length === 0) return generated
  return [...stored, ...generated].toSorted((one, other) => one.id - other.id)
}
