import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { isUnreachable, sentenceOf } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { revision, outdate } from '../api/transport.ts'
import type { Responses } from '../api/types.ts'
import { clocks } from './shown-clocks.ts'

/** Data of the server, as it was last read. */
export interface Resource<Value> {
  /** Undefined until it was read once; while it is read again, what it was before. */
  value: Value | undefined
  /** Why it could not be read, as a sentence; undefined where it could. */
  error: string | undefined
  /** Whether it is being read again, and that takes so long that it is to be seen. */
  isLate: boolean
}

/** Reading that takes no longer than this is not marked as late. */
const LATE_MS = 200

/**
 * Reads something when the component appears, when `keys` change, and whenever the world may have changed. What was
 * read before stays until the new is there, so that nothing jumps; other keys begin with nothing. It is also read again
 * when `turn` changes. After a change of the world everything is taken over together.
 *
 *     const faults = useResource((signal) => api.list('projects', { limit: 1 }, signal), [])
 */
export function useResource<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  turn?: number,
): Resource<Value> {
  const state = useMemo<Signal<Resource<Value>>>(
    () => signal({ value: undefined, error: undefined, isLate: false }),
    keys,
  )
  const world = revision.value
  const seen = useRef(world)
  useEffect(() => {
    const controller = new AbortController()
    const { signal: aborting } = controller
    const isThere = state.peek().value !== undefined
    const pending = isThere && seen.current !== world ? readAgain() : undefined
    seen.current = world
    const late = setTimeout(() => {
      if (isThere) state.value = { ...state.peek(), isLate: true }
    }, LATE_MS)
    const end = (): void => {
      clearTimeout(late)
      pending?.end()
    }
    const read = async (): Promise<void> => {
      const next = await readResult(load(aborting), aborting)
      if (next === undefined) return
      await (pending?.whenAll() ?? whenAllIsRead())
      if (!aborting.aborted) state.value = { ...state.peek(), ...next, isLate: false }
    }
    void read().finally(end)
    return () => {
      controller.abort()
      end()
    }
  }, [...keys, turn, world])
  return state.value
}

/** What came of reading; undefined where nobody waits for it any more, or the server does not respond. */
async function readResult<Value>(
  read: Promise<Value>,
  aborting: AbortSignal,
): Promise<Pick<Resource<Value>, 'value' | 'error'> | { error: string } | undefined> {
  try {
    return { value: await read, error: undefined }
  } catch (error) {
    // The frame says that the server does not respond; what was read stays until it does.
    return aborting.aborted || isUnreachable(error) ? undefined : { error: sentenceOf(error) }
  }
}

/** As `useResource`, for what a GET of the control API answers: `useGet('/policies')`. */
export function useGet<Path extends keyof Responses>(
  path: Path,
  turn?: number,
): Resource<Responses[Path]> {
  return useResource((aborting) => api.get(path, {}, aborting), [path], turn)
}

/** Reads everything again when the running clock has come to the earliest of these times. */
export function useReadAt(...times: readonly (string | undefined)[]): void {
  const nextMs = Math.min(...times.map((at) => (at === undefined ? Infinity : Date.parse(at))))
  const hasCome = (clocks.value?.worldMs ?? 0) >= nextMs
  useEffect(() => {
    if (hasCome) outdate()
  }, [hasCome, nextMs])
}

/**
 * A repeated read after a change of the world. All of them are taken over together, so that nothing is painted partly from
 * before the change and partly from after it.
 */
interface PendingRead {
  /** Resolves when everything else that is read again is there as well. */
  whenAll: () => Promise<void>
  /** Call it if nothing will come. */
  end: () => void
}

/** Maximum wait of the other reads for one that does not come, in milliseconds. */
const PATIENCE_MS = 5000

let open = 0
let waiting: (() => void)[] = []

/** Called where something is read again. */
export function readAgain(): PendingRead {
  open += 1
  let isOpen = true
  const end = (): void => {
    clearTimeout(timer)
    if (!isOpen) return
    isOpen = false
    open -= 1
    if (open === 0) release()
  }
  const timer = setTimeout(end, PATIENCE_MS)
  return {
    whenAll: () => {
      const all = whenAllIsRead()
      end()
      return all
    },
    end,
  }
}

/** Resolves when nothing is being read again. */
export function whenAllIsRead(): Promise<void> {
  if (open === 0) return Promise.resolve()
  return new Promise((resolve) => {
    waiting.push(resolve)
  })
}

function release(): void {
  const ready = waiting
  waiting = []
  for (const proceed of ready) proceed()
}
