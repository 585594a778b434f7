import type { ComponentChildren } from 'preact'

interface CardProps {
  title?: ComponentChildren
  /** At the end of the title's line: tabs or buttons. */
  aside?: ComponentChildren
  children: ComponentChildren
  class?: string
  /** Whether what it shows is being read again, and that takes long. */
  isLate?: boolean
}

export function Card({ title, aside, children, class: name = '', isLate }: CardProps) {
  return (
    <section class={`card ${name}`} aria-busy={isLate}>
      {(title !== undefined || aside !== undefined) && (
        <header>
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}
