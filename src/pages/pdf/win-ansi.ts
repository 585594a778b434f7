/** The characters of the codes 0x80 to 0x9F; a space for those that have none. */
const FROM_0X80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

const CODES = new Map(
  FROM_0X80.split('').flatMap((character, index) =>
    character === ' ' ? [] : [[character, String.fromCharCode(0x80 + index)]],
  ),
)

/** Letters and signs that Unicode does not decompose, and what is written instead. */
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

/**
 * Characters that are the same in both encodings, and what splits a text into pieces: a run of these characters, or another one.
 */
const PLAIN = /^[\n -~\u00A0-\u00AC\u00AE-\u00FF]/
const PIECES = /[\n -~\u00A0-\u00AC\u00AE-\u00FF]+|[^]/gu

/** What replaces a character for which nothing similar exists. */
const UNKNOWN = '?'

/**
 * A text in WinAnsiEncoding, the encoding of the standard fonts of PDF. Other letters lose their accents, or are replaced by
 * similar ones; a question mark replaces a run of any others, and `isIncomplete` is true then. Control characters and those
 * without a width are left out. `bytes` has a character per byte, and `\n` for the end of a line.
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
