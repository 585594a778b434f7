import type { JSX } from 'preact'
import { EmptyState } from '../../parts/empty-state.tsx'

export function TrafficPanel(): JSX.Element {
  return (
    <>
      <h1>Traffic</h1>
      <EmptyState title="No requests yet">
        Send a request to the API, and it appears here.
      </EmptyState>
    </>
  )
}
