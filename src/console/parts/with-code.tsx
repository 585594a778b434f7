import type { ComponentChildren } from 'preact'

/** A sentence with what is between backticks as code. */
export function withCode(text: string): ComponentChildren {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))
}
