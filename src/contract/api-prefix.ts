/** Every path of the API is below this prefix (specification 9). */
export const API_PREFIX = '/api/v1'

/** Whether a path belongs to the API: the prefix itself, or anything below it. */
export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
}
