import { createReadStream } from 'node:fs'
import { withoutControls } from '../contract/text.ts'
import { findTooDeep, NESTED_TOO_DEEP } from '../contract/nesting.ts'
import { SessionError } from '../session/session-error.ts'
import {
  isSessionHeader,
  parseSession,
  parseSessionHeader,
  parseSessionLine,
} from '../session/session.ts'
import type { SessionLine, SteppedSession } from '../session/session.ts'
import { OptionError } from '../world/options/option-error.ts'
import { toLines } from './to-lines.ts'

/**
 * Calls `use` with the session in a file, and returns the result. A file with one line per step is read lazily.
 *
 * @throws OptionError if the file cannot be read, or is not a complete session of this release.
 */
export async function withSession<Result>(
  file: string,
  use: (session: SteppedSession) => Promise<Result>,
): Promise<Result> {
  const lines = toLines(readPieces(file))
  try {
    return await use(await readSession(file, lines))
  } catch (error) {
    if (error instanceof SessionError) throw unusable(file, error.message, error)
    throw error
  } finally {
    // Closes the file if it was not read to its end.
    await lines.return(undefined)
  }
}

async function readSession(file: string, lines: AsyncGenerator<string>): Promise<SteppedSession> {
  const { value = '' } = await lines.next()
  const first = parseIfJson(value)
  if (isSessionHeader(first)) {
    const { lines: count, ...header } = parseSessionHeader(first)
    return { ...header, steps: readLines(file, lines, count) }
  }
  const rest: string[] = [value]
  for await (const line of lines) rest.push(line)
  return parseSession(parseJson(file, rest.join('\n'), 1))
}

async function* readLines(
  file: string,
  lines: AsyncGenerator<string>,
  count: number,
): AsyncGenerator<SessionLine> {
  let number = 1
  for await (const line of lines) {
    number += 1
    try {
      yield parseSessionLine(parseJson(file, line, number))
    } catch (error) {
      if (error instanceof SessionError) throw unusable(`${file}:${number}`, error.message, error)
      throw error
    }
  }
  if (number - 1 !== count) {
    const sentence = `This is not a complete session: it has ${number - 1} lines of ${count} after the first one. Record it again.`
    throw unusable(file, sentence)
  }
}

/** Parses JSON; undefined for other text, such as the first line of a session in indented JSON. */
function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @param line number of the text's first line in the file */
function parseJson(file: string, text: string, line: number): unknown {
  const deep = findTooDeep(text)
  if (deep) {
    const place = `${file}:${deep.line + line - 1}:${deep.column}`
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

async function* readPieces(file: string): AsyncGenerator<string> {
  let isFirst = true
  try {
    for await (const piece of createReadStream(file, 'utf8')) {
      // Some editors begin a file with a byte order mark.
      yield isFirst ? (piece as string).replace(/^\uFEFF/, '') : (piece as string)
      isFirst = false
    }
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
