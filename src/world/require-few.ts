import type { TokenRecord } from '../contract/token.ts'
import { invalidCommand } from './command-error.ts'

/** Refuses more generated projects than a world may have. @throws CommandError */
export function requireFew(
  projects = 0,
  { maximumGenerated, path }: { maximumGenerated: number; path: string[] },
): void {
  if (projects <= maximumGenerated) return
  const message = `This world has at most ${maximumGenerated} generated projects, and ${projects} were requested. Generate fewer.`
  throw invalidCommand({ path, message })
}

/** Everything that is shown is searched for them, and the longer they are the longer that takes. */
const MAXIMUM_BEARER_LENGTH = 1_000_000

/** Refuses bearer values that are too long together. @throws CommandError */
export function requireShortTokens(tokens: readonly TokenRecord[], path: string[]): void {
  const length = tokens.reduce((sum, { token }) => sum + token.length, 0)
  if (length <= MAXIMUM_BEARER_LENGTH) return
  const message = `The bearer values have ${length} characters together, and a world has at most ${MAXIMUM_BEARER_LENGTH}. Use fewer or shorter ones.`
  throw invalidCommand({ path, message })
}
