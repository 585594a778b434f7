import process from 'node:process'
import { setTimeout } from '../../contract/timers.ts'
import { heldResponses, lastHeldResponse } from '../../sandbox/delivery.ts'
import type { ClientClock } from './client-clock.ts'
import { RehearsalError } from './client-options.ts'
import type { RequestsUnderWay } from './requests-under-way.ts'
import { nextTick } from './requests-under-way.ts'

/** Saved at import, because a rehearsal replaces it. */
const realNow = performance.now.bind(performance)

/** Maximum time without any activity of the client, in real milliseconds. */
const STALLED_MS = 5000
/**
 * Maximum time that one turn counts for, in real milliseconds: a client that computes, or a machine that slept, was not
 * waiting.
 */
const MOST_OF_A_TURN_MS = 50
/**
 * Minimum time without activity, in real milliseconds, after which a client is only waiting for a response that never comes, or
 * for a timer after the end of its run.
 */
const IDLE_MS = 300
/** Number of turns after which an incomplete body is not being read. */
const TURNS_OF_A_BODY = 500

/** Work of the machine for a client, besides requests, that has to end before a timer may run. */
const SHORT_WORK = /^(?:FSReq|CloseReq|GetAddrInfoReq)/

/**
 * The end of a run: `crashed` if a timer threw an error, `overdue` if its time was up, `excessive` if it sent more requests
 * than any run should, `killed` if the plan wants that, `unanswered` if all it waited for was a response that never comes.
 */
export type Ending = 'killed' | 'settled' | 'crashed' | 'overdue' | 'excessive' | 'unanswered'

interface DriveOptions {
  clock: ClientClock
  requests: RequestsUnderWay
  /** Time of the clock at which the work is given up. */
  untilMs: number
  /** Returns the number of requests that the sandbox has received in this run. `mostSent` is the maximum. */
  countSent: () => number
  mostSent: number
  /** True once the client is to be killed; never if omitted. */
  isKilled?: () => boolean
  /** The beginning of the client's activity, for the error: `run 12`. */
  since: string
}

/**
 * Does work, and runs the timers that it waits for until it is settled: each timer as soon as the client has nothing else to
 * do, and no request is under way.
 *
 * @returns the ending, with the error of a timer (`thrown`) or of the work itself (`failure`)
 * @throws RehearsalError for a client that really waits.
 */
export async function drive(
  work: () => unknown,
  { clock, requests, untilMs, countSent, mostSent, isKilled, since }: DriveOptions,
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
    // A client may wait a long time for something else.
    await (idleTurns > TURNS_OF_A_BODY ? rest() : nextTick())
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
