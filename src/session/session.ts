import { z } from 'zod'
import { CalendarDate, DateTime } from '../contract/conventions.ts'
import { describe } from '../contract/text.ts'
import { Seed } from '../fixtures/seed.ts'
import { findDeepValue } from '../contract/nesting.ts'
import { formatPath } from '../contract/validation.ts'
import { validate } from '../contract/validate.ts'
import { WireFault } from '../contract/wire-fault.ts'
import { VERSION as RELEASE } from '../contract/version.ts'
import { SESSION_SETTINGS } from '../world/options/session-settings.ts'
import { SessionError } from './session-error.ts'

/** Version of the format. After the first release, it increases with every change of the format or of its meaning. */
const VERSION = 1

const At = z
  .number()
  .min(-8.64e15)
  .max(8.64e15)
  .describe("A time of the machine's clock, in epoch milliseconds")

const Beginning = z.strictObject({
  at_ms: At,
  seed: Seed.describe('Its records, in the form of a validated fixture'),
  ...SESSION_SETTINGS,
})

const Headers = z.record(z.string(), z.string())

const Method = z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'This is not a method of HTTP.')

/** Part of a request, without ASCII control characters other than tabs. */
const Part = z.string().regex(/^[\t\P{Cc}\u0080-\u009F]*$/u, 'This has a control character.')

const SessionRequest = z.strictObject({
  method: Method,
  path: Part.describe('As sent'),
  query: Part.describe('As sent, without the question mark; empty for none'),
  authorization: Part.optional().describe('The header, with a placeholder for the bearer value'),
  accept: Part.optional(),
  page_origin: Part.optional().describe('The Origin header, which browsers send'),
  range: Part.optional(),
  token_header: Part.optional().describe(
    'The name of a header with a token, in a request without `authorization`',
  ),
  from_console: z.literal(true).optional().describe('Sent by the console rather than a client'),
  client_ip: Part,
  origin: Part.describe('Scheme and host, as the client named them'),
})

const SessionResponse = z.strictObject({
  status: z.int().describe('0 for no response'),
  headers: Headers,
  body: z
    .strictObject({ bytes: z.int(), digest: z.int() })
    .nullable()
    .describe('Size and digest of the body; null if a replay does not compare it'),
  wire: WireFault.optional().describe('Changes by a fault on the way to the client'),
})
/** A recorded response. Its body is null if a replay does not compare it. */
export type SessionResponse = z.output<typeof SessionResponse>

const Place = {
  sequence: z
    .int()
    .nonnegative()
    .describe('Position among the requests and commands of the world, from 1'),
  at_ms: At,
}

const Sent = z.strictObject({
  after: z.int().describe('Sequence of the last step before that moment'),
  at_ms: At.describe('By the rate clock, in epoch milliseconds'),
  aborted: z.literal(true).optional().describe('The client disconnected first'),
})

const RequestStep = z.strictObject({
  ...Place,
  request: SessionRequest,
  connection: z
    .int()
    .positive()
    .optional()
    .describe('Number of its connection; omitted if unknown'),
  open_connections: z.int().positive().optional().describe('Number of open connections'),
  answer: SessionResponse.nullable().describe('The response; null if a replay does not compare it'),
  sent: Sent.nullable()
    .optional()
    .describe(
      'The moment of the last byte of the response; null if it was never sent, or is in a later line; omitted if it was sent at once, or not observed',
    ),
})
export type RequestStep = z.output<typeof RequestStep>

const CommandStep = z.strictObject({
  ...Place,
  command: z.looseObject({ type: z.string() }).describe('As sent'),
  seed: Seed.optional().describe('Records that it loaded from fixtures or a scenario'),
})
export type CommandStep = z.output<typeof CommandStep>

const EndStep = z.strictObject({
  end: z.int().positive().describe('Sequence of its request'),
  sent: Sent.optional(),
})
/** The end of a response that was still in progress when the step of its request was written. */
export type EndStep = z.output<typeof EndStep>

export const SessionLine = z.union([RequestStep, CommandStep, EndStep])
/** A line after the header of a session with one line per step. */
export type SessionLine = z.output<typeof SessionLine>

const SessionReview = z.strictObject({
  version: z.int().describe('Version of the checks that reviewed the world'),
  began: z
    .strictObject(Place)
    .optional()
    .describe('The last step before the review, if that began after the session'),
})
export type SessionReview = z.output<typeof SessionReview>

/** A failure that a review accepts until the end of a day. */
export const Waiver = z.strictObject({
  what: z.string().describe('The id of a check, or a requirement'),
  reason: z.string(),
  until: CalendarDate.describe('The last day, in UTC'),
})
export type Waiver = z.output<typeof Waiver>

const Span = z.strictObject({ from: DateTime, to: DateTime })

/**
 * Details of a run. `command`, `exit`, `storm`, `require` and `waive` are known only from the run itself. All other details can be
 * derived from its session, but `world` only in part.
 */
