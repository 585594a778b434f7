import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/time.ts'
import type { RecordedRequest } from '../../journal/recorded-request.ts'
import { endKilled, hasNoResponse } from '../../rehearsal/ended-run.ts'
import type { RunEnd } from '../../rehearsal/ended-run.ts'
import { errorMessageOf, maximumRequestsOf } from '../../rehearsal/run-rehearsal.ts'
import { fetchFrom } from '../../sandbox/fetch.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { ClientClock } from './client-clock.ts'
import { RehearsalError } from './client-options.ts'
import type { RehearsedClient } from './client-options.ts'
import { drive } from './drive.ts'
import type { Ending } from './drive.ts'
import { nextTick } from './requests-under-way.ts'
import type { ClientStage } from './stage.ts'

/** Maximum duration of a run, by the client's clock. A longer run is given up. */
const LONGEST_MS = DAY_MS

interface RunOptions {
  stage: ClientStage
  number: number
  /** True if the plan kills the client at its first request without a response. */
  isKilled: boolean
  onKill: () => Promise<void>
  sentRequests: readonly RecordedRequest[]
}

/**
 * @throws RehearsalError if the client waits in real time, or never stops sending requests; the reason of an aborted
 * signal
 */
export async function runClient(
  client: RehearsedClient,
  { stage, number, sentRequests, isKilled, onKill }: RunOptions,
): Promise<RunEnd> {
  const { clock, requests, sandbox, token, options } = stage
  const before = clock.listTimers()
  let isOpen = true
  const isGivenUp = () => !isOpen || options.signal?.aborted === true
  const work = (): unknown =>
    client({
      url: options.url,
      fetch: fetchUntil(isGivenUp, sandbox),
      token: token.token,
      now: new Date(clock.nowMs),
      run: number,
    })
  const maximumSent = maximumRequestsOf(sandbox.world)
  const countSent = () => sentRequests.length
  const driving = {
    clock,
    requests,
    untilMs: clock.nowMs + LONGEST_MS,
    countSent,
    maximumSent,
    workStart: `run ${number}`,
    signal: options.signal,
  }
  const { ending, thrown, failure } = await drive(work, {
    ...driving,
    ...(isKilled && { isKilled: () => sentRequests.some(hasNoResponse) }),
  })
  // Leftovers of a failed run, such as the other branches of a Promise.all, must not send requests in the next run.
  const left = failure && (await drive(() => untilQuiet(clock, countSent), driving))
  if (ending === 'settled' && left?.ending !== 'excessive') {
    requests.dropUnread()
    const ended = failure ? 'failed' : 'done'
    return { ended, message: failure && errorMessageOf(failure.error), unanswered: undefined }
  }
  isOpen = false
  if (ending === 'killed') await onKill()
  // A killed process leaves no timers or requests behind.
  clock.discardTimers(before)
  requests.dropAll()
  await requireQuiet(sentRequests, { number, maximumSent })
  const waiting = sentRequests.find(hasNoResponse)
  if (ending === 'killed' && waiting) return endKilled(waiting)
  if (ending === 'crashed')
    return { ended: 'failed', message: errorMessageOf(thrown), unanswered: undefined }
  const unanswered = ending === 'unanswered' ? sentRequests.findLast(hasNoResponse) : undefined
  const message = explain(left?.ending ?? ending, { unanswered, maximumSent })
  return { ended: 'timeout', message, unanswered }
}

/** Time without a request, by the client's clock, after which leftovers of a failed run count as ended. */
const QUIET_MS = 2 * MINUTE_MS
/** Maximum wait for leftovers of a failed run to end, by the client's clock. */
const LONGEST_LEFT_MS = HOUR_MS

/** Waits until the client has sent no request for `QUIET_MS`, but at most `LONGEST_LEFT_MS`. */
async function untilQuiet(clock: ClientClock, countSent: () => number): Promise<void> {
  const untilMs = clock.nowMs + LONGEST_LEFT_MS
  for (let seen = -1; countSent() !== seen && clock.nowMs < untilMs;) {
    seen = countSent()
    await new Promise<void>((resolve) => clock.timers.setTimeout(resolve, QUIET_MS))
  }
}

/** Number of turns of the event loop without a request after which a client counts as stopped. */
const TURNS_UNTIL_QUIET = 200

/** Waits until an abandoned client stops sending requests. @throws RehearsalError if it sends more than `maximumSent` first. */
async function requireQuiet(
  sentRequests: readonly unknown[],
  { number, maximumSent }: { number: number; maximumSent: number },
): Promise<void> {
  const most = sentRequests.length + maximumSent
  let [quiet, seen] = [0, sentRequests.length]
  while (quiet < TURNS_UNTIL_QUIET) {
    await nextTick()
    quiet = sentRequests.length === seen ? quiet + 1 : 0
    seen = sentRequests.length
    if (seen <= most) continue
    const text = `Your client has kept sending requests since run ${number} was given up. Only the end of its process would stop it: limit its attempts.`
    throw new RehearsalError('endless', text)
  }
}

/**
 * Returns a `fetch` of the sandbox that simulates the connections of an HTTP client. After the run is given up, requests get no
 * response.
 */
function fetchUntil(isGivenUp: () => boolean, sandbox: Sandbox): Sandbox['fetch'] {
  const pool = new ConnectionPool()
  return (input, init) => {
    if (isGivenUp()) return new Promise<Response>(() => {})
    return pool.use((connection, openConnections) =>
      fetchFrom(
        (request) => sandbox.answer({ ...request, connection, openConnections }),
        input,
        init,
      ),
    )
  }
}

function explain(
  ending: Ending,
  { unanswered, maximumSent }: { unanswered: RecordedRequest | undefined; maximumSent: number },
): string {
  if (ending === 'overdue') return 'The run had not ended after a day.'
  if (ending === 'excessive') return `The run had sent ${maximumSent} requests without ending.`
  const request = unanswered ? ` to request ${unanswered.sequence}` : ''
  return `The run waited for the response${request}, which never came, without a time limit.`
}

/**
 * The connections that an HTTP client would use: consecutive requests share a connection, and each simultaneous request
 * has its own. On a clock that stands still, a review needs these numbers to tell the two cases apart.
 */
class ConnectionPool {
  readonly #busy = new Set<number>()
  #opened = 0

  /**
   * Sends a request on a free connection. `send` receives the number of the connection, counted from 1, and the number of
   * connections opened so far.
   */
  async use<Result>(send: (connection: number, open: number) => Promise<Result>): Promise<Result> {
    let connection = 1
    while (this.#busy.has(connection)) connection += 1
    this.#busy.add(connection)
    this.#opened = Math.max(this.#opened, connection)
    try {
      return await send(connection, this.#opened)
    } finally {
      this.#busy.delete(connection)
    }
  }
}
