import { z } from 'zod'
import { suggest } from '../../contract/suggestion.ts'
import { validate } from '../../contract/validate.ts'
import { CommandError, recordNotFound } from '../../world/command-error.ts'
import type { CommandDefinition } from '../../world/commands/command.ts'
import { isCostly } from '../../world/commands/index.ts'
import type { Command } from '../../world/commands/index.ts'
import type { World } from '../../world/world.ts'
import type { IsolatedWorldSettings } from '../../world/isolated-worlds.ts'
import type {
  Invitation,
  OwnPartner,
  Partner,
  PartnerFilter,
  PartnerKey,
  PartnerTerm,
  SentLink,
  ListPage,
  ListRange,
  WorldInfo,
  HostError,
} from '../../world/hosted-worlds.ts'
import type { CreatedWorld } from '../../world/worlds.ts'
import type { EventSource } from '../event-source.ts'

/** The objects that the control API controls. */
export interface ControlContext {
  /** The world in the query; the default one if it names none. */
  world: World
  worlds: ControlledWorlds
  /** Undefined if the worlds are in this process alone. */
  store?: ControlledStore | undefined
  /** All problems of the store or the state file, each in a sentence; undefined if there is neither. */
  problems?: (() => string[]) | undefined
  /** Metrics for operators, in the text format of Prometheus; undefined if they are off. */
  metrics?: (() => Promise<string>) | undefined
  /** The OpenAPI document of the control API. */
  document: () => Promise<object>
  /** The origin of the server: its public URL, or the one that the request was sent to. */
  origin: string
  /** The address of the web page of a report of the world; that of its PDF ends in `.pdf`. */
  pageOf: (report: number) => string
  /** Handles an expensive request within the rate of its sender, and one at a time. */
  takeCostly: <Result>(handle: () => Promise<Result>) => Promise<Result>
}

/** The worlds of a process, or those of a store. */
export interface ControlledWorlds {
  /** Number of worlds, the default one included; with a store, the number in the memory of this process. */
  readonly size: number
  /** The isolated worlds, the oldest first. */
  page: (range: ListRange) => ListPage<WorldInfo> | Promise<ListPage<WorldInfo>>
  create: (settings: IsolatedWorldSettings) => Promise<Pick<CreatedWorld, 'id' | 'tokens'>>
  drop: (id: string) => void | Promise<void>
}

/** The store of several processes. */
export interface ControlledStore {
  /** True if it answered when it was last asked. */
  readonly isReached: boolean
  /** True if it took changes when it was last asked. */
  readonly takesChanges: boolean
  /** True if the built-in tokens of the default world, and its pages, are closed to everybody. */
  readonly isDefaultClosed: boolean
  /** Ids of worlds that it has lost a part of. */
  damaged: () => string[]
  /** The largest worlds, if the store is nearly full; otherwise empty. */
  largestWorlds: () => readonly { id: string; bytes: number }[]
  /** Resolves to true if it answers now. */
  answers: () => Promise<boolean>
  /** Loads a world, even one that is otherwise no longer loaded because it ended servers. */
  load: (id: string) => Promise<void>
  partners: ControlledPartners
  /** The latest errors of this server, the newest first. */
  lastErrors: () => HostError[]
  /**
   * Limits of each world except the default one, by the names of `--limits`: `body` is the largest body with the key of a
   * world, in bytes.
   */
  limits: Readonly<Record<'body' | 'loaded' | 'requests' | 'costly' | 'streams', number>>
}

/** The partners of a store, each with a world of their own. */
interface ControlledPartners {
  /** Lists partners, the oldest first, or sorted by name for a search. */
  page: (filter: PartnerFilter) => Promise<ListPage<Partner>>
  get: (id: string) => Promise<Partner>
  /** The partner of a world; undefined if it has none. */
  of: (world: string) => Promise<OwnPartner | undefined>
  /** Creates a partner. The origin is the beginning of its link. */
  invite: (
    settings: IsolatedWorldSettings,
    how: PartnerTerm & { name: string; origin: string },
  ) => Promise<Invitation>
  /** Renews a partner, with a new link if an origin is given. */
  renew: (
    id: string,
    how: PartnerTerm & { origin?: string | undefined },
  ) => Promise<Partner & Partial<SentLink>>
  /** Replaces the last link with a new one, which begins with the origin. */
  createLink: (id: string, how: { origin: string }) => Promise<SentLink>
  revoke: (id: string) => Promise<void>
  /** A key for the code of a link, or the reason why the right code gives none; undefined for any other code. */
  claim: (
    code: string,
  ) => Promise<{ world: string; key: string; expires_at: string } | 'used' | 'expired' | undefined>
  keys: (id: string) => Promise<PartnerKey[]>
  /** Creates a key. It is returned only this once. */
  createKey: (id: string) => Promise<{ id: string; key: string }>
  revokeKey: (id: string, key: string) => Promise<void>
  /** The world that a key opens; `isUseDue` is true if the use should be noted. Undefined if it opens none. */
  worldOf: (
    key: string,
  ) => Promise<{ world: string; isExpired: boolean; isUseDue: boolean } | undefined>
  /** Notes the current time as the last use of a key. */
  noteUse: (key: string) => Promise<void>
}

