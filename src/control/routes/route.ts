import type { z } from 'zod'
import { formatPath, validate } from '../../contract/validation.ts'
import { CommandError, invalidCommand } from '../command-error.ts'
import type { World } from '../world.ts'
import type { Worlds } from '../worlds.ts'

/** What the control API steers. */
export interface ControlContext {
  /** The one that the query names; the default one where it names none. */
  world: World
  worlds: Worlds
}

/** A request to the control API as plain data. */
export interface ControlRequest<Body = unknown> {
  /** The values of the path's parameters. */
  params: Readonly<Record<string, string | undefined>>
  /** The query, of a parameter that is repeated the last. */
  query: Readonly<Record<string, string>>
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

export interface ControlRoute<Body = unknown> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path below `/_sandbox`, its parameters after a colon. */
  path: string
  summary: string
  /** Whether it is open to everybody, whatever the guard says. */
  isOpen?: boolean
  /** How large a body may be, in megabytes of 2^20 bytes; 1 where omitted. */
  bodyLimitMb?: number
  /** What the body must be; anything where omitted. */
  body?: z.ZodType<Body>
  answer: (
    context: ControlContext,
    request: ControlRequest<Body>,
  ) => ControlAnswer | Promise<ControlAnswer>
}

/** A route whose body is checked before it answers. */
export function defineRoute<Body>({ answer, ...route }: ControlRoute<Body>): ControlRoute {
  const { body: schema } = route
  if (!schema) return { ...route, answer: answer as ControlRoute['answer'] }
  return {
    ...route,
    answer: (context, request) => {
      const checked = validate(schema, request.body)
      if ('problems' in checked) throw invalidCommand(...checked.problems)
      return answer(context, { ...request, body: checked.value })
    },
  }
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
  return { status, body: { error: { code, message, problems: details } } }
}

/** An error of the control API in its one form. */
export function errorAnswer(status: number, code: string, message: string): ControlAnswer {
  return { status, body: { error: { code, message, problems: [] } } }
}
