import { z } from 'zod'
import { isApiPath } from '../contract/api-prefix.ts'
import { withoutControls } from '../contract/describe.ts'
import { DAY_MS } from '../contract/moments.ts'
import { validate } from '../contract/validate.ts'
import { formatPath } from '../contract/validation.ts'
import type { Path } from '../contract/validation.ts'
import { yieldToEventLoop } from '../contract/yield-to-event-loop.ts'
import { Seed } from '../fixtures/seed.ts'
import { SessionError } from '../session/session-error.ts'
import { parseSessionLine } from '../session/session.ts'
import type { CommandStep, RequestStep } from '../session/session.ts'
import { CommandError } from '../world/command-error.ts'
import { COMMAND_DEFINITIONS } from '../world/commands/index.ts'
import type { Command } from '../world/commands/index.ts'
import { parseCommand } from '../world/commands/prepare-command.ts'
import { findTooLarge, PartnerLimits } from './partner-limits.ts'
import { ShareError } from './share-error.ts'
import type { ShareLimits } from './share-limits.ts'
import { STEPS_AT_ONCE, toSessionSteps, toSharedSteps } from './shared.ts'
import type { Shared } from './shared.ts'

/** Longer than any tab stays open. */
const LONGEST_WAIT_MS = 366 * DAY_MS

/** A time of the machine's clock, in epoch milliseconds. */
const At = z.number().min(0).max(Date.UTC(2100, 0))

/** The outline of what a link carries; its steps are checked as those of a session. */
const Outline = z.strictObject({
  version: z.string().regex(/^[\w.+-]{1,40}$/),
  digest: z.string().regex(/^[\w.+/=:-]{1,200}$/),
  screen: z.string().max(4000),
  began_ms: At,
  shared_ms: At,
  loaded: Seed.optional(),
  steps: z.array(
    z.looseObject({ after_ms: z.number().min(-LONGEST_WAIT_MS).max(LONGEST_WAIT_MS) }),
  ),
})

const ANOTHER = 'ask whoever sent it for another one'

/** Of a site in a folder, the address of a request has a path. */
const ORIGIN = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#@\\]*)?$/

/**
 * Reads what a link or a session file shares, from plain data.
 *
 * @throws ShareError for anything else, and for what the key of a partner may not do.
 */
export async function readShared(input: unknown, limits: ShareLimits): Promise<Shared> {
  const { noun } = limits
  const checked = validate(Outline, input)
  if ('problems' in checked) throw changed(noun, checked.problems[0]?.path ?? [])
  const outline = checked.value as unknown as Shared
  requireFewSteps(outline, limits)
  requireSessionStart(outline, noun)
  const partner = new PartnerLimits()
  const steps: (RequestStep | CommandStep)[] = []
  for (const step of toSessionSteps(outline)) {
    if (steps.length % STEPS_AT_ONCE === 0) await yieldToEventLoop()
    const read = readStep(step, noun)
    const beyond = 'request' in read ? findForbidden(read) : findBeyond(read, partner, noun)
    if (beyond !== undefined) {
      throw new ShareError(`Step ${read.sequence} of this ${noun} ${beyond}: ${ANOTHER}.`)
    }
    steps.push(read)
  }
  return { ...outline, steps: toSharedSteps(steps, outline.began_ms) }
}

function requireFewSteps({ steps }: Shared, { noun, ...limits }: ShareLimits): void {
  const requests = steps.filter((step) => 'request' in step).length
  const counts = { commands: steps.length - requests, requests }
  for (const name of ['commands', 'requests'] as const) {
    if (counts[name] <= limits[name]) continue
    throw new ShareError(
      `This ${noun} has ${counts[name]} ${name}, and one may have ${limits[name]}: ask whoever sent it for a smaller session.`,
    )
  }
}

/** A command that starts the world again is the first step, because it starts a session; fixtures are loaded only before one. */
function requireSessionStart({ loaded, steps }: Shared, noun: string): void {
  const [first, ...others] = steps
  const later = others.findIndex(startsSession)
  if (later !== -1) throw changed(noun, ['steps', later + 1])
  if (!loaded) return
  if (!first || !startsSession(first)) throw changed(noun, ['loaded'])
  const beyond = findTooLarge(loaded)
  if (beyond === undefined) return
  throw new ShareError(`What this ${noun} loads first ${beyond}: ${ANOTHER}.`)
}

/** Whether a step is a command that discards what was in the world. */
export function startsSession(step: Pick<RequestStep, 'request'> | Pick<CommandStep, 'command'>) {
  if ('request' in step) return false
  return COMMAND_DEFINITIONS.some(
    (definition) => definition.type === step.command?.type && definition.startsSession === true,
  )
}

function readStep(step: RequestStep | CommandStep, noun: string): RequestStep | CommandStep {
  try {
    return parseSessionLine(step) as RequestStep | CommandStep
  } catch (error) {
    if (error instanceof SessionError) throw changed(noun, ['steps', step.sequence - 1])
    throw error
  }
}

/** Why a request may not be sent, as the end of a sentence. */
function findForbidden({ request: { path, origin } }: RequestStep): string | undefined {
  if (!isApiPath(path)) return 'is a request to something other than the API'
  return ORIGIN.test(origin) ? undefined : 'is a request to a server that has no address'
}

/** Why a command may not be applied, as the end of a sentence. */
function findBeyond(
  { command, seed, sequence }: CommandStep,
  partner: PartnerLimits,
  noun: string,
): string | undefined {
  const parsed = readCommand(command)
  if (!parsed) throw changed(noun, ['steps', sequence - 1, 'command'])
  // A command that names what it loads would load that from outside the link.
  if ((seed === undefined) === (parsed.type === 'fixtures.load'))
    throw changed(noun, ['steps', sequence - 1, 'seed'])
  return partner.findBeyond({ command: parsed, seed })
}

/** Undefined for anything but a command of this release. */
function readCommand(command: unknown): Command | undefined {
  try {
    return parseCommand(command)
  } catch (error) {
    if (error instanceof CommandError) return undefined
    throw error
  }
}

const SHOWN_LENGTH = 80

/** The error for something that no release has written like this. */
function changed(noun: string, path: Path): ShareError {
  const place = withoutControls(formatPath(path).slice(0, SHOWN_LENGTH))
  const where = place === '' ? '' : `, at ${place}`
  return new ShareError(
    `This ${noun} was changed, or made by another release${where}: ask for it again, and copy all of it.`,
  )
}
