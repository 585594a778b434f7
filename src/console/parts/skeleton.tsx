import type { JSX } from 'preact'

/** The shape of lines that are being read. */
export function Skeleton({ lines = 6 }: { lines?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}
