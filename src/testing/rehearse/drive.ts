import process from 'node:process'
import { setTimeout } from '../../contract/timers.ts'
import { heldResponses, lastHeldResponse } from '../../sandbox/delivery.ts'
import type { ClientClock } from './client-clock.ts'
import { RehearsalError } from './client-options.ts'
import type { RequestsUnderWay } from './requests-under-way.ts'
import { nextTick } from './requests-under-way.ts'

/** Taken at import, as a rehearsal replaces it. */
const realNow = performance.now.bind(performance)

/** How long a client may show no activity, in real milliseconds. */
const STALLED_MS = 5000
/** The most that one turn counts for, in real milliseconds: a client that computes, or a machine that slept, was not waiting. */
const MOST_OF_A_TURN_MS = 50
/**
 * A client that shows no activity for this long, in real milliseconds, is only waiting for a response that never comes, or for a
 * timer after the end of its run.
 */
const IDLE_MS = 300
/** A body that is not complete after this many turns is not being read. */
const TURNS_OF_A_BODY = 500

/** What the machine does for a client besides requests, which has to end before a timer may run. */
const SHORT_WORK = /^(?:FSReq|CloseReq|GetAddrInfoReq)/

/**
 * How a run ended: `crashed` by an error that a timer threw, `overdue` where its time was up, `excessive` where it sent more
 * requests than any run should, `killed` where the plan wants that, `unanswered` where all it waited for was a response that never comes.
 */
export type Ending = 'killed' | 'settled' | 'crashed' | 'overdue' | 'excessive' | 'unanswered'

interface DriveOptions {
  clock: ClientClock
  requests: RequestsUnderWay
  /** The time of the clock at which it is given up. */
  untilMs: number
  /** How many requests the sandbox has got in this run, and how many it may get at most. */
  countSent: () => number
  mostSent: number
  /** Whether it is to be killed now; never where omitted. */
  isKilled?: () => boolean
  /** What the client has been doing since, for the error: `run 12`. */
  since: string
}

/**
 * Does work, and runs the timers that it waits for until it is settled: each of them as soon as the client has nothing else to
 * do, and none of its requests is under way.
 *
 * @returns how it ended, with what a timer has thrown, or the work itself.
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
    // A client that waits for something else may do so for a long time.
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
    return 'It may hold a timer of the machine, such as a `setTimeout` that it took before the rehearsal began, or in Jest one of node:timers/promises. Have it use the global one when it needs it.'
  return 'It waits for something that is neither a request nor a timer: a promise that nobody resolves, or something outside this process.'
}
