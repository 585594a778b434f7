import process from 'node:process'
import timers from 'node:timers'
import { setTimeout } from '../../contract/timers.ts'
import { heldResponses, lastHeldResponse } from '../../sandbox/delivery.ts'
import type { ClientClock } from './client-clock.ts'
import { RehearsalError } from './rehearsal-error.ts'
import type { RequestsUnderWay } from './requests-under-way.ts'

/** Taken at import: a rehearsal replaces neither, but tests of users may. */
const { setImmediate } = timers
const { performance } = globalThis
const realNow = performance.now.bind(performance)

/** How long a client may do nothing that is seen, in milliseconds of the machine. */
const STALLED_MS = 5000
/** A client that only waits for a response that never comes does nothing in so many turns of the event loop. */
const TURNS_WITHOUT_ANYTHING = 100

/** What the machine does for a client besides requests, which have to end before a timer may run. */
const SHORT_WORK = /^(?:FSReq|CloseReq|GetAddrInfoReq)/

export type Ending = 'settled' | 'overdue' | 'unanswered'

interface DriveOptions {
  clock: ClientClock
  requests: RequestsUnderWay
  /** The time of the clock at which it is given up. */
  untilMs: number
  /** What the client has been doing since, for the error: `run 12`. */
  since: string
}

/**
 * Does work, and runs the timers that it waits for until it is settled: each of them as soon as the client has nothing else to do, and
 * no request of its is under way.
 *
 * @returns `overdue` where its time was up before, `unanswered` where all it waits for is a response that never comes.
 * @throws RehearsalError for a client that really waits.
 */
export async function drive(
  work: () => Promise<unknown>,
  { clock, requests, untilMs, since }: DriveOptions,
): Promise<Ending> {
  let isSettled = false
  const settle = (): void => {
    isSettled = true
  }
  const heldBefore = lastHeldResponse()
  const isUnanswered = () =>
    [...heldResponses()].some(({ number, isSilent }) => isSilent && number > heldBefore)
  work().then(settle, settle)
  let movedMs = realNow()
  let begun = requests.begun
  let idleTurns = 0
  for (;;) {
    // A client that waits for something else may do so for long.
    await (idleTurns > TURNS_WITHOUT_ANYTHING ? rest() : turn())
    clock.rest()
    if (isSettled) return 'settled'
    const isWorking = requests.areMoving || hasShortWork()
    if (!isWorking && clock.hasTimers) {
      if (clock.nowMs >= untilMs) return 'overdue'
      clock.runNext()
      movedMs = realNow()
      idleTurns = 0
      continue
    }
    if (requests.begun !== begun) {
      begun = requests.begun
      movedMs = realNow()
      idleTurns = 0
      continue
    }
    idleTurns = isWorking ? 0 : idleTurns + 1
    if (idleTurns > TURNS_WITHOUT_ANYTHING && isUnanswered()) return 'unanswered'
    if (realNow() - movedMs > STALLED_MS) throw stalled(requests, since)
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Lets the processor rest for a millisecond. */
function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1))
}

function hasShortWork(): boolean {
  return process.getActiveResourcesInfo?.().some((name) => SHORT_WORK.test(name)) ?? false
}

function stalled(requests: RequestsUnderWay, since: string): RehearsalError {
  const resources = process.getActiveResourcesInfo?.() ?? []
  const has = (name: string) => resources.includes(name)
  const reason = requests.areMoving
    ? 'a request of its is still under way, to something that does not respond. Start what it asks, or have it ask the sandbox alone.'
    : has('ProcessWrap')
      ? 'it waits for another program. Rehearse it without, or as a command.'
      : has('Timeout')
        ? 'it has a timer of the machine, such as a `setTimeout` that it took before the rehearsal began. Have it read `setTimeout` when it needs it, or import it once the rehearsal runs.'
        : 'it waits for something that is neither a request nor a timer: a promise that nobody resolves, or something outside this process.'
  const text = `Your client has really waited since ${since}: for 5 s ${reason}`
  return new RehearsalError('stalled', text)
}
