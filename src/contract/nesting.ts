import type { Problem } from './validation.ts'

/**
 * How many levels of lists and maps anything from outside may have. What is deeper is refused before it reaches
 * anything recursive, because V8 ends the process when a regular expression is compiled with hardly any stack left.
 */
export const MAXIMUM_DEPTH = 64

export const NESTED_TOO_DEEP = `nested more than ${MAXIMUM_DEPTH} levels deep`
export const TOO_DEEP = `It is ${NESTED_TOO_DEEP}. Flatten it.`

/** A position in a text, counted from 1. */
export interface TextPosition {
  line: number
  column: number
}

/** Where a JSON text opens one level too many; undefined where it does not. The text need not be valid. */
export function findTooDeep(text: string): TextPosition | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        break
      case '[':
      case '{':
        depth += 1
        if (depth > MAXIMUM_DEPTH) return positionOf(text, at)
        break
      case ']':
      case '}':
        depth -= 1
        break
    }
  }
  return undefined
}

/** The index of the closing quote of the string that begins here; that of the last character where it has none. */
export function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length - 1
  } while (isEscaped(text, end))
  return end
}

function isEscaped(text: string, quote: number): boolean {
  let start = quote
  while (text[start - 1] === '\\') start -= 1
  return (quote - start) % 2 === 1
}

function positionOf(text: string, offset: number): TextPosition {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** What is wrong with a value that is nested too deeply or contains itself; undefined where nothing is. */
export function findDeepValue(value: unknown): Problem | undefined {
  const path: PropertyKey[] = []
  const around: object[] = []
  return findIn(value)

  function findIn(part: unknown): Problem | undefined {
    if (typeof part !== 'object' || part === null) return undefined
    if (around.includes(part)) return { path: [...path], message: CIRCULAR }
    if (around.length === MAXIMUM_DEPTH) return { path: [...path], message: TOO_DEEP }
    around.push(part)
    for (const [key, child] of Object.entries(part)) {
      path.push(Array.isArray(part) ? Number(key) : key)
      const problem = findIn(child)
      if (problem) return problem
      path.pop()
    }
    around.pop()
    return undefined
  }
}

const CIRCULAR = 'This contains itself. Write plain data, as JSON can have it.'
