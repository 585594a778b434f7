import process from 'node:process'
import { setTimeout } from '../../contract/timers.ts'
import { heldResponses, lastHeldResponse } from '../../sandbox/delivery.ts'
import type { ClientClock } from './client-clock.ts'
import { RehearsalError } from './client-options.ts'
import type { RequestsUnderWay } from './requests-under-way.ts'
import { nextTick } from './requests-under-way.ts'

/** Saved at import, because a rehearsal replaces the clock. */
const realNow = performance.now.bind(performance)

/** Maximum real time without any activity of the client, in milliseconds. */
const STALLED_MS = 5000
/**
 * Maximum real time that a turn of the event loop adds to the time without activity, in milliseconds. In a longer turn, the client
 * was computing, or the machine was asleep.
 */
const MAXIMUM_TURN_MS = 50
/**
 * Real time without activity, in milliseconds, after which a client can only be waiting for a response that never
 * comes, or for a timer after the end of its run.
 */
const IDLE_MS = 300
/** Number of idle turns after which an incomplete body counts as unread. */
const UNREAD_BODY_TURNS = 500

/** Node's names for work, besides requests, that must end before a timer may run. */
const SHORT_WORK = /^(?:FSReq|CloseReq|GetAddrInfoReq)/

/**
 * The end of a run.
 *
 * - `killed`: the plan killed the client.
 * - `settled`: the client was done or failed.
 * - `crashed`: a timer threw an error.
 * - `overdue`: the run had not ended at `untilMs`.
 * - `excessive`: the client sent more than `maximumSent` requests.
 * - `unanswered`: the client only waited for a response that never comes.
 */
export type Ending = 'killed' | 'settled' | 'crashed' | 'overdue' | 'excessive' | 'unanswered'

interface DriveOptions {
  clock: ClientClock
  requests: RequestsUnderWay
  /** Time at which to give up, in epoch milliseconds on `clock`. */
  untilMs: number
  /** Returns the number of requests that the work has sent. */
  countSent: () => number
  /** Maximum number of requests; work that sends more is given up. */
  maximumSent: number
  /** Returns true when the client must be killed; if omitted, the client is never killed. */
  isKilled?: () => boolean
  /** Start of the work, as an error message puts it after `since`: `run 12`. */
  workStart: string
  signal: AbortSignal | undefined
}

/**
 * Starts work of the client, and runs timers until the work settles. A timer runs only while the client has nothing else to do and
 * no request is under way.
 *
 * @returns the ending, with the error of a timer (`thrown`) or of the work itself (`failure`)
 * @throws RehearsalError if the client waits in real time; the reason of an aborted signal
 */
export async function drive(
  work: () => unknown,
  { clock, requests, untilMs, countSent, maximumSent, isKilled, workStart, signal }: DriveOptions,
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
    // Spares the processor while the client waits for a long time.
    await (idleTurns > UNREAD_BODY_TURNS ? idle() : nextTick())
    signal?.throwIfAborted()
    clock.noteActivity()
    if (isSettled) return { ending: 'settled', failure }
    if (isKilled?.()) return { ending: 'killed' }
    if (countSent() > maximumSent) return { ending: 'excessive' }
    const nowMs = realNow()
    waitedMs += Math.min(nowMs - lastMs, MAXIMUM_TURN_MS)
    lastMs = nowMs
    idleTurns += 1
    if (countSeen() !== seen) [waitedMs, idleTurns, seen] = [0, 0, countSeen()]
    const isReading = requests.hasOpenBody && idleTurns < UNREAD_BODY_TURNS
    const isWorking = requests.hasPendingHead || isReading || hasShortWork()
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
      throw stalled(requests, workStart)
    }
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1))
}

function hasShortWork(): boolean {
  return process.getActiveResourcesInfo?.().some((name) => SHORT_WORK.test(name)) ?? false
}

function stalled(requests: RequestsUnderWay, workStart: string): RehearsalError {
  const text = `Your client has been waiting in real time since ${workStart}. ${reasonOf(requests)}`
  return new RehearsalError('stalled', text)
}

function reasonOf(requests: RequestsUnderWay): string {
  const resources = process.getActiveResourcesInfo?.() ?? []
  if (requests.hasPendingHead)
    return 'One of its requests is waiting for a server that does not respond. Start that server, or send all requests to the sandbox.'
  if (resources.includes('ProcessWrap'))
    return 'It waits for another program. Rehearse it without that program.'
  if (resources.includes('Timeout'))
    return 'It may hold a timer of the machine, such as a `setTimeout` that it referenced before the rehearsal began, or in Jest one of node:timers/promises. Have it use the global one when it needs it.'
  return 'It waits for something that is neither a request nor a timer: a promise that nobody resolves, or something outside this process.'
}
