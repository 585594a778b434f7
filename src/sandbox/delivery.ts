import type { WireFault } from '../contract/wire-fault.ts'

type Loose<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined }

export interface DelayTimers {
  setTimeout: (callback: () => void, ms: number) => unknown
  clearTimeout: (timer: never) => void
}

/** Saved at import, so that fake timers of a test cannot prevent a configured delay. */
const NATIVE_TIMERS: DelayTimers = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
}

let timers = NATIVE_TIMERS
let beforeResponse: (() => Promise<void> | undefined) | undefined

/**
 * Makes all delays of this process use other timers, such as those of a rehearsal. Before each response without a socket, the
 * result of `before` is awaited. If both are omitted, restores the native timers, without any wait.
 */
export function timeDelaysBy(
  replacement: DelayTimers = NATIVE_TIMERS,
  before?: () => Promise<void> | undefined,
): void {
  timers = replacement
  beforeResponse = before
  // No client waits any longer for responses that are still held back.
  held.clear()
}

/** Returns a promise to await before a response without a socket; undefined if there is no wait. */
export function waitBeforeResponse(): Promise<void> | undefined {
  return beforeResponse?.()
}

/** A response that is being held back, for a time or forever. */
interface HeldResponse {
  /** Position among all responses held back in this process, from 1. */
  number: number
  isSilent: boolean
}

const held = new Set<HeldResponse>()
let lastHeld = 0

/** Returns the responses that all sandboxes of this process currently hold back, oldest first. */
export function heldResponses(): ReadonlySet<Readonly<HeldResponse>> {
  return held
}

/** Returns the number of the last response that was held back; 0 before the first. */
export function lastHeldResponse(): number {
  return lastHeld
}

async function hold(until: Promise<void>, kind: { isSilent: boolean }): Promise<void> {
  lastHeld += 1
  const response = { number: lastHeld, ...kind }
  held.add(response)
  await until
  held.delete(response)
}

/** The timers of a delay, and the signal that ends the delay early. */
interface Pausing {
  signal: AbortSignal
  /** True to use the current global timers, which a test may have faked. A rehearsal always uses its own timers. */
  followsTimers: boolean | undefined
}

/** Holds a response back for `ms` milliseconds, or until the signal is aborted. The caller checks which came first. */
export function pause(ms: number, pausing: Pausing): Promise<void> {
  return hold(elapse(ms, pausing), { isSilent: false })
}

/** Resolves after `ms` milliseconds, or when the signal is aborted. Unlike `pause`, holds no response back. */
export function elapse(ms: number, { signal, followsTimers }: Pausing): Promise<void> {
  const isNative = timers === NATIVE_TIMERS
  const { setTimeout, clearTimeout }: DelayTimers = followsTimers && isNative ? globalThis : timers
  return new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer as never)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
}

/** Holds a response back until the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  return hold(aborted, { isSilent: true })
}

/** True if a wire fault sends nothing at all, not even the head. */
export function isSilent({ end, bodyShare }: Loose<Pick<WireFault, 'bodyShare' | 'end'>>): boolean {
  return end === 'silence' && bodyShare === undefined
}

/**
 * Requires that an adapter has handled every property of a wire fault: `rest` has those that are left over. A property that an
 * adapter does not handle is thus a type error.
 *
 * @throws RangeError if a property is left over in untyped code.
 */
export function requireHandled(rest: Record<string, never>): void {
  const [name] = Object.keys(rest)
  if (name !== undefined) throw new RangeError(`The adapter does not handle ${name} of a fault.`)
}

/**
 * Maximum interval between the pieces of a slow body, in milliseconds; exceeded if the body has too few bytes for that many pieces.
 */
const PIECE_MS = 100

const TRUNCATED_SHARE = 0.5

/**
 * Yields the body in pieces, spread over `bodyMs` milliseconds; in one piece if `bodyMs` is 0 or omitted. Stops early if the wire
 * fault cuts the body short, or when the signal is aborted. The adapter then decides about the connection.
 */
export async function* toPieces(
  body: Uint8Array<ArrayBuffer>,
  {
    bodyMs = 0,
    end,
    bodyShare = end === 'truncated' ? TRUNCATED_SHARE : 1,
  }: Loose<Pick<WireFault, 'bodyMs' | 'bodyShare' | 'end'>>,
  pausing: Pausing,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const length = Math.floor(body.byteLength * bodyShare)
  const count = Math.min(length, Math.max(1, Math.ceil(bodyMs / PIECE_MS)))
  for (let index = 0; index < count; index += 1) {
    if (bodyMs > 0) await pause(bodyMs / count, pausing)
    if (pausing.signal.aborted) return
    yield body.subarray(
      Math.floor((length * index) / count),
      Math.floor((length * (index + 1)) / count),
    )
  }
}
