import { SessionSpool } from '../../src/cli/exec/session-spool.ts'
import type { Sandbox } from '../../src/index.ts'
import type { Review } from '../../src/review/review.ts'
import { judgeSession } from '../../src/sandbox/review-session.ts'
import type { SessionHeader, SessionLine, SessionRun } from '../../src/session/session.ts'

const AT = '2026-05-05T00:00:00.000000Z'
const SPAN = { from: AT, to: AT }

/** A run that adds nothing to the findings of its review. */
const RUN: SessionRun = {
  command: 'client',
  exit: 1,
  date: AT,
  world: {},
  policies: {},
  clocks: { world: SPAN, rate: SPAN },
  require: [],
  waive: [],
}

/** Records a sandbox from now on as `exec` does; returns a function that ends this, and returns the lines. */
export function recordLines(
  { world }: Sandbox,
  options: Partial<ConstructorParameters<typeof SessionSpool>[1]> = {},
): () => Promise<string[]> {
  const spool = new SessionSpool(world, { onCut: () => {}, ...options })
  return async () => {
    spool.stop()
    const lines: string[] = []
    for await (const line of spool.toLines(RUN)) lines.push(line)
    spool.close()
    return lines
  }
}

/** The review of a session with these lines. */
export async function reviewOfLines([head = '', ...lines]: readonly string[]): Promise<Review> {
  const { lines: _count, ...header } = JSON.parse(head) as SessionHeader
  const steps = lines.map((line) => JSON.parse(line) as SessionLine)
  const judged = await judgeSession(
    { ...header, steps },
    { projects: undefined, require: [], waive: [] },
  )
  const { context: _context, required: _required, waived: _waived, ...review } = judged
  return review
}
