import type { ClientRequest } from '../api/types.ts'
import { toCurl, toRequestOfCurl } from './curl.ts'
import { toPhp } from './php.ts'
import { toPython, toRequestOfPython } from './python.ts'
import { testWorldOf, toSteps } from './test-steps.ts'
import type { RecordedAction, CodeContext } from './test-steps.ts'
import { toFetch, toTypeScript } from './typescript.ts'

export const LANGUAGE_TITLES = {
  typescript: 'TypeScript',
  python: 'Python',
  curl: 'curl',
}
export type CodeLanguage = keyof typeof LANGUAGE_TITLES

const TEST_WRITERS = { typescript: toTypeScript, python: toPython, curl: toCurl }

/**
 * Returns the recorded actions as a test; an empty string without actions. The test creates a world like the one before the first
 * action, and repeats the actions, each below a comment with the sentence of the action.
 */
export function testCodeOf(
  language: CodeLanguage,
  actions: readonly RecordedAction[],
  context: CodeContext,
): string {
  const [first] = actions
  if (!first) return ''
  const { moves, ...testWorld } = testWorldOf(first, language === 'typescript', context)
  return TEST_WRITERS[language](toSteps([...moves, ...actions]), { ...context, ...testWorld })
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

/** Returns code that sends a request to the API at `origin` and prints the response. */
export function requestCode(
  language: RequestLanguage,
  request: ClientRequest,
  origin: string,
): string {
  return REQUEST_WRITERS[language](request, origin)
}
