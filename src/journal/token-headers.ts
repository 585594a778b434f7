/** In which clients send their token by mistake, in lower case. */
export const OTHER_TOKEN_HEADERS: ReadonlySet<string> = new Set([
  'api-key',
  'apikey',
  'token',
  'x-access-token',
  'x-api-key',
  'x-auth-token',
  'x-token',
])
