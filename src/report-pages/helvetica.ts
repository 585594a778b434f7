/**
 * Widths of characters 0x20 to 0xFF in WinAnsiEncoding, in thousandths of the font size, from Adobe's metrics of the
 * standard fonts.
 */
const REGULAR = toWidths(`
  278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278
  556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556
  1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778
  667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556
  333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556
  556 556 333 500 278 556 500 722 500 500 500 334 260 334 584 0
  556 0 222 556 333 1000 556 556 333 1000 667 333 1000 0 611 0
  0 222 222 333 333 350 556 1000 333 1000 500 333 944 0 500 500
  278 333 556 556 556 556 260 556 333 737 370 556 584 333 737 333
  400 584 333 333 333 556 537 278 333 333 365 556 834 834 834 611
  667 667 667 667 667 667 1000 722 667 667 667 667 278 278 278 278
  722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611
  556 556 556 556 556 556 889 500 556 556 556 556 278 278 278 278
  556 556 556 556 556 556 556 584 611 556 556 556 556 500 556 500
`)

const BOLD = toWidths(`
  278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278
  556 556 556 556 556 556 556 556 556 556 333 333 584 584 584 611
  975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778
  667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556
  333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611
  611 611 389 556 333 611 556 778 556 556 500 389 280 389 584 0
  556 0 278 556 500 1000 556 556 333 1000 667 333 1000 0 611 0
  0 278 278 500 500 350 556 1000 333 1000 556 333 944 0 500 556
  278 333 556 556 556 556 280 556 333 737 370 556 584 333 737 333
  400 584 333 333 333 611 556 278 333 333 365 556 834 834 834 611
  722 722 722 722 722 722 1000 722 667 667 667 667 278 278 278 278
  722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611
  556 556 556 556 556 556 889 556 556 556 556 556 278 278 278 278
  611 611 611 611 611 611 611 584 611 611 611 611 611 556 611 556
`)

const FIRST_CODE = 0x20

/** A standard font of PDF, which every viewer has. */
export interface Font {
  name: 'Helvetica' | 'Helvetica-Bold'
  widths: readonly number[]
}

export const HELVETICA: Font = { name: 'Helvetica', widths: REGULAR }
export const HELVETICA_BOLD: Font = { name: 'Helvetica-Bold', widths: BOLD }

function toWidths(table: string): number[] {
  return table.trim().split(/\s+/).map(Number)
}

/** Returns the width of a string in WinAnsiEncoding, in the unit of `size`. */
export function widthOf(bytes: string, { widths }: Font, size: number): number {
  let width = 0
  for (let at = 0; at < bytes.length; at += 1)
    width += widths[bytes.charCodeAt(at) - FIRST_CODE] ?? 0
  return (width * size) / 1000
}

interface Measure {
  size: number
  width: number
}

/**
 * Breaks a string in WinAnsiEncoding into lines of at most `width`: between words, or within a word that is wider than
 * a line.
 */
export function* breakLines(bytes: string, font: Font, measure: Measure): Generator<string> {
  for (const paragraph of bytes.split('\n')) yield* breakParagraph(paragraph, font, measure)
}

function* breakParagraph(
  paragraph: string,
  font: Font,
  { size, width }: Measure,
): Generator<string> {
  const space = widthOf(' ', font, size)
  let line = ''
  let end = 0
  for (const [word] of paragraph.matchAll(/[^ ]+/g)) {
    const wordWidth = widthOf(word, font, size)
    if (line !== '' && end + space + wordWidth <= width) {
      line += ` ${word}`
      end += space + wordWidth
      continue
    }
    if (line !== '') yield line
    const pieces = wordWidth <= width ? [word] : breakWord(word, font, { size, width })
    line = pieces.pop() ?? ''
    yield* pieces
    end = widthOf(line, font, size)
  }
  yield line
}

function breakWord(word: string, font: Font, { size, width }: Measure): string[] {
  const pieces: string[] = []
  let piece = ''
  let end = 0
  for (const character of word) {
    const characterWidth = widthOf(character, font, size)
    if (piece !== '' && end + characterWidth > width) {
      pieces.push(piece)
      piece = ''
      end = 0
    }
    piece += character
    end += characterWidth
  }
  return [...pieces, piece]
}

/** Characters with the codes 0x80 to 0x9F in WinAnsiEncoding; a space for a code without a character. */
const FROM_0X80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

const CODES = new Map(
  FROM_0X80.split('').flatMap((character, index) =>
    character === ' ' ? [] : [[character, String.fromCharCode(0x80 + index)]],
  ),
)

/** Replacements for letters and signs that Unicode does not decompose. */
const SIMILAR: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
  ẞ: 'SS',
  '‐': '-',
  '−': '-',
  '―': '—',
  '→': '->',
  '←': '<-',
  '≤': '<=',
  '≥': '>=',
}

/** Matches a string whose first character has the same code in Unicode and WinAnsiEncoding. */
const PLAIN = /^[\n -~\u00A0-\u00AC\u00AE-\u00FF]/
/** Matches a run of characters with the same code in Unicode and WinAnsiEncoding, or any other single character. */
const PIECES = /[\n -~\u00A0-\u00AC\u00AE-\u00FF]+|[^]/gu

/** Replacement for characters without a similar one. */
const UNKNOWN = '?'

/**
 * Converts a string to WinAnsiEncoding, the encoding of the standard fonts of PDF. In `bytes`, each character is one
 * byte, and `\n` separates lines.
 *
 * Letters outside the encoding lose their accents, or are replaced by similar ones. Tabs become spaces. Other control
 * characters, and characters without a width, are dropped. A question mark replaces each run of other characters, and
 * sets `isIncomplete`.
 */
export function toWinAnsi(text: string): { bytes: string; isIncomplete: boolean } {
  let bytes = ''
  let isIncomplete = false
  const composed = text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').normalize('NFC')
  for (const [piece] of composed.matchAll(PIECES)) {
    const encoded = PLAIN.test(piece) ? piece : encode(piece)
    if (encoded !== undefined) bytes += encoded
    else if (!isIncomplete || !bytes.endsWith(UNKNOWN)) bytes += UNKNOWN
    isIncomplete ||= encoded === undefined
  }
  return { bytes, isIncomplete }
}

function encode(character: string): string | undefined {
  if (PLAIN.test(character)) return character
  if (character === '\t') return ' '
  if (/[\p{Cc}\p{Cf}\p{M}]/u.test(character)) return ''
  const known = CODES.get(character) ?? SIMILAR[character]
  if (known !== undefined) return known
  const plain = character.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  if (plain === character) return undefined
  const parts = Array.from(plain, encode)
  return parts.includes(undefined) ? undefined : parts.join('')
}
