import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isUnreachable, sentenceOf } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { revision, outdate } from '../api/transport.ts'
import type { Responses } from '../api/types.ts'
import { latestSequence } from './shown-journal.ts'
import { clocks } from './shown-clocks.ts'

export interface Resource<Value> {
  /** Data of the last successful read; undefined until a read succeeds. */
  value: Value | undefined
  /** Sentence about the failure of the last read; undefined without a failure. */
  error: string | undefined
  /** True while a repeated read takes longer than `LATE_MS`. The page then marks the previous data as loading. */
  isLate: boolean
}

export const UNREAD = { value: undefined, error: undefined, isLate: false }

const LATE_MS = 200

/**
 * Reads data when the component is mounted, when `keys` or `refreshKey` change, and whenever the world may have changed. The
 * previous data stays until the new data arrives, so that nothing jumps, but new keys start without data. After a change of the
 * world, all reads take effect together.
 *
 *     const projects = useResource((signal) => api.list('projects', { limit: 1 }, signal), [])
 */
export function useResource<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  refreshKey?: number,
): Resource<Value> {
  const state = useMemo<Signal<Resource<Value>>>(() => signal(UNREAD), keys)
  const world = revision.value
  const seen = useRef(world)
  useEffect(() => {
    const controller = new AbortController()
    const { signal: aborting } = controller
    const isThere = state.peek().value !== undefined
    const pending = isThere && seen.current !== world ? beginRepeatedRead() : undefined
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
  }, [...keys, refreshKey, world])
  return state.value
}

/** Resolves to the data or the error sentence of a read; undefined if the read was aborted or the server does not respond. */
async function readResult<Value>(
  read: Promise<Value>,
  aborting: AbortSignal,
): Promise<Pick<Resource<Value>, 'value' | 'error'> | { error: string } | undefined> {
  try {
    return { value: await read, error: undefined }
  } catch (error) {
    // The frame reports an unresponsive server, and the previous data stays until the server responds.
    return aborting.aborted || isUnreachable(error) ? undefined : { error: sentenceOf(error) }
  }
}

/** Reads the response to a GET of the control API with `useResource`: `useGet('/policies')`. */
export function useGet<Path extends keyof Responses>(
  path: Path,
  refreshKey?: number,
): Resource<Responses[Path]> {
  return useResource((aborting) => api.get(path, {}, aborting), [path], refreshKey)
}

/** Makes the whole page read its data again when the world clock reaches the earliest of these times. */
export function useReadAt(...times: readonly (string | undefined)[]): void {
  const nextMs = Math.min(...times.map((at) => (at === undefined ? Infinity : Date.parse(at))))
  const hasCome = (clocks.value?.worldMs ?? 0) >= nextMs
  useEffect(() => {
    if (!hasCome) return
    const seen = revision.peek()
    const timer = setTimeout(() => {
      if (revision.peek() === seen) outdate()
    }, CHANGE_MS)
    return () => clearTimeout(timer)
  }, [hasCome, nextMs])
}

/** Time in which a command that moved the clock also arrives by the journal, so that its data is read once. */
const CHANGE_MS = 300

/**
 * A read that is repeated after a change of the world. All such reads take effect together, so that the page never mixes data
 * from before the change with data from after it.
 */
interface PendingRead {
  /** Ends this read, and resolves when all other repeated reads have ended too. */
  whenAll: () => Promise<void>
  end: () => void
}

/** Maximum time that other repeated reads wait for a read that does not finish. */
const READ_TIMEOUT_MS = 5000

let open = 0
let waiting: (() => void)[] = []

export function beginRepeatedRead(): PendingRead {
  open += 1
  let isOpen = true
  const end = (): void => {
    clearTimeout(timer)
    if (!isOpen) return
    isOpen = false
    open -= 1
    if (open === 0) release()
  }
  const timer = setTimeout(end, READ_TIMEOUT_MS)
  return {
    whenAll: () => {
      const all = whenAllIsRead()
      end()
      return all
    },
    end,
  }
}

/** Resolves when no repeated read is pending. */
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

/** Returns the sequence of the last journal entry, updated every second at most to limit the reads that depend on it. */
export function useLastSequence(): number {
  const [sequence, setSequence] = useState(latestSequence)
  useEffect(() => {
    const timer = setInterval(() => setSequence(latestSequence()), 1000)
    return () => clearInterval(timer)
  }, [])
  return sequence
}
