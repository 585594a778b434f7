import { useRef, useState } from 'preact/hooks'
import { toDay, toMoment } from '../../../wording/times.ts'
import { untilWords } from '../../parts/rate-left.tsx'
import { barsOf, histogramOf, rangeOf } from './histogram.ts'
import type { Bar, Histogram } from './histogram.ts'
import { toClock } from './traffic-lines.ts'
import { filter, linesInAnyTime, setFilter } from './traffic-state.ts'

const BARS = 96
const HEIGHT = 40

/**
 * Histogram of the requests and commands over time. Dragging over bars lists only the entries in them; keys move an end of the
 * range.
 */
export function TimeRange() {
  const [brush, setBrush] = useState<Brush>()
  const chart = useRef<HTMLDivElement>(null)
  // While the user drags, the bars stay as they are under the pointer.
  const histogram = brush?.histogram ?? histogramOf(linesInAnyTime.value, BARS)
  const range = brush
    ? ([Math.min(brush.anchor, brush.other), Math.max(brush.anchor, brush.other)] as const)
    : filteredRange(histogram)
  const [first, last] = range ?? [0, BARS - 1]

  const barAt = ({ clientX }: PointerEvent): number => {
    const { left = 0, width = 1 } = chart.current?.getBoundingClientRect() ?? {}
    return Math.max(0, Math.min(BARS - 1, Math.floor(((clientX - left) / width) * BARS)))
  }
  const commit = (anchor: number, other: number, of: Histogram): void => {
    const found = rangeOf(of, anchor, other)
    setFilter({ from: found && String(found.from), to: found && String(found.to) })
  }
  const begin = (event: PointerEvent): void => {
    if (event.button !== 0 || !event.isPrimary) return
    chart.current?.setPointerCapture(event.pointerId)
    const at = barAt(event)
    setBrush({ anchor: at, other: at, histogram })
  }
  const end = (event: PointerEvent): void => {
    if (!brush) return
    setBrush(undefined)
    // A click without a drag removes the range.
    const at = barAt(event)
    if (at === brush.anchor && range !== undefined) setFilter({ from: undefined, to: undefined })
    else commit(brush.anchor, at, brush.histogram)
  }
  return (
    <div class="time-range" data-narrows={range !== undefined}>
      <p class="small soft most">
        <span>{`${histogram.tallest.toLocaleString('en')} in ${toSpan(histogram.barMs)}`}</span>
        <span>0</span>
      </p>
      <div
        class="chart"
        title="Drag over bars to list only their requests"
        ref={chart}
        onPointerDown={begin}
        onPointerMove={(event) => brush && setBrush({ ...brush, other: barAt(event) })}
        onPointerUp={end}
        onPointerCancel={() => setBrush(undefined)}
      >
        <Bars histogram={histogram} range={range} />
        <End
          name="First"
          at={first}
          histogram={histogram}
          onMove={(at) => commit(Math.min(at, last), last, histogram)}
        />
        <End
          name="Last"
          at={last}
          histogram={histogram}
          onMove={(at) => commit(first, Math.max(at, first), histogram)}
        />
      </div>
      <p class="small soft ticks" aria-hidden="true">
        {ticksOf(histogram.bars).map(({ share, text }) => (
          <span key={share} style={{ left: `${share}%`, transform: `translateX(-${share}%)` }}>
            {text}
          </span>
        ))}
      </p>
    </div>
  )
}

const SECOND_MS = 1000

/** Formats a duration: `40 ms`, `2 s`, `5 min`. */
function toSpan(ms: number): string {
  return ms < SECOND_MS ? `${Math.ceil(ms)} ms` : untilWords(ms)
}

/** Minimum distance between two labels of the scale, in bars. */
const TICK_DISTANCE = BARS / 3

/**
 * Returns the labels below the bars. `share` is the position in percent. Each label is the time of a bar, because cut pauses make
 * the scale uneven.
 */
