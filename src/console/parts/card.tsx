import type { ComponentChildren } from 'preact'

interface CardProps {
  title?: ComponentChildren
  /** At the end of the title's line: tabs or buttons. */
  aside?: ComponentChildren
  children: ComponentChildren
  class?: string
}

export function Card({ title, aside, children, class: name = '' }: CardProps) {
  return (
    <section class={`card ${name}`}>
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
