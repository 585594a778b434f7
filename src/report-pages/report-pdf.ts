import { BAND_STRENGTHS, layOutStandings } from '../drawing/standings.ts'
import { breakLines, HELVETICA, HELVETICA_BOLD, widthOf, toWinAnsi } from './helvetica.ts'
import type { Font } from './helvetica.ts'
import {
  describeAuthor,
  describeChange,
  reportTitle,
  labelsOf,
  showAddress,
  showChange,
  showPosition,
  toStandings,
  toTables,
  toPlainText,
  summarize,
} from './page-labels.ts'
import type { KeywordTable, PageLabels } from './page-labels.ts'
import { grey, PAGE_HEIGHT, PAGE_WIDTH, PdfPage, writePdf } from './pdf-document.ts'
import type { Bookmark, Color } from './pdf-document.ts'
import { AGENCY_COLORS, colorOf, BANDS, countMissing } from './report-page.ts'
import type { PageKeyword, ReportPage } from './report-page.ts'

const MARGIN = 60
const WIDTH = PAGE_WIDTH - 2 * MARGIN
const BOTTOM = 70
const FOOTER = 40
const CELL_WIDTH = 80
const STRIPE_HEIGHT = 9
const RULE = grey(0.85)
/** Distance from the top of a line to its baseline, in multiples of the font size. */
const ASCENT = 0.8

interface Style {
  font: Font
  size: number
  /** Distance between the tops of consecutive lines, in multiples of the font size. */
  leading: number
  color: Color
  /** Space above the text, in points. */
  above: number
  /** Free space required below the first line, in points, so that it does not stand alone at the end of a page. */
  below: number
}

const BODY: Style = {
  font: HELVETICA,
  size: 10,
  leading: 1.45,
  color: grey(0.1),
  above: 3,
  below: 0,
}
const NOTE: Style = { ...BODY, color: grey(0.4) }
const SMALL: Style = { ...NOTE, size: 8, above: 0 }
const TITLE: Style = { ...BODY, font: HELVETICA_BOLD, size: 22, leading: 1.2, above: 26, below: 60 }
const AGENCY: Style = { ...TITLE, size: 11.5, above: 0 }
const SECTION: Style = { ...TITLE, size: 14, above: 26, below: 70 }
const HEADING: Style = { ...TITLE, size: 10.5, above: 10, below: 30 }
const SUMMARY: Style = { ...BODY, size: 11.5, above: 20, below: 30 }
const ROW: Style = { ...BODY, above: 5 }
/** Style of the head of a table, which stays on one page with the first rows. */
const ROW_HEAD: Style = { ...NOTE, size: 8.5, above: 18, below: 90 }

/** Renders the PDF of a report, as a string with one character per byte. */
export function renderPdf(page: ReportPage): string {
  const labels = labelsOf(page.language)
  const color = toColor(AGENCY_COLORS[colorOf(page.agency)]!.light)
  const column = new Column()
  const description = reportTitle(page, labels)
  writeHeader(column, { page, labels, color })
  const { covered, further } = toTables(page, labels)
  if (page.keywords.length === 0) column.write(labels.no_keywords, { ...NOTE, above: 18 })
  else column.write(toPlainText(summarize(page, labels)), SUMMARY)
  writeChart(column, { page, labels, color })
  writeTable(column, covered, { page, labels })
  for (const keyword of covered.keywords) writeKeyword(column, keyword)
  column.reserve(10)
  writeTable(column, further, { page, labels })
  if (column.isIncomplete) column.write(labels.replaced, { ...NOTE, above: 26 })
  const title = `${page.project} · ${description}`
  writeFooters(column.pages, title, labels)
  const { pages, bookmarks } = column
  return writePdf(pages, { title, author: page.agency.name, language: labels.locale, bookmarks })
}

/** Converts a colour from `#rrggbb`. */
function toColor(hex: string): Color {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16) / 255
  return [part(1), part(3), part(5)]
}

/** Mixes a colour with white; `strength` is the fraction of the colour, from 0 to 1. */
function tint(color: Color, strength: number): Color {
  const mix = (part: number) => 1 - (1 - part) * strength
  return [mix(color[0]), mix(color[1]), mix(color[2])]
}

interface Written {
  page: ReportPage
  labels: PageLabels
  color: Color
}

