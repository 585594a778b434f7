import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { isUnreachable, sentenceOf } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import type { Responses } from '../api/types.ts'
import { revision } from './connection.ts'

/** Data of the server, as it was last read. */
export interface Resource<Value> {
  /** Undefined until it was read once; while it is read again, what it was before. */
  value: Value | undefined
  /** Why it could not be read, as a sentence; undefined where it could. */
  error: string | undefined
}

/**
 * Reads something when the component appears, when `keys` change, and whenever the world may have changed. What was
 * read before stays until the new is there, so that nothing jumps; other keys begin with nothing. It is also read again
 * when `turn` changes.
 *
 *     const faults = useResource((signal) => api.list('projects', { limit: 1 }, signal), [])
 */
export function useResource<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  turn?: number,
): Resource<Value> {
  const state = useMemo<Signal<Resource<Value>>>(
    () => signal({ value: undefined, error: undefined }),
    keys,
  )
  const world = revision.value
  useEffect(() => {
    const controller = new AbortController()
    const { signal: aborting } = controller
    load(aborting).then(
      (value) => {
        if (!aborting.aborted) state.value = { value, error: undefined }
      },
      (error: unknown) => {
        // The frame says that the server does not respond; what was read stays until it does.
        if (aborting.aborted || isUnreachable(error)) return
        state.value = { value: state.peek().value, error: sentenceOf(error) }
      },
    )
    return () => controller.abort()
  }, [...keys, turn, world])
  return state.value
}

/** As `useResource`, for what a GET of the control API answers: `useGet('/policies')`. */
export function useGet<Path extends keyof Responses>(
  path: Path,
  turn?: number,
): Resource<Responses[Path]> {
  return useResource((aborting) => api.get(path, {}, aborting), [path], turn)
}
