import type { Act } from '../state/act.ts'
import { begin } from './begin.ts'
import type { CodePlace } from './code-place.ts'
import { toCurl } from './curl.ts'
import { toPython } from './python.ts'
import { toSteps } from './steps.ts'
import { toTypeScript } from './typescript.ts'

export const LANGUAGE_TITLES = {
  typescript: 'TypeScript',
  python: 'Python',
  curl: 'curl',
}
export type CodeLanguage = keyof typeof LANGUAGE_TITLES

const WRITERS = { typescript: toTypeScript, python: toPython, curl: toCurl }

/**
 * What was done, as a test to be pasted into a suite, in a world of its own that is as the one on the screen was before
 * the first act. Every act is a line or a few, after a comment with its sentence.
 */
export function codeOf(language: CodeLanguage, acts: readonly Act[], place: CodePlace): string {
  const [first] = acts
  if (!first) return ''
  const { moves, ...beginning } = begin(first, language === 'typescript', place)
  return WRITERS[language](toSteps([...moves, ...acts]), { ...place, ...beginning })
}
