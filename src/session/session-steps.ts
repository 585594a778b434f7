import type { RecordedRequest } from '../journal/recorded-request.ts'
import { withNamespacedTokens } from '../records/bearer-tokens.ts'
import type { Seed } from '../fixtures/seed.ts'
import type { CommandEvent } from '../world/world-subscriber.ts'
import type { WorldOptions } from '../world/world-state.ts'
import type { CommandStep, EndStep, RequestStep, SessionResponse } from './session.ts'

export interface RecordedCommand extends Omit<CommandEvent, 'result' | 'loaded'> {
  /** The seed that the command loaded; undefined if it loaded none. */
  seed: Seed | undefined
}

/** Returns a command as a session keeps it: with the seed instead of the texts of fixtures. */
export function toRecordedCommand(
  { definition, command, loaded, sequence, atMs }: CommandEvent,
  options: WorldOptions,
): RecordedCommand {
  const { toRecorded = (raw) => raw } = definition
  return {
    definition,
    command: { ...toRecorded(command, loaded as never, options) },
    seed: loaded && 'seed' in loaded ? loaded.seed : undefined,
    sequence,
    atMs,
  }
}

/** Converts a request or command to a step that still has its bearer values. */
export function toStep(
  step: RecordedRequest | RecordedCommand,
  { tokenSuffix }: Pick<WorldOptions, 'tokenSuffix'>,
): RequestStep | CommandStep {
  return 'command' in step ? toCommandStep(step, tokenSuffix) : toRequestStep(step)
}

export function toEndStep({ sequence, responseEnd }: RecordedRequest): EndStep {
  return { end: sequence, ...(responseEnd && { sent: toSent(responseEnd) }) }
}

/** Returns a seed whose tokens have the suffix of the world; the suffix is empty unless the world is isolated. */
export function toOwnSeed(seed: Seed, tokenSuffix: string): Seed {
  return { ...seed, records: withNamespacedTokens(seed.records, tokenSuffix) }
}

function toCommandStep(
  { sequence, atMs, command, definition, seed }: RecordedCommand,
  tokenSuffix: string,
): CommandStep {
  return {
    sequence,
    at_ms: atMs,
    command: { ...command, type: definition.type },
    ...(seed && { seed: toOwnSeed(seed, tokenSuffix) }),
  }
}

function toRequestStep(step: RecordedRequest): RequestStep {
  const { method, clientIp, origin, accept, authorization, ...sender } = step.sender
  const { pageOrigin, range, tokenHeader, fromConsole } = sender
  const { responseEnd } = step
  return {
    sequence: step.sequence,
    at_ms: step.atMs,
    request: {
      method,
      path: step.target.path,
      query: step.query,
      client_ip: clientIp,
      origin,
      ...(accept !== undefined && { accept }),
      ...(pageOrigin !== undefined && { page_origin: pageOrigin }),
      ...(range !== undefined && { range }),
      ...(tokenHeader !== undefined && { token_header: tokenHeader }),
      ...(fromConsole && { from_console: true }),
      ...(authorization !== undefined && { authorization }),
    },
    ...(step.connection !== undefined && { connection: step.connection }),
    ...(step.openConnections > 0 && { open_connections: step.openConnections }),
    answer: toAnswer(step),
    ...(responseEnd !== undefined && { sent: responseEnd && toSent(responseEnd) }),
  }
}

function toAnswer({ head, bodyBytes, bodyDigest }: RecordedRequest): SessionResponse {
  const { status, headers, wire } = head
  return {
    status,
    // Copied, because equal responses share their headers.
    headers: { ...headers },
    body: { bytes: bodyBytes, digest: bodyDigest },
    ...(wire && { wire }),
  }
}

function toSent({
  after,
  rateMs,
  isAborted,
}: NonNullable<RecordedRequest['responseEnd']>): NonNullable<EndStep['sent']> {
  return { after, at_ms: rateMs, ...(isAborted === true && { aborted: true }) }
}
