import { z } from 'zod'
import { describe } from '../contract/describe.ts'
import { Seed } from '../fixtures/seed.ts'
import { formatPath, validate } from '../contract/validation.ts'
import { WireFault } from '../contract/wire-fault.ts'
import { VERSION as RELEASE } from '../contract/version.ts'
import { SESSION_SETTINGS } from '../world/session-settings.ts'

/** Grows with every change of the form that another release could not read. */
const VERSION = 1

/** By the machine's clock, in epoch milliseconds. */
const At = z.number().min(-8.64e15).max(8.64e15)

/** How the world was when the session started: its seed, and the settings of its options. */
const Beginning = z.strictObject({ at_ms: At, seed: Seed, ...SESSION_SETTINGS })

const Headers = z.record(z.string(), z.string())

const SessionRequest = z.strictObject({
  method: z.string(),
  path: z.string(),
  query: z.string(),
  authorization: z.string().optional(),
  accept: z.string().optional(),
  client_ip: z.string(),
  origin: z.string(),
})

const SessionAnswer = z.strictObject({
  status: z.int(),
  headers: Headers,
  body: z.strictObject({ bytes: z.int(), digest: z.int() }).nullable(),
  wire: WireFault.optional(),
})
/** An answer as a session has it; its body is null where it is not to be compared. */
export type SessionAnswer = z.output<typeof SessionAnswer>

const Place = { sequence: z.int().nonnegative(), at_ms: At }

const RequestStep = z.strictObject({
  ...Place,
  request: SessionRequest,
  answer: SessionAnswer.nullable(),
})
/** A request, and what it was answered; null where that is not to be compared. */
export type RequestStep = z.output<typeof RequestStep>

const CommandStep = z.strictObject({
  ...Place,
  command: z.looseObject({ type: z.string() }),
  seed: Seed.optional(),
})
/** A command as it was sent; one that loads fixtures or a scenario with what it loaded. */
export type CommandStep = z.output<typeof CommandStep>

export const Session = z.strictObject({
  version: z.literal(VERSION),
  release: z.string(),
  beginning: Beginning,
  steps: z.array(z.union([RequestStep, CommandStep])),
})

/**
 * What a world was from a beginning on, as plain JSON: how it was made, then every command and every request
 * in sequence, each with the time of the machine's clock at which it began and, for requests, the answer. It
 * can be played again, and answers the same. Bearer values are not in it: placeholders stand for them.
 */
export type Session = z.output<typeof Session>

/** A session in the form of this release. */
export function createSession(parts: Pick<Session, 'beginning' | 'steps'>): Session {
  return { version: VERSION, release: RELEASE, ...parts }
}

/** What was given is no session that can be played. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code = 'invalid_session'
}

/** A session as it is read from a file. @throws SessionError that says in a sentence what is wrong. */
export function parseSession(input: unknown): Session {
  requireVersion(input)
  const checked = validate(Session, input)
  if ('value' in checked) return checked.value
  const [first] = checked.problems
  throw new SessionError(
    `${formatPath(first?.path ?? [])}: ${first?.message ?? ''} This is not what was recorded. ${REMEDY}`,
  )
}

const REMEDY = 'Record it again, with sandbox.session() or GET /_sandbox/session.'

function requireVersion(input: unknown): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new SessionError(`${describe(input)} is not a session. ${REMEDY}`)
  }
  const { version, steps, release }: { version?: unknown; steps?: unknown; release?: unknown } =
    input
  if (typeof version !== 'number' || !Array.isArray(steps)) {
    throw new SessionError(`This is not a session. ${REMEDY}`)
  }
  if (version === VERSION) return
  const other = typeof release === 'string' ? `, ${describe(release)}` : ''
  throw new SessionError(
    `This session is of version ${version}, and this release of seo-sandbox reads version ${VERSION}. Replay it with the release that recorded it${other}.`,
  )
}
