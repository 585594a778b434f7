import type { IconNode } from 'lucide'
import type { ComponentChildren } from 'preact'
import type { Resource } from '../state/resource.ts'
import { Icon } from './icon.tsx'

interface UnreadProps {
  of: Resource<unknown>
  /** Height of the expected data, in lines; 6 if omitted. */
  lines?: number
}

/** Error of the last read, or a skeleton until data has been read; otherwise nothing. */
export function Unread({ of: { value, error }, lines }: UnreadProps) {
  if (error !== undefined) return <ErrorState message={error} />
  return value === undefined ? <Skeleton lines={lines} /> : null
}

interface EmptyStateProps {
  icon?: IconNode
  title: string
  children: ComponentChildren
  action?: ComponentChildren
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div class="empty">
      {icon && <Icon of={icon} />}
      <h2 class="lead">{title}</h2>
      <p class="soft">{children}</p>
      {action}
    </div>
  )
}

export function ErrorState({ message }: { message: string }) {
  return (
    <div class="empty" role="alert">
      <p class="soft">{message}</p>
    </div>
  )
}

export function Skeleton({ lines = 6 }: { lines?: number | undefined }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}
