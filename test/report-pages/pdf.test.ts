import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  breakLines,
  HELVETICA,
  HELVETICA_BOLD,
  widthOf,
  toWinAnsi,
} from '../../src/report-pages/helvetica.ts'
import { renderPdf } from '../../src/report-pages/report-pdf.ts'
import { runs } from '../support/depth.ts'
import { aKeyword, aPage, anyPage } from './any-page.ts'

const SIZES = { size: 10, width: 200 }

describe('WinAnsiEncoding', () => {
  test.each([
    ['æøåäöüßÉ', 'æøåäöüßÉ'],
    ['10 € – “citeret” …', '10 \x80 \x96 \x93citeret\x94 \x85'],
    ['Šibenik, Žižkov, œuvre', '\x8Aibenik, \x8Ei\x9Ekov, \x9Cuvre'],
    ['Łódź, őrült, Ðakovo', 'Lódz, orült, Ðakovo'],
    ['a\u0308 e\u0301', 'ä é'],
    ['non\u2011breaking, 5\u202F000, ﬁn', 'non-breaking, 5 000, fin'],
    ['soft\u00ADhyphen, zero\u200Bwidth, \u202Eright\u202C', 'softhyphen, zerowidth, right'],
    ['one\r\ntwo\rthree\tfour', 'one\ntwo\nthree four'],
    ['a → b', 'a -> b'],
  ])('writes %j', (text, bytes) => {
    expect(toWinAnsi(text)).toEqual({ bytes, isIncomplete: false })
  })

  test.each([
    ['東京', '?'],
    ['Москва 5', '? 5'],
    ['👍🏽 ok', '? ok'],
  ])('writes a question mark for %j, and says so', (text, bytes) => {
    expect(toWinAnsi(text)).toEqual({ bytes, isIncomplete: true })
  })

  test('has bytes alone, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(toWinAnsi(text).bytes).toMatch(/^[\n -~\x80-\xFF]*$/)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('a line', () => {
  test('has the width that the metrics of the font state', () => {
    // Adobe's metrics: R 722, ø 611, d 556, i 222, ß 611, € 556.
    expect(widthOf('Rødiß\x80', HELVETICA, 1000)).toBe(722 + 611 + 556 + 222 + 611 + 556)
    expect(widthOf('Rødiß\x80', HELVETICA_BOLD, 1000)).toBe(722 + 611 + 611 + 278 + 611 + 556)
  })

  test('is no wider than the column, loses no character, and could not have held the next word', () => {
    const words = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 60 }), { maxLength: 60 })
    fc.assert(
      fc.property(words, fc.constantFrom(HELVETICA, HELVETICA_BOLD), (parts, font) => {
        const text = parts.join(' ')
        const lines = [...breakLines(text, font, SIZES)]
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
        for (const [index, line] of lines.entries()) {
          expect(widthOf(line, font, SIZES.size)).toBeLessThanOrEqual(SIZES.width + 1e-6)
          const next = lines[index + 1]?.split(' ')[0]
          if (next === undefined) continue
          expect(widthOf(`${line} ${next}`, font, SIZES.size)).toBeGreaterThan(SIZES.width - 1e-6)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('takes as many characters of a long word as fit, each time', () => {
    const width = 4 * widthOf('i', HELVETICA, SIZES.size)
    const lines = [...breakLines('i'.repeat(10), HELVETICA, { ...SIZES, width })]
    expect(lines).toEqual(['iiii', 'iiii', 'ii'])
  })

  test('ends where the text has an end of line', () => {
    expect([...breakLines('one\n\ntwo', HELVETICA, SIZES)]).toEqual(['one', '', 'two'])
  })
})

/** The objects of a PDF as its cross-reference table locates them. @throws if it does not. */
function objectsOf(pdf: string): string[] {
  const [, start] = /startxref\n(\d+)\n%%EOF\n$/.exec(pdf) ?? []
  const table = pdf.slice(Number(start))
  const [, count] = /^xref\n0 (\d+)\n0000000000 65535 f \n/.exec(table) ?? []
  const entries = [...table.matchAll(/(\d{10}) 00000 n \n/g)].map(([, offset]) => Number(offset))
  expect(entries).toHaveLength(Number(count) - 1)
  return entries.map((offset, index) => {
    const object = pdf.slice(offset, entries[index + 1] ?? Number(start))
    const [, content = ''] = new RegExp(`^${index + 1} 0 obj\n([^]*)\nendobj\n$`).exec(object) ?? []
    expect(content).not.toBe('')
    return content
  })
}

describe('a PDF', () => {
  test('has its objects where its table says, streams of their length, and text on A4, of any report', () => {
    fc.assert(
      fc.property(anyPage, (page) => {
        const pdf = renderPdf(page)
        expect(pdf).toMatch(/^[\0-\xFF]*$/)
        const objects = objectsOf(pdf)
        const streams = objects.filter((object) => object.includes('\nstream\n'))
        expect(objects[1]).toContain(`/Count ${streams.length} `)
        for (const stream of streams) {
          const [, length, content] =
            /^<< \/Length (\d+) >>\nstream\n([^]*)\nendstream$/.exec(stream) ?? []
          expect(content).toHaveLength(Number(length))
          for (const [, x, y] of content?.matchAll(/([\d.-]+) ([\d.-]+) Td /g) ?? []) {
            expect(Number(x)).toBeGreaterThanOrEqual(60)
            expect(Number(x)).toBeLessThan(540)
            expect(Number(y)).toBeGreaterThanOrEqual(40)
            expect(Number(y)).toBeLessThan(790)
          }
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('is readable on white: all of its text has a contrast of 4.5 or more', () => {
    const pdf = renderPdf(aPage({ keywords: [aKeyword({ id: 1 })] }))
    const colors = [...pdf.matchAll(/^BT ([\d.]+) ([\d.]+) ([\d.]+) rg /gm)]
    expect(colors.length).toBe(pdf.match(/^BT /gm)?.length)
    expect(colors.length).toBeGreaterThan(10)
    for (const [, ...color] of colors) {
      // The relative luminance of WCAG 2.
      const [red = 0, green = 0, blue = 0] = color.map(
        (part) => ((Number(part) + 0.055) / 1.055) ** 2.4,
      )
      const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
      expect(1.05 / (luminance + 0.05)).toBeGreaterThanOrEqual(4.5)
    }
  })

  test('numbers its pages, and takes as many as it needs', () => {
    const keywords = Array.from({ length: 500 }, (_, index) => aKeyword({ id: index + 1 }))
    const pdf = renderPdf(aPage({ keywords }))
    const numbers = [...pdf.matchAll(/\(Page (\d+) of (\d+)\)/g)]
    expect(numbers.length).toBeGreaterThan(50)
    expect(numbers.map(([, number]) => Number(number))).toEqual(
      numbers.map((_, index) => index + 1),
    )
    expect(new Set(numbers.map(([, , of]) => of))).toEqual(new Set([String(numbers.length)]))
  })

  test('has no line of a paragraph alone on a page', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 20, maxLength: 60 })
    fc.assert(
      fc.property(lengths, (counts) => {
        const content = () =>
          counts.map((count, index) => ({
            heading: '',
            text: Array.from({ length: count }, () => `p${index}`).join(' '),
          }))
        const pdf = renderPdf(aPage({ keywords: [aKeyword({ content })] }))
        const pages = objectsOf(pdf).filter((object) => object.includes('\nstream\n'))
        for (const index of counts.keys()) {
          const lines = pages
            .map((page) => page.match(new RegExp(`\\(p${index}[ )]`, 'g'))?.length ?? 0)
            .filter((count) => count > 0)
          if (lines.length > 1) expect(Math.min(...lines)).toBeGreaterThan(1)
        }
      }),
      { numRuns: runs(50) },
    )
  })

  test('names the agency as its author and creator, and no tool', () => {
    const pdf = renderPdf(aPage({ agency: { id: 1, name: 'Nord & Co' } }))
    const name = Buffer.from('Nord & Co', 'utf16le').swap16().toString('hex').toUpperCase()
    expect(pdf).toContain(`/Author <FEFF${name}> /Creator <FEFF${name}> >>`)
    expect(pdf).not.toMatch(/Producer|seo-sandbox/)
  })

  test('has the address of a keyword on the page of its row, and no line without a row', () => {
    const keywords = Array.from({ length: 200 }, (_, index) =>
      aKeyword({ id: index + 1, content: undefined }),
    )
    const pdf = renderPdf(aPage({ keywords, months: [] }))
    const pages = objectsOf(pdf).filter((object) => object.includes('\nstream\n'))
    expect(pages.length).toBeGreaterThan(5)
    const count = (page: string, what: RegExp) => page.match(what)?.length ?? 0
    for (const [index, page] of pages.entries()) {
      const rows = count(page, /\(bicycle repair\)/g)
      expect(count(page, /\(\/repair\)/g)).toBe(rows)
      // A page that is not the first begins with a row.
      expect(count(page, / l S$/gm)).toBe(index === 0 ? rows : rows - 1)
    }
  })

  test.each([0, 1, 2, 5])('of %i keywords has a bookmark of each, in order, both ways', (count) => {
    const keywords = Array.from({ length: count }, (_, index) => aKeyword({ id: index + 1 }))
    const objects = objectsOf(renderPdf(aPage({ keywords })))
    const at = (reference: string | undefined) => objects[Number(reference) - 1] ?? ''
    const referred = (object: string, name: string) =>
      new RegExp(`/${name} (\\d+) 0 R`).exec(object)?.[1]
    const outline = referred(objects[0] ?? '', 'Outlines')
    const follow = (from: string, way: string) => {
      const passed = []
      for (let id = referred(at(outline), from); id !== undefined; id = referred(at(id), way))
        passed.push(id)
      return passed
    }
    const bookmarks = follow('First', 'Next')
    expect(bookmarks).toHaveLength(count)
    expect(follow('Last', 'Prev')).toEqual(bookmarks.toReversed())
    expect(bookmarks.map((id) => referred(at(id), 'Parent'))).toEqual(bookmarks.map(() => outline))
  })
})
