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
import type { EventFeed } from '../event-feed.ts'

export interface ControlContext {
  /**
   * For a route of the role `world`, the world that the query names, or else the world of the key. Otherwise the default world.
   */
  world: World
  worlds: ControlledWorlds
  /** Undefined if the worlds exist only in this process. */
  store?: ControlledStore | undefined
  /** Returns the problems of the store or the state file, one sentence each; undefined without either. */
  problems?: (() => string[]) | undefined
  /** Returns metrics for operators, in the text format of Prometheus; undefined if they are off. */
  metrics?: (() => Promise<string>) | undefined
  document: () => Promise<object>
  /** The origin of the server: that of its public URL, or the one to which the request was sent. */
  origin: string
  /** Returns the URL of the web page of a report in the world. With `.pdf` appended, it is the URL of the PDF. */
  pageOf: (report: number) => string
  /** Handles an expensive request, within the rate limit of its sender. */
  takeCostly: <Result>(handle: () => Promise<Result>) => Promise<Result>
}

/** The worlds of a process, or those of a store. */
export interface ControlledWorlds {
  /** Number of worlds including the default one; with a store, the number that this process holds. */
  readonly size: number
  /** Lists the isolated worlds, oldest first. */
  page: (range: ListRange) => ListPage<WorldInfo> | Promise<ListPage<WorldInfo>>
  create: (settings: IsolatedWorldSettings) => Promise<Pick<CreatedWorld, 'id' | 'tokens'>>
  drop: (id: string) => void | Promise<void>
}

/** A store that several processes share. */
export interface ControlledStore {
  /** True if the store answered when it was last asked. */
  readonly isReached: boolean
  /** True if the store accepted changes when it was last asked. */
  readonly takesChanges: boolean
  /** True if nobody may use the default world's built-in tokens or view its report pages. */
  readonly isDefaultClosed: boolean
  /** Returns the ids of worlds that the store has partly lost. */
  damaged: () => string[]
  /** Returns the largest worlds if the store is nearly full; otherwise an empty list. */
  largestWorlds: () => readonly { id: string; bytes: number }[]
  /** Resolves to true if the store answers now. */
  answers: () => Promise<boolean>
  /** Loads a world, even one that is no longer loaded on demand because loading it crashed servers. */
  load: (id: string) => Promise<void>
  partners: ControlledPartners
  /** Returns the latest errors of this server, newest first. */
  lastErrors: () => HostError[]
  /**
   * Limits of each world except the default one, by the names of `--limits`. `body` is the maximum size in bytes of a body that
   * is sent with the key of a world.
   */
  limits: Readonly<Record<'body' | 'loaded' | 'requests' | 'costly' | 'streams', number>>
}

/** The partners of a store. Each has its own world. */
interface ControlledPartners {
  /** Lists partners, oldest first; matches of a search are sorted by name. */
  page: (filter: PartnerFilter) => Promise<ListPage<Partner>>
  get: (id: string) => Promise<Partner>
  /** Returns the partner of a world; undefined if the world has none. */
  of: (world: string) => Promise<OwnPartner | undefined>
  /** Creates a partner, whose link begins with `origin`. */
  invite: (
    settings: IsolatedWorldSettings,
    terms: PartnerTerm & { name: string; origin: string },
  ) => Promise<Invitation>
  /** Renews a partner. If `origin` is set, also creates a new link, which begins with `origin`. */
  renew: (
    id: string,
    terms: PartnerTerm & { origin?: string | undefined },
  ) => Promise<Partner & Partial<SentLink>>
  /** Replaces the last link of a partner with a new one, which begins with `origin`. */
  createLink: (id: string, terms: { origin: string }) => Promise<SentLink>
  revoke: (id: string) => Promise<void>
  /**
   * Exchanges the code of a link for a key. Returns `used` or `expired` for a code that no longer works, and undefined for an
   * unknown code.
   */
  claim: (
    code: string,
  ) => Promise<{ world: string; key: string; expires_at: string } | 'used' | 'expired' | undefined>
  keys: (id: string) => Promise<PartnerKey[]>
  /** Creates a key, which is returned only this once. */
  createKey: (id: string) => Promise<{ id: string; key: string }>
  revokeKey: (id: string, key: string) => Promise<void>
  /** Returns the world that a key opens; undefined for an unknown key. If `isUseDue` is true, the caller must call `noteUse`. */
  worldOf: (
    key: string,
  ) => Promise<{ world: string; isExpired: boolean; isUseDue: boolean } | undefined>
  noteUse: (key: string) => Promise<void>
}

/** A request to the control API before validation. */
interface ControlRequest {
  params: Readonly<Record<string, string | undefined>>
  /** The query. Of a repeated parameter, only the last value is used. */
  query: Readonly<Record<string, string>>
  /** The parsed JSON body; undefined if there is none. */
  body: unknown
  /** The `Last-Event-ID` header, with which a client resumes an event stream. */
  lastEventId?: string | undefined
}

export interface ControlResponse {
  status: number
  /** Additional headers; none if omitted. */
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON; may contain lazy lists. Undefined for a response without a body. */
  body?: unknown
  /** Sent in place of `body`: a string, or the bytes of one, with the media type. */
  text?: { type: string; content: string | Uint8Array }
  /** Called in place of sending `body`: writes JSON text piece by piece. */
  write?: (write: (piece: string) => void) => Promise<void>
  /** Sent in place of `body`: events until the client disconnects. */
  stream?: EventFeed
}

