import { COLLECTION_NAMES } from '../contract/records.ts'
import type { AnyRecord, CollectionName, RecordOf, RecordReader } from '../contract/records.ts'
import { OrderedIndex } from './ordered-index.ts'

const ALL = ''

/** The groups of each kind of record that something asks for; `ALL` holds them all. */
const KEYS: { [Name in CollectionName]: (record: RecordOf<Name>) => string[] } = {
  agencies: () => [ALL],
  countries: () => [ALL],
  languages: () => [ALL],
  users: ({ agency }) => [ALL, String(agency)],
  tokens: ({ token }) => [ALL, `bearer ${token}`],
  projects: ({ agency, status }) => [
    ALL,
    String(agency),
    projectsKey(undefined, status),
    projectsKey(agency, status),
  ],
  keywords: ({ project }) => [ALL, String(project)],
  reports: ({ project }) => [ALL, String(project)],
}

function projectsKey(agency: number | undefined, status: string | undefined): string {
  if (status === undefined) return agency === undefined ? ALL : String(agency)
  return `${agency ?? 'any'} ${status}`
}

/** Records of projects that are made when they are read, rather than held. Lists are by ascending id. */
export interface GeneratedRecords {
  projects: () => readonly RecordOf<'projects'>[]
  keywordsOf: (project: number) => readonly RecordOf<'keywords'>[]
  reportsOf: (project: number) => readonly RecordOf<'reports'>[]
  keyword: (id: number) => RecordOf<'keywords'> | undefined
  report: (id: number) => RecordOf<'reports'> | undefined
}

/** Reports of a project as they have moved by now. */
export type MoveReports = (
  project: number,
  reports: readonly RecordOf<'reports'>[],
) => readonly RecordOf<'reports'>[]

type ChildName = 'keywords' | 'reports'

type Lists = { [Name in CollectionName]: OrderedIndex<RecordOf<Name>> }
type Maps = { [Name in CollectionName]: Map<number, RecordOf<Name>> }

/** Look-ups by id and lists by what they belong to: all that is read on the path of a request. */
export class Indexes implements RecordReader {
  revision = 0
  #byId: Maps
  #lists: Lists
  #generated: GeneratedRecords | undefined
  #move: MoveReports | undefined
  /** Generated keywords and reports that were removed, by kind and id. */
  #removed = new Set<string>()

  constructor() {
    this.#byId = mapCollections(() => new Map()) as Maps
    this.#lists = mapCollections((name) => new OrderedIndex(KEYS[name] as never)) as Lists
  }

