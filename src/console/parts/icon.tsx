import { createElement } from 'preact'
import type { IconNode } from 'lucide'

/** A Lucide icon, hidden from screen readers. A control with an icon but no text needs an accessible name. */
export function Icon({ of }: { of: IconNode }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], index) => createElement(tag, { ...attributes, key: index }))}
    </svg>
  )
}