export const SessionRun = z.strictObject({
  command: z.string().nullable().describe('The command line, without secrets'),
  exit: z.int().nullable().describe('Exit code of the command; in a storm, of its last run'),
  storm: z
    .array(
      z.strictObject({
        run: z.string(),
        exit: z.int(),
        unmet: z
          .array(z.string())
          .optional()
          .describe('Planned failures that no request met; omitted if there are none'),
      }),
    )
    .optional()
    .describe('Each run by its name; with `--profile storm`'),
  date: DateTime.describe("The end of the run, by the machine's clock"),
  world: z
    .record(z.string(), z.unknown())
    .describe('Options of the world, by their names in the config file, such as `scenario`'),
  policies: z.record(z.string(), z.string()).describe('Policies that differ from their default'),
  clocks: z
    .strictObject({ world: Span, rate: Span })
    .describe('The times of the world clock and the rate clock, at the beginning and the end'),
  require: z.array(z.string()).describe('Requirements of the review'),
  waive: z.array(Waiver).describe('Findings and requirements that the review let pass until a day'),
})
export type SessionRun = z.output<typeof SessionRun>

export const Session = z.strictObject({
  version: z.literal(VERSION).describe('Version of this format'),
  release: z
    .string()
    .regex(/^[\w.+-]{1,40}$/)
    .describe('Release of seo-sandbox that wrote it'),
  run: SessionRun.optional().describe('The run, in a file of `exec`'),
  beginning: Beginning.describe('The world at the start of the session'),
  review: SessionReview,
  steps: z.array(z.union([RequestStep, CommandStep])).describe('Requests and commands, in order'),
})

/** First line of a session with one line per step. */
export const SessionHeader = Session.omit({ steps: true }).extend({
  lines: z.int().nonnegative().describe('Number of lines that follow'),
  cut: z.literal(true).optional().describe('The file grew too large: later steps are missing'),
})
export type SessionHeader = z.output<typeof SessionHeader>

const SharedRequestStep = RequestStep.omit({ answer: true })
export type SharedRequestStep = z.output<typeof SharedRequestStep>

/**
 * A session in a link, for other tabs of the same site. It has no answers, because a replay produces them again. `beginning.seed`
 * is the seed of fixtures loaded before the session; if omitted, the session begins with the seed of the site. `site` has the
 * digest of the site's options, the query of the console's URL (`screen`), and the time of sharing by the machine's clock, at which
 * the clocks continue after a replay.
 */
const SharedSession = Session.pick({ version: true, release: true }).extend({
  site: z.strictObject({
    digest: z.string().regex(/^[\w.+/=:-]{1,200}$/),
    screen: z.string().max(4000),
    shared_ms: At,
  }),
  beginning: z.strictObject({ at_ms: At, seed: Seed.optional() }),
  steps: z.array(z.union([SharedRequestStep, CommandStep])),
})
export type SharedSession = z.output<typeof SharedSession>

/**
 * The recorded session of a world, as plain JSON: the world at the start, then every command and request in order, with the time by
 * the machine's clock. Requests also have their responses, which a replay produces again. Placeholders replace bearer values.
 */
export type Session = z.output<typeof Session>

/** A session whose steps are read one at a time and only once, for example from a large file. */
export interface SteppedSession
  extends Omit<Session, 'steps'>, Pick<Partial<SessionHeader>, 'cut'> {
  steps: Iterable<SessionLine> | AsyncIterable<SessionLine>
}

/** Version of the format, and the release that writes it. */
export const FORMAT = { version: VERSION, release: RELEASE } as const

/**
 * Validates plain data as a session.
 *
 * @throws SessionError if the input is not a session in this version of the format.
 */
export function parseSession(input: unknown): Session {
  requireVersion(input)
  return check(Session, input)
}

/** @throws SessionError if the input is not a shared session in this version of the format. */
export function parseSharedSession(input: unknown): SharedSession {
  requireVersion(input)
  return check(SharedSession, input)
}

/** True for the first line of a session with one line per step; false for a whole session. */
export function isSessionHeader(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'version' in input && 'lines' in input
}

/** @throws SessionError if the input is not the first line of a session in this version of the format. */
export function parseSessionHeader(input: unknown): SessionHeader {
  requireVersion(input)
  return check(SessionHeader, input)
}

/** @throws SessionError if the input is not a later line of a session. */
export function parseSessionLine(input: unknown): SessionLine {
  return check(SessionLine, input)
}

function check<Value>(schema: z.ZodType<Value>, input: unknown): Value {
  const deep = findDeepValue(input)
  if (deep) throw new SessionError(`${formatPath(deep.path)}: ${deep.message} ${REMEDY}`)
  const checked = validate(schema, input)
  if ('value' in checked) return checked.value
  const [first] = checked.problems
  const place = formatPath(first?.path ?? [])
  throw new SessionError(
    `${place}: ${first?.message ?? ''} This session has been changed. ${REMEDY}`,
    { place },
  )
}

const REMEDY = 'Record it again, with sandbox.session() or GET /_sandbox/session.'

function requireVersion(input: unknown): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new SessionError(`${describe(input)} is not a session. ${REMEDY}`)
  }
  const fields: { version?: unknown; steps?: unknown; lines?: unknown; release?: unknown } = input
  const { version, steps, lines, release } = fields
  if (typeof version !== 'number' || !(Array.isArray(steps) || typeof lines === 'number')) {
    throw new SessionError(`This is not a session. ${REMEDY}`)
  }
  if (version === VERSION) return
  const other = typeof release === 'string' ? `, ${describe(release)}` : ''
  throw new SessionError(
    `This session is of version ${version}, and this release of seo-sandbox reads version ${VERSION}. Replay it with the release that recorded it${other}.`,
  )
}
