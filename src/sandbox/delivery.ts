import type { WireFault } from '../contract/wire-fault.ts'

/** Taken at import, so that fake timers of a test cannot hold up a delay that was asked for. */
const { setTimeout, clearTimeout } = globalThis

/** Resolves after so long, or once the signal is aborted: who waits must look which of the two it was. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
}

/** Resolves once the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** How often a slow body gives a sign of life. */
const PIECE_MS = 100

/**
 * A body as it arrives: in pieces over `bodyMs`, only the first half of it where it is truncated, and no
 * more once the signal is aborted. What then becomes of the connection is for the adapter.
 */
export async function* toPieces(
  body: Uint8Array<ArrayBuffer>,
  { bodyMs = 0, end }: WireFault,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const length = end === 'truncated' ? Math.floor(body.byteLength / 2) : body.byteLength
  const count = Math.min(length, Math.max(1, Math.ceil(bodyMs / PIECE_MS)))
  for (let index = 0; index < count; index += 1) {
    if (bodyMs > 0) await pause(bodyMs / count, signal)
    if (signal.aborted) return
    yield body.subarray(
      Math.floor((length * index) / count),
      Math.floor((length * (index + 1)) / count),
    )
  }
}
