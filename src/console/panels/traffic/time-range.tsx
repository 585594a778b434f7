import { useRef, useState } from 'preact/hooks'
import { toDay } from '../../../wording/times.ts'
import { barsOf, histogramOf, rangeOf } from './histogram.ts'
import type { Bar, Histogram } from './histogram.ts'
import { toClock } from './traffic-lines.ts'
import { filter, linesInAnyTime, setFilter } from './traffic-state.ts'

const BARS = 96
const HEIGHT = 40

/** Histogram of the requests over time. A drag over bars lists only their requests; arrow keys move an end of the range. */
export function TimeRange() {
  const [brush, setBrush] = useState<Brush>()
  const chart = useRef<HTMLDivElement>(null)
  // While the user selects a range, the bars stay as they are under the pointer.
  const histogram = brush?.histogram ?? histogramOf(linesInAnyTime.value, BARS)
  const range = brush ? toRange(brush) : filteredRange(histogram)
  const [first, last] = range ?? [0, BARS - 1]

  const barAt = ({ clientX }: PointerEvent): number => {
    const { left = 0, width = 1 } = chart.current?.getBoundingClientRect() ?? {}
    return Math.max(0, Math.min(BARS - 1, Math.floor(((clientX - left) / width) * BARS)))
  }
  const commit = (one: number, other: number, of: Histogram): void => {
    const found = rangeOf(of, one, other)
    setFilter({ from: found && String(found.from), to: found && String(found.to) })
  }
  const begin = (event: PointerEvent): void => {
    if (event.button !== 0 || !event.isPrimary) return
    chart.current?.setPointerCapture(event.pointerId)
    const at = barAt(event)
    setBrush({ one: at, other: at, histogram })
  }
  const end = (event: PointerEvent): void => {
    if (!brush) return
    setBrush(undefined)
    // A click without a drag removes the range.
    const at = barAt(event)
    if (at === brush.one && range !== undefined) setFilter({ from: undefined, to: undefined })
    else commit(brush.one, at, brush.histogram)
  }
  return (
    <div class="time-range" data-narrows={range !== undefined}>
      <p class="small soft most" title={`The most requests in ${toSpan(histogram.barMs)}`}>
        <span>{histogram.most.toLocaleString('en')}</span>
        <span>0</span>
      </p>
      <div
        class="chart"
        title="Drag over some to list these alone"
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
  if (ms < SECOND_MS) return `${Math.ceil(ms)} ms`
  return ms < 100 * SECOND_MS
    ? `${Math.round(ms / SECOND_MS)} s`
    : `${Math.round(ms / SECOND_MS / 60)} min`
}

/** Minimum distance between two times of the scale, in bars. */
const TICK_DISTANCE = BARS / 4

/** Returns the times below the bars. Each time belongs to a bar: because pauses are cut short, an even scale would be wrong. */
function ticksOf(bars: readonly Bar[]): { share: number; text: string }[] {
  const ticks: { share: number; text: string }[] = []
  let next = 0
  let day = ''
  for (const [index, { at = NaN }] of bars.entries()) {
    if (index < next || Number.isNaN(at)) continue
    next = index + TICK_DISTANCE
    const [text, before] = [toDay(at), day]
    day = text
    // At the start of another day, the date matters more than the time.
    const isSameDay = before === '' || before === day
    const share = Math.round((index / (BARS - 1)) * 100)
    ticks.push({ share, text: isSameDay ? toClock(at) : text })
  }
  return ticks
}

/** The range of bars that the user is selecting, and the histogram as it was at the start of the drag. */
interface Brush {
  one: number
  other: number
  histogram: Histogram
}

function toRange({ one, other }: Brush): [number, number] {
  return [Math.min(one, other), Math.max(one, other)]
}

function filteredRange(histogram: Histogram): [number, number] | undefined {
  const { from, to } = filter.value
  if ((from ?? '') === '' && (to ?? '') === '') return undefined
  return barsOf(histogram, Number(from ?? 0), Number(to ?? Infinity))
}

/** Returns the time of a bar, or of the next filled bar in the direction of `step`. */
function timeOf(bars: readonly Bar[], at: number, step: 1 | -1): string {
  for (let index = at; index >= 0 && index < bars.length; index += step) {
    const time = bars[index]?.at
    if (time !== undefined) return toClock(time)
  }
  return ''
}

function Bars({
  histogram: { bars, most },
  range,
}: {
  histogram: Histogram
  range: [number, number] | undefined
}) {
  const path = (from: (bar: Bar) => number, to: (bar: Bar) => number): string =>
    bars
      .map((bar, index) => {
        const [low, high] = [from(bar), to(bar)].map((value) => (value / most) * (HEIGHT - 4))
        if (low === undefined || high === undefined || low === high) return ''
        return `M${index + 0.1} ${HEIGHT - low}h0.8V${HEIGHT - Math.max(high, low + 1)}h-0.8z`
      })
      .join('')
  const fine = path(
    () => 0,
    (bar) => bar.fine,
  )
  const failed = path(
    (bar) => bar.fine,
    (bar) => bar.fine + bar.failed,
  )
  const commands = bars
    .map(({ commands: count }, index) => (count > 0 ? `M${index + 0.3} 0h0.4v4h-0.4z` : ''))
    .join('')
  return (
    <svg viewBox={`0 0 ${BARS} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {range && (
        <rect class="range" x={range[0]} width={range[1] - range[0] + 1} y="0" height={HEIGHT} />
      )}
      <path class="fine" d={fine} />
      <path class="errors" d={failed} />
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
function End({ name, at, histogram, onMove }: EndProps) {
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
    onMove(nextFilled(histogram, Math.max(0, Math.min(BARS - 1, at + step)), Math.sign(step), at))
  }
  const edge = name === 'First' ? at : at + 1
  return (
    <span
      class="end"
      role="slider"
      tabIndex={0}
      aria-label={`${name} time`}
      aria-valuemin={0}
      aria-valuemax={BARS - 1}
      aria-valuenow={at}
      aria-valuetext={timeOf(histogram.bars, at, name === 'First' ? 1 : -1)}
      style={{ left: `${(edge / BARS) * 100}%` }}
      onKeyDown={move}
    />
  )
}

/** Returns the next filled bar in a direction, or `current` if there is none: an empty bar cannot begin or end a range. */
function nextFilled({ bars }: Histogram, at: number, step: number, current: number): number {
  for (let index = at; index >= 0 && index < bars.length; index += step) {
    if (bars[index]?.from !== undefined) return index
  }
  return current
}
