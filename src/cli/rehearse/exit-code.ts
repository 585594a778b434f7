import { isError } from '../../review/verdict.ts'
import type { JudgedRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import { EXEC_EXIT_CODES, toSignalCode } from '../exec/exit-codes.ts'
import { StartError } from '../exec/start-error.ts'

interface Stopped {
  /** Why not all runs were started. */
  stop: StartError | 'npm-ended' | undefined
  /** The signals that this process has received. */
  received: ReadonlySet<NodeJS.Signals>
}

/** 0 if the client has passed, 1 if not, or the code for what cut the rehearsal short. */
export function exitCodeOf(review: JudgedRehearsal, { stop, received }: Stopped): number {
  const [signal] = received
  if (signal !== undefined) return toSignalCode(signal)
  if (stop instanceof StartError) return stop.exitCode
  if (stop === 'npm-ended') return toSignalCode('SIGTERM')
  if (review.verdict === 'passed') return 0
  return isOnlyTimeouts(review) ? EXEC_EXIT_CODES.timedOut : EXEC_EXIT_CODES.reviewFailed
}

/** Whether all that is wrong is that runs had to be ended, and that they could not read something because of that. */
function isOnlyTimeouts({ checks, runs, required }: JudgedRehearsal): boolean {
  const errors = checks.filter(isError)
  if (errors.length === 0 || errors.some(({ id }) => id !== 'endless-run')) return false
  return (
    required.every(({ met }) => met) || runs.every(({ exit }) => exit === EXEC_EXIT_CODES.timedOut)
  )
}
