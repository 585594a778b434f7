import { MAXIMUM_PROJECTS } from '../contract/limits.ts'
import { formatPath } from '../contract/validation.ts'
import { GAPS_HEADER } from '../engine/gap-finder.ts'
import { CONSOLE_HEADER } from '../engine/messages.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { Seed } from '../fixtures/seed.ts'
import { GivenValues } from '../journal/bearer-finder.ts'
import { digest } from '../journal/digest.ts'
import type { RecordedRequest, ResponseEnd } from '../journal/recorded-request.ts'
import { Records } from '../records/world-records.ts'
import { CommandError } from '../world/command-error.ts'
import { parseCommand } from '../world/commands/prepare-command.ts'
import { fromSessionSettings } from '../world/options/session-settings.ts'
import { findBroken } from '../world/restore-state.ts'
import { World } from '../world/world.ts'
import { SessionError } from './session-error.ts'
import type {
  CommandStep,
  EndStep,
  RequestStep,
  SessionLine,
  SessionResponse,
  SharedRequestStep,
  SteppedSession,
} from './session.ts'

/** The result of replaying a session. */
export interface Replay {
  /** Number of replayed steps: all, or those up to and including the difference. */
  steps: number
  /** The first difference; null if there is none. */
  difference: Difference | null
}

/** A response, or the result of a command, that differs from the recorded one. */
export interface Difference {
  sequence: number
  /** The request; null for a command. */
  request: RequestStep['request'] | null
  /** The command; null for a request. */
  command: CommandStep['command'] | null
  /** The part that differs: `status`, `header NAME`, `body`, `wire`, or `command`. */
  what: string
  /** The recorded value, or `applied` for a command; null for a missing header. */
  expected: string | null
  /** The value in the replay, or the message of the error for a command; null for a missing header. */
  actual: string | null
  /** The first 200 bytes of the body in the replay, as text; null for a command. */
  body: string | null
}

interface ReplayOptions {
  /** Called with the world when the replay reaches the point at which the review began. Not called if an earlier step differs. */
  onReview?: (world: World) => void
  onStep?: (step: SharedRequestStep | CommandStep) => void
}

/** A line to replay. The response to a request step without an answer is not compared. */
type ReplayedLine = SessionLine | SharedRequestStep

/**
 * Replays a session in a new world, whose clocks show the recorded times.
 *
 * @throws SessionError if records conflict or refer to missing ones, or if a command lacks the records that it loaded.
 */
export async function replaySession(
  { beginning, review: { began }, steps }: SteppedSession,
  { onReview, onStep }: ReplayOptions = {},
): Promise<Replay> {
  requireSound(beginning.seed)
  let place: Pick<CommandStep, 'at_ms'> = beginning
  // The header that names gaps is not compared, and computing it takes time.
  const settings = { ...fromSessionSettings(beginning), showGaps: false }
  const world = await World.create({
    id: 'replay',
    tokenSuffix: '',
    givenValues: new GivenValues(),
    maximumGenerated: MAXIMUM_PROJECTS,
    seed: beginning.seed,
    settings,
    readFixtures: refuseToLoad,
    scenarios: { list: refuseToLoad, load: refuseToLoad },
    journalSize: settings.journal,
    realNow: () => place.at_ms,
    timer: () => 0,
    errors: {},
  })
  let isReviewed = false
  const startReview = (): void => {
    if (isReviewed) return
    isReviewed = true
    place = began ?? beginning
    onReview?.(world)
  }
  const replayed = await replaySteps(world, steps, (step) => {
    if (!began || step.sequence > began.sequence) startReview()
    place = step
    onStep?.(step)
  })
  if (!replayed.difference) startReview()
  return replayed
}

/**
 * Replays the steps of a session in a world in the state in which the session began. Does not wait for delays of responses.
 * `onStep` is called before each request or command, and must set the clock of the world to the time of the step.
 *
 * @throws SessionError if records that a step loads conflict or refer to missing ones.
 */
export async function replaySteps(
  world: World,
  steps: Iterable<ReplayedLine> | AsyncIterable<ReplayedLine>,
  onStep: (step: SharedRequestStep | CommandStep) => void,
): Promise<Replay> {
  const { open, stop } = noteOpenEnds(world)
  let played = 0
  try {
    for await (const step of steps) {
      if ('end' in step) {
        endResponse(world, step, open)
        continue
      }
      onStep(step)
      const difference =
        'request' in step ? playRequest(world, step) : await playCommand(world, step)
      played += 1
      if (difference) return { steps: played, difference }
    }
  } finally {
    stop()
  }
  return { steps: played, difference: null }
}