function writeHeader(column: Column, { page, labels, color }: Written): void {
  column.page.paint({
    x: 0,
    y: PAGE_HEIGHT - STRIPE_HEIGHT,
    width: PAGE_WIDTH,
    height: STRIPE_HEIGHT,
    color,
  })
  column.write(page.agency.name, { ...AGENCY, color })
  column.write(page.project, TITLE)
  column.write(reportTitle(page, labels), { ...NOTE, size: 12 })
  if (page.keywords.some(({ content }) => content)) column.write(labels.texts, NOTE)
  if (page.website !== null) column.write(page.website, NOTE)
  const author = describeAuthor(page, labels)
  if (author) column.write(toPlainText(author), NOTE)
}

const CHART_SCALE = 0.85
const SWATCH = 8

/** Draws the chart and, beside it, the number of keywords in each band in the latest month of the chart. */
function writeChart(column: Column, { page, labels, color }: Written): void {
  const latest = page.months.at(-1)
  if (!latest) return
  const { bars, lines, columns, monthY, yearY, ...layout } = layOutStandings(
    toStandings(page, labels),
  )
  const place = (length: number) => length * CHART_SCALE
  column.write(labels.chart, { ...ROW_HEAD, below: place(layout.height) + 20 })
  const top = column.reserve(place(layout.height) + 6) - 6
  const sheet = column.page
  const { font, size } = SMALL
  /** Writes a label; `share` is the fraction of its width to the left of `x`. */
  const label = (text: string, x: number, y: number, share: number) => {
    const { bytes } = toWinAnsi(text)
    const left = x - share * widthOf(bytes, font, size)
    sheet.text(bytes, { x: left, y, font, size, color: NOTE.color })
  }
  for (const { y, label: text } of lines) {
    const [from, until] = [MARGIN + place(layout.left), MARGIN + place(layout.width)]
    sheet.rule({ x: from, y: top - place(y), width: until - from, color: RULE })
    label(text, from - 5, top - place(y) - 2.5, 1)
  }
  for (const { x, y, width, height, band } of bars) {
    sheet.paint({
      x: MARGIN + place(x),
      y: top - place(y + height),
      width: place(width),
      height: place(height),
      color: tint(color, BAND_STRENGTHS[band]!),
    })
  }
  for (const { x, month, year } of columns) {
    label(month, MARGIN + place(x), top - place(monthY), 0.5)
    if (year !== undefined) label(year, MARGIN + place(x), top - place(yearY), 0.5)
  }
  const left = MARGIN + place(layout.width) + 36
  const missing = countMissing(page.keywords)
  const rows = missing > 0 ? BANDS.length + 1 : BANDS.length
  const keyRow = (row: number, name: string, count: number) => {
    const y = top - place(monthY) + 14 * (rows - row)
    label(name, left + SWATCH + 8, y + 1, 0)
    label(String(count), left + 110, y + 1, 1)
    return { x: left, y, width: SWATCH, height: SWATCH }
  }
  for (const [band, { name }] of BANDS.entries()) {
    const area = keyRow(band, name, latest.counts[band]!)
    sheet.paint({ ...area, color: tint(color, BAND_STRENGTHS[band]!) })
  }
  if (missing > 0) keyRow(BANDS.length, `– ${labels.not_found}`, missing)
}

function writeTable(
  column: Column,
  { heading, keywords }: KeywordTable,
  { page, labels }: Omit<Written, 'color'>,
): void {
  if (keywords.length === 0) return
  const change = describeChange(page, labels)
  const heads = [labels.position, ...(change === undefined ? [] : [change])].map((text) => ({
    text,
  }))
  column.writeRow(heading, heads, ROW_HEAD)
  for (const keyword of keywords) {
    const { keyword: phrase, url, content } = keyword
    const cells: Cell[] = [{ text: showPosition(keyword) }]
    if (change !== undefined) cells.push(toCell(keyword, labels))
    // The URL must be on the same page as its keyword.
    const below = url === null ? 0 : SMALL.size * SMALL.leading
    column.rule(below)
    column.writeRow(phrase, cells, { ...ROW, below }, content ? undefined : phrase)
    if (url !== null) column.write(showAddress(url, page), SMALL)
  }
}

const DIRECTION_COLORS = { up: toColor('#187a4b'), down: toColor('#b3261e') }

/** Returns a cell of the table with the change of a keyword's position, in a colour that shows its direction. */
function toCell(keyword: PageKeyword, labels: PageLabels): Cell {
  const { text, direction } = showChange(keyword, labels)
  // The standard fonts of PDF have no minus sign.
  return {
    text: text.replace('−', '–'),
    color: direction ? DIRECTION_COLORS[direction] : NOTE.color,
  }
}

