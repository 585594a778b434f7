/** An element of an XML document. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  /** The text of the element itself, without its children. */
  text: string
}

const TOKEN =
  /<\/(?<end>[\w-]+)>|<(?<start>[\w-]+)(?<attributes>(?: [\w-]+="[^"<]*")*)>|(?<text>[^<]+)/gy

const NOT_XML = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/u

/**
 * Parses the XML that reports are written in: elements, attributes and text.
 *
 * @throws Error for text that is not well-formed.
 */
export function parseXml(xml: string): XmlElement {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
  if (!xml.startsWith(head) || NOT_XML.test(xml)) throw new Error('This is not XML.')
  const body = xml.slice(head.length)
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  TOKEN.lastIndex = 0
  for (let at = 0; at < body.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at
    const groups = TOKEN.exec(body)?.groups
    const parent = open.at(-1)
    if (!groups || !parent) throw new Error(`This is not XML: ${body.slice(at, at + 80)}`)
    const { end, start, attributes = '', text } = groups
    if (text !== undefined) parent.text += unescape(text)
    else if (start === undefined) {
      if (open.pop()?.name !== end) throw new Error(`</${end}> ends no element.`)
    } else {
      const child = { name: start, attributes: parseAttributes(attributes), children: [], text: '' }
      parent.children.push(child)
      open.push(child)
    }
  }
  const [only, ...others] = root.children
  if (!only || others.length > 0 || open.length !== 1) throw new Error('This has not one root.')
  return only
}

function parseAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, unescape(value)] as const,
  )
  const attributes = Object.fromEntries(pairs)
  if (Object.keys(attributes).length < pairs.length) throw new Error('An attribute is there twice.')
  return attributes
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescape(text: string): string {
  return text.replaceAll(/&(\w*);?/g, (whole, name: string) => {
    const character = ENTITIES[name]
    if (character === undefined || !whole.endsWith(';')) throw new Error(`${whole} is no entity.`)
    return character
  })
}
