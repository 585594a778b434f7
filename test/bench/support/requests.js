/** A request for `sandbox.answer`, from a target like `/api/v1/me?page=2`. */
export function toRequest(
  target,
  { token, method = 'GET', origin = 'http://localhost', accept } = {},
) {
  const [path, query = ''] = target.split('?')
  const headers = { accept, authorization: token && `Bearer ${token}` }
  return { method, path, query, header: (name) => headers[name], clientIp: '127.0.0.1', origin }
}
