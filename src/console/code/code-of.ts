import type { Act } from '../state/acts.ts'
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
 * What was done, as a test to be pasted into a suite, in a world of its own that begins at the time of the first act.
 * Every act is a line or a few, after a comment with its sentence.
 */
export function codeOf(language: CodeLanguage, acts: readonly Act[], place: CodePlace): string {
  const clocks = acts[0]?.clocks
  const isInProcess = language === 'typescript'
  const options = {
    ...(isInProcess && place.isDemo && { demo: true }),
    ...(clocks && { now: new Date(clocks.worldMs).toISOString(), frozen: clocks.isFrozen }),
  }
  return WRITERS[language](toSteps(acts), { ...place, options, note: noteOf(isInProcess, place) })
}

function noteOf(isInProcess: boolean, { world, isDemo }: CodePlace): string {
  const when = 'at the time of the first step, without what came before'
  if (world !== 'default') return `The default world ${when}: add the fixtures of ${world}.`
  if (!isInProcess) return `A world as the server began, ${when}.`
  if (isDemo) return `The demo ${when}.`
  return `The default world ${when}: add the fixtures of the server, if it has others.`
}
