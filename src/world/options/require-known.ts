import { suggest } from '../../contract/suggestion.ts'
import { OptionError } from './option-error.ts'

/** @throws OptionError for an unknown name. */
export function requireKnown<Name extends string>(
  name: string,
  known: readonly Name[],
  source: string,
): Name {
  const found = known.find((candidate) => candidate === name)
  if (found !== undefined) return found
  throw new OptionError(`${source}: "${name}" is not an option. ${suggest(name, known)}`)
}
