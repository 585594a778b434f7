import { lowest } from '../contract/lists.ts'
import type { AnyRecord, RecordOf, RecordPage } from '../contract/records.ts'
import type { CollectionName } from '../contract/collection-facts.ts'
import { invalidCommand, recordNotFound } from '../world/command-error.ts'
import type { World } from '../world/world.ts'

/** Which records. */
interface Selected {
  name: CollectionName
  /** Of keywords and reports those of this project; undefined for all. */
  project: number | undefined
}

/** The keywords or reports of this many generated projects are listed at once; each would be generated for the list. */
const LISTED_PROJECTS = 500

/**
 * All of the records, by ascending id.
 *
 * @throws CommandError for a project that does not exist, and for a list that would be too long.
 */
export function listRecords(world: World, { name, project }: Selected): readonly AnyRecord[] {
  const { records } = world
  if (name !== 'keywords' && name !== 'reports') return records.all(name)
  if (project !== undefined) {
    const existing = existingProject(records, project)
    return name === 'keywords' ? records.keywordsOf(existing.id) : records.reportsOf(existing.id)
  }
  if (records.all('projects').length <= LISTED_PROJECTS) {
    return listChildren(records, name)
  }
  const message = `The ${name} of more than ${LISTED_PROJECTS} projects are too many for a list. Ask for those of one, with ?project=ID.`
  throw invalidCommand({ path: [], message })
}

/**
 * Up to `limit` of the records whose name contains `search`, those after an id. A page of a long list takes no longer
 * than one of a short list, except for searching its names.
 *
 * @throws CommandError as {@link listRecords} does.
 */
export function pageRecords(
  world: World,
  { search, ...selected }: Selected & { search: string },
  { limit, after }: { limit: number; after: number },
): RecordPage {
  const found = findRecords(world, selected, search)
  const start = lowest(found.length, (index) => (found[index]?.id ?? Infinity) > after)
  const records = found.slice(start, start + limit)
  const isLast = start + limit >= found.length
  return { records, total: found.length, next: isLast ? null : (records.at(-1)?.id ?? null) }
}

function findRecords(world: World, selected: Selected, search: string): readonly AnyRecord[] {
  if (search === '') return listRecords(world, selected)
  if (selected.name === 'projects') return world.findProjects(search)
  const wanted = search.toLowerCase()
  const nameOf = NAMES[selected.name] as (record: AnyRecord) => string | null
  const all = listRecords(world, selected)
  return all.filter((record) => nameOf(record)?.toLowerCase().includes(wanted) ?? false)
}

/** What a search looks at; of projects also the domain, by their own index. */
const NAMES: {
  [Name in Exclude<CollectionName, 'projects'>]: (record: RecordOf<Name>) => string | null
} = {
  agencies: ({ name }) => name,
  countries: ({ label }) => label,
  languages: ({ label }) => label,
  users: ({ name }) => name,
  tokens: ({ name }) => name,
  keywords: ({ keyword }) => keyword,
  reports: ({ report_name }) => report_name,
}

/** The keywords or reports of all projects by ascending id. */
function listChildren(records: World['records'], name: 'keywords' | 'reports'): AnyRecord[] {
  const children: AnyRecord[] = []
  for (const { id: project } of records.all('projects')) {
    const own = name === 'keywords' ? records.keywordsOf(project) : records.reportsOf(project)
    for (const child of own) children.push(child)
  }
  return children.toSorted((one, other) => one.id - other.id)
}

function existingProject(records: World['records'], project: number): RecordOf<'projects'> {
  const found = records.get('projects', project)
  if (found) return found
  throw recordNotFound(`There is no project ${project}. Use the id of one that exists.`)
}
