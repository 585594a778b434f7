import { escapeHtml } from '../contract/escape-html.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { H3TextBlock, H3TextHtmlBlock } from '../contract/report.ts'

/** Specification 2.7: an `<h3>` and a `<p>`, separated by a newline. */
export function toHtmlBlock({ h3, text }: H3TextBlock, policy: ReadPolicy): H3TextHtmlBlock {
  const [heading, paragraph] = [h3, text].map((part) => toHtml(part, policy))
  return { h3_and_text: `<h3>${heading}</h3>\n<p>${paragraph}</p>` }
}

function toHtml(text: string, policy: ReadPolicy): string {
  if (!/[&<>"\n\r]/.test(text)) return text
  const form = policy('html-escaping')
  if (form === 'raw') return text
  const escaped = escapeHtml(text)
  return form === 'br' ? escaped.replaceAll(/\r\n?|\n/g, '<br>') : escaped
}
