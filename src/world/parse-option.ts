import { z } from 'zod'
import { describe } from '../contract/describe.ts'
import { suggest } from '../contract/suggestion.ts'
import { formatProblems, validate } from '../contract/validation.ts'

/** An option is unknown, or its value is invalid. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
  readonly code = 'invalid_option'
}

/**
 * The schema of an option that takes a typed value, or the text of a shell or an environment variable.
 * `parse` returns undefined for anything else; `hint` says what to write.
 */
export function option<Value, Input = unknown>(
  parse: (input: unknown) => Value | undefined,
  hint: string,
): z.ZodType<Value, Input> {
  const schema = z.unknown().transform((input, context): Value => {
    const value = parse(input)
    if (value !== undefined) return value
    context.addIssue({
      code: 'custom',
      message: `${[input].flat().map(describe).join(', ')} is not possible. ${hint}`,
    })
    return z.NEVER
  })
  return schema as unknown as z.ZodType<Value, Input>
}

/** A whole number from 0 to a maximum; undefined for anything else. */
export function toInteger(input: unknown, maximum: number): number | undefined {
  const number = typeof input === 'string' && /^\d{1,9}$/.test(input) ? Number(input) : input
  const isPossible = Number.isInteger(number) && Number(number) >= 0 && Number(number) <= maximum
  return isPossible ? Number(number) : undefined
}

export function toBoolean(input: unknown): boolean | undefined {
  if ([true, 'true', '1', 'yes'].some((value) => value === input)) return true
  return [false, 'false', '0', 'no'].some((value) => value === input) ? false : undefined
}

/** Strings from a list, or from comma-separated text; undefined for anything else. */
export function toList(input: unknown): string[] | undefined {
  const list: unknown[] = typeof input === 'string' ? input.split(',') : [input].flat()
  const texts = list.filter((item) => typeof item === 'string').map((text) => text.trim())
  return texts.length > 0 && texts.length === list.length && !texts.includes('') ? texts : undefined
}

export const Switch = option<boolean, boolean>(toBoolean, 'Write true or false.')

/**
 * Validates an option's value. `source` says where it is set, for the message.
 *
 * @throws OptionError
 */
export function parseOption<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  source: string,
): z.output<Schema> {
  const checked = validate(schema, input)
  if ('value' in checked) return checked.value
  throw new OptionError(`${source}: ${formatProblems(checked.problems)}`)
}

/** The name, if it is known. @throws OptionError */
export function requireKnown<Name extends string>(
  name: string,
  known: readonly Name[],
  source: string,
): Name {
  const found = known.find((candidate) => candidate === name)
  if (found !== undefined) return found
  throw new OptionError(`${source}: "${name}" is not an option. ${suggest(name, known)}`)
}
