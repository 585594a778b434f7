import { z } from 'zod'
import { COLLECTION_NAMES, SINGULAR } from '../../contract/collection-facts.ts'
import type { CollectionName } from '../../contract/collection-facts.ts'
import { Id } from '../../contract/conventions.ts'
import { lowerBound } from '../../contract/lists.ts'
import { isMap } from '../../contract/read-fields.ts'
import { AnyRecord, COLLECTIONS, RecordList, RecordPage } from '../../contract/records.ts'
import type { RecordOf } from '../../contract/records.ts'
import { invalidCommand, recordNotFound } from '../../world/command-error.ts'
import type { PutResult } from '../../world/commands/record-changes.ts'
import { recordDelete } from '../../world/commands/record-delete.ts'
import { recordPatch } from '../../world/commands/record-patch.ts'
import { recordPut } from '../../world/commands/record-put.ts'
import { RecordStateSchema } from '../../world/commands/record-restore.ts'
import type { World } from '../../world/world.ts'
import { numberOrText, DEFAULT_PAGE, PageLimit } from './query-fields.ts'
import {
  choiceParameter,
  defineCommandRoute,
  defineRoute,
  idParameter,
  noContent,
  ok,
} from './route.ts'
import type { ControlResponse, ControlRoutes } from './route.ts'

const collection = choiceParameter(COLLECTION_NAMES, 'The collection', 'a collection')

const id = idParameter(Id.describe('The id of the record'))

const ListQuery = z.strictObject({
  project: numberOrText(Id)
    .optional()
    .describe('For keywords and reports: only those of the project with this id'),
  limit: PageLimit,
  after: numberOrText(z.int().min(0))
    .optional()
    .describe('Only records with a greater id, as a page: `next` of the previous page'),
  search: z
    .string()
    .optional()
    .describe(
      'Only records with this text in their name, in upper or lower case, as a page: name and domain of projects, label of countries and languages, keyword of keywords',
    ),
})

const SCHEMAS: readonly z.ZodObject[] = Object.values(COLLECTIONS)

const RecordInput = z.union(SCHEMAS)
/** The id is optional, because the path contains it. */
const RecordInputById = z.union(SCHEMAS.map((schema) => schema.partial({ id: true })))

export const RECORD_ROUTES: ControlRoutes = {
  tag: 'Records',
  page: 'docs/time-and-reports.md',
  description: 'The records, in the format of fixtures',
  routes: [
    defineRoute({
      id: 'listRecords',
      role: 'world',
      method: 'get',
      path: '/records/:collection',
      summary:
        'Lists the records of a collection by ascending id; with ?project=ID, the keywords or reports of one project',
      description:
        'Records are in the format of fixtures, with absolute dates and references by id. With `limit`, `after` or `search` the response is a page, `{ records, total, next }`, otherwise a list of all.',
      params: { collection },
      query: ListQuery,
      responses: { 200: z.union([RecordList, RecordPage]) },
      answer: async ({ world }, { params, query: { project, limit, after, search } }) => {
        const name = params.collection
        if ((limit ?? after ?? search) === undefined) {
          return ok(listRecords(world, { name, project }))
        }
        return ok(
          pageRecords(
            world,
            { name, project, search: search ?? '' },
            { limit: limit ?? DEFAULT_PAGE, after: after ?? 0 },
          ),
        )
      },
    }),
    defineCommandRoute({
      id: 'putRecord',
      role: 'world',
      method: 'put',
      path: '/records/:collection',
      summary: 'Adds a record, or replaces the one with its id',
      description:
        'The body is the whole record, including its id: 201 for a new record, 200 for a replaced one.',
      needsRoom: true,
      params: { collection },
      command: recordPut,
      body: RecordInput,
      toCommand: ({ params, body }) => ({
        type: 'record.put',
        collection: params.collection,
        record: toRecord(body),
      }),
      toResponse: toPutResponse,
      responses: { 200: AnyRecord, 201: AnyRecord },
    }),
    defineRoute({
      id: 'getRecord',
      role: 'world',
      method: 'get',
      path: '/records/:collection/:id',
      summary: 'Returns one record',
      description:
        'The record is in the format of fixtures, with absolute dates and references by id.',
      params: { collection, id },
      responses: { 200: AnyRecord },
      answer: ({ world }, { params }) => {
        const record = world.records.get(params.collection, params.id)
        if (record) return ok(record)
        throw recordNotFound(`There is no ${SINGULAR[params.collection]} ${params.id}.`)
      },
    }),
    defineRoute({
      id: 'getRecordState',
      role: 'world',
      method: 'get',
      path: '/records/:collection/:id/state',
      summary: 'Returns the stored state of a record, which the command `record.restore` restores',
      description:
        'Unlike the record itself it does not change with time. To undo a command, get this state before it and send it afterwards.',
      params: { collection, id },
      responses: { 200: RecordStateSchema },
      answer: ({ world }, { params }) => ok(world.recordState(params.collection, params.id)),
    }),
    defineCommandRoute({
      id: 'putRecordById',
      role: 'world',
      method: 'put',
      path: '/records/:collection/:id',
      summary: 'Adds the record with this id, or replaces it',
      description:
        'The body is the whole record; its id may be omitted: 201 for a new record, 200 for a replaced one.',
      needsRoom: true,
      params: { collection, id },
      command: recordPut,
      body: RecordInputById,
      toCommand: ({ params, body }) => ({
        type: 'record.put',
        collection: params.collection,
        record: withId(toRecord(body), params.id),
      }),
      toResponse: toPutResponse,
      responses: { 200: AnyRecord, 201: AnyRecord },
    }),
    defineCommandRoute({
      id: 'patchRecord',
      role: 'world',
      method: 'patch',
      path: '/records/:collection/:id',
      summary: 'Replaces some fields of a record; null removes an optional one',
      description:
        'Fields that the body does not name stay as they are: setting a report to completed gives it no content, unlike POST `/_sandbox/reports/{id}/complete`.',
      needsRoom: true,
      params: { collection, id },
      command: recordPatch,
      body: z.record(z.string(), z.unknown()).describe('Fields of the record'),
      toCommand: ({ params, body }) => ({
        type: 'record.patch',
        ...params,
        patch: body as Record<string, unknown>,
      }),
      toResponse: ({ record }: PutResult) => ok(record),
      responses: { 200: AnyRecord },
    }),
    defineCommandRoute({
      id: 'deleteRecord',
      role: 'world',
      method: 'delete',
      path: '/records/:collection/:id',
      summary: 'Removes a record; a project goes with its keywords and reports',
      description: 'A record to which others refer is not removed, unless it is a project.',
      params: { collection, id },
      command: recordDelete,
      toCommand: ({ params }) => ({ type: 'record.delete', ...params }),
      toResponse: noContent,
      responses: { 204: null },
      refusal: 'Other records refer to it.',
    }),
  ],
}

