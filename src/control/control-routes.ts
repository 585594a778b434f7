import { z } from 'zod'
import { DateTimeInput } from '../contract/moments.ts'
import { COLLECTION_NAMES, SINGULAR } from '../contract/records.ts'
import type { CollectionName } from '../contract/records.ts'
import { suggest } from '../contract/suggestion.ts'
import { formatPath, validate } from '../contract/validation.ts'
import { VERSION } from '../version.ts'
import { CommandError, invalidCommand, recordNotFound } from './command-error.ts'
import { DurationInput } from './commands.ts'
import type { ClockCommand, Command } from './commands.ts'
import type { Snapshot } from './snapshots.ts'
import type { World } from './world.ts'

/** The control API stands below this path, outside the emulated API. */
export const CONTROL_PREFIX = '/_sandbox'

/** A request to the control API as plain data. */
interface ControlRequest {
  /** The values of the path's parameters. */
  params: Readonly<Record<string, string | undefined>>
  /** The JSON body; undefined where there is none. */
  body: unknown
}

export interface ControlAnswer {
  status: number
  /** To be sent as JSON; undefined for none. */
  body?: unknown
}

export interface ControlRoute {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path below `/_sandbox`, its parameters after a colon. */
  path: string
  /** Whether it is open to everybody, whatever the guard says. */
  isOpen?: boolean
  /** How large a body may be, in megabytes of 2^20 bytes; 1 where omitted. */
  bodyLimitMb?: number
  answer: (world: World, request: ControlRequest) => ControlAnswer | Promise<ControlAnswer>
}

/** What this sandbox can be asked to do; clients may look here before they do. */
const CAPABILITIES = ['reset', 'clock', 'records', 'commands', 'scenarios', 'snapshots']

/** Enough for a world of a hundred thousand reports, and half of what a text of Node can hold. */
const SNAPSHOT_LIMIT_MB = 256

/** The control API (design, the control API). */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  {
    method: 'get',
    path: '/health',
    isOpen: true,
    answer: () => ok({ status: 'ok', version: VERSION, worlds: 1, capabilities: CAPABILITIES }),
  },
  {
    method: 'post',
    path: '/reset',
    answer: async (world) => ok(await world.command({ type: 'reset' })),
  },
  { method: 'get', path: '/clock', answer: (world) => ok(world.clock) },
  { method: 'post', path: '/clock', answer: moveClock },
  { method: 'get', path: '/commands', answer: (world) => ok(world.applied) },
  {
    method: 'post',
    path: '/commands',
    answer: async (world, { body }) => ok(await world.command(body as Command)),
  },
  { method: 'get', path: '/scenarios', answer: (world) => ok(world.scenarios) },
  { method: 'post', path: '/scenarios', answer: loadScenario },
  { method: 'get', path: '/snapshots', answer: async (world) => ok(await world.snapshot()) },
  {
    method: 'post',
    path: '/snapshots',
    bodyLimitMb: SNAPSHOT_LIMIT_MB,
    answer: async (world, { body }) =>
      ok(await world.command({ type: 'snapshot.restore', snapshot: body as Snapshot })),
  },
  {
    method: 'get',
    path: '/records/:collection',
    answer: (world, request) => ok(world.records.all(collectionOf(request))),
  },
  { method: 'put', path: '/records/:collection', answer: putRecord },
  { method: 'get', path: '/records/:collection/:id', answer: getRecord },
  { method: 'put', path: '/records/:collection/:id', answer: putRecord },
  { method: 'patch', path: '/records/:collection/:id', answer: patchRecord },
  { method: 'delete', path: '/records/:collection/:id', answer: deleteRecord },
]

/** The answer to a request that was refused; undefined for an error that nobody expected. */
export function toErrorAnswer(error: unknown): ControlAnswer | undefined {
  if (!(error instanceof CommandError)) return undefined
  const { code, message, problems } = error
  const status = code === 'record_not_found' ? 404 : 422
  const details = problems.map(({ path, message: text }) => ({
    path: formatPath(path),
    message: text,
  }))
  return { status, body: { error: { code, message, problems: details } } }
}

/** An error of the control API in its one form. */
export function errorAnswer(status: number, code: string, message: string): ControlAnswer {
  return { status, body: { error: { code, message, problems: [] } } }
}

function ok(body: unknown): ControlAnswer {
  return { status: 200, body }
}

const ScenarioChoice = z.strictObject({ scenario: z.string() })

async function loadScenario(world: World, { body }: ControlRequest): Promise<ControlAnswer> {
  const checked = validate(ScenarioChoice, body)
  if ('problems' in checked) throw invalidCommand(...checked.problems)
  return ok(await world.command({ type: 'scenario.load', ...checked.value }))
}

const ClockChange = z
  .strictObject({
    now: DateTimeInput.optional(),
    advance: z.union([z.string(), z.number()]).optional(),
    frozen: z.boolean().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, {
    error: 'Nothing to change. Send now, advance or frozen.',
  })

/** Freezing comes first and advancing last, so that all three together mean what they say. */
async function moveClock(world: World, { body }: ControlRequest): Promise<ControlAnswer> {
  const checked = validate(ClockChange, body)
  if ('problems' in checked) throw invalidCommand(...checked.problems)
  const { frozen, now, advance } = checked.value
  const duration = advance === undefined ? undefined : validate(DurationInput, advance)
  if (duration && 'problems' in duration) {
    throw invalidCommand(
      ...duration.problems.map(({ message }) => ({ path: ['advance'], message })),
    )
  }
  const commands: ClockCommand[] = []
  if (frozen !== undefined) commands.push({ type: 'clock.freeze', frozen })
  if (now !== undefined) commands.push({ type: 'clock.set', now })
  if (advance !== undefined) commands.push({ type: 'clock.advance', by: advance })
  return ok(await world.moveClock(commands))
}

function collectionOf({ params }: ControlRequest): CollectionName {
  const name = params['collection'] ?? ''
  const collection = COLLECTION_NAMES.find((candidate) => candidate === name)
  if (collection) return collection
  throw recordNotFound(`"${name}" is not a collection. ${suggest(name, COLLECTION_NAMES)}`)
}

function idOf({ params }: ControlRequest): number {
  const text = params['id'] ?? ''
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw recordNotFound(`"${text}" is not an id. Write a whole number.`)
}

function getRecord(world: World, request: ControlRequest): ControlAnswer {
  const collection = collectionOf(request)
  const id = idOf(request)
  const record = world.records.get(collection, id)
  if (!record) throw recordNotFound(`There is no ${SINGULAR[collection]} ${id}.`)
  return ok(record)
}

async function putRecord(world: World, request: ControlRequest): Promise<ControlAnswer> {
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

async function patchRecord(world: World, request: ControlRequest): Promise<ControlAnswer> {
  const result = await world.command({
    type: 'record.patch',
    collection: collectionOf(request),
    id: idOf(request),
    patch: request.body as Record<string, unknown>,
  })
  return ok(result.record)
}

async function deleteRecord(world: World, request: ControlRequest): Promise<ControlAnswer> {
  await world.command({
    type: 'record.delete',
    collection: collectionOf(request),
    id: idOf(request),
  })
  return { status: 204 }
}
