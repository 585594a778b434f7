import type { JSX } from 'preact'
import { EmptyState } from '../../parts/empty-state.tsx'

export function StartPanel(): JSX.Element {
  return (
    <>
      <h1>Start</h1>
      <EmptyState title="A first request">
        The base URL, the tokens and a request to send come here.
      </EmptyState>
    </>
  )
}
