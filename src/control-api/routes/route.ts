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

/** What the control API controls. */
export interface ControlContext {
  /** The world that the query names; the default one where it names none. */
  world: World
  worlds: ControlledWorlds
  /** Undefined where the worlds are in this process alone. */
  store?: ControlledStore | undefined
  /** Everything wrong with the store or the state file, each in a sentence; undefined where there is neither. */
  problems?: (() => string[]) | undefined
  /** What an operator watches, in the text format of Prometheus; undefined where that is off. */
  metrics?: (() => Promise<string>) | undefined
  /** The OpenAPI document of the control API. */
  document: () => Promise<object>
  /** Where the server is reached: its public URL, or what the request was sent to. */
  origin: string
  /** The address of the web page of a report of the world; that of its PDF ends in `.pdf`. */
  pageOf: (report: number) => string
  /** Handles an expensive request within the rate of its sender, and one at a time. */
  takeCostly: <Result>(handle: () => Promise<Result>) => Promise<Result>
}

/** The worlds of a process, or those of a store. */
export interface ControlledWorlds {
  /** How many there are, the default one included; with a store, how many are in the memory of this process. */
  readonly size: number
  /** The isolated ones, the oldest first. */
  page: (range: ListRange) => ListPage<WorldInfo> | Promise<ListPage<WorldInfo>>
  create: (settings: IsolatedWorldSettings) => Promise<Pick<CreatedWorld, 'id' | 'tokens'>>
  drop: (id: string) => void | Promise<void>
}

/** The store of several processes. */
export interface ControlledStore {
  /** Whether it answered when it was last asked. */
  readonly isReached: boolean
  /** Whether it took changes when it was last asked. */
  readonly takesChanges: boolean
  /** Whether the built-in tokens of the default world, and its pages, are closed to everybody. */
  readonly isDefaultClosed: boolean
  /** The ids of worlds that it has lost a part of. */
  damaged: () => string[]
  /** The worlds that take most of it where it is nearly full; none where it is not. */
  largestWorlds: () => readonly { id: string; bytes: number }[]
  /** Whether it answers now. */
  answers: () => Promise<boolean>
  /** Loads a world, even one that is left alone because it ended servers. */
  load: (id: string) => Promise<void>
  partners: ControlledPartners
  /** What went wrong last on this server, the newest first. */
  lastErrors: () => HostError[]
  /**
   * Limits of each world but the default one, by the names of `--limits`: `body` is the largest body with the key of a world, in
   * bytes.
   */
  limits: Readonly<Record<'body' | 'loaded' | 'requests' | 'costly' | 'streams', number>>
}

/** The partners of a store, each with a world of their own. */
interface ControlledPartners {
  /** The oldest first. */
  page: (filter: PartnerFilter) => Promise<ListPage<Partner>>
  get: (id: string) => Promise<Partner>
  /** The partner of a world; undefined where it has none. */
  of: (world: string) => Promise<OwnPartner | undefined>
  /** A link begins with the origin. */
  invite: (
    settings: IsolatedWorldSettings,
    how: PartnerTerm & { name: string; origin: string },
  ) => Promise<Invitation>
  /** With a new link where there is an origin. */
  renew: (
    id: string,
    how: PartnerTerm & { origin?: string | undefined },
  ) => Promise<Partner & Partial<SentLink>>
  /** Another link in place of the last one, which begins with the origin. */
  createLink: (id: string, how: { origin: string }) => Promise<SentLink>
  revoke: (id: string) => Promise<void>
  /** A key for the code of a link, or why the right code gives none; undefined for any other code. */
  claim: (
    code: string,
  ) => Promise<{ world: string; key: string; expires_at: string } | 'used' | 'expired' | undefined>
  keys: (id: string) => Promise<PartnerKey[]>
  /** The key is shown this once. */
  createKey: (id: string) => Promise<{ id: string; key: string }>
  revokeKey: (id: string, key: string) => Promise<void>
  /** The world that a key opens, and whether its use should be noted; undefined where it opens none. */
  worldOf: (
    key: string,
  ) => Promise<{ world: string; isExpired: boolean; isUseDue: boolean } | undefined>
  /** Notes that a key is used now. */
  noteUse: (key: string) => Promise<void>
}

