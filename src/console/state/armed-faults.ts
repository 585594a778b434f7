import { useGet } from './resource.ts'
import { journal } from './shown-journal.ts'

/** Reads the armed faults, and reads them again after each request that a fault affects. */
export function useFaults() {
  const affected = journal.value.entries.findLast(
    (entry) => entry.kind === 'request' && entry.faults.length > 0,
  )
  return useGet('/faults', affected?.sequence)
}
