import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { sentenceOf } from '../api/api-error.ts'
import { revision } from './connection.ts'

/** Data of the server, as it was last read. */
export interface Resource<Value> {
  /** Undefined until it was read once; while it is read again, what it was before. */
  value: Value | undefined
  /** Why it could not be read, as a sentence; undefined where it could. */
  error: string | undefined
  isLoading: boolean
}

/**
 * Reads something when the component appears, when `keys` change, and whenever the world may have changed. What was
 * read before stays until the new is there, so that nothing jumps; other keys begin with nothing.
 *
 *     const faults = useResource((signal) => api.get('/faults', {}, signal), [])
 */
export function useResource<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
): Resource<Value> {
  const state = useMemo<Signal<Resource<Value>>>(
    () => signal({ value: undefined, error: undefined, isLoading: true }),
    keys,
  )
  const turn = revision.value
  useEffect(() => {
    const controller = new AbortController()
    const { signal: aborting } = controller
    state.value = { ...state.peek(), isLoading: true }
    load(aborting).then(
      (value) => {
        if (!aborting.aborted) state.value = { value, error: undefined, isLoading: false }
      },
      (error: unknown) => {
        if (aborting.aborted) return
        state.value = { ...state.peek(), error: sentenceOf(error), isLoading: false }
      },
    )
    return () => controller.abort()
  }, [...keys, turn])
  return state.value
}
