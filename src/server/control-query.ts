import { splitTarget } from '../adapters/node-request.ts'

/** The query of a request as the guard and the routes read it: of a parameter that is repeated the last value. */
export function queryOf({ originalUrl }: { originalUrl: string }): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(splitTarget(originalUrl).query))
}
