import { FixtureError } from '../../fixtures/fixture-error.ts'
import { CommandError } from '../../world/command-error.ts'
import { OptionError } from '../../world/option-error.ts'
import { BodyError } from '../../control-api/parse-body.ts'

/** An error in a form that can be copied from one thread to another. */
export type Failure =
  | { type: 'fixture'; problems: FixtureError['problems'] }
  | { type: 'command'; code: CommandError['code']; problems: CommandError['problems'] }
  | { type: 'option'; message: string }
  | { type: 'body'; code: BodyError['code']; message: string }
  | { type: 'bug'; stack: string }

/** How many problems of a fixture are passed on: every line of a large one may have one. */
const MAXIMUM_PROBLEMS = 1000

export function toFailure(error: unknown): Failure {
  if (error instanceof FixtureError) return { type: 'fixture', problems: bound(error.problems) }
  if (error instanceof CommandError) {
    return { type: 'command', code: error.code, problems: error.problems }
  }
  if (error instanceof OptionError) return { type: 'option', message: error.message }
  if (error instanceof BodyError) return { type: 'body', code: error.code, message: error.message }
  return {
    type: 'bug',
    stack: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }
}

export function toError(failure: Failure): Error {
  switch (failure.type) {
    case 'fixture':
      return new FixtureError(failure.problems)
    case 'command':
      return new CommandError(failure.code, failure.problems)
    case 'option':
      return new OptionError(failure.message)
    case 'body':
      return new BodyError(failure.code, failure.message)
    case 'bug':
      return new Error(`In the worker that reads large bodies: ${failure.stack}`)
  }
}

function bound(problems: FixtureError['problems']): FixtureError['problems'] {
  const more = problems.length - MAXIMUM_PROBLEMS
  if (more <= 0) return problems
  const { file = '' } = problems[MAXIMUM_PROBLEMS] ?? {}
  return [
    ...problems.slice(0, MAXIMUM_PROBLEMS),
    { file, path: '', message: `… and ${more} more.` },
  ]
}
