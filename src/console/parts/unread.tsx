import type { Resource } from '../state/resource.ts'
import { ErrorState } from './empty-state.tsx'
import { Skeleton } from './skeleton.tsx'

interface UnreadProps {
  of: Resource<unknown>
  /** How many lines it takes when it is there. */
  lines?: number
}

/** In place of data that is being read, or could not be; nothing once it is there. */
export function Unread({ of: { value, error }, lines }: UnreadProps) {
  if (error !== undefined) return <ErrorState message={error} />
  return value === undefined ? <Skeleton {...(lines && { lines })} /> : null
}
