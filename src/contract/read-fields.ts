import { describe } from './text.ts'
import { DATE_TIME_REMEDY, isMoment } from './time.ts'
import { unknownField } from './suggestion.ts'
import { atPlace, boundProblems } from './validation.ts'
import type { Problem, Validated } from './validation.ts'

/**
 * Reads a value synchronously, and so without Zod, which is only loaded where validation can wait. `Input` is the type of
 * its valid inputs.
 */
export interface Reader<Value, Input = Value> {
  (input: unknown): Validated<Value>
  readonly input?: Input
}

/** The type of a reader's result. */
export type ValueOf<Read> = Read extends Reader<infer Value, infer _> ? Value : never

/** The type of a reader's input. */
export type InputOf<Read extends Reader<unknown, unknown>> = Exclude<Read['input'], undefined>

type Readers = Readonly<Record<string, Reader<unknown, unknown>>>

/** Results of the readers of fields; any field may be omitted. */
export type ValuesOf<Fields extends Readers> = {
  -readonly [Name in keyof Fields]?: ValueOf<Fields[Name]> | undefined
}

/** Inputs of the readers of fields; any field may be omitted. */
export type InputsOf<Fields extends Readers> = {
  -readonly [Name in keyof Fields]?: Fields[Name]['input'] | undefined
}

/** Reads a map of fields, each by its own reader. */
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

/** Returns an empty map in place of an empty list, as `validate` reads it; anything else as it is. */
export function emptyAsMap(input: unknown): unknown {
  return Array.isArray(input) && input.length === 0 ? {} : input
}

export function refuseInput(message: string): { problems: Problem[] } {
  return { problems: [{ path: [], message }] }
}

export const readText: Reader<string> = (input) =>
  typeof input === 'string' ? { value: input } : refuseInput(refuseAsText(input))

/** Says that a value is not a text. A number or a boolean is often meant as a text, in YAML without quotes. */
export function refuseAsText(input: unknown): string {
  const isWord = typeof input === 'number' || typeof input === 'boolean'
  return `${describe(input)} is not a text. Write ${isWord ? 'it in quotes' : 'a text'}.`
}

export const readTrue: Reader<true> = (input) =>
  input === true ? { value: true } : refuseInput(`${describe(input)} is not true. Write true.`)

/** Reads a whole number from 0. */
export const readCount: Reader<number> = (input) => {
  if (!Number.isInteger(input))
    return refuseInput(`${describe(input)} is not a whole number. Write one from 0.`)
  return Number(input) > Number.MAX_SAFE_INTEGER
    ? refuseInput(`${describe(input)} is too large. Write at most ${Number.MAX_SAFE_INTEGER}.`)
    : readNumber(input)
}

/** Reads a number from 0. */
export const readNumber: Reader<number> = (input) => {
  if (typeof input !== 'number' || !Number.isFinite(input))
    return refuseInput(`${describe(input)} is not a number. Write one from 0.`)
  return input < 0
    ? refuseInput(`${describe(input)} is too small. Write at least 0.`)
    : { value: input }
}

/** Reads a point in time as users write it, absolute or relative. */
export const readDateTime: Reader<string> = (input) =>
  typeof input === 'string' && isMoment(input)
    ? { value: input }
    : refuseInput(`${describe(input)} is not a date and time. ${DATE_TIME_REMEDY}`)

/** Reads a number that may be sent as text, as in query parameters. */
export function orText(read: Reader<number>): Reader<number, number | `${number}`> {
  return (input) => read(toNumber(input))
}

/** Returns the number that a text stands for; anything else as it is. */
export function toNumber(input: unknown): unknown {
  return typeof input === 'string' && /^-?\d+(\.\d+)?$/.test(input) ? Number(input) : input
}
