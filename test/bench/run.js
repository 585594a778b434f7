/**
 * `npm run bench`: measures, prints tables, and says which bars are missed. Suites may be named; all of
 * them are run where none is. See docs/performance.md.
 *
 *   --short         fewer rounds and smaller worlds: what CI runs
 *   --check         fails where a ratio is more than a third on the wrong side of its bar
 *   --json FILE     writes the figures there
 *   --write         writes docs/performance.md anew
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { machine, print, shown } from './support/report.js'

const SUITES = ['http', 'peers', 'interception', 'starts', 'growth', 'worlds', 'journal', 'soak']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const unknown = positionals.find((name) => !SUITES.includes(name))
if (unknown) {
  process.stderr.write(`There is no suite ${unknown}. Use one of: ${SUITES.join(', ')}.\n`)
  process.exit(2)
}

print(machine())
const sections = []
for (const name of SUITES.filter(
  (suite) => positionals.length === 0 || positionals.includes(suite),
)) {
  const { measure } = await import(`./${name}.js`)
  for (const section of [await measure({ isShort: values.short })].flat()) {
    sections.push({ suite: name, ...section })
    printSection(section)
  }
}

const bars = sections.flatMap((section) => section.bars ?? [])
const missed = bars.filter(({ isMet }) => !isMet)
print(missed.length === 0 ? '\nNo bar is missed.' : '\nMissed:')
for (const { name, value, bar } of missed) print(`  ${name}: ${shown(value)}, the bar is ${bar}`)

if (values.json) {
  const figures = { machine: machine(), date: new Date().toISOString(), sections }
  await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`)
}
if (values.write) await writeDocument()
if (values.check && bars.some(({ isFar }) => isFar)) process.exitCode = 1

function printSection({ title, about, skipped, columns = [], rows = [] }) {
  print(`\n${title}`)
  if (skipped) {
    print(`  Skipped. ${skipped}`)
    return
  }
  print(`  ${about}\n`)
  const cells = [columns, ...rows].map((row) => row.map(shown))
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column].length)))
  for (const row of cells) {
    print(
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at] + 2)))
        .join(''),
    )
  }
}
