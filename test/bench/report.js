import { cpus } from 'node:os'

/** What the benchmarks have in common: how they sum up and how they print. */

/** `Node 20.19.5, Intel …`: where figures are from. */
export function machine() {
  return `Node ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}`
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** A line of a table: what it is about to the left, in a column of that width, and figures to the right. */
export function row([label, ...figures], width = 34) {
  return label.padEnd(width) + figures.map((figure) => String(figure).padStart(10)).join('')
}

export function print(line) {
  process.stdout.write(`${line}\n`)
}
