import { suggest } from '../../contract/suggestion.ts'
import { OptionError } from './option-error.ts'

/** Returns the name if it is known. @throws OptionError */
export function requireKnown<Name extends string>(
  name: string,
  known: readonly Name[],
  source: string,
): Name {
  const found = known.find((candidate) => candidate === name)
  if (found !== undefined) return found
  throw new OptionError(`${source}: "${name}" is not an option. ${suggest(name, known)}`)
}
