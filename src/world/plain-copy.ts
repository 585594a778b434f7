import { findDeepValue, TOO_DEEP } from '../contract/nesting.ts'
import { invalidCommand } from './command-error.ts'

/**
 * A copy of what is sent, so that later changes by the caller have no effect.
 *
 * @throws CommandError
 */
export function toPlain<Value>(value: Value): Value {
  const deep = findDeepValue(value)
  if (deep) throw invalidCommand(deep)
  try {
    return structuredClone(value)
  } catch (error) {
    if (error instanceof RangeError) throw invalidCommand({ path: [], message: TOO_DEEP })
    if (!(error instanceof DOMException)) throw error
    return NOT_PLAIN as Value
  }
}

/** Replaces what cannot be copied; every schema refuses it. */
const NOT_PLAIN = 'something that is not plain data'
