import type { JSX } from 'preact'
import { EmptyState } from '../../parts/empty-state.tsx'

export function FaultsPanel(): JSX.Element {
  return (
    <>
      <h1>Faults &amp; policies</h1>
      <EmptyState title="No faults are armed">Arm one to see how a client takes it.</EmptyState>
    </>
  )
}
