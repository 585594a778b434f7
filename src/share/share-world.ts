import type { Seed } from '../fixtures/seed.ts'
import { createSessionRedactor } from '../session/session-redactor.ts'
import { recordedSessionOf } from '../session/session-recorder.ts'
import type { Session, SharedSession } from '../session/session.ts'
import type { World } from '../world/world.ts'

/** The sandbox of a tab. */
interface SharedSandbox {
  world: World
  session: () => Promise<Session>
}

interface ShareOptions {
  /** The digest of the site's options. */
  digest: string
  /** What the world of the site was created from: `world.options.seed` before the first command. */
  seed: Seed
  /** The query of the address that the console shows, without the question mark. */
  screen: string
}

/**
 * What is in a tab, to be shared: its session without what the site has, and without bearer values.
 *
 * @throws CommandError if the session is no longer kept, ShareError if nobody could open it.
 */
export async function shareWorld(
  { world, session }: SharedSandbox,
  { digest, seed, screen }: ShareOptions,
): Promise<SharedSession> {
  let recorded
  let written
  // A command may start another session meanwhile.
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
  const { requireAllowed } = await import('./require-allowed.ts')
  return requireAllowed(shared, 'session')
}

/**
 * Hides bearer values in the query of the console: a search may be for one that the world has, or had before fixtures were
 * loaded.
 */
function withoutBearerValues(screen: string, { secrets }: World, { records }: Seed): string {
  const own = records.tokens.map(({ token, id }) => [token, id] as const)
  const owners = new Map([...own, ...secrets.owners])
  const { others } = secrets
  const redactor = createSessionRedactor({ owners, others, documented: new Set() })
  return redactor.inTarget(screen, encodeURI)
}

/** A session as it is shared; `hasLoaded` where its seed is not the site's, because fixtures were loaded before it started. */
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
  // Every tab has the scenarios of its release, so that their names are enough.
  return seed && step.command.type === 'scenario.load' ? named : step
}
