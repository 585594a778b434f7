import { boundProblems, formatProblems } from '../contract/validation.ts'
import type { Problem, Validated } from '../contract/validation.ts'

/** Reason for a `CommandError`. `insufficient_memory`: there is no room for another world or more data. */
export type CommandErrorCode =
  | 'invalid_command'
  | 'record_not_found'
  | 'record_in_use'
  | 'world_not_found'
  | 'insufficient_memory'

/**
 * Error for a refused command, or for another refused operation on a world. Nothing has changed. `problems` lists each problem
 * with its path; if there are more than 20, the last item has the number of omitted problems.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  readonly problems: readonly Problem[]

  constructor(code: CommandErrorCode, problems: readonly Problem[]) {
    const bounded = boundProblems(problems)
    super(formatProblems(bounded))
    this.code = code
    this.problems = bounded
  }
}

export function invalidCommand(...problems: Problem[]): CommandError {
  return new CommandError('invalid_command', problems)
}

export function recordNotFound(message: string): CommandError {
  return new CommandError('record_not_found', [{ path: [], message }])
}

/** Returns the value of a successful validation. @throws CommandError with the problems of a failed one. */
export function acceptedOf<Value>(checked: Validated<Value>): Value {
  if ('problems' in checked) throw invalidCommand(...checked.problems)
  return checked.value
}
