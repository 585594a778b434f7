import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

interface SectionProps {
  /** Name for screen readers, which makes the section a region. */
  label?: string
  title: ComponentChildren
  /** Content at the end of the title's line: tabs or buttons. */
  aside?: ComponentChildren
  children: ComponentChildren
  class?: string
}

export function Section(props: SectionProps) {
  const { label, title, aside, children, class: name = '' } = props
  return (
    <section class={`section ${name}`} aria-label={label}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}

interface DisclosureProps {
  summary: ComponentChildren
  /** True to show the content at first. Later changes of this value have no effect. */
  isOpen?: boolean
  children: ComponentChildren
}

/** Content that a click on `summary` shows or hides. Hidden content is not rendered. */
export function Disclosure({ summary, isOpen = false, children }: DisclosureProps) {
  const [isShown, setShown] = useState(isOpen)
  return (
    <details open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{summary}</summary>
      {isShown && children}
    </details>
  )
}
