import { findTooDeep, NESTED_TOO_DEEP } from '../contract/nesting.ts'
import { SessionError } from '../session/session-error.ts'
import { parseSession } from '../session/session.ts'
import type { Session, SharedSession } from '../session/session.ts'
import { beginsSession, requireAllowed } from './require-allowed.ts'
import { ShareError } from './share-error.ts'
import { toShared } from './share-world.ts'

/** Maximum size of a session file, in MB. */
const MAXIMUM_MB = 16

/** Stands for the digest of another site, which a session does not have. */
const OTHER_SITE = 'other'

interface SessionFileOptions {
  /** The digest of the site's options. */
  digest: string
  /** The session of the site's own world before its first request and command. */
  own: Session
}

/**
 * Reads the text of a session file as what it shares with this site.
 *
 * @throws ShareError for anything but a session of this release, and for what the key of a partner may not do.
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

/** @throws ShareError */
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
