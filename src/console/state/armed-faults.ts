import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FaultStatus } from '../api/types.ts'
import { currentWorld } from './current-world.ts'
import { useGet } from './resource.ts'
import { journal } from './shown-journal.ts'

/** Faults that this page has seen armed in the current world, by id. Requests stay in the list after their fault is disarmed. */
export const knownFaults = signal<ReadonlyMap<number, FaultStatus>>(new Map())
currentWorld.subscribe(() => (knownFaults.value = new Map()))

/** Reads the armed faults, and reads them again after each request that a fault affects. */
export function useFaults() {
  const affected = journal.value.entries.findLast(
    (entry) => entry.kind === 'request' && entry.faults.length > 0,
  )
  const faults = useGet('/faults', affected?.sequence)
  useEffect(() => {
    const armed = faults.value?.map((fault) => [fault.id, fault] as const) ?? []
    knownFaults.value = new Map([...knownFaults.peek(), ...armed])
  }, [faults.value])
  return faults
}
