import { createElement } from 'preact'
import type { IconNode } from 'lucide'

/** An icon of lucide beside a word; without a word, the control around it has an accessible name. */
export function Icon({ of }: { of: IconNode }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], index) => createElement(tag, { ...attributes, key: index }))}
    </svg>
  )
}
