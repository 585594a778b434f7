import type { Problem } from './validation.ts'

/**
 * Maximum depth of nested lists and maps in any input. Deeper input is refused before any recursion, because V8 ends the process if
 * it compiles a regular expression when the stack is nearly full.
 */
export const MAXIMUM_DEPTH = 64

export const NESTED_TOO_DEEP = `nested more than ${MAXIMUM_DEPTH} levels deep`
export const TOO_DEEP = `It is ${NESTED_TOO_DEEP}. Flatten it.`

/** A position in a text. `line` and `column` begin at 1. */
export interface TextPosition {
  line: number
  column: number
}

/**
 * Returns the first position at which a JSON text is nested too deeply; undefined if there is none. The text need not be valid.
 */
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

/**
 * Returns the index of the closing quote of the JSON string that begins at `start`; the last index of `text` if the string does
 * not end.
 */
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

/**
 * Maximum size of the repeated parts of a value, in megabytes of text. It is limited because responses and snapshots write out
 * every repetition.
 */
const MAXIMUM_REPEATED_MB = 64

/**
 * Returns the problem of a value that is nested too deeply, contains itself, or repeats more than `MAXIMUM_REPEATED_MB`;
 * undefined if there is none. A part that occurs again is traversed again only if it may be too deep there.
 */
export function findDeepValue(value: unknown): Problem | undefined {
  const path: PropertyKey[] = []
  const around: object[] = []
  const checked = new Map<object, { levels: number; length: number }>()
  // Approximate lengths in JSON, in characters: of everything so far, and of the parts that occur again.
  let [length, repeated] = [0, 0]
  let problem: Problem | undefined
  checkPart(value)
  return problem

  /** Returns the number of nested levels in a part, and adds its size to `length`. Sets `problem` if the part is invalid. */
  function checkPart(part: unknown): number {
    if (typeof part !== 'object' || part === null) {
      length += typeof part === 'string' ? part.length : 1
      return 0
    }
    if (around.includes(part)) return refuse(CIRCULAR)
    const known = checked.get(part)
    if (known && around.length + known.levels <= MAXIMUM_DEPTH) {
      length += known.length
      repeated += known.length
      return repeated > MAXIMUM_REPEATED_MB * 2 ** 20 ? refuse(TOO_MUCH_REPEATED) : known.levels
    }
    if (around.length === MAXIMUM_DEPTH) return refuse(TOO_DEEP)
    const start = length
    let levels = 0
    around.push(part)
    for (const [key, child] of Object.entries(part)) {
      length += key.length + 1
      path.push(Array.isArray(part) ? Number(key) : key)
      levels = Math.max(levels, checkPart(child))
      if (problem) return levels
      path.pop()
    }
    around.pop()
    levels += 1
    checked.set(part, { levels, length: length - start })
    return levels
  }

  function refuse(message: string): number {
    problem = { path: [...path], message }
    return 0
  }
}

const CIRCULAR = 'This contains itself. Write plain data, as JSON can have it.'
const TOO_MUCH_REPEATED = `The parts that are repeated up to here stand for more than ${MAXIMUM_REPEATED_MB} MB of text. Repeat less.`
