import type { Replay } from '../session/replay.ts'

/**
 * Plays a session again that a sandbox has recorded, in a world of its own.
 *
 * @param session As `sandbox.session()` gave it, or as it was read from a file.
 * @throws SessionError for what is no session of this release.
 */
export async function replay(session: unknown): Promise<Replay> {
  const [{ replaySession }, { parseSession }] = await Promise.all([
    import('../session/replay.ts'),
    import('../session/session.ts'),
  ])
  return replaySession(parseSession(session))
}
