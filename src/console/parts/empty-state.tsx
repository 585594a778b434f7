import type { ComponentChildren } from 'preact'

interface EmptyStateProps {
  /** What is not there yet: `No requests yet`. */
  title: string
  /** What fills it, in a sentence. */
  children: ComponentChildren
  /** The button of the act that does. */
  action?: ComponentChildren
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  )
}

/** In place of data that could not be read. */
export function ErrorState({ message }: { message: string }) {
  return (
    <div class="empty" role="alert">
      <p>{message}</p>
    </div>
  )
}
