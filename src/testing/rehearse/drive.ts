import process from 'node:process'
import { setTimeout } from '../../contract/timers.ts'
import { heldResponses, lastHeldResponse } from '../../sandbox/delivery.ts'
import type { ClientClock } from './client-clock.ts'
import { RehearsalError } from './client-options.ts'
import type { RequestsUnderWay } from './requests-under-way.ts'
import { nextTick } from './requests-under-way.ts'

/** Saved at import, because a rehearsal replaces it. */
const realNow = performance.now.bind(performance)

/** Maximum real time without any activity of the client, in milliseconds. */
const STALLED_MS = 5000
/**
 * Maximum time to count for one turn of the event loop, in real milliseconds. In a longer turn, the client was computing, or
 * the machine slept.
 */
const MOST_OF_A_TURN_MS = 50
/**
 * Minimum time without activity, in real milliseconds, after which a client can only be waiting for a response that never
 * comes, or for a timer after the end of its run.
 */
const IDLE_MS = 300
/** Number of idle turns after which an incomplete body counts as unread. */
const TURNS_OF_A_BODY = 500

/** Node's names for work of a client, besides requests, that has to end before a timer may run. */
const SHORT_WORK = /^(?:FSReq|CloseReq|GetAddrInfoReq)/

/**
 * The end of a run. `killed`: as planned. `settled`: the client was done or failed. `crashed`: a timer threw an error.
 * `overdue`: its time was up. `excessive`: it sent too many requests. `unanswered`: it only waited for a response that never
 * comes.
 */
export type Ending = 'killed' | 'settled' | 'crashed' | 'overdue' | 'excessive' | 'unanswered'

interface DriveOptions {
  clock: ClientClock
  requests: RequestsUnderWay
  /** Time at which the work is given up, in epoch milliseconds on `clock`. */
  untilMs: number
  /** Returns the number of requests received in this run. The work is given up after more than `mostSent`. */
  countSent: () => number
  mostSent: number
  /** Returns true once the client is to be killed; if omitted, it is never killed. */
  isKilled?: () => boolean
  /** Name for the start of the work in an error message: `run 12`. */
  since: string
  /** Abandons the work once it is aborted. */
  signal: AbortSignal | undefined
}

/**
 * Starts work of the client, and runs timers until the work settles: each timer as soon as the client has nothing else to do
 * and no request is under way.
 *
 * @returns the ending, with the error of a timer (`thrown`) or of the work itself (`failure`)
 * @throws RehearsalError if the client waits in real time, or the reason of the signal
 */
export async function drive(
  work: () => unknown,
  { clock, requests, untilMs, countSent, mostSent, isKilled, since, signal }: DriveOptions,
): Promise<{ ending: Ending; thrown?: unknown; failure?: { error: unknown } | undefined }> {
  let isSettled = false
  let failure: { error: unknown } | undefined
  const begin = async (): Promise<void> => {
    try {
      await work()
    } catch (error) {
      failure = { error }
    }
    isSettled = true
  }
  const heldBefore = lastHeldResponse()
  const isUnanswered = () =>
    [...heldResponses()].some(({ number, isSilent }) => isSilent && number > heldBefore)
  void begin()
  const countSeen = () => requests.events + countSent()
  let [lastMs, waitedMs, idleTurns, seen] = [realNow(), 0, 0, countSeen()]
  for (;;) {
    // The client may be waiting a long time for something else.
    await (idleTurns > TURNS_OF_A_BODY ? rest() : nextTick())
    signal?.throwIfAborted()
    clock.rest()
    if (isSettled) return { ending: 'settled', failure }
    if (isKilled?.()) return { ending: 'killed' }
    if (countSent() > mostSent) return { ending: 'excessive' }
    const nowMs = realNow()
    waitedMs += Math.min(nowMs - lastMs, MOST_OF_A_TURN_MS)
    lastMs = nowMs
    idleTurns += 1
    if (countSeen() !== seen) [waitedMs, idleTurns, seen] = [0, 0, countSeen()]
    const isReading = requests.areRead && idleTurns < TURNS_OF_A_BODY
    const isWorking = requests.areMoving || isReading || hasShortWork()
    const { nextMs = Infinity } = clock
    if (!isWorking && nextMs <= untilMs) {
      try {
        clock.runNext()
      } catch (thrown) {
        return { ending: 'crashed', thrown }
      }
      ;[waitedMs, idleTurns] = [0, 0]
    } else if (!isWorking && waitedMs > IDLE_MS && isUnanswered()) {
      return { ending: 'unanswered' }
    } else if (!isWorking && waitedMs > IDLE_MS && nextMs < Infinity) {
      return { ending: 'overdue' }
    } else if (waitedMs > STALLED_MS) {
      throw stalled(requests, since)
    }
  }
}

/** Lets the processor rest for a millisecond. */
function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1))
}

function hasShortWork(): boolean {
  return process.getActiveResourcesInfo?.().some((name) => SHORT_WORK.test(name)) ?? false
}

function stalled(requests: RequestsUnderWay, since: string): RehearsalError {
  const text = `Your client has been waiting in real time since ${since}. ${reasonOf(requests)}`
  return new RehearsalError('stalled', text)
}

function reasonOf(requests: RequestsUnderWay): string {
  const resources = process.getActiveResourcesInfo?.() ?? []
  if (requests.areMoving)
    return 'One of its requests is waiting for a server that does not respond. Start that server, or send all requests to the sandbox.'
  if (resources.includes('ProcessWrap'))
    return 'It waits for another program. Rehearse it without that program.'
  if (resources.includes('Timeout'))
    return 'It may hold a timer of the machine, such as a `setTimeout` that it referenced before the rehearsal began, or in Jest one of node:timers/promises. Have it use the global one when it needs it.'
  return 'It waits for something that is neither a request nor a timer: a promise that nobody resolves, or something outside this process.'
}
