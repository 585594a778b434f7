import { transport } from '../../api/transport.ts'
import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { count } from '../../parts/texts.ts'
import { connection } from '../../state/connection.ts'
import { journal } from '../../state/journal.ts'
import { useKeys } from '../../state/keyboard.ts'
import { useGet } from '../../state/resource.ts'
import { CommandDetail } from './command-detail.tsx'
import { FileBanner, Files } from './files.tsx'
import { Filters } from './filters.tsx'
import { Gauges } from './gauges.tsx'
import { countUpTo } from './line.ts'
import { openedFile } from './opened-file.ts'
import { RequestDetail } from './request-detail.tsx'
import { RequestList } from './request-list.tsx'
import { Review } from './review.tsx'
import { TimeRange } from './time-range.tsx'
import {
  allLines,
  heldAt,
  isFiltered,
  knownFaults,
  select,
  selected,
  shownLines,
} from './traffic-state.ts'
import './traffic.css'

const KEYS = [
  { keys: 'Escape', does: 'Close the request', press: () => select(undefined) },
  { keys: 'j', does: 'Select the next request below', press: () => step(-1) },
  { keys: 'k', does: 'Select the next request above', press: () => step(1) },
]

/** What was requested, what decided each response, and how much each token has left. */
export function TrafficPanel() {
  useKeys(KEYS)
  useEffect(() => () => void (heldAt.value = null), [])
  useKnownFaults()
  const isDetailed = selected.value !== undefined
  return (
    <>
      <div class="traffic-head">
        <h1>Traffic</h1>
        <Files />
      </div>
      <FileBanner />
      {allLines.value.length > 0 && (
        <div class="traffic-top">
          <TimeRange />
          <Filters />
        </div>
      )}
      <div class="small soft about">
        <Summary />
        {!openedFile.value && <Gauges />}
        {!openedFile.value && allLines.value.length > 0 && <Review />}
      </div>
      <div class={`fill split ${isDetailed ? 'with-detail' : ''}`}>
        <RequestList empty={<Empty />} />
        {isDetailed && <SelectedDetail />}
      </div>
    </>
  )
}

/** Remembers each fault that is armed while the panel is shown: requests outlast it. */
function useKnownFaults(): void {
  const { value = [] } = useGet('/faults')
  useEffect(() => {
    if (value.length === 0) return
    knownFaults.value = new Map([
      ...knownFaults.peek(),
      ...value.map((fault) => [fault.id, fault] as const),
    ])
  }, [value])
  useEffect(() => () => void (knownFaults.value = new Map()), [])
}

function Summary() {
  const { value: lines } = allLines
  const all = lines.length
  if (all === 0) return null
  const requests = openedFile.value
    ? lines.filter(({ entry }) => entry.kind === 'request').length
    : journal.value.requests
  return (
    <p>
      {isFiltered.value
        ? `${shownLines.value.length.toLocaleString('en')} of ${count(all, 'entry', 'entries')}`
        : `${count(all, 'entry', 'entries')}, the latest first`}
      {requests < all && `: ${count(requests, 'request')}, ${count(all - requests, 'command')}`}
    </p>
  )
}

function Empty() {
  if (openedFile.value) {
    return <EmptyState title="An empty file">Nothing was recorded in it.</EmptyState>
  }
  if (connection.value === 'connecting') return <Skeleton />
  return (
    <EmptyState
      title="No requests yet"
      action={
        <Button
          variant="primary"
          onPress={() => api.request({ path: '/api/v1/projects' }, 'Asked for the projects')}
        >
          Send a first request
        </Button>
      }
    >
      Requests to <span class="mono">{transport().base}/api/v1</span> appear here as they come, each
      with what decided its response.
    </EmptyState>
  )
}

function SelectedDetail() {
  const sequence = selected.value ?? 0
  const lines = allLines.value
  const line = lines[countUpTo(lines, sequence) - 1]
  const close = (
    <button type="button" class="button quiet" onClick={() => select(undefined)}>
      Close
    </button>
  )
  if (line?.sequence !== sequence) {
    return (
      <section class="card detail" aria-label="Request">
        <header>
          <h2>Request {sequence}</h2>
          {close}
        </header>
        <p class="views soft">It is not in the journal, or not any more.</p>
      </section>
    )
  }
  const { entry } = line
  if (entry.kind === 'command')
    return <CommandDetail key={sequence} applied={entry} close={close} />
  return <RequestDetail key={sequence} request={entry} close={close} />
}

/** Selects a neighbour of the entry that is selected; the latest where none is. */
function step(by: 1 | -1): void {
  const lines = shownLines.peek()
  const current = selected.peek()
  const at = current === undefined ? lines.length : countUpTo(lines, current) - 1
  const next = lines[current === undefined ? lines.length - 1 : at + by]
  if (!next) return
  heldAt.value ??= lines.at(-1)?.sequence ?? null
  select(next.sequence)
}
