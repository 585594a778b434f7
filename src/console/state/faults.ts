import { useRef } from 'preact/hooks'
import { useGet } from './resource.ts'
import { journal } from './shown-journal.ts'

/** Reads the armed faults, and reads them again when a fault has affected a request. */
export function useFaults() {
  return useGet('/faults', useAffected())
}

/** Returns a refresh key that changes when a fault has affected a request. */
function useAffected(): number {
  const { entries: all } = journal.value
  const seen = useRef({ sequence: 0, affected: 0 })
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const entry = all[at]
    if (!entry || entry.sequence <= seen.current.sequence) break
    if (entry.kind === 'request' && entry.faults.length > 0) {
      seen.current.affected += 1
      break
    }
  }
  seen.current.sequence = all.at(-1)?.sequence ?? 0
  return seen.current.affected
}