function writeKeyword(column: Column, { keyword, content }: PageKeyword): void {
  column.write(keyword, SECTION, keyword)
  for (const { heading, text } of content?.() ?? []) {
    if (heading !== '') column.write(heading, HEADING)
    if (text !== '') column.write(text, BODY)
  }
}

/** A short text at the end of a row; in the colour of the row if `color` is omitted. */
interface Cell {
  text: string
  color?: Color
}

/** A column of text down the pages of a document, which starts new pages as needed. */
class Column {
  readonly pages = [new PdfPage()]
  readonly bookmarks: Bookmark[] = []
  /** True if any text so far has a character that the PDF cannot show. */
  isIncomplete = false
  #top = PAGE_HEIGHT - MARGIN

  /** Writes a text. `bookmark` is the title of a bookmark to it; no bookmark if omitted. */
  write(text: string, style: Style, bookmark?: string): void {
    this.#writeLines(text, style, WIDTH, (y) => this.#mark(bookmark, y, style))
  }

  /**
   * Writes a text, with `cells` in right-aligned columns at the end of its first line. `bookmark` is the title of a
   * bookmark to it; no bookmark if omitted.
   */
  writeRow(text: string, cells: readonly Cell[], style: Style, bookmark?: string): void {
    const { font, size } = style
    this.#writeLines(text, style, WIDTH - cells.length * CELL_WIDTH, (y) => {
      this.#mark(bookmark, y, style)
      for (const [index, { text: cell, color = style.color }] of cells.entries()) {
        const { bytes } = toWinAnsi(cell)
        const right = MARGIN + WIDTH - (cells.length - 1 - index) * CELL_WIDTH
        this.page.text(bytes, { x: right - widthOf(bytes, font, size), y, font, size, color })
      }
    })
  }

  /**
   * Draws a horizontal line above a row. If the row, with `below` points under it, does not fit, starts a new page
   * instead.
   */
  rule(below: number): void {
    const y = this.#top - ROW.above
    if (y - ROW.above < BOTTOM + ROW.size * ROW.leading + below) this.#startPage()
    else this.page.rule({ x: MARGIN, y, width: WIDTH, color: RULE })
    this.#top -= ROW.above
  }

  /** Reserves vertical space of `height` points, and returns the y of its top. */
  reserve(height: number): number {
    const top = this.#top
    this.#top -= height
    return top
  }

  #mark(title: string | undefined, y: number, { size }: Style): void {
    if (title !== undefined)
      this.bookmarks.push({ title, page: this.pages.length - 1, top: y + size * 2 })
  }

  #writeLines(
    text: string,
    { font, size, leading, color, above, below }: Style,
    width: number,
    onFirstLine?: (y: number) => void,
  ): void {
    const { bytes, isIncomplete } = toWinAnsi(text)
    this.isIncomplete ||= isIncomplete
    this.#top -= above
    const height = size * leading
    const lines = [...breakLines(bytes, font, { size, width })]
    for (const [index, line] of lines.entries()) {
      const isFirst = index === 0
      const left = lines.length - index
      // The first two lines of a text stay together, as do the last two, so that no line is alone on a page.
      const together = lines.length <= 3 ? left : isFirst || left === 2 ? 2 : 1
      if (this.#top - together * height - (isFirst ? below : 0) < BOTTOM) this.#startPage()
      const y = this.#top - size * ASCENT
      this.page.text(line, { x: MARGIN, y, font, size, color })
      if (isFirst) onFirstLine?.(y)
      this.#top -= height
    }
  }

  /** The page that is being written. */
  get page(): PdfPage {
    return this.pages.at(-1) as PdfPage
  }

  #startPage(): void {
    this.pages.push(new PdfPage())
    this.#top = PAGE_HEIGHT - MARGIN
  }
}

function writeFooters(pages: readonly PdfPage[], title: string, labels: PageLabels): void {
  const { font, size, color } = SMALL
  for (const [index, page] of pages.entries()) {
    const { bytes: number } = toWinAnsi(`${labels.page} ${index + 1} ${labels.of} ${pages.length}`)
    const x = MARGIN + WIDTH - widthOf(number, font, size)
    const width = x - MARGIN - 20
    const { value: line = '' } = breakLines(toWinAnsi(title).bytes, font, { size, width }).next()
    page.text(line, { x: MARGIN, y: FOOTER, font, size, color })
    page.text(number, { x, y: FOOTER, font, size, color })
  }
}
