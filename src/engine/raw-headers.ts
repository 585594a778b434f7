/** Headers in which other APIs take a token. This API does not read their values; a review reports that one was sent. */
export const TOKEN_HEADERS = [
  'api-key',
  'apikey',
  'token',
  'x-access-token',
  'x-api-key',
  'x-auth-token',
] as const

/** What the console sends with its own requests to the API, which are not those of a client. */
export const CONSOLE_HEADER = 'x-sandbox-console'

/** The headers of a request that are read: for its response, its journal, its session and its review. */
export const READ_HEADERS = [
  'accept',
  'authorization',
  'origin',
  'range',
  CONSOLE_HEADER,
  ...TOKEN_HEADERS,
] as const
export type ReadHeader = (typeof READ_HEADERS)[number]

/**
 * A header's value, several joined by a comma; undefined if it is not among them. `name` is lower-case.
 *
 * @param headers Names and values in turn, as they were sent.
 */
export function headerIn(headers: readonly string[], name: string): string | undefined {
  let value: string | undefined
  for (let at = 0; at < headers.length; at += 2) {
    const field = headers[at] ?? ''
    if (field.length !== name.length || field.toLowerCase() !== name) continue
    const next = headers[at + 1] ?? ''
    value = value === undefined ? next : `${value}, ${next}`
  }
  return value
}
