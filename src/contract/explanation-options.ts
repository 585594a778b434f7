import { MAXIMUM_CHANGES } from './limits.ts'
import { readCount, readDateTime, refuseInput } from './read-fields.ts'
import type { Reader, ValuesOf } from './read-fields.ts'

const readChangeCount: Reader<number> = (input) => {
  const count = readCount(input)
  return 'value' in count && count.value > MAXIMUM_CHANGES
    ? refuseInput(`${count.value} is too large. Write at most ${MAXIMUM_CHANGES}.`)
    : count
}

/** The options of an explanation, each with its reader. */
export const EXPLANATION_OPTIONS = {
  at: readDateTime,
  changes: readChangeCount,
}
export type ExplanationOptions = ValuesOf<typeof EXPLANATION_OPTIONS>
