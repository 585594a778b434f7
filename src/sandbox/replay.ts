import type { Replay } from '../session/replay.ts'

/**
 * Replays a recorded session, in a world of its own.
 *
 * @param session What `sandbox.session()` returned, or read from a file.
 * @throws SessionError for anything but a session of this release.
 */
export async function replay(session: unknown): Promise<Replay> {
  const [{ replaySession }, { parseSession }] = await Promise.all([
    import('../session/replay.ts'),
    import('../session/session.ts'),
  ])
  return replaySession(parseSession(session))
}
