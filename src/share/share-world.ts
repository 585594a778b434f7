import { findTooDeep, NESTED_TOO_DEEP } from '../contract/nesting.ts'
import type { Seed } from '../fixtures/seed.ts'
import { SessionError } from '../session/session-error.ts'
import { recordedSessionOf } from '../session/session-recorder.ts'
import { createSessionRedactor } from '../session/session-writer.ts'
import { parseSession } from '../session/session.ts'
import type { Session, SharedSession } from '../session/session.ts'
import type { World } from '../world/world.ts'
import { beginsSession, requireAllowed } from './require-allowed.ts'
import { ShareError } from './share-error.ts'

interface SharedSandbox {
  world: World
  session: () => Promise<Session>
}

interface ShareOptions {
  /** Digest of the site's options. */
  digest: string
  /** Seed of the site's world before its first command. */
  seed: Seed
  /** Query of the console's URL, without the question mark. */
  screen: string
}

/**
 * Returns the session of a tab for sharing, without the data of the site and without bearer values.
 *
 * @throws CommandError if the session is no longer kept, and ShareError if no site would accept it.
 */
export async function shareWorld(
  { world, session }: SharedSandbox,
  { digest, seed, screen }: ShareOptions,
): Promise<SharedSession> {
  let recorded
  let written
  // Repeated, because a command may start another session meanwhile.
  do {
    recorded = recordedSessionOf(world)
    written = await session()
  } while (recorded !== recordedSessionOf(world))
  const shared = toShared(written, {
    digest,
    screen: withoutBearerValues(screen, world, seed),
    sharedMs: world.options.realNow(),
    hasLoaded: recorded?.options.seed !== seed,
  })
  return requireAllowed(shared, 'session')
}

/** Replaces bearer values in the query of the console, because a search may contain a current or former value of the world. */
function withoutBearerValues(screen: string, { secrets }: World, { records }: Seed): string {
  const own = records.tokens.map(({ token, id }) => [token, id] as const)
  const owners = new Map([...own, ...secrets.owners])
  const { others } = secrets
  const redactor = createSessionRedactor({ owners, others, hasMagicTokens: false })
  return redactor.inTarget(screen, encodeURI)
}

/**
 * Converts a session for sharing. `sharedMs` is the time of sharing, by default that of the last step. `hasLoaded` is true if
 * fixtures were loaded before the session started, so that its seed differs from the site's.
 */
export function toShared(
  { version, release, beginning: { at_ms, seed }, steps }: Session,
  {
    digest,
    screen,
    sharedMs = steps.at(-1)?.at_ms ?? at_ms,
    hasLoaded,
  }: { digest: string; screen: string; sharedMs?: number; hasLoaded: boolean },
): SharedSession {
  return {
    version,
    release,
    site: { digest, screen, shared_ms: sharedMs },
    beginning: { at_ms, ...(hasLoaded && { seed }) },
    steps: steps.map(toSharedStep),
  }
}

function toSharedStep(step: Session['steps'][number]): SharedSession['steps'][number] {
  if ('request' in step) {
    const { answer: _, ...rest } = step
    return rest
  }
  const { seed, ...named } = step
  // Every tab has the scenarios of its release, so the name of a scenario is enough.
  return seed && step.command.type === 'scenario.load' ? named : step
}

/** Maximum length of a session file, in units of 2^20 characters. */
const MAXIMUM_MB = 16

/** Stands for the digest of another site, because session files contain no digest. */
const OTHER_SITE = 'other'

interface SessionFileOptions {
  /** Digest of the site's options. */
  digest: string
  /** Session of the site's world before any request or command. */
  own: Session
}

/**
 * Reads the text of a session file as a shared session for this site.
 *
 * @throws ShareError if the text is not a session that this release can read, or if the session does something that a partner's key
 * must not do.
 */
export async function readSessionFile(
  text: string,
  { digest, own }: SessionFileOptions,
): Promise<SharedSession> {
  const session = parseFile(text)
  const [given, site] = [session, parseSession(own)].map(({ beginning }) => toTexts(beginning))
  const hasSeed = given?.seed === site?.seed
  const [first] = session.steps
  const canLoad = first !== undefined && beginsSession(first)
  const isOfSite = given?.settings === site?.settings && (hasSeed || canLoad)
  const shared = toShared(session, {
    digest: isOfSite ? digest : OTHER_SITE,
    screen: '',
    hasLoaded: !hasSeed && canLoad,
  })
  return requireAllowed(shared, 'session file')
}

function toTexts(beginning: Session['beginning']) {
  const { at_ms: _, seed, ...settings } = beginning
  return { seed: JSON.stringify(seed), settings: JSON.stringify(settings) }
}

/** @throws ShareError if the file is too large, nested too deep, or not a session */
function parseFile(text: string): Session {
  if (text.length > MAXIMUM_MB * 2 ** 20) {
    throw new ShareError(
      `This file has more than ${MAXIMUM_MB} MB: replay it with seo-sandbox replay.`,
    )
  }
  if (findTooDeep(text)) {
    throw new ShareError(`This file is ${NESTED_TOO_DEEP}: choose a session file.`)
  }
  try {
    return parseSession(JSON.parse(text))
  } catch (error) {
    if (error instanceof SessionError) throw new ShareError(error.message, { cause: error })
    throw new ShareError('This file is not JSON: choose a session file.', { cause: error })
  }
}
