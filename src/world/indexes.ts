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

type Lists = { [Name in CollectionName]: OrderedIndex<RecordOf<Name>> }
type Maps = { [Name in CollectionName]: Map<number, RecordOf<Name>> }

/** Look-ups by id and lists by what they belong to: all that is read on the path of a request. */
export class Indexes implements RecordReader {
  revision = 0
  #byId: Maps
  #lists: Lists

  constructor() {
    this.#byId = mapCollections(() => new Map()) as Maps
    this.#lists = mapCollections((name) => new OrderedIndex(KEYS[name] as never)) as Lists
  }

  get<Name extends CollectionName>(name: Name, id: number): RecordOf<Name> | undefined {
    return this.#byId[name].get(id)
  }

  all<Name extends CollectionName>(name: Name): readonly RecordOf<Name>[] {
    return this.#listsOf(name).list(ALL)
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
    return this.#lists.keywords.list(String(project))
  }

  reportsOf(project: number): readonly RecordOf<'reports'>[] {
    return this.#lists.reports.list(String(project))
  }

  /** Takes in a record, in place of the one that has its id, if any, in one step. */
  put<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    const previous = this.get(name, record.id)
    if (previous) this.#listsOf(name).remove(previous)
    this.#listsOf(name).add(record)
    this.#mapOf(name).set(record.id, record)
    this.revision += 1
  }

  /** Lets go of a record, unless another one has taken its place. */
  remove<Name extends CollectionName>(name: Name, record: RecordOf<Name>): void {
    if (this.get(name, record.id) !== record) return
    this.#listsOf(name).remove(record)
    this.#mapOf(name).delete(record.id)
    this.revision += 1
  }

  /** The records as they are now, untouched by later changes. */
  snapshot(): Indexes {
    const copy = new Indexes()
    copy.revision = this.revision
    copy.#byId = mapCollections((name) => new Map<number, AnyRecord>(this.#byId[name])) as Maps
    copy.#lists = mapCollections((name) => this.#listsOf(name).copy()) as Lists
    return copy
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
