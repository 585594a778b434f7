import { Buffer } from 'node:buffer'
import { Agent, request } from 'node:https'

/**
 * Sends over connections from an address of loopback, the last number of which is given. `send` resolves with the status,
 * or with 0 for none, and the text.
 */
export function createSender({ url, ca, address }) {
  const agent = new Agent({ keepAlive: true, ca, localAddress: `127.0.0.${address}` })
  const sockets = new WeakSet()
  // A socket that breaks after its request was answered has nobody else to report to.
  const ignoreErrors = (socket) => {
    if (!sockets.has(socket)) socket.on('error', () => {})
    sockets.add(socket)
  }
  const send = (path, { token, method = 'GET', headers = {}, body, take } = {}) =>
    new Promise((resolve) => {
      const sent = { ...headers, ...(token && { authorization: `Bearer ${token}` }) }
      const message = request(url + path, { method, headers: sent, agent })
      message
        .once('socket', ignoreErrors)
        .once('response', (response) => {
          const pieces = []
          take?.(message)
          response
            .on('data', (piece) => pieces.push(piece))
            .once('close', () =>
              resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString() }),
            )
            .on('error', () => {})
        })
        .once('error', () => resolve({ status: 0, text: '' }))
      if (typeof body === 'function') body(message)
      else message.end(body)
    })
  return { send, end: () => agent.destroy() }
}
