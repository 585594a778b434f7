import { runAtOnce } from '../contract/steps.ts'
import type { Steps } from '../contract/steps.ts'
import { breakLines, HELVETICA, HELVETICA_BOLD, widthOf } from './pdf/helvetica.ts'
import type { Font } from './pdf/helvetica.ts'
import { PAGE_HEIGHT, PAGE_WIDTH, PdfPage, writePdf } from './pdf/pdf-document.ts'
import type { Bookmark } from './pdf/pdf-document.ts'
import { toWinAnsi } from './pdf/win-ansi.ts'
import { describeReport, labelsOf } from './page-labels.ts'
import type { PageLabels } from './page-labels.ts'
import type { PageKeyword, ReportPage } from './report-page.ts'

const MARGIN = 60
const WIDTH = PAGE_WIDTH - 2 * MARGIN
const BOTTOM = 70
const FOOTER = 40
const POSITION_WIDTH = 70
/** How many lines of a long text are written at once. */
const LINES_AT_ONCE = 100
/** How far below the top of its line a text stands, in sizes. */
const ASCENT = 0.8

interface Style {
  font: Font
  size: number
  /** From the top of a line to that of the next, in sizes. */
  leading: number
  grey: number
  /** The distance to what is above it, in points. */
  above: number
  /** The distance that must be free below it, so that it does not stand alone at the end of a page. */
  below: number
}

const BODY: Style = { font: HELVETICA, size: 10, leading: 1.45, grey: 0.1, above: 3, below: 0 }
const NOTE: Style = { ...BODY, grey: 0.4 }
const SMALL: Style = { ...NOTE, size: 8, above: 0 }
const TITLE: Style = { ...BODY, font: HELVETICA_BOLD, size: 22, leading: 1.2, above: 0, below: 60 }
const SECTION: Style = { ...TITLE, size: 14, above: 26, below: 70 }
const HEADING: Style = { ...TITLE, size: 10.5, above: 10, below: 30 }
const ROW: Style = { ...BODY, above: 5 }
const ROW_HEAD: Style = { ...NOTE, size: 8.5, above: 18, below: 40 }

/** The PDF of a report, as text with a character per byte, in steps of some lines. */
export function* renderPdf(page: ReportPage): Steps<string> {
  const labels = labelsOf(page.language)
  const column = new Column()
  const description = describeReport(page, labels)
  column.write(page.project, TITLE)
  column.write(description, { ...NOTE, size: 12 })
  if (page.website !== null) column.write(page.website, NOTE)
  yield* writePositions(column, page, labels)
  for (const keyword of page.keywords) {
    yield* writeKeyword(column, keyword, labels)
  }
  if (column.isIncomplete) column.write(labels.replaced, { ...NOTE, above: 26 })
  const title = `${page.project} · ${description}`
  writeFooters(column.pages, title, labels)
  const { pages, bookmarks } = column
  return writePdf(pages, { title, language: labels.locale, bookmarks })
}

function* writePositions(column: Column, { keywords }: ReportPage, labels: PageLabels): Steps {
  if (keywords.length === 0) {
    column.write(labels.no_keywords, { ...NOTE, above: 18 })
    return
  }
  column.writeRow(`${labels.keywords} (${keywords.length})`, labels.position, ROW_HEAD)
  for (const { keyword, url, position } of keywords) {
    column.rule()
    column.writeRow(keyword, position === null ? '–' : String(position), ROW)
    if (url !== null) column.write(url, SMALL)
    yield
  }
}

function* writeKeyword(
  column: Column,
  { keyword, content }: PageKeyword,
  labels: PageLabels,
): Steps {
  column.writeSection(keyword)
  if (!content) column.write(labels.no_content, NOTE)
  for (const { heading, text } of content?.() ?? []) {
    if (heading !== '') column.write(heading, HEADING)
    if (text !== '') yield* column.writeLong(text, BODY)
    yield
  }
}

/** The text of a document, from the top of its first page to the end of its last. */
class Column {
  readonly pages = [new PdfPage()]
  readonly bookmarks: Bookmark[] = []
  /** Whether a character of a text could not be shown. */
  isIncomplete = false
  #top = PAGE_HEIGHT - MARGIN

  write(text: string, style: Style): void {
    runAtOnce(this.writeLong(text, style))
  }

  /** Writes a text that may have many lines. */
  writeLong(text: string, style: Style): Steps {
    return this.#writeLines(text, style, WIDTH)
  }

  /** Writes the heading of a section, to which a bookmark leads. */
  writeSection(title: string): void {
    const lines = this.#writeLines(title, SECTION, WIDTH, (_, y) => {
      this.bookmarks.push({ title, page: this.pages.length - 1, top: y + SECTION.size * 2 })
    })
    runAtOnce(lines)
  }

  /** Writes a text, and a short one at the right end of its first line. */
  writeRow(text: string, right: string, style: Style): void {
    const { font, size, grey } = style
    const lines = this.#writeLines(text, style, WIDTH - POSITION_WIDTH, (page, y) => {
      const { bytes } = toWinAnsi(right)
      const x = MARGIN + WIDTH - widthOf(bytes, font, size)
      page.text(bytes, { x, y, font, size, grey })
    })
    runAtOnce(lines)
  }

  /** Draws a line across, unless a page starts with it. */
  rule(): void {
    const y = this.#top - ROW.above
    if (y < BOTTOM + ROW.size * ROW.leading) this.#startPage()
    else this.#page.rule({ x: MARGIN, y, width: WIDTH, grey: 0.85 })
    this.#top -= ROW.above
  }

  *#writeLines(
    text: string,
    { font, size, leading, grey, above, below }: Style,
    width: number,
    onFirstLine?: (page: PdfPage, y: number) => void,
  ): Steps {
    const { bytes, isIncomplete } = toWinAnsi(text)
    this.isIncomplete ||= isIncomplete
    this.#top -= above
    let least = size * leading + below
    let count = 0
    for (const line of breakLines(bytes, font, { size, width })) {
      if (this.#top - least < BOTTOM) this.#startPage()
      least = size * leading
      const y = this.#top - size * ASCENT
      this.#page.text(line, { x: MARGIN, y, font, size, grey })
      if (count === 0) onFirstLine?.(this.#page, y)
      this.#top -= size * leading
      count += 1
      if (count % LINES_AT_ONCE === 0) yield
    }
  }

  get #page(): PdfPage {
    return this.pages.at(-1) as PdfPage
  }

  #startPage(): void {
    this.pages.push(new PdfPage())
    this.#top = PAGE_HEIGHT - MARGIN
  }
}

/** The title and the number of the page at its foot. */
function writeFooters(pages: readonly PdfPage[], title: string, labels: PageLabels): void {
  const { font, size, grey } = SMALL
  for (const [index, page] of pages.entries()) {
    const { bytes: number } = toWinAnsi(`${labels.page} ${index + 1} ${labels.of} ${pages.length}`)
    const x = MARGIN + WIDTH - widthOf(number, font, size)
    const width = x - MARGIN - 20
    const { value: line = '' } = breakLines(toWinAnsi(title).bytes, font, { size, width }).next()
    page.text(line, { x: MARGIN, y: FOOTER, font, size, grey })
    page.text(number, { x, y: FOOTER, font, size, grey })
  }
}