/** A request to the control API as it was sent. */
interface ControlRequest {
  /** Values of the path's parameters. */
  params: Readonly<Record<string, string | undefined>>
  /** The query, with the last value of a repeated parameter. */
  query: Readonly<Record<string, string>>
  /** The JSON body; undefined if there is none. */
  body: unknown
  /** The `Last-Event-ID` header, with which a client continues a stream of events. */
  lastEventId?: string | undefined
}

export interface ControlResponse {
  status: number
  /** Headers besides the usual ones; none if omitted. */
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON, its lazy lists too; undefined for a response without a body. */
  body?: unknown
  /** Replaces a body: a text, or its bytes, and its media type. */
  text?: { type: string; content: string | Uint8Array }
  /** Replaces a body: writes its JSON text. */
  write?: (write: (piece: string) => void) => Promise<void>
  /** Replaces a body: events to send until the client disconnects. */
  stream?: EventSource
}

/** A parameter of a path: its schema for the documentation, and the function that reads its text. */
export interface RouteParameter<Value = unknown> {
  schema: z.ZodType
  /** @throws CommandError for an impossible value: there is nothing by that name. */
  parse: (text: string) => Value
}

type Parameters = Readonly<Record<string, RouteParameter>>
type NoParameters = Readonly<Record<string, never>>
type ValuesOf<Params extends Parameters> = {
  [Name in keyof Params]: ReturnType<Params[Name]['parse']>
}

/** A request whose parts were validated by the schemas of its route. */
interface CheckedRequest<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  lastEventId: string | undefined
}

type Handler<Request> = (
  context: ControlContext,
  request: Request,
) => ControlResponse | Promise<ControlResponse>

/** Users of a route. The admin key opens all routes, and so does a server without one to programs of its machine. */
export type ControlRole =
  /** Everybody, regardless of the guard, and even when the rest of the control API is off. */
  | 'public'
  /** Anyone with the code of an invitation, in the body. */
  | 'invited'
  /** The key of any world too: the route concerns no world, and is the same for all. */
  | 'shared'
  /** The key of its world too: the one that the query names. */
  | 'world'
  /** Nobody else: the route concerns the server, or other worlds. */
  | 'admin'

/** Facts common to all routes, whose refusals are the same. */
interface RouteFacts {
  /** Its name in generated clients. */
  id: string
  role: ControlRole
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path below `/_sandbox`, its parameters after a colon. */
  path: string
  summary: string
  /** Other facts for its callers, in sentences. */
  description: string
  /** True if it changes nothing, though its method could. */
  isReadOnly?: boolean
  /** True if it may make a world larger, and is refused beyond a limit. */
  needsRoom?: boolean
  /** True if it may take a long time for a large world. Hosts limit its rate. */
  isCostly?: boolean
  /** True if its body is a snapshot, which may be larger than others with the key of a world. */
  isSnapshot?: boolean
  /** The bodies of its responses by status, except refusals; null for a response without a body. */
  responses: Readonly<Record<number, z.ZodType | null>>
  /** The type of the responses; JSON if omitted. */
  mediaType?: string
  /** Reason for a 422 of the route's own, which it may answer even without a query or body. */
  refusal?: string
}

/** A route as it is mounted and documented. */
export interface ControlRoute extends RouteFacts {
  params: Parameters
  query?: z.ZodObject
  body?: z.ZodType
  answer: Handler<ControlRequest>
}

/** Routes that belong together. */
export interface ControlRoutes {
  tag: string
  /** The page of the package's documentation about them, like `docs/faults.md`. */
  page: string
  description: string
  routes: readonly ControlRoute[]
}

