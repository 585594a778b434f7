/** Every path of the API is below this prefix (specification 9). */
export const API_PREFIX = '/api/v1'

/** True for a path of the API: the prefix itself, or anything below it. */
export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
}

/** True for a path that browsers and crawlers request unprompted, such as `/` or `/favicon.ico`. */
export function isUnprompted(path: string): boolean {
  return /^\/(?:(?:favicon\.ico|robots\.txt|apple-touch-icon[^/]*)?$|\.well-known\/)/.test(path)
}

/**
 * Parses a URL; undefined for any other string. `URL.canParse` of Node 20 and 22 is no substitute: after V8 has optimised its
 * caller, it returns false for a host with letters beyond ASCII.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
