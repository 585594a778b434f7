import { readFile } from 'node:fs/promises'
import { withoutControls } from '../contract/describe.ts'
import { findTooDeep, NESTED_TOO_DEEP } from '../contract/nesting.ts'
import { SessionError } from '../session/session-error.ts'
import { OptionError } from '../world/option-error.ts'

/**
 * Calls a function with the session in a file, and returns its result.
 *
 * @throws OptionError if the file is not a session.
 */
export async function withSession<Result>(
  file: string,
  use: (session: unknown) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(await readJson(file))
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
