import type { JSX } from 'preact'
import { EmptyState } from '../../parts/empty-state.tsx'

export function ReferencePanel(): JSX.Element {
  return (
    <>
      <h1>Reference</h1>
      <EmptyState title="Nothing is selected">
        Choose an endpoint to see its parameters and run it.
      </EmptyState>
    </>
  )
}