/** A path parameter: its schema for the documentation, and the parser of its value. */
export interface RouteParameter<Value = unknown> {
  schema: z.ZodType
  /** @throws CommandError for an unknown value */
  parse: (text: string) => Value
}

type Parameters = Readonly<Record<string, RouteParameter>>
type NoParameters = Readonly<Record<string, never>>
type ValuesOf<Params extends Parameters> = {
  [Name in keyof Params]: ReturnType<Params[Name]['parse']>
}

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

/**
 * Access rule of a route. The admin key opens all routes. If no admin key is set, all routes are open to programs on the
 * server's machine.
 */
export type ControlRole =
  /** Open to everyone, without the checks of the guard, even if the rest of the control API is off. */
  | 'public'
  /** Open to anyone with the code of an invitation in the body. */
  | 'invited'
  /** Also open to the key of any world: the response is the same for all worlds. */
  | 'shared'
  /** Also open to the key of a world, for that world alone. */
  | 'world'
  /** Open to the operator alone: the route concerns the server, or several worlds. */
  | 'admin'

/** Properties of a route, from which its documentation and refusals are derived. */
interface RouteFacts {
  /** Name of the route in generated clients. */
  id: string
  role: ControlRole
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path below `/_sandbox`, with a colon before each parameter. */
  path: string
  summary: string
  /** Further facts for callers, in sentences. */
  description: string
  /** True if the route changes nothing, in spite of its method. */
  isReadOnly?: boolean
  /** True if the route may enlarge a world, and responds with a 507 if there is no room. */
  needsRoom?: boolean
  /** True if the route may be slow for a large world. Such requests are limited in rate if they have the key of a world. */
  isCostly?: boolean
  /** True if the body is a snapshot. With the key of a world, it may be larger than any other body. */
  isSnapshot?: boolean
  /** Schemas of response bodies by status, except for refusals; null for a response without a body. */
  responses: Readonly<Record<number, z.ZodType | null>>
  /** Media type of the responses; JSON if omitted. */
  mediaType?: string
  /**
   * Documented reason for a 422. If omitted, a route with a query or body has the usual reason, and any other route has no 422.
   */
  refusal?: string
}

export interface ControlRoute extends RouteFacts {
  params: Parameters
  query?: z.ZodObject
  body?: z.ZodType
  answer: Handler<ControlRequest>
}

export interface ControlRoutes {
  tag: string
  /** The page of the packaged documentation about the routes, such as `docs/faults.md`. */
  page: string
  description: string
  routes: readonly ControlRoute[]
}

interface RouteDefinition<Params extends Parameters, Query, Body> extends RouteFacts {
  params?: Params
  /** Schema of the query, without the parameter that names the world. */
  query?: z.ZodObject & z.ZodType<Query>
  body?: z.ZodType<Body>
  /** True if `answer` validates the body itself; false if omitted. */
  skipsBodyValidation?: boolean
  answer: Handler<CheckedRequest<ValuesOf<Params>, Query, Body>>
}

/** Defines a route. The schemas that document its parameters, query and body also validate them. */
export function defineRoute<
  Params extends Parameters = NoParameters,
  Query = unknown,
  Body = unknown,
>({
  answer,
  skipsBodyValidation = false,
  ...route
}: RouteDefinition<Params, Query, Body>): ControlRoute {
  const { params = {}, query, body } = route
  return {
    ...route,
    params,
    answer: (context, request) =>
      answer(context, {
        query: (query ? readInput(query, withoutWorld(request.query)) : {}) as Query,
        params: readParams(params, request) as ValuesOf<Params>,
        body: (body && !skipsBodyValidation ? readInput(body, request.body) : request.body) as Body,
        lastEventId: request.lastEventId,
      }),
  }
}

interface CommandRouteDefinition<Params extends Parameters> extends Omit<RouteFacts, 'responses'> {
  params?: Params
  /** The command that the route sends or, if it sends one of several, just the schema of their results. */
  command: Pick<CommandDefinition, 'result'>
  /** Schema of the body: usually that of the command, or of one of its fields. */
  body?: z.ZodType
  /** False if `body` validates the body before the command does; if true or omitted, only the command does. */
  skipsBodyValidation?: boolean
  toCommand: (request: { params: ValuesOf<Params>; body: unknown }) => Command
  /** Converts the result of the command to a response; by default, a 200 with the result as its body. */
  toResponse?: (result: never, world: World) => ControlResponse
  responses?: RouteFacts['responses']
}

/**
 * Defines a route that sends a command. By default, only the command validates the body. The schema of its result documents the
 * response.
 */
export function defineCommandRoute<Params extends Parameters = NoParameters>({
  command,
  toCommand,
  toResponse = ok,
  ...route
}: CommandRouteDefinition<Params>): ControlRoute {
  return defineRoute<Params>({
    responses: { 200: command.result },
    skipsBodyValidation: true,
    ...route,
    answer: async ({ world, takeCostly }, request) => {
      const sent = toCommand(request)
      const apply = () => world.apply(sent)
      const result = await (isCostly(sent) ? takeCostly(apply) : apply())
      return toResponse(result as never, world)
    },
  })
}

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

/** @throws CommandError for invalid input */
export function readInput<Value>(schema: z.ZodType<Value>, input: unknown): Value {
  const checked = validate(schema, input)
  if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
  return checked.value
}

/** Creates a path parameter for an id. `refuse` returns the error message for a value that is not an id. */
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

/** Creates a path parameter with one of several names as its value. `noun` describes the value in error messages. */
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

/** Creates a path parameter for any string. */
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
