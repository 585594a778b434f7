import type { WireFault } from '../contract/wire-fault.ts'

/** The same type, whose optional properties may also be undefined. */
type Loose<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined }

/** The timers that delays use. */
export interface DelayTimers {
  setTimeout: (callback: () => void, ms: number) => unknown
  clearTimeout: (timer: never) => void
}

/** Taken at import, so that fake timers of a test cannot prevent a delay that was asked for. */
const OWN_TIMERS: DelayTimers = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
}

let timers = OWN_TIMERS
let beforeResponse: (() => Promise<void> | undefined) | undefined

/**
 * Makes all delays of this process use other timers, such as those of a rehearsal, and awaits what `before` returns before each
 * response without a socket. Without arguments it restores the machine's own timers.
 */
export function timeDelaysBy(
  others: DelayTimers = OWN_TIMERS,
  before?: () => Promise<void> | undefined,
): void {
  timers = others
  beforeResponse = before
  // The clients of the responses that were held back are gone.
  held.clear()
}

/** What a response without a socket has to wait for; undefined if nothing. */
export function waitBeforeResponse(): Promise<void> | undefined {
  return beforeResponse?.()
}

/** A response that is held back at the moment: for a time, or for good. */
interface HeldResponse {
  /** Counts up with each response that is held back. */
  number: number
  isSilent: boolean
}

const held = new Set<HeldResponse>()
let lastHeld = 0

/** The responses that all sandboxes of this process hold back at the moment, in order. */
export function heldResponses(): ReadonlySet<Readonly<HeldResponse>> {
  return held
}

/** The number of the last response that was held back; 0 before the first. */
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

/** Which timers a delay uses. */
interface Pausing {
  signal: AbortSignal
  /** Whether they are the global ones of this moment, which a test may have faked. In a rehearsal they are always its own. */
  followsTimers: boolean | undefined
}

/** Resolves after a time, or once the signal is aborted; the caller checks which of the two it was. */
export function pause(ms: number, { signal, followsTimers }: Pausing): Promise<void> {
  const isOwn = timers === OWN_TIMERS
  const { setTimeout, clearTimeout }: DelayTimers = followsTimers && isOwn ? globalThis : timers
  const over = new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer as never)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
  return hold(over, { isSilent: false })
}

/** Resolves once the signal is aborted: nothing is sent until then. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  return hold(aborted, { isSilent: true })
}

/** Whether nothing is ever sent, not even the head. */
export function isSilent({ end, bodyShare }: Loose<Pick<WireFault, 'bodyShare' | 'end'>>): boolean {
  return end === 'silence' && bodyShare === undefined
}

/**
 * Takes what an adapter has left of a wire fault: a property that it does not handle is a type error, rather than ignored
 * in silence.
 */
export function requireHandled(rest: Record<string, never>): void {
  const [name] = Object.keys(rest)
  if (name !== undefined) throw new RangeError(`The adapter does not handle ${name} of a fault.`)
}

/** How often a piece of a slow body is sent. */
const PIECE_MS = 100

const TRUNCATED_SHARE = 0.5

/**
 * The body as it arrives: in pieces over `bodyMs`, cut short if the wire fault says so, and ended once the signal is
 * aborted. What happens to the connection afterwards is up to the adapter.
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
