import { isRefused } from './traffic-lines.ts'
import type { Line } from './traffic-lines.ts'

/** Requests and commands over time, in bars of equal duration. Longer pauses are cut to `LONGEST_PAUSE_MS`. */
export interface Histogram {
  bars: readonly Bar[]
  /** Number of requests in the tallest bar; at least 1. */
  tallest: number
  barMs: number
}

export interface Bar {
  fine: number
  failed: number
  commands: number
  /** Sequence of the first entry in the bar; undefined for an empty bar. */
  from?: number
  /** Sequence of the last entry; undefined for an empty bar. */
  to?: number
  /** Time of the first entry, in epoch milliseconds on the rate clock; undefined for an empty bar, NaN if unknown. */
  at?: number
}

/**
 * Longer pauses, such as a night or a clock moved by a month, are cut to this length, because they would leave most bars empty.
 */
const LONGEST_PAUSE_MS = 10_000

export function histogramOf(lines: readonly Line[], count: number): Histogram {
  const bars = Array.from({ length: count }, (): Bar => ({ fine: 0, failed: 0, commands: 0 }))
  const pauses = lines.slice(1).map((line, index) => pauseBetween(lines[index], line))
  const length = pauses.reduce((sum, pause) => sum + pause, 0) || 1
  let tallest = 1
  let passed = 0
  for (const [index, line] of lines.entries()) {
    passed += pauses[index - 1] ?? 0
    const bar = bars[Math.min(count - 1, Math.floor((passed / length) * count))]!
    const { entry, sequence, at } = line
    bar.from ??= sequence
    bar.at ??= at
    bar.to = sequence
    if (entry.kind === 'command') bar.commands += 1
    else if (isRefused(entry)) bar.failed += 1
    else bar.fine += 1
    tallest = Math.max(tallest, bar.fine + bar.failed)
  }
  return { bars, tallest, barMs: length / count }
}

function pauseBetween(previous: Line | undefined, next: Line | undefined): number {
  const pause = (next?.at ?? 0) - (previous?.at ?? 0)
  return pause > 0 ? Math.min(pause, LONGEST_PAUSE_MS) : 0
}

/**
 * Returns the first and the last sequence in the bars from `anchor` to `other`, which may be in either order; undefined if all of
 * these bars are empty.
 */
export function rangeOf(
  { bars }: Histogram,
  anchor: number,
  other: number,
): { from: number; to: number } | undefined {
  const within = bars
    .slice(Math.min(anchor, other), Math.max(anchor, other) + 1)
    .filter(({ from }) => from !== undefined)
  const [from, to] = [within[0]?.from, within.at(-1)?.to]
  return from === undefined || to === undefined ? undefined : { from, to }
}

/** Returns the indexes of the first and the last bar with entries in a range of sequences; undefined without such a bar. */
export function barsOf(
  { bars }: Histogram,
  from: number,
  to: number,
): [number, number] | undefined {
  const has = (bar: Bar): boolean => (bar.to ?? -Infinity) >= from && (bar.from ?? Infinity) <= to
  const first = bars.findIndex(has)
  return first === -1 ? undefined : [first, bars.findLastIndex(has)]
}
