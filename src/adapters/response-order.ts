import timers from 'node:timers'
import { notify } from '../journal/subscribers.ts'

interface Connection {
  pause: () => unknown
  resume: () => unknown
  on: (event: 'resume', listener: () => void) => unknown
  off: (event: 'resume', listener: () => void) => unknown
}

/** Maximum number of API requests per connection to answer in one turn of the event loop. */
export const REQUESTS_PER_TURN = 8

/**
 * Node's `setImmediate`, because Jest's jsdom has no global one. Saved at import, so that fake timers of a test cannot delay
 * responses.
 */
const { setImmediate } = timers

/**
 * Waiting steps, by connection. A connection with waiting steps is paused, so only requests that have already arrived can wait.
 */
const waiting = new Map<Connection, (() => void)[]>()

let lastConnection: Connection | undefined
let count = 0

/**
 * Counts an API request. Returns true if the request must wait for a later turn: because an earlier one of its connection is
 * waiting, or because this turn has answered `REQUESTS_PER_TURN` of the connection. Requests that a connection sends together
 * arrive in the same turn.
 */
export function mustWait(connection: Connection): boolean {
  if (waiting.size > 0 && waiting.has(connection)) return true
  if (connection !== lastConnection) {
    lastConnection = connection
    count = 0
  }
  count += 1
  // The next turn is scheduled only at the limit, because most connections send one request at a time.
  if (count === REQUESTS_PER_TURN) setImmediate(startTurn)
  return count > REQUESTS_PER_TURN
}

function startTurn(): void {
  count = 0
}

/** Calls `step` in a later turn, after all earlier steps of the connection. */
export function wait(connection: Connection, step: () => void): void {
  const steps = waiting.get(connection)
  if (steps) {
    steps.push(step)
    return
  }
  waiting.set(connection, [step])
  // Pauses again if other code resumes the connection too early, as Node does at the end of a response.
  const pause = () => void connection.pause()
  connection.on('resume', pause)
  pause()
  const takeTurn = () => {
    const left = waiting.get(connection) ?? []
    notify(left.splice(0, REQUESTS_PER_TURN), undefined)
    if (left.length > 0) {
      setImmediate(takeTurn)
      return
    }
    waiting.delete(connection)
    connection.off('resume', pause)
    connection.resume()
  }
  // A single `setImmediate` would run at the end of this turn, which has already answered enough requests.
  setImmediate(() => setImmediate(takeTurn))
}

/** Calls `step` after all waiting steps of the connection; immediately if there are none. */
export function inRequestOrder(connection: Connection, step: () => void): void {
  if (waiting.has(connection)) wait(connection, step)
  else step()
}
