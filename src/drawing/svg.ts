type Attributes = Readonly<Record<string, string | number | undefined>>

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Characters that XML does not allow, even as character references. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

/** Escapes a string for an element or an attribute. Replaces each character that XML forbids with U+FFFD. */
export function escapeText(text: string): string {
  return text
    .replaceAll(NOT_XML, '\u{FFFD}')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
}

/** Sizes are in pixels. */
interface Drawing {
  width: number
  height: number
  /** Description for screen readers. */
  label: string
  fontSize?: number
}

/** Returns an `<svg>`. `children` must already be SVG. */
export function drawing(
  { width, height, label, fontSize }: Drawing,
  ...children: readonly string[]
): string {
  const viewBox = `0 0 ${width} ${height}`
  const image = { xmlns: 'http://www.w3.org/2000/svg', viewBox, width, height, role: 'img' }
  return element('svg', { ...image, 'aria-label': label, 'font-size': fontSize }, ...children)
}

/**
 * Returns an SVG or XML element. Omits undefined attributes, rounds numbers to a tenth, and escapes strings. `children` must
 * already be escaped.
 */
export function element(
  name: string,
  attributes: Attributes,
  ...children: readonly string[]
): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    if (value === undefined) return ''
    const text = typeof value === 'number' ? String(round(value)) : escapeText(value)
    return ` ${key}="${text}"`
  })
  return `<${name}${written.join('')}>${children.join('')}</${name}>`
}

/** Rounds to a tenth of a pixel, which looks exact and keeps the SVG short. */
function round(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
