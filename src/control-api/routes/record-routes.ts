import { z } from 'zod'
import { Id } from '../../contract/conventions.ts'
import {
  AnyRecord,
  COLLECTION_NAMES,
  COLLECTIONS,
  RecordList,
  SINGULAR,
} from '../../contract/records.ts'
import type { CollectionName, RecordOf } from '../../contract/records.ts'
import { suggest } from '../../contract/suggestion.ts'
import { invalidCommand, recordNotFound } from '../../world/command-error.ts'
import { orText } from '../../journal/request-filter.ts'
import type { World } from '../../world/world.ts'
import { defineRoute, idOf, ok } from './route.ts'
import type { ControlAnswer, ControlContext, ControlRequest, ControlRoutes } from './route.ts'

const Collection = z.enum(COLLECTION_NAMES).describe('The kind of the records')

/** The parameters of a path to one record. */
const RecordParams = { collection: Collection, id: Id.describe('The id of the record') }

const ListQuery = z.object({
  project: orText(Id)
    .optional()
    .describe('Of keywords and reports only those of the project with this id'),
})

const SCHEMAS: readonly z.ZodObject[] = Object.values(COLLECTIONS)

/** A record of any collection as it is written, and the same where the path has its id. */
const RecordInput = z.union(SCHEMAS)
const RecordInputById = z.union(SCHEMAS.map((schema) => schema.partial({ id: true })))
const RecordPatch = z.record(z.string(), z.unknown()).describe('Fields of the record')

export const RECORD_ROUTES: ControlRoutes = {
  tag: 'Records',
  description: "The records in the fixture's form",
  routes: [
    defineRoute({
      id: 'listRecords',
      method: 'get',
      path: '/records/:collection',
      summary: 'All records of a kind; keywords and reports also of one project, with ?project=ID',
      params: { collection: Collection },
      query: ListQuery,
      answers: { 200: RecordList },
      answer: listRecords,
    }),
    {
      id: 'putRecord',
      method: 'put',
      path: '/records/:collection',
      summary: 'Adds a record, or replaces the one with its id',
      params: { collection: Collection },
      body: RecordInput,
      answers: { 200: AnyRecord, 201: AnyRecord },
      answer: putRecord,
    },
    {
      id: 'getRecord',
      method: 'get',
      path: '/records/:collection/:id',
      summary: 'One record',
      params: RecordParams,
      answers: { 200: AnyRecord },
      answer: getRecord,
    },
    {
      id: 'putRecordById',
      method: 'put',
      path: '/records/:collection/:id',
      summary: 'Adds the record with this id, or replaces it',
      params: RecordParams,
      body: RecordInputById,
      answers: { 200: AnyRecord, 201: AnyRecord },
      answer: putRecord,
    },
    {
      id: 'patchRecord',
      method: 'patch',
      path: '/records/:collection/:id',
      summary: 'Replaces some fields of a record; null removes an optional one',
      params: RecordParams,
      body: RecordPatch,
      answers: { 200: AnyRecord },
      answer: patchRecord,
    },
    {
      id: 'deleteRecord',
      method: 'delete',
      path: '/records/:collection/:id',
      summary: 'Removes a record; a project with its keywords and reports',
      params: RecordParams,
      answers: { 204: null },
      refusal: 'Other records refer to it.',
      answer: deleteRecord,
    },
  ],
}

function collectionOf({ params }: Pick<ControlRequest, 'params'>): CollectionName {
  const name = params['collection'] ?? ''
  const collection = COLLECTION_NAMES.find((candidate) => candidate === name)
  if (collection) return collection
  throw recordNotFound(`"${name}" is not a collection. ${suggest(name, COLLECTION_NAMES)}`)
}

/** So many made-up projects' keywords or reports are listed at once; each would be made for the list. */
const LISTED_PROJECTS = 500

/** All records of a kind, or with `?project=` those keywords or reports that are its own. */
function listRecords(
  { world: { records } }: ControlContext,
  request: ControlRequest<unknown, z.output<typeof ListQuery>>,
): ControlAnswer {
  const collection = collectionOf(request)
  if (collection !== 'keywords' && collection !== 'reports') return ok(records.all(collection))
  const { project } = request.query
  if (project !== undefined) {
    const { id } = existingProject(records, project)
    return ok(collection === 'keywords' ? records.keywordsOf(id) : records.reportsOf(id))
  }
  if (records.all('projects').length <= LISTED_PROJECTS) return ok(records.all(collection))
  const message = `The ${collection} of more than ${LISTED_PROJECTS} projects are too many for a list. Ask for those of one, with ?project=ID.`
  throw invalidCommand({ path: [], message })
}

function existingProject(records: World['records'], id: number): RecordOf<'projects'> {
  const project = records.get('projects', id)
  if (project) return project
  throw recordNotFound(`There is no project ${id}. Use the id of one that there is.`)
}

function getRecord({ world }: ControlContext, request: ControlRequest): ControlAnswer {
  const collection = collectionOf(request)
  const id = idOf(request)
  const record = world.records.get(collection, id)
  if (!record) throw recordNotFound(`There is no ${SINGULAR[collection]} ${id}.`)
  return ok(record)
}

async function putRecord(
  { world }: ControlContext,
  request: ControlRequest,
): Promise<ControlAnswer> {
  const collection = collectionOf(request)
  const { body, params } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidCommand({ path: [], message: 'A record is a map of fields. Send one as JSON.' })
  }
  const id = params['id'] === undefined ? {} : { id: idOf(request) }
  if ('id' in body && 'id' in id && body.id !== id.id) {
    throw invalidCommand({
      path: ['id'],
      message: `The path says ${id.id}. Write the same id, or leave it out.`,
    })
  }
  const record = { ...body, ...id }
  const result = await world.command({ type: 'record.put', collection, record })
  return { status: result.created ? 201 : 200, body: result.record }
}

async function patchRecord(
  { world }: ControlContext,
  request: ControlRequest,
): Promise<ControlAnswer> {
  const result = await world.command({
    type: 'record.patch',
    collection: collectionOf(request),
    id: idOf(request),
    patch: request.body as Record<string, unknown>,
  })
  return ok(result.record)
}

async function deleteRecord(
  { world }: ControlContext,
  request: ControlRequest,
): Promise<ControlAnswer> {
  await world.command({
    type: 'record.delete',
    collection: collectionOf(request),
    id: idOf(request),
  })
  return { status: 204 }
}
