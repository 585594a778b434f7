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
 * Returns the recorded actions as a test to paste into a suite; empty without actions. The test has its own world, in the state
 * of the shown world before the first action. Each action takes a few lines, after a comment with its sentence.
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

/** Returns runnable code that sends a request and shows the response. `origin` is the origin of the API. */
export function requestCode(
  language: RequestLanguage,
  request: ClientRequest,
  origin: string,
): string {
  return REQUEST_WRITERS[language](request, origin)
}