/** A request to the control API as it was sent. */
interface ControlRequest {
  /** The values of the path's parameters. */
  params: Readonly<Record<string, string | undefined>>
  /** The query, with the last value of a repeated parameter. */
  query: Readonly<Record<string, string>>
  /** The JSON body; undefined where there is none. */
  body: unknown
  /** The `Last-Event-ID` header, with which a client continues a stream of events. */
  lastEventId?: string | undefined
}

export interface ControlResponse {
  status: number
  /** Headers besides the usual ones; none where omitted. */
  headers?: Readonly<Record<string, string>>
  /** To be sent as JSON, its lazy lists too; undefined for none. */
  body?: unknown
  /** In place of a body: a text, or its bytes, and its media type. */
  text?: { type: string; content: string | Uint8Array }
  /** In place of a body: writes its JSON text. */
  write?: (write: (piece: string) => void) => Promise<void>
  /** In place of a body: events to send until the client disconnects. */
  stream?: EventSource
}

/** A parameter of a path: its schema for the documentation, and how its text is read. */
export interface RouteParameter<Value = unknown> {
  schema: z.ZodType
  /** @throws CommandError for a text that cannot be one: there is nothing by that name. */
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

/** Who may use a route. The admin key opens all of them, and so does a server without one to programs of its machine. */
export type ControlRole =
  /** Everybody, whatever the guard says, and even when the rest of the control API is off. */
  | 'public'
  /** Anyone with the code of an invitation, in the body. */
  | 'invited'
  /** The key of any world too: it is about no world, and the same for all. */
  | 'shared'
  /** The key of the world that it is about too: the one that the query names. */
  | 'world'
  /** Nobody else: it is about the server, or about other worlds. */
  | 'admin'

/** Common to all routes, whose refusals are the same. */
interface RouteFacts {
  /** The name that generated clients have for it. */
  id: string
  role: ControlRole
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path below `/_sandbox`, its parameters after a colon. */
  path: string
  summary: string
  /** What else its callers should know, in sentences. */
  description: string
  /** Whether it changes nothing, though its method could. */
  isReadOnly?: boolean
  /** True if it may make a world larger, and is refused beyond a limit. */
  needsRoom?: boolean
  /** True if it may take long for a large world. Hosts limit its rate. */
  isCostly?: boolean
  /** True if its body is a snapshot, which may be larger than others with the key of a world. */
  isSnapshot?: boolean
  /** The bodies of its responses by status, where it does not refuse; null for none. */
  responses: Readonly<Record<number, z.ZodType | null>>
  /** The type of the responses; JSON where omitted. */
  mediaType?: string
  /** Why it may answer 422 where it has neither query nor body. */
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
  /** The page of the package's documentation that is about them, like `docs/faults.md`. */
  page: string
  description: string
  routes: readonly ControlRoute[]
}

interface RouteDefinition<Params extends Parameters, Query, Body> extends RouteFacts {
  params?: Params
  /** What the query may have beside the name of the world. */
  query?: z.ZodObject & z.ZodType<Query>
  body?: z.ZodType<Body>
  /** Whether `answer` validates the body itself. */
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
  /** The schema of the body: the command's own, or one of its fields'. */
  body?: z.ZodType
  /** Whether the command validates the body; true where omitted. */
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

/** Whether a route may change the world that the query names. */
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

/** @throws CommandError for what the schema refuses. */
export function readInput<Value>(schema: z.ZodType<Value>, input: unknown): Value {
  const checked = validate(schema, input)
  if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
  return checked.value
}

/** An id in a path; `refuse` says what is wrong with a text that is not an id. */
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

/** One of several names in a path; `noun` is what the error says that another text is not. */
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

/** A name in a path, which may be any text. */
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
