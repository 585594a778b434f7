import type { ClientRequest } from '../api/types.ts'
import { toCurl, toRequestOfCurl } from './curl.ts'
import { toPhp } from './php.ts'
import { toPython, toRequestOfPython } from './python.ts'
import { begin, toSteps } from './test-steps.ts'
import type { RecordedAction, CodePlace } from './test-steps.ts'
import { toFetch, toTypeScript } from './typescript.ts'

export const LANGUAGE_TITLES = {
  typescript: 'TypeScript',
  python: 'Python',
  curl: 'curl',
}
export type CodeLanguage = keyof typeof LANGUAGE_TITLES

const TEST_WRITERS = { typescript: toTypeScript, python: toPython, curl: toCurl }

/**
 * What was done, as a test to be pasted into a suite, in a world of its own that is as the one on the screen was before
 * the first action. Every action is a line or a few, after a comment with its sentence.
 */
export function testCodeOf(
  language: CodeLanguage,
  actions: readonly RecordedAction[],
  place: CodePlace,
): string {
  const [first] = actions
  if (!first) return ''
  const { moves, ...beginning } = begin(first, language === 'typescript', place)
  return TEST_WRITERS[language](toSteps([...moves, ...actions]), { ...place, ...beginning })
}

/** Titles of the formats for copying a single request. */
export const REQUEST_TITLES = {
  curl: 'curl',
  typescript: 'TypeScript',
  php: 'PHP',
  python: 'Python',
}
export type RequestLanguage = keyof typeof REQUEST_TITLES

const REQUEST_WRITERS: Record<RequestLanguage, (request: ClientRequest, origin: string) => string> =
  {
    curl: toRequestOfCurl,
    typescript: toFetch,
    php: toPhp,
    python: toRequestOfPython,
  }

/** A request as code that sends it and shows the response, to be run as it is. `origin` is where the API is. */
export function requestCode(
  language: RequestLanguage,
  request: ClientRequest,
  origin: string,
): string {
  return REQUEST_WRITERS[language](request, origin)
}
