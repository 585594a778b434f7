import type { ClientRequest } from '../api/types.ts'

/** The headers of a request: first its token, under this name. */
export function headersOf(
  { token, headers }: ClientRequest,
  name = 'Authorization',
): Record<string, string> {
  return { ...(token !== undefined && { [name]: `Bearer ${token}` }), ...headers }
}
