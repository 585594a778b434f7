import type { Act } from '../state/acts.ts'
import type { CodePlace } from './code-place.ts'
import { toCurl } from './curl.ts'
import { toPython } from './python.ts'
import { toTypeScript } from './typescript.ts'

export const CODE_LANGUAGES = ['typescript', 'python', 'curl'] as const
export type CodeLanguage = (typeof CODE_LANGUAGES)[number]

export const LANGUAGE_TITLES: Record<CodeLanguage, string> = {
  typescript: 'TypeScript',
  python: 'Python',
  curl: 'curl',
}

/** What was done, as a test to be pasted into a suite. Every act is a line or a few, after a comment with its sentence. */
export function codeOf(language: CodeLanguage, acts: readonly Act[], place: CodePlace): string {
  if (language === 'typescript') return toTypeScript(acts)
  return language === 'python' ? toPython(acts, place) : toCurl(acts, place)
}
