import type { JSX } from 'preact'
import { EmptyState } from '../../parts/empty-state.tsx'

export function WorldPanel(): JSX.Element {
  return (
    <>
      <h1>World</h1>
      <EmptyState title="No project is selected">
        Choose a project to see which report is the latest, why, and until when.
      </EmptyState>
    </>
  )
}
