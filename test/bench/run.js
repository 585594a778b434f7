/**
 * `npm run bench`: measures, prints tables, and reports the missed targets. Runs the named suites, or all of them. See
 * docs/performance.md.
 *
 *   --short         fewer rounds and smaller worlds, for CI
 *   --check         fails if a ratio is more than a third on the wrong side of its target each of three times that its
 *                   suite is measured, or if a size is above its target once
 *   --json FILE     writes the figures there
 *   --write         updates the figures in docs/performance.md
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { machine, print, shown } from './support/report.js'

const SUITES = [
  'http',
  'peers',
  'interception',
  'fetch',
  'bundles',
  'console',
  'site',
  'starts',
  'growth',
  'worlds',
  'shares',
  'bodies',
  'journal',
  'redaction',
  'review',
  'rehearsal',
  'commands',
  'store',
  'full-world',
  'capacity',
  'partners',
  'soak',
]

const { values, positionals } = readArguments()

/**
 * Number of times that a suite is measured with `--check`. Other work of the machine spoils a figure once; a slower sandbox
 * misses its target each time.
 */
const ATTEMPTS = 3

print(machine())
const sections = []
const failed = []
for (const name of SUITES.filter(
  (suite) => positionals.length === 0 || positionals.includes(suite),
)) {
  const suite = await measureSuite(name)
  sections.push(...suite.sections)
  failed.push(...suite.failed)
}

print(`\n${sayMissed(sections.flatMap((section) => section.bars ?? []))}`)

if (values.json) {
  const figures = { machine: machine(), date: new Date().toISOString(), sections }
  await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`)
}
if (values.write) await writeDocument()
if (values.check && failed.length > 0) {
  print(`\nFailed: ${failed.join('; ')}`)
  process.exitCode = 1
}

/** Measures a suite, with `--check` again while ratios are far from their targets. */
async function measureSuite(name) {
  let measured = await measureOnce(name)
  const { ratios: first, sizes } = farFrom(measured)
  let ratios = first
  for (let count = 1; values.check && ratios.length > 0 && count < ATTEMPTS; count += 1) {
    print(`\nMeasured again, because these were far from their targets: ${ratios.join('; ')}`)
    measured = await measureOnce(name)
    const again = farFrom(measured)
    ratios = ratios.filter((ratio) => again.ratios.includes(ratio))
    sizes.push(...again.sizes)
  }
  return { sections: measured, failed: [...ratios, ...sizes] }
}

async function measureOnce(name) {
  const { measure } = await import(`./${name}.js`)
  const measured = []
  for (const section of [await measure({ isShort: values.short })].flat()) {
    measured.push({ suite: name, ...section })
    printSection(section)
  }
  return measured
}

/** The names of figures so far from their targets that `--check` fails: ratios, which vary, and sizes, which do not. */
function farFrom(measured) {
  const far = measured.flatMap(({ bars = [] }) => bars).filter(({ isFar }) => isFar)
  const names = (ofSize) =>
    far.flatMap(({ name, isSize = false }) => (isSize === ofSize ? [name] : []))
  return { ratios: names(false), sizes: names(true) }
}

function readArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        short: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        json: { type: 'string' },
      },
    })
    const unknown = parsed.positionals.find((name) => !SUITES.includes(name))
    if (unknown) throw new Error(`There is no suite ${unknown}. Use some of: ${SUITES.join(', ')}.`)
    return parsed
  } catch ({ message }) {
    process.stderr.write(`${message}\n`)
    return process.exit(2)
  }
}

/** Replaces the measured figures among those of this Node in the document, and leaves the rest. */
async function writeDocument() {
  const file = new URL('../../docs/performance.md', import.meta.url)
  const [major] = process.versions.node.split('.')
  const [begin, end] = [`<!-- figures of Node ${major} -->`, `<!-- end of Node ${major} -->`]
  const text = await readFile(file, 'utf8')
  const [start, stop] = [text.indexOf(begin) + begin.length, text.indexOf(end)]
  if (!text.includes(begin) || stop === -1) {
    throw new Error(`docs/performance.md has no place for ${begin}.`)
  }
  const [first, ...written] = text.slice(start, stop).split(/^(?=### )/m)
  for (const section of sections) {
    const title = titleOf(section)
    const figures = toMarkdown(section)
    const at = written.findIndex((each) => each.startsWith(`${title}\n`))
    if (at === -1) written.push(figures)
    else written[at] = figures
  }
  await writeFile(file, text.slice(0, start) + first + written.join('') + text.slice(stop))
}

function titleOf({ title }) {
  return `### ${title}`
}

function toMarkdown(section) {
  const { about, skipped, columns, rows, bars = [] } = section
  if (skipped) return `${titleOf(section)}\n\nSkipped. ${skipped}\n\n`
  const rule = columns.map((_, at) => (at === 0 ? ':--' : '--:'))
  const lines = [columns, rule, ...rows].map((row) => `| ${row.map(shown).join(' | ')} |`)
  const on = `${machine()}, ${new Date().toISOString().slice(0, 10)}.`
  const said = bars.length === 0 ? on : `${on} ${sayMissed(bars)}`
  return `${[titleOf(section), `${upperFirst(about)}.`, lines.join('\n'), said].join('\n\n')}\n\n`
}

function upperFirst(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function sayMissed(targets) {
  const missed = targets.filter(({ isMet }) => !isMet)
  const counted = targets.length === 1 ? '1 target' : `${targets.length} targets`
  if (missed.length === 0) return `${counted}, ${targets.length === 1 ? '' : 'all '}met.`
  const lines = missed.map(
    ({ name, value, bar }) => `- ${name}: ${shown(value)}, the target is ${bar}`,
  )
  return `${counted}, of which these are missed:\n\n${lines.join('\n')}`
}

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
