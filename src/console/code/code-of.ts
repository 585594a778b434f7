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
  const safe = acts.map((act) => ({ ...act, sentence: toOneLine(act.sentence) }))
  if (language === 'typescript') return toTypeScript(safe)
  return language === 'python' ? toPython(safe, place) : toCurl(safe, place)
}

/** A sentence may have names of the world's records, which must not end its comment or change its direction. */
function toOneLine(sentence: string): string {
  return sentence.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}