interface RouteDefinition<Params extends Parameters, Query, Body> extends RouteFacts {
  params?: Params
  /** Parameters of the query besides the name of the world. */
  query?: z.ZodObject & z.ZodType<Query>
  body?: z.ZodType<Body>
  /** True if `answer` validates the body itself. */
  leavesBody?: boolean
  answer: Handler<CheckedRequest<ValuesOf<Params>, Query, Body>>
}

/** Defines a route. Its parameters, query and body are validated by the schemas that document them. */
export function defineRoute<
  Params extends Parameters = NoParameters,
  Query = unknown,
  Body = unknown,
>({ answer, leavesBody = false, ...route }: RouteDefinition<Params, Query, Body>): ControlRoute {
  const { params = {}, query, body } = route
  return {
    ...route,
    params,
    answer: (context, request) =>
      answer(context, {
        query: (query ? readInput(query, withoutWorld(request.query)) : {}) as Query,
        params: readParams(params, request) as ValuesOf<Params>,
        body: (body && !leavesBody ? readInput(body, request.body) : request.body) as Body,
        lastEventId: request.lastEventId,
      }),
  }
}

interface CommandRouteDefinition<Params extends Parameters> extends Omit<RouteFacts, 'responses'> {
  params?: Params
  /** The command that it sends; only the result for a route that sends any command. */
  command: Pick<CommandDefinition, 'result'>
  /** The schema of the body: that of the command, or of one of its fields. */
  body?: z.ZodType
  /** True if the command validates the body; true if omitted. */
  leavesBody?: boolean
  toCommand: (request: { params: ValuesOf<Params>; body: unknown }) => Command
  /** The response for the result of the command; by default a 200 with the result as its body. */
  toResponse?: (result: never, world: World) => ControlResponse
  responses?: RouteFacts['responses']
}

/** Defines a route that sends a command, whose schema validates the body and documents the result. */
export function defineCommandRoute<Params extends Parameters = NoParameters>({
  command,
  toCommand,
  toResponse = ok,
  ...route
}: CommandRouteDefinition<Params>): ControlRoute {
  return defineRoute<Params>({
    responses: { 200: command.result },
    leavesBody: true,
    ...route,
    answer: async ({ world, takeCostly }, request) => {
      const sent = toCommand(request)
      const apply = () => world.apply(sent)
      const result = await (isCostly(sent) ? takeCostly(apply) : apply())
      return toResponse(result as never, world)
    },
  })
}

/** True if a route may change the world that the query names. */
export function changesWorld({ method, role, isReadOnly }: ControlRoute): boolean {
  return method !== 'get' && role === 'world' && isReadOnly !== true
}

function withoutWorld(query: ControlRequest['query']): Record<string, string> {
  const { world: _, ...rest } = query
  return rest
}

function readParams(params: Parameters, request: ControlRequest): Record<string, unknown> {
  const values = Object.entries(params).map(([name, { parse }]) => [
    name,
    parse(request.params[name] ?? ''),
  ])
  return Object.fromEntries(values)
}

/** @throws CommandError for input that the schema refuses. */
export function readInput<Value>(schema: z.ZodType<Value>, input: unknown): Value {
  const checked = validate(schema, input)
  if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
  return checked.value
}

/** Creates a parameter for an id in a path; `refuse` returns the error for a text that is not an id. */
export function idParameter(
  schema: z.ZodType,
  refuse = (text: string) => `"${text}" is not an id. Write a whole number.`,
): RouteParameter<number> {
  return {
    schema,
    parse: (text) => {
      if (/^\d{1,15}$/.test(text)) return Number(text)
      throw recordNotFound(refuse(text))
    },
  }
}

/** Creates a parameter for one of several names in a path; `noun` names the expected value in the error for any other text. */
export function choiceParameter<Name extends string>(
  names: readonly Name[],
  description: string,
  noun: string,
): RouteParameter<Name> {
  return {
    schema: z.enum(names).describe(description),
    parse: (text) => {
      const found = names.find((name) => name === text)
      if (found !== undefined) return found
      throw recordNotFound(`"${text}" is not ${noun}. ${suggest(text, names)}`)
    },
  }
}

/** Creates a parameter for a name in a path, which may be any text. */
export function nameParameter(schema: z.ZodType): RouteParameter<string> {
  return { schema, parse: (text) => text }
}

export function ok(body: unknown): ControlResponse {
  return { status: 200, body }
}

export function created(body: unknown): ControlResponse {
  return { status: 201, body }
}

export function noContent(): ControlResponse {
  return { status: 204 }
}
