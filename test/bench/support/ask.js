/** Requests of benchmarks beside the measured ones. */

/** Asks for JSON. @throws for any response but a 2xx. */
export async function ask(url, { token, method = 'GET', body } = {}) {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    headers: token ? { authorization: `Bearer ${token}` } : {},
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} responds with ${response.status}: ${text}`)
  return text && JSON.parse(text)
}
