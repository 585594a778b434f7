import timers from 'node:timers'
import { notify } from '../journal/subscribers.ts'

/** A connection of a client, whose requests are answered in the order in which they arrive. */
interface Connection {
  pause: () => unknown
  resume: () => unknown
  on: (event: 'resume', listener: () => void) => unknown
  off: (event: 'resume', listener: () => void) => unknown
}

/** Maximum number of API requests of a connection to answer in one turn of the event loop. */
export const REQUESTS_PER_TURN = 8

/**
 * Node's own `setImmediate`: Jest's jsdom has no global one. Saved at import, so that fake timers of a test cannot delay
 * responses.
 */
const { setImmediate } = timers

/**
 * Waiting steps, by connection. Nothing is read from a connection with waiting steps, so only requests that had already arrived
 * can wait.
 */
const waiting = new Map<Connection, (() => void)[]>()

let lastConnection: Connection | undefined
let count = 0

/**
 * Counts an API request. Requests that a connection sends together arrive in the same turn. Returns true if the request has to
 * wait for a later turn, because others of its connection are waiting, or enough were answered in this turn.
 */
export function mustWait(connection: Connection): boolean {
  if (waiting.size > 0 && waiting.has(connection)) return true
  if (connection !== lastConnection) {
    lastConnection = connection
    count = 0
  }
  count += 1
  // Not for every request, because most connections send one request at a time.
  if (count === REQUESTS_PER_TURN) setImmediate(startTurn)
  return count > REQUESTS_PER_TURN
}

function startTurn(): void {
  count = 0
}

/** Calls `step` in a later turn, after all earlier steps of its connection. */
export function wait(connection: Connection, step: () => void): void {
  const steps = waiting.get(connection)
  if (steps) {
    steps.push(step)
    return
  }
  waiting.set(connection, [step])
  // Other code, such as the end of a response, resumes a connection too early.
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
  // Not at the end of this turn, which has already answered its share.
  setImmediate(() => setImmediate(takeTurn))
}

/** Calls `step` now, or after all waiting steps of its connection. */
export function inRequestOrder(connection: Connection, step: () => void): void {
  if (waiting.has(connection)) wait(connection, step)
  else step()
}
