import { readFile } from 'node:fs/promises'
import { withoutControls } from '../contract/describe.ts'
import { findTooDeep, NESTED_TOO_DEEP } from '../contract/nesting.ts'
import { replay as playAgain } from '../sandbox/replay.ts'
import type { Difference, Replay } from '../session/replay.ts'
import { SessionError } from '../session/session-error.ts'
import { OptionError } from '../world/option-error.ts'
import { colorsFor } from './colors.ts'

const SAME = 0
const DIFFERENT = 1

/**
 * `seo-sandbox replay`: replays the session in a file and returns the exit code.
 *
 * @throws OptionError if the file is not a session.
 */
export async function replay(file: string, { json }: { json: boolean }): Promise<number> {
  const outcome = await play(file, await readJson(file))
  if (json) process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`)
  else process.stdout.write(describeOutcome(outcome))
  return outcome.difference ? DIFFERENT : SAME
}

async function play(file: string, input: unknown): Promise<Replay> {
  try {
    return await playAgain(input)
  } catch (error) {
    if (error instanceof SessionError) throw unusable(file, error.message, error)
    throw error
  }
}

async function readJson(file: string): Promise<unknown> {
  // Some editors begin a file with a byte order mark.
  const text = (await readText(file)).replace(/^\uFEFF/, '')
  const deep = findTooDeep(text)
  if (deep) {
    const place = `${file}:${deep.line}:${deep.column}`
    throw unusable(place, `This is not a session: it is ${NESTED_TOO_DEEP}. Record it again.`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unusable(
      file,
      'This is not a complete session: it is not valid JSON. Record it again.',
      error,
    )
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const sentence = isMissing
      ? 'There is no such file. Write the path of a recorded session.'
      : 'It cannot be read. Write the path of a file, and check its permissions.'
    throw unusable(file, sentence, error)
  }
}

function unusable(file: string, sentence: string, cause?: unknown): OptionError {
  return new OptionError(withoutControls(`${file}: ${sentence}`), { cause })
}

function describeOutcome({ steps, difference }: Replay): string {
  const { green, red } = colorsFor(process.stdout)
  const count = `${steps} ${steps === 1 ? 'step' : 'steps'}`
  if (!difference) return `${count}, ${green('every response the same')}\n`
  const { sequence, what, expected, actual, body } = difference
  const lines = [
    `  ${what}`,
    `    was  ${expected ?? 'nothing'}`,
    `    is   ${actual ?? 'nothing'}`,
    ...(body === null ? [] : [`  the body is now ${body}`]),
  ]
  const place = `step ${sequence}, ${describeStep(difference)}`
  return [`${red('different')} ${withoutControls(place)}`, ...lines.map(withoutControls), ''].join(
    '\n',
  )
}

function describeStep({ request, command }: Difference): string {
  if (!request) return `the command ${command?.type ?? ''}`
  const { method, path, query } = request
  return `${method} ${path}${query === '' ? '' : `?${query}`}`
}
