import { describe } from './text.ts'
import { DATE_TIME_REMEDY, isMoment } from './time.ts'
import { unknownField } from './suggestion.ts'
import { atPlace, boundProblems } from './validation.ts'
import type { Problem, Validated } from './validation.ts'

/**
 * Validates a value. Synchronous code uses readers instead of Zod schemas, because Zod is loaded on demand. `Input` is the type of
 * valid input.
 */
export interface Reader<Value, Input = Value> {
  (input: unknown): Validated<Value>
  readonly input?: Input
}

export type ValueOf<Read> = Read extends Reader<infer Value, infer _> ? Value : never

export type InputOf<Read extends Reader<unknown, unknown>> = Exclude<Read['input'], undefined>

type Readers = Readonly<Record<string, Reader<unknown, unknown>>>

/** Values that the readers return, by field; every field is optional. */
export type ValuesOf<Fields extends Readers> = {
  -readonly [Name in keyof Fields]?: ValueOf<Fields[Name]> | undefined
}

/** Valid input of the readers, by field; every field is optional. */
export type InputsOf<Fields extends Readers> = {
  -readonly [Name in keyof Fields]?: Fields[Name]['input'] | undefined
}

/** Validates a map of fields, each with its own reader. An unknown field is a problem, and an undefined one is left out. */
export function readFields<Fields extends Readers>(
  fields: Fields,
  sent: unknown,
): Validated<ValuesOf<Fields>> {
  const input = emptyAsMap(sent)
  if (!isMap(input)) return refuseInput(`${describe(input)} is not a map of fields. Write one.`)
  const names = Object.keys(fields)
  const values: [string, unknown][] = []
  const problems: Problem[] = []
  for (const [name, value] of Object.entries(input)) {
    const read = names.includes(name) ? fields[name] : undefined
    if (!read) {
      problems.push({ path: [name], message: unknownField(name, names), isKey: true })
      continue
    }
    if (value === undefined) continue
    const checked = read(value)
    if ('value' in checked) values.push([name, checked.value])
    else problems.push(...atPlace([name], checked.problems))
  }
  if (problems.length > 0) return { problems: boundProblems(problems) }
  return { value: Object.fromEntries(values) as ValuesOf<Fields> }
}

export function isMap(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

/** Replaces an empty list with an empty map, because PHP encodes both as `[]`; returns any other input unchanged. */
export function emptyAsMap(input: unknown): unknown {
  return Array.isArray(input) && input.length === 0 ? {} : input
}

export function refuseInput(message: string): { problems: Problem[] } {
  return { problems: [{ path: [], message }] }
}

export const readText: Reader<string> = (input) =>
  typeof input === 'string' ? { value: input } : refuseInput(refuseAsText(input))

/**
 * Returns the message for a value that is not a string. For a number or boolean, suggests quotes, because YAML reads some
 * unquoted strings as such values.
 */
export function refuseAsText(input: unknown): string {
  const isWord = typeof input === 'number' || typeof input === 'boolean'
  return `${describe(input)} is not a text. Write ${isWord ? 'it in quotes' : 'a text'}.`
}

export const readTrue: Reader<true> = (input) =>
  input === true ? { value: true } : refuseInput(`${describe(input)} is not true. Write true.`)

/** Reads an integer from 0 to the largest safe integer. */
export const readCount: Reader<number> = (input) => {
  if (!Number.isInteger(input))
    return refuseInput(`${describe(input)} is not a whole number. Write one from 0.`)
  return Number(input) > Number.MAX_SAFE_INTEGER
    ? refuseInput(`${describe(input)} is too large. Write at most ${Number.MAX_SAFE_INTEGER}.`)
    : readNumber(input)
}

/** Reads a finite number of at least 0. */
export const readNumber: Reader<number> = (input) => {
  if (typeof input !== 'number' || !Number.isFinite(input))
    return refuseInput(`${describe(input)} is not a number. Write one from 0.`)
  return input < 0
    ? refuseInput(`${describe(input)} is too small. Write at least 0.`)
    : { value: input }
}

/** Reads a point in time, absolute or relative to the world clock. */
export const readDateTime: Reader<string> = (input) =>
  typeof input === 'string' && isMoment(input)
    ? { value: input }
    : refuseInput(`${describe(input)} is not a date and time. ${DATE_TIME_REMEDY}`)

/** Extends a reader of numbers to accept decimal strings, as in query parameters. */
export function orText(read: Reader<number>): Reader<number, number | `${number}`> {
  return (input) => read(toNumber(input))
}

/** Converts a decimal string to a number; returns any other input unchanged. */
export function toNumber(input: unknown): unknown {
  return typeof input === 'string' && /^-?\d+(\.\d+)?$/.test(input) ? Number(input) : input
}