/** Collects the requests whose responses have not ended, by sequence, until `stop` is called. */
function noteOpenEnds(world: World): { open: Map<number, RecordedRequest>; stop: () => void } {
  const open = new Map<number, RecordedRequest>()
  const stop = world.subscribe({
    onRequest: (recorded) => {
      if (recorded.responseEnd === null) open.set(recorded.sequence, recorded)
    },
    onCommand: ({ definition }) => {
      if (definition.startsSession === true) open.clear()
    },
  })
  return { open, stop }
}

function endResponse(
  world: World,
  { end, sent }: EndStep,
  open: Map<number, RecordedRequest>,
): void {
  const recorded = open.get(end)
  if (!recorded) return
  open.delete(end)
  world.endResponse(recorded, sent && toResponseEnd(sent))
}

function toResponseEnd({ after, at_ms, aborted }: NonNullable<EndStep['sent']>): ResponseEnd {
  return { after, rateMs: at_ms, isAborted: aborted === true }
}

/** Refuses to load anything, because a session contains all seeds that its commands have loaded. */
function refuseToLoad(): Promise<never> {
  const message = 'A command of this session lacks the records that it loaded.'
  throw new SessionError(`${message} Record the session again.`)
}

/** @throws SessionError if records conflict or refer to missing ones. */
function requireSound(seed: Seed): void {
  const together = new Records()
  together.load(seed.records, 0)
  const [problem] = findBroken(seed, together.indexes, ['records'])
  if (!problem) return
  throw new SessionError(
    `${formatPath(problem.path)}: ${problem.message} Record the session again.`,
  )
}

function playRequest(
  world: World,
  {
    sequence,
    request,
    connection,
    open_connections: openConnections = 0,
    answer,
    sent,
  }: SharedRequestStep & Partial<Pick<RequestStep, 'answer'>>,
): Difference | undefined {
  const response = world.handle(
    { ...fromSessionRequest(request), connection, openConnections },
    { responseEnd: sent && toResponseEnd(sent) },
  )
  const found = answer && findDifference(answer, response)
  return found
    ? { sequence, request, command: null, ...found, body: startOf(response.body) }
    : undefined
}

function fromSessionRequest({
  client_ip,
  authorization,
  accept,
  page_origin,
  range,
  token_header,
  from_console,
  ...request
}: RequestStep['request']): ApiRequest {
  const headers = new Map<string, string | undefined>([
    ['authorization', authorization],
    ['accept', accept],
    ['origin', page_origin],
    ['range', range],
    ...(token_header === undefined ? [] : [[token_header, ''] as const]),
    ...(from_console ? [[CONSOLE_HEADER, '1'] as const] : []),
  ])
  return { ...request, clientIp: client_ip, header: (name) => headers.get(name) }
}

async function playCommand(
  world: World,
  { sequence, command, seed }: CommandStep,
): Promise<Difference | undefined> {
  if (seed) requireSound(seed)
  try {
    if (seed) await world.applyChange({ command: parseCommand(command) }, { seed })
    else await world.applyChange({ command })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const difference = { what: 'command', expected: 'applied', actual: error.message }
    return { sequence, request: null, command, ...difference, body: null }
  }
  return undefined
}

/**
 * Returns the first part of a response that differs from the recorded response; undefined if none does. The body is not compared if
 * the recorded one is null. `X-Sandbox-Gaps` is never compared, because another release may name other gaps.
 */
function findDifference(
  expected: SessionResponse,
  { status, headers, body, wire = {} }: ApiResponse,
): Pick<Difference, 'what' | 'expected' | 'actual'> | undefined {
  const names = new Set([...Object.keys(expected.headers), ...Object.keys(headers)])
  names.delete(GAPS_HEADER)
  const facts = [
    { what: 'status', expected: String(expected.status), actual: String(status) },
    ...[...names].map((name) => ({
      what: `header ${name}`,
      expected: expected.headers[name] ?? null,
      actual: headers[name] ?? null,
    })),
    ...(expected.body
      ? [
          {
            what: 'body',
            expected: describeBody(expected.body),
            actual: describeBody({ bytes: body.byteLength, digest: digest(body) }),
          },
        ]
      : []),
    { what: 'wire', expected: describeWire(expected.wire), actual: describeWire(wire) },
  ]
  return facts.find((fact) => fact.expected !== fact.actual)
}

function describeBody({ bytes, digest: figure }: NonNullable<SessionResponse['body']>): string {
  return `${bytes} bytes with the digest ${figure}`
}

function describeWire({ delayMs = 0, bodyMs = 0, end }: SessionResponse['wire'] = {}): string {
  return `delayed ${delayMs} ms, body over ${bodyMs} ms, ${end ?? 'whole'}`
}

const SHOWN_BYTES = 200

function startOf(body: Uint8Array): string {
  return new TextDecoder().decode(body.subarray(0, SHOWN_BYTES))
}
