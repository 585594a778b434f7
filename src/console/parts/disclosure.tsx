import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

interface DisclosureProps {
  /** Label, which opens and closes the content. */
  summary: ComponentChildren
  /** True to begin with open content. */
  isOpen?: boolean
  children: ComponentChildren
}

/** A part of a panel that is closed until its label is pressed. The content is rendered only while it is open. */
export function Disclosure({ summary, isOpen = false, children }: DisclosureProps) {
  const [isShown, setShown] = useState(isOpen)
  return (
    <details open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{summary}</summary>
      {isShown && children}
    </details>
  )
}
