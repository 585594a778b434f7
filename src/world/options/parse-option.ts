import { describe } from '../../contract/text.ts'
import { refuseInput } from '../../contract/read-fields.ts'
import type { Reader } from '../../contract/read-fields.ts'
import { formatProblems } from '../../contract/validation.ts'
import { OptionError } from './option-error.ts'

/** Description of the accepted values, for error messages: `"abc" is not a port: use 0 to 65535.` */
interface Expected {
  /** Noun for a value, like `a port`. */
  noun: string
  /** Remedy, like `use 0 to 65535`. */
  remedy: string
}

/**
 * Creates a reader for a typed value, or for a string from a shell or an environment variable. `parse` returns undefined for
 * invalid input.
 */
export function option<Value, Input = unknown>(
  parse: (input: unknown) => Value | undefined,
  { noun, remedy }: Expected,
): Reader<Value, Input> {
  return (input) => {
    const value = parse(input)
    return value === undefined
      ? refuseInput(`${describe(input)} is not ${noun}: ${remedy}.`)
      : { value }
  }
}

/** Creates a reader for a list of strings, or a comma-separated string. Each item has to pass `isItem`. */
export function listOption<Input = string | readonly string[], Item extends string = string>(
  isItem: ((text: string) => text is Item) | ((text: string) => boolean),
  { noun, remedy }: Expected,
): Reader<Item[], Input> {
  return (input) => {
    const list = toTextList(input)
    if (list?.every(isItem)) return { value: list as Item[] }
    const wrong = list ? list.find((item) => !isItem(item)) : toSingle(input)
    return refuseInput(`${describe(wrong)} is not ${noun}: ${remedy}.`)
  }
}

/** Unwraps a list of one item, such as the value of a repeatable flag that occurs once. */
function toSingle(input: unknown): unknown {
  return Array.isArray(input) && input.length === 1 ? input[0] : input
}

/** Returns an integer from 0 to `maximum`, or parses it from a string of up to nine digits; undefined for any other input. */
export function toInteger(input: unknown, maximum: number): number | undefined {
  const number = typeof input === 'string' && /^\d{1,9}$/.test(input) ? Number(input) : input
  const isPossible = Number.isInteger(number) && Number(number) >= 0 && Number(number) <= maximum
  return isPossible ? Number(number) : undefined
}

export function toBoolean(input: unknown): boolean | undefined {
  if ([true, 'true', '1', 'yes'].some((value) => value === input)) return true
  return [false, 'false', '0', 'no'].some((value) => value === input) ? false : undefined
}

/**
 * Returns the items of a list of strings or of a comma-separated string, trimmed; undefined for any other input, an empty list, or
 * a list with an empty item.
 */
export function toTextList(input: unknown): string[] | undefined {
  const list: unknown[] = typeof input === 'string' ? input.split(',') : [input].flat()
  const texts = list.filter((item) => typeof item === 'string').map((text) => text.trim())
  return texts.length > 0 && texts.length === list.length && !texts.includes('') ? texts : undefined
}

export const Switch = option<boolean, boolean>(toBoolean, {
  noun: 'true or false',
  remedy: 'use one of the two',
})

/**
 * Reads an option's value. `source` names the place that sets it, for the message.
 *
 * @throws OptionError
 */
export function parseOption<Value, Input>(
  read: Reader<Value, Input>,
  input: unknown,
  source: string,
): Value {
  const checked = read(input)
  if ('value' in checked) return checked.value
  throw new OptionError(`${source}: ${formatProblems(checked.problems)}`)
}

/** Reads one flag of a command, by its name; undefined if it is not set. @throws OptionError */
export function parseFlag<Value, Input>(
  read: Reader<Value, Input>,
  flags: Readonly<Record<string, unknown>>,
  name: string,
): Value | undefined {
  return flags[name] === undefined ? undefined : parseOption(read, flags[name], `--${name}`)
}
