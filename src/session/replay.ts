import type { Seed } from '../fixtures/seed.ts'
import { GivenValues } from '../journal/given-values.ts'
import { MAXIMUM_PROJECTS } from '../records/generation/maximums.ts'
import { formatPath } from '../contract/validation.ts'
import { GAPS_HEADER } from '../engine/gaps-header.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { Records } from '../records/records.ts'
import { CommandError } from '../world/command-error.ts'
import { parseCommand } from '../world/commands/prepare-command.ts'
import { digest } from '../journal/digest.ts'
import { SessionError } from './session-error.ts'
import type { CommandStep, RequestStep, Session, SessionResponse } from './session.ts'
import { runAtOnce } from '../contract/steps.ts'
import { findBroken } from '../world/read-snapshot.ts'
import { fromSessionSettings } from '../world/session-settings.ts'
import { World } from '../world/world.ts'

/** The result of replaying a session. */
export interface Replay {
  /** How many steps were replayed: all of them, or those up to the difference. */
  steps: number
  /** The first response that differs; null where every response is the same. */
  difference: Difference | null
}

/** A response or the result of a command that differs from what was recorded. */
export interface Difference {
  sequence: number
  /** The request; null for a command. */
  request: RequestStep['request'] | null
  /** The command; null for a request. */
  command: CommandStep['command'] | null
  /** What differs: `status`, `header NAME`, `body`, `wire`, or `command`. */
  what: string
  /** What was recorded; null for a header that was not there. */
  expected: string | null
  actual: string | null
  /** The beginning of the actual body; null for a command. */
  body: string | null
}

/**
 * Replays a session, in a world of its own whose clocks show the recorded times. `onReview` is called with that world
 * where its review began.
 *
 * @throws SessionError where its records do not fit together.
 */
export async function replaySession(
  { beginning, review: { began }, steps }: Session,
  onReview?: (world: World) => void,
): Promise<Replay> {
  for (const { seed } of [beginning, ...steps.filter(isLoad)]) requireSound(seed)

  let step: Pick<Session['steps'][number], 'at_ms'> = beginning
  const world = await World.create({
    id: 'replay',
    tokenSuffix: '',
    givenValues: new GivenValues(),
    maximumGenerated: MAXIMUM_PROJECTS,
    requireRoom: () => undefined,
    seed: beginning.seed,
    // The header that names gaps is not compared, and finding them takes time.
    settings: { ...fromSessionSettings(beginning), showGaps: false },
    readFixtures: refuseToLoad,
    scenarios: { list: refuseToLoad, load: refuseToLoad },
    journalSize: Math.max(steps.length, 1),
    realNow: () => step.at_ms,
    timer: () => 0,
    pacing: {},
  })
  const unreviewed = began ? steps.filter(({ sequence }) => sequence <= began.sequence).length : 0
  for (let played = 0; ; played += 1) {
    if (played === unreviewed) {
      step = began ?? beginning
      onReview?.(world)
    }
    const next = steps[played]
    if (!next) return { steps: played, difference: null }
    step = next
    const difference = 'request' in next ? playRequest(world, next) : await playCommand(world, next)
    if (difference) return { steps: played + 1, difference }
  }
}

function isLoad(step: Session['steps'][number]): step is CommandStep & { seed: Seed } {
  return 'seed' in step && step.seed !== undefined
}

/** A session has the seeds of everything that its commands have loaded. */
function refuseToLoad(): Promise<never> {
  const message = 'A command of this session lacks the records that it loaded.'
  throw new SessionError(`${message} Record the session again.`)
}

/** @throws SessionError for records that refer to missing ones, or that conflict. */
function requireSound(seed: Seed): void {
  const together = new Records()
  together.load(seed.records, 0)
  const [problem] = runAtOnce(findBroken(seed, together.indexes, ['records']))
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
  }: RequestStep,
): Difference | undefined {
  const response = world.handle(
    { ...toApiRequest(request), connection, openConnections },
    sent && { after: sent.after, rateMs: sent.at_ms, isAborted: sent.aborted === true },
  )
  const found = answer && findDifference(answer, response)
  return found
    ? { sequence, request, command: null, ...found, body: startOf(response.body) }
    : undefined
}

function toApiRequest({
  client_ip,
  authorization,
  accept,
  page_origin,
  range,
  ...request
}: RequestStep['request']): ApiRequest {
  const headers = new Map([
    ['authorization', authorization],
    ['accept', accept],
    ['origin', page_origin],
    ['range', range],
  ])
  return { ...request, clientIp: client_ip, header: (name) => headers.get(name) }
}

async function playCommand(
  world: World,
  { sequence, command, seed }: CommandStep,
): Promise<Difference | undefined> {
  try {
    if (seed) await world.applyChange({ command: parseCommand(command) }, { seed })
    else await world.applyChange({ command })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const outcome = { what: 'command', expected: 'applied', actual: error.message }
    return { sequence, request: null, command, ...outcome, body: null }
  }
  return undefined
}

/**
 * The first part of a response that differs from what was recorded. `X-Sandbox-Gaps` is not compared: it is a note on the
 * response, which another release may write differently.
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
