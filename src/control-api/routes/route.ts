import { z } from 'zod'
import { formatPath, validate } from '../../contract/validation.ts'
import { CommandError, recordNotFound } from '../../world/command-error.ts'
import type { World } from '../../world/world.ts'
import type { Worlds } from '../../world/worlds.ts'

/** What the control API steers. */
export interface ControlContext {
  /** The one that the query names; the default one where it names none. */
  world: World
  worlds: Worlds
}

type Texts = Readonly<Record<string, string>>

/** A request to the control API as plain data. */
export interface ControlRequest<Body = unknown, Query = Texts> {
  /** The values of the path's parameters. */
  params: Readonly<Record<string, string | undefined>>
  /** The query, as the route's schema reads it; of a parameter that is repeated the last. */
  query: Query
  /** The JSON body, as the route's schema reads it; undefined where there is none. */
  body: Body
  /** The `Last-Event-ID` header, with which a stream of events is gone on with. */
  lastEventId?: string | undefined
}

export interface ControlAnswer {
  status: number
  /** To be sent as JSON; undefined for none. */
  body?: unknown
  /** In place of a body: sends events from then on, until what it returns is called. */
  stream?: (send: (event: ServerEvent) => void) => () => void
}

/** One server-sent event. */
export interface ServerEvent {
  id: number
  event: string
  /** To be sent as JSON. */
  data: unknown
}

/** A route, and what there is to know of it from outside. What it answers with where it refuses is the same for all. */
export interface ControlRoute<Body = unknown, Query = Texts> {
  /** What generated clients call it. */
  id: string
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path below `/_sandbox`, its parameters after a colon. */
  path: string
  summary: string
  /** Whether it is open to everybody, whatever the guard says. */
  isOpen?: boolean
  /** Whether it is about no single world, so that its query names none. */
  isWorldless?: boolean
  /** How large a body may be, in megabytes of 2^20 bytes; 1 where omitted. */
  bodyLimitMb?: number
  /** What the parameters of the path are; the answer sees to it. */
  params?: Readonly<Record<string, z.ZodType>>
  /** What the query may have beside the name of the world. {@link defineRoute} sees to it. */
  query?: z.ZodObject & z.ZodType<Query>
  /** What the body must be. {@link defineRoute} sees to it, and without that the command which it becomes. */
  body?: z.ZodType<Body>
  /** What it answers with by status, where it does not refuse; null for no body. */
  answers: Readonly<Record<number, z.ZodType | null>>
  /** What the answers are written in; JSON where omitted. */
  mediaType?: string
  /** Why it may answer 422 where it has neither query nor body. */
  refusal?: string
  /** Whether it changes nothing, though its method could. */
  isQuestion?: boolean
  answer: (
    context: ControlContext,
    request: ControlRequest<Body, Query>,
  ) => ControlAnswer | Promise<ControlAnswer>
}

/** Routes that belong together. */
export interface ControlRoutes {
  tag: string
  description: string
  routes: readonly ControlRoute[]
}

/** Whether it may change the world that the query names. */
export function changesWorld({ method, isWorldless, isQuestion }: ControlRoute): boolean {
  return method !== 'get' && !isWorldless && !isQuestion
}

/** A route whose query and body are checked, as far as it has schemas for them, before it answers. */
export function defineRoute<Body = unknown, Query = Texts>({
  answer,
  ...route
}: ControlRoute<Body, Query>): ControlRoute {
  return {
    ...route,
    answer: (context, request) => {
      const { world: _, ...asked } = request.query
      const query = route.query ? readInput(route.query, asked) : (request.query as Query)
      const body = route.body ? readInput(route.body, request.body) : (request.body as Body)
      return answer(context, { ...request, query, body })
    },
  } as ControlRoute
}

/** @throws CommandError for what the schema does not take. */
export function readInput<Value>(schema: z.ZodType<Value>, input: unknown): Value {
  const checked = validate(schema, input)
  if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
  return checked.value
}

/** The id in a path. @throws CommandError for what is none. */
export function idOf({ params }: Pick<ControlRequest, 'params'>): number {
  const text = params['id'] ?? ''
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw recordNotFound(`"${text}" is not an id. Write a whole number.`)
}

export function ok(body: unknown): ControlAnswer {
  return { status: 200, body }
}

/** The answer to a request that was refused; undefined for an error that nobody expected. */
export function toErrorAnswer(error: unknown): ControlAnswer | undefined {
  if (!(error instanceof CommandError)) return undefined
  const { code, message, problems } = error
  const status = code.endsWith('_not_found') ? 404 : 422
  const details = problems.map(({ path, message: text }) => ({
    path: formatPath(path),
    message: text,
  }))
  return { status, body: { error: { code, message, problems: details } } satisfies ControlError }
}

/** An error of the control API in its one form. */
export const ControlError = z.strictObject({
  error: z.strictObject({
    code: z.string().meta({
      description: 'What is wrong, for programs',
      examples: ['invalid_command', 'record_not_found', 'record_in_use', 'world_not_found'],
    }),
    message: z.string().describe('What is wrong, and what to do'),
    problems: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .describe('What is wrong with what was sent, each with its place; it may be empty'),
  }),
})
export type ControlError = z.infer<typeof ControlError>

export function errorAnswer(status: number, code: string, message: string): ControlAnswer {
  return { status, body: { error: { code, message, problems: [] } } satisfies ControlError }
}
