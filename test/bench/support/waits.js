/** The waits of a client for its responses while another client keeps the server busy. */
import { once } from 'node:events'
import { connect } from 'node:net'

/** The longest of the round trips until a promise is settled, in milliseconds. */
export async function longestWait(client, until) {
  const state = { isOver: false }
  void until.finally(() => {
    state.isOver = true
  })
  let longest = 0
  while (!state.isOver) {
    const start = performance.now()
    longest = Math.max(longest, (await client.ask(toText('/api/v1/me'), 1)) - start)
  }
  return longest
}

export function pause(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

function toText(target) {
  return `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-super\r\n\r\n`
}

/** A connection that sends requests, and waits for as many responses. */
export async function openClient(port) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let missing = 0
  let finish
  let rest = ''
  socket.setNoDelay().on('data', (chunk) => {
    const text = rest + chunk.toString('latin1')
    missing -= text.split(STATUS_LINE).length - 1
    // A status line may be in two pieces.
    rest = text.slice(text.lastIndexOf(STATUS_LINE) + 1).slice(-STATUS_LINE.length + 1)
    if (missing === 0) finish(performance.now())
  })
  return {
    /** Resolves to the time at which the last of the responses begins. */
    ask: (text, count) =>
      new Promise((resolve) => {
        missing = count
        finish = resolve
        socket.write(text)
      }),
    close: () => socket.destroy(),
  }
}

const STATUS_LINE = 'HTTP/1.1 200'
