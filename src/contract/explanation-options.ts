import type { ExplanationOptions } from './explanation.ts'
import { DEFAULT_CHANGES, MAXIMUM_CHANGES } from './limits.ts'
import { readCount, readDateTime, readFields, refuse } from './read-fields.ts'
import type { Reader } from './read-fields.ts'
import type { Validated } from './validation.ts'

const readChangeCount: Reader<number> = (input) => {
  const count = readCount(input)
  return 'value' in count && count.value > MAXIMUM_CHANGES
    ? refuse(`${count.value} is too large. Write at most ${MAXIMUM_CHANGES}.`)
    : count
}

const FIELDS = { at: readDateTime, changes: readChangeCount }

/** Validates the options of an explanation. */
export function readExplanationOptions(input: unknown): Validated<ExplanationOptions> {
  const options = readFields(FIELDS, input)
  if ('problems' in options) return options
  const { at, changes = DEFAULT_CHANGES } = options.value
  return { value: { at, changes } }
}