  get<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined {
    const held = this.held(name, id)
    if (held && this.#move && name === 'reports') return this.#movedReport(held) as RecordOf<Name>
    if (held || !this.#generated) return held
    const made = this.#makeChild(name, id)
    return made && this.#isVisible(name, made) ? made : undefined
  }

  all<Name extends CollectionName>(name: Name): readonly RecordOf<Name>[] {
    if (!isChildName(name) || (!this.#generated && !this.#move)) {
      return this.#listsOf(name).list(ALL)
    }
    const children = this.all('projects').flatMap(({ id }): readonly AnyRecord[] =>
      name === 'keywords' ? this.keywordsOf(id) : this.reportsOf(id),
    )
    return children.toSorted((one, other) => one.id - other.id) as RecordOf<Name>[]
  }

  /** A record as it is held: not moved, and not generated. */
  held<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined {
    return this.#byId[name].get(id)
  }

  usersOf(agency: number): readonly RecordOf<'users'>[] {
    return this.#lists.users.list(String(agency))
  }

  tokensOf(bearer: string): readonly RecordOf<'tokens'>[] {
    return this.#lists.tokens.list(`bearer ${bearer}`)
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
      this.#makeChildrenOf('keywords', project),
    )
  }

  reportsOf(project: number): readonly RecordOf<'reports'>[] {
    const held = this.#lists.reports.list(String(project))
    const moved = held.length > 0 && this.#move ? this.#move(project, held) : held
    return merge(moved, this.#makeChildrenOf('reports', project))
  }

  /** Takes in generated projects. What is put later stands in their place, or in that of their children. */
  generate(generated: GeneratedRecords): void {
    this.#generated = generated
    for (const project of generated.projects()) this.put('projects', project)
  }

  /** From now on reports are shown as they have moved, or as they are held. */
  moveReports(move: MoveReports | undefined): void {
    this.#move = move
  }

  /** What was derived from the records is stale, though none was put or removed. */
  touch(): void {
    this.revision += 1
  }

  /** Takes in a record, in place of the one that has its id, if any, in one step. */
  put<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    const previous = this.held(name, record.id)
    if (previous) this.#listsOf(name).remove(previous)
    this.#listsOf(name).add(record)
    this.#mapOf(name).set(record.id, record)
    this.revision += 1
  }

  /** Lets go of a record, unless another one has taken its place. */
  remove<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    const held = this.held(name, record.id)
    if (held !== undefined && held !== record) return
    if (held) this.#listsOf(name).remove(record)
    this.#mapOf(name).delete(record.id)
    if (this.#generated) this.#removed.add(`${name} ${record.id}`)
    this.revision += 1
  }

  /** The records as they are now, untouched by later changes. */
  snapshot(): Indexes {
    const copy = new Indexes()
    copy.revision = this.revision
    copy.#byId = mapCollections((name) => new Map<number, AnyRecord>(this.#byId[name])) as Maps
    copy.#lists = mapCollections((name) => this.#listsOf(name).copy()) as Lists
    copy.#generated = this.#generated
    copy.#move = this.#move
    copy.#removed = new Set(this.#removed)
    return copy
  }

  #movedReport(report: AnyRecord): AnyRecord | undefined {
    const { project } = report as RecordOf<'reports'>
    return this.reportsOf(project).find(({ id }) => id === report.id)
  }

  #makeChild<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined {
    const made = name === 'keywords' ? this.#generated?.keyword(id) : undefined
    const found = name === 'reports' ? this.#generated?.report(id) : made
    return found as RecordOf<Name> | undefined
  }

  /** The generated children of a project that nothing has taken the place of. */
  #makeChildrenOf<Name extends ChildName>(name: Name, project: number): readonly RecordOf<Name>[] {
    if (!this.#generated) return NOTHING
    const made =
      name === 'keywords' ? this.#generated.keywordsOf(project) : this.#generated.reportsOf(project)
    const isAllVisible = this.#removed.size === 0 && this.#byId[name].size === 0
    const children = made as readonly RecordOf<Name>[]
    return isAllVisible ? children : children.filter((child) => this.#isVisible(name, child))
  }

  #isVisible(name: CollectionName, record: AnyRecord): boolean {
    const { project } = record as { project?: number }
    return (
      !this.#byId[name].has(record.id) &&
      !this.#removed.has(`${name} ${record.id}`) &&
      project !== undefined &&
      this.#byId.projects.has(project)
    )
  }

  #listsOf<Name extends CollectionName>(name: Name): OrderedIndex<RecordOf<Name>> {
    return this.#lists[name]
  }

  #mapOf<Name extends CollectionName>(name: Name): Map<number, RecordOf<Name>> {
    return this.#byId[name]
  }
}

function mapCollections(make: (name: CollectionName) => unknown): Record<CollectionName, unknown> {
  const entries = COLLECTION_NAMES.map((name) => [name, make(name)])
  return Object.fromEntries(entries) as Record<CollectionName, unknown>
}

const NOTHING: readonly never[] = []

function isChildName(name: CollectionName): name is ChildName {
  return name === 'keywords' || name === 'reports'
}

/** Two lists as one by ascending id; the one of them itself, where the other is empty. */
function merge<Item extends { id: number }>(
  held: readonly Item[],
  made: readonly Item[],
): readonly Item[] {
  if (made.length === 0) return held
  if (held.length === 0) return made
  return [...held, ...made].toSorted((one, other) => one.id - other.id)
}