/** @throws CommandError for a body that is not a map */
function toRecord(body: unknown): Record<string, unknown> {
  if (isMap(body)) return { ...body }
  throw invalidCommand({ path: [], message: 'A record is a map of fields. Send one as JSON.' })
}

/**
 * Adds the id in a path to a record.
 *
 * @throws CommandError for a record with another id
 */
function withId(record: Record<string, unknown>, idOfPath: number): Record<string, unknown> {
  if (!('id' in record) || record['id'] === idOfPath) return { ...record, id: idOfPath }
  const message = `The path says ${idOfPath}. Write the same id, or leave it out.`
  throw invalidCommand({ path: ['id'], message })
}

function toPutResponse(result: PutResult): ControlResponse {
  return { status: result.created ? 201 : 200, body: result.record }
}

interface Selected {
  name: CollectionName
  /** The project whose keywords or reports are selected; undefined for all projects. */
  project: number | undefined
}

/**
 * Maximum number of projects whose keywords or reports are listed together. Larger worlds list them for one project at a time,
 * because they may have to be generated.
 */
const LISTED_PROJECTS = 500

/**
 * Returns the selected records, by ascending id.
 *
 * @throws CommandError for a project that does not exist, and for keywords or reports of more than `LISTED_PROJECTS` projects
 */
function listRecords(world: World, { name, project }: Selected): readonly AnyRecord[] {
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
 * Returns a page of the selected records whose name contains `search`: up to `limit` of those with an id greater than `after`.
 * For projects, also searches the domain.
 *
 * @throws CommandError in the same cases as {@link listRecords}
 */
function pageRecords(
  world: World,
  { search, ...selected }: Selected & { search: string },
  { limit, after }: { limit: number; after: number },
): RecordPage {
  const found = findRecords(world, selected, search)
  const start = lowerBound(found.length, (index) => (found[index]?.id ?? Infinity) > after)
  const records = found.slice(start, start + limit)
  const isLast = start + limit >= found.length
  return { records, total: found.length, next: isLast ? null : (records.at(-1)?.id ?? null) }
}

function findRecords(world: World, selected: Selected, search: string): readonly AnyRecord[] {
  if (search === '') return listRecords(world, selected)
  if (selected.name === 'projects') return world.findProjects(search)
  const wanted = search.toLowerCase()
  const nameOf = SEARCHED_TEXTS[selected.name] as (record: AnyRecord) => string | null
  const all = listRecords(world, selected)
  return all.filter((record) => nameOf(record)?.toLowerCase().includes(wanted) ?? false)
}

/** Returns the string to search in a record, by collection. Projects are missing, because `World.findProjects` searches them. */
const SEARCHED_TEXTS: {
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

/** Returns the keywords or reports of all projects, by ascending id. */
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
