import type { ComponentChildren } from 'preact'

interface SectionProps {
  /** Name for screen readers, which makes the section a region. */
  label?: string
  title?: ComponentChildren
  /** Content at the end of the title's line: tabs or buttons. */
  aside?: ComponentChildren
  children: ComponentChildren
  class?: string
  /** True while the section's data is being read again and the read takes long. */
  isLate?: boolean
}

/** A section of a panel, set off by space alone. */
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
