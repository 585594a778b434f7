import type { ComponentChildren } from 'preact'

interface SectionProps {
  /** Name for screen readers, which makes it a region. */
  label?: string
  title?: ComponentChildren
  /** At the end of the title's line: tabs or buttons. */
  aside?: ComponentChildren
  children: ComponentChildren
  class?: string
  /** True while its data is being read again, and that takes long. */
  isLate?: boolean
}

/** A group of a panel. The space around it divides it from others. */
export function Section(props: SectionProps) {
  const { label, title, aside, children, class: name = '', isLate } = props
  return (
    <section class={`section ${name}`} aria-label={label} aria-busy={isLate}>
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
