import { theme } from '../../state/theme.ts'
import { FRAME_STYLE } from './frame-style.ts'
import { textsOf } from './content-request.ts'

/**
 * HTML of a report as a browser renders it, in a frame that runs no script, opens nothing and has no origin. It has
 * the page's policy, which allows no other style in it.
 */
export function HtmlFrame({ html }: { html: unknown }) {
  const page = [
    '<!doctype html>',
    `<meta name="color-scheme" content="${theme.value === 'system' ? 'light dark' : theme.value}">`,
    `<style>${FRAME_STYLE}</style>`,
    ...textsOf(html),
  ].join('\n')
  return <iframe class="html" title="The HTML as it is rendered" sandbox="" srcdoc={page} />
}