function ticksOf(bars: readonly Bar[]): { share: number; text: string }[] {
  const ticks: { share: number; text: string }[] = []
  let next = 0
  let day = ''
  for (const [index, { at = NaN }] of bars.entries()) {
    if (index < next || Number.isNaN(at)) continue
    const before = day || toDay(at)
    day = toDay(at)
    // At the start of another day, the date matters more than the seconds.
    const text = before === day ? toClock(at) : toMoment(at)
    // Within a second, all times are the same.
    if (text === ticks.at(-1)?.text) continue
    next = index + TICK_DISTANCE

    const share = Math.round((index / (BARS - 1)) * 100)
    ticks.push({ share, text })
  }
  return ticks
}

/** A drag over the bars: the indexes of its first and its current bar, and the histogram at its start. */
interface Brush {
  anchor: number
  other: number
  histogram: Histogram
}

function filteredRange(histogram: Histogram): [number, number] | undefined {
  const { from, to } = filter.value
  if ((from ?? '') === '' && (to ?? '') === '') return undefined
  return barsOf(histogram, Number(from ?? 0), Number(to ?? Infinity))
}

function Bars({
  histogram: { bars, tallest },
  range,
}: {
  histogram: Histogram
  range: readonly [number, number] | undefined
}) {
  const heightOf = (count: number): number => (count / tallest) * (HEIGHT - 4)
  const path = (rangeIn: (bar: Bar) => [low: number, high: number]): string =>
    bars
      .map((bar, index) => {
        const [from, to] = rangeIn(bar)
        if (from === to) return ''
        const [low, high] = [heightOf(from), heightOf(to)]
        return `M${index + 0.1} ${HEIGHT - low}h0.8V${HEIGHT - Math.max(high, low + 1)}h-0.8z`
      })
      .join('')
  const commands = bars
    .map(({ commands: count }, index) => (count > 0 ? `M${index + 0.3} 0h0.4v4h-0.4z` : ''))
    .join('')
  return (
    <svg viewBox={`0 0 ${BARS} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {range && (
        <rect class="range" x={range[0]} width={range[1] - range[0] + 1} y="0" height={HEIGHT} />
      )}
      <path class="fine" d={path((bar) => [0, bar.fine])} />
      <path class="errors" d={path((bar) => [bar.fine, bar.fine + bar.failed])} />
      <path class="commands" d={commands} />
    </svg>
  )
}

interface EndProps {
  name: 'First' | 'Last'
  at: number
  histogram: Histogram
  onMove: (at: number) => void
}

/** Handle that moves an end of the range by keyboard. */
function End({ name, at, histogram: { bars }, onMove }: EndProps) {
  const move = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -10,
      PageUp: 10,
      Home: -BARS,
      End: BARS,
    }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    // An empty bar cannot begin or end a range.
    onMove(nextFilled(bars, Math.max(0, Math.min(BARS - 1, at + step)), step) ?? at)
  }
  const [edge, inward] = name === 'First' ? [at, 1] : [at + 1, -1]
  const shown = nextFilled(bars, at, inward) ?? at
  return (
    <span
      class="end"
      role="slider"
      tabIndex={0}
      aria-label={`${name} time`}
      aria-valuemin={0}
      aria-valuemax={BARS - 1}
      aria-valuenow={at}
      aria-valuetext={toClock(bars[shown]?.at ?? NaN)}
      style={{ left: `${(edge / BARS) * 100}%` }}
      onKeyDown={move}
    />
  )
}

/**
 * Returns the index of the first bar with entries, searching from `at` in the direction of `step`; undefined if there is none.
 */
function nextFilled(bars: readonly Bar[], at: number, step: number): number | undefined {
  for (let index = at; index >= 0 && index < bars.length; index += Math.sign(step)) {
    if (bars[index]?.from !== undefined) return index
  }
  return undefined
}
