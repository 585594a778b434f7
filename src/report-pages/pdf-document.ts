import { HELVETICA, HELVETICA_BOLD } from './helvetica.ts'
import type { Font } from './helvetica.ts'

/** Width of an A4 page, in points. */
export const PAGE_WIDTH = 595.28
/** Height of an A4 page, in points. */
export const PAGE_HEIGHT = 841.89

const FONTS: readonly Font[] = [HELVETICA, HELVETICA_BOLD]

interface PdfOptions {
  title: string
  author: string
  /** Language tag of the text, such as `da`; empty if unknown. */
  language: string
  /** Entries of the table of contents that viewers show beside the pages, in order. */
  bookmarks: readonly Bookmark[]
}

export interface Bookmark {
  title: string
  /** Index of the target page. */
  page: number
  /** Height of the target in points, from the bottom of its page. */
  top: number
}

/** Red, green and blue, each from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number]

/** Returns a grey; `lightness` ranges from 0 (black) to 1 (white). */
export function grey(lightness: number): Color {
  return [lightness, lightness, lightness]
}

/** Appearance of a line of text, and its position in points from the lower left corner of the page. */
export interface TextStyle {
  x: number
  y: number
  font: Font
  size: number
  color: Color
}

interface Line {
  x: number
  y: number
  width: number
  color: Color
}

/** A page that is being drawn. */
export class PdfPage {
  #operators: string[] = []

  /** Writes one line of text in WinAnsiEncoding. */
  text(bytes: string, { x, y, font, size, color }: TextStyle): void {
    const name = `F${FONTS.indexOf(font)}`
    this.#operators.push(
      `BT ${toOperands(color)} rg /${name} ${toNumber(size)} Tf ${toNumber(x)} ${toNumber(y)} Td (${escapeString(bytes)}) Tj ET`,
    )
  }

  /** Draws a thin horizontal line, `width` points long. */
  rule({ x, y, width, color }: Line): void {
    this.#operators.push(
      `${toOperands(color)} RG 0.5 w ${toNumber(x)} ${toNumber(y)} m ${toNumber(x + width)} ${toNumber(y)} l S`,
    )
  }

  /** Fills a rectangle. `x` and `y` are its lower left corner. */
  paint({ x, y, width, height, color }: Line & { height: number }): void {
    const area = [x, y, width, height].map(toNumber).join(' ')
    this.#operators.push(`${toOperands(color)} rg ${area} re f`)
  }

  get content(): string {
    return this.#operators.join('\n')
  }
}

/**
 * Returns a PDF file of A4 pages, as a string with one character per byte. Equal pages give equal bytes: the file has
 * no date and no random id, and is not compressed, because versions of zlib differ in their output.
 */
export function writePdf(
  pages: readonly PdfPage[],
  { title, author, language, bookmarks }: PdfOptions,
): string {
  const fontIds = FONTS.map((_, index) => FIRST_FREE_ID + index)
  const firstPageId = FIRST_FREE_ID + FONTS.length
  const pageIds = pages.map((_, index) => firstPageId + 2 * index)
  const outlineId = firstPageId + 2 * pages.length
  const fonts = fontIds.map((id, index) => `/F${index} ${id} 0 R`).join(' ')
  const objects = [
    `<< /Type /Catalog /Pages ${PAGES_ID} 0 R /ViewerPreferences << /DisplayDocTitle true >>${language === '' ? '' : ` /Lang (${language})`}${bookmarks.length === 0 ? '' : ` /Outlines ${outlineId} 0 R`} >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /MediaBox [0 0 ${PAGE_WIDTH} ${PAGE_HEIGHT}] /Resources << /Font << ${fonts} >> >> >>`,
    `<< /Title ${toTextString(title)} /Author ${toTextString(author)} /Creator ${toTextString(author)} >>`,
    ...FONTS.map(
      ({ name }) =>
        `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`,
    ),
    ...pages.flatMap(({ content }, index) => [
      `<< /Type /Page /Parent ${PAGES_ID} 0 R /Contents ${firstPageId + 2 * index + 1} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
    ...writeOutline(bookmarks, { outlineId, pageIds }),
  ]
  return writeFile(objects)
}

/** Returns the PDF objects of the table of contents, whose ids begin at `outlineId`; empty without bookmarks. */
function writeOutline(
  bookmarks: readonly Bookmark[],
  { outlineId, pageIds }: { outlineId: number; pageIds: readonly number[] },
): string[] {
  const { length } = bookmarks
  if (length === 0) return []
  const entries = bookmarks.map(({ title, page, top }, index) => {
    const id = outlineId + 1 + index
    const previous = index === 0 ? '' : ` /Prev ${id - 1} 0 R`
    const next = index === length - 1 ? '' : ` /Next ${id + 1} 0 R`
    return `<< /Title ${toTextString(title)} /Parent ${outlineId} 0 R${previous}${next} /Dest [${pageIds[page]} 0 R /XYZ null ${toNumber(top)} null] >>`
  })
  return [
    `<< /Type /Outlines /First ${outlineId + 1} 0 R /Last ${outlineId + length} 0 R /Count ${length} >>`,
    ...entries,
  ]
}

const CATALOG_ID = 1
const PAGES_ID = 2
const INFO_ID = 3
const FIRST_FREE_ID = 4

/** Header of a PDF. Its comment has bytes above 0x7F, so that programs treat the file as binary. */
const HEADER = '%PDF-1.4\n%âãÏÓ\n'

/** Returns a file with these objects, whose ids are 1, 2 and so on. */
function writeFile(objects: readonly string[]): string {
  const parts = [HEADER]
  const offsets: number[] = []
  let length = HEADER.length
  for (const [index, object] of objects.entries()) {
    const part = `${index + 1} 0 obj\n${object}\nendobj\n`
    offsets.push(length)
    parts.push(part)
    length += part.length
  }
  // An entry of the table must be 20 bytes long, with a space before the line feed.
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  parts.push(
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`,
    `trailer\n<< /Size ${objects.length + 1} /Root ${CATALOG_ID} 0 R /Info ${INFO_ID} 0 R >>\n`,
    `startxref\n${length}\n%%EOF\n`,
  )
  return parts.join('')
}

function escapeString(bytes: string): string {
  return bytes.replaceAll(/[\\()]/g, String.raw`\$&`)
}

/** Encodes any string for display outside the pages, as UTF-16 with a byte order mark. */
function toTextString(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return `<FEFF${units.map((unit) => unit.toString(16).padStart(4, '0').toUpperCase()).join('')}>`
}

function toOperands(color: Color): string {
  return color.map(toNumber).join(' ')
}

function toNumber(value: number): string {
  return String(Math.round(value * 100) / 100)
}
