import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { renderPdf } from '../../src/report-pages/report-pdf.ts'
import type { ReportPage } from '../../src/report-pages/report-page.ts'
import { aKeyword, aPage } from '../report-pages/any-page.ts'

/** The PDF of a report, read by other programs. */

const run = promisify(execFile)

/** The output of a program about a PDF, whose path takes the place of `FILE` among its arguments. */
async function read(page: ReportPage, program: string, args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-pdf-'))
  try {
    const file = join(folder, 'report.pdf')
    await writeFile(file, renderPdf(page), 'latin1')
    const { stdout, stderr } = await run(
      program,
      args.map((argument) => (argument === 'FILE' ? file : argument)),
    )
    return stderr + stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

const DANISH = aPage({
  project: 'Rødspætte & (Rugbrød)',
  language: 'Danish',
  keywords: [
    aKeyword({ keyword: 'smørrebrød “til fest” \\ 99 €', position: 12 }),
    aKeyword({ id: 2, keyword: '東京 bicycles', content: undefined, url: null, position: null }),
  ],
})
const LONG = aPage({
  keywords: Array.from({ length: 500 }, (_, index) => aKeyword({ id: index + 1 })),
})

test.each([
  ['a short report', DANISH],
  ['500 keywords', LONG],
  ['no keywords', aPage({ keywords: [] })],
])('qpdf finds no error in the PDF of %s', async (_, page) => {
  expect(await read(page, 'qpdf', ['--check', 'FILE'])).toContain(
    'No syntax or stream encoding errors',
  )
})

test('pdfinfo reads its title and size', async () => {
  const text = await read(DANISH, 'pdfinfo', ['FILE'])
  expect(text).toMatch(
    /^Title: +Rødspætte & \(Rugbrød\) · Monthly report · marts 2026 · Rapport 4$/m,
  )
  expect(text).toMatch(/^Author: +Northlight Media$/m)
  expect(text).toMatch(/^Page size: +595\.28 x 841\.89 pts \(A4\)$/m)
  expect(text).toMatch(/^Pages: +1$/m)
})

test('qpdf finds a bookmark of each keyword, on its page', async () => {
  const args = ['--json=1', '--json-key=outlines', 'FILE']
  const { outlines } = JSON.parse(await read(DANISH, 'qpdf', args)) as { outlines: Outline[] }
  expect(outlines.map(({ title, destpageposfrom1 }) => [title, destpageposfrom1])).toEqual(
    DANISH.keywords.map(({ keyword }) => [keyword, 1]),
  )
  const { outlines: many } = JSON.parse(await read(LONG, 'qpdf', args)) as { outlines: Outline[] }
  const pages = many.map(({ destpageposfrom1: page }) => page)
  expect(pages).toHaveLength(500)
  expect(pages).toEqual(pages.toSorted((one, other) => one - other))
})

interface Outline {
  title: string
  destpageposfrom1: number
}

test('pdftotext reads its text', async () => {
  const text = await read(DANISH, 'pdftotext', ['-layout', 'FILE', '-'])
  for (const line of [
    /^ *Rødspætte & \(Rugbrød\)$/m,
    /^ *Northlight Media$/m,
    /^ *Udarbejdet af Ane Holm · Account manager$/m,
    /^ *For ingen af de 2 søgeord ligger websitet blandt de ti første søgeresultater, mod 2 i forrige\s+rapport\./m,
    /er\s+faldet\s+mest\s+siden\s+februar,\s+fra\s+plads\s+7\s+til\s+12\.$/m,
    /^ *Søgeord efter placering$/m,
    /^ *feb +mar$/m,
    /^ *4–10 +1$/m,
    /^ *Søgeord \(1\) +Placering +Siden februar$/m,
    /^ *smørrebrød “til fest” \\ 99 € +12 +–5$/m,
    /^ *Øvrige søgeord, uden tekst denne måned \(1\) +Placering +Siden februar$/m,
    /^ *\? bicycles +– +–$/m,
    /^ *Tegn, som skrifttypen mangler/m,
    /Side 1 af 1$/m,
  ]) {
    expect(text).toMatch(line)
  }
})
