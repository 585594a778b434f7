import { transport, connection } from '../../api/transport.ts'
import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState, Skeleton } from '../../parts/placeholders.tsx'
import { countGrouped } from '../../../wording/count.ts'
import { journal } from '../../state/kept-journal.ts'
import { useKeys, droppedFile } from '../../state/page.ts'
import { useGet } from '../../state/resource.ts'
import { CommandDetail, RequestDetailView } from './request-detail.tsx'
import { Filters } from './filters.tsx'
import { Gauges } from './gauges.tsx'
import { countUpTo } from './traffic-lines.ts'
import { openedFile, closeFile, openFile, opening } from './opened-file.ts'
import { RequestList } from './request-list.tsx'
import { ClientReview } from './client-review.tsx'
import { TimeRange } from './time-range.tsx'
import {
  allLines,
  heldAt,
  isFiltered,
  knownFaults,
  select,
  selected,
  shownLines,
  clearFilter,
} from './traffic-state.ts'
import './traffic.css'
import { useSignalEffect } from '@preact/signals'
import { FileButton, save } from '../../parts/files.tsx'

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
        {!openedFile.value && allLines.value.length > 0 && <ClientReview />}
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
        ? `${shownLines.value.length.toLocaleString('en')} of ${countGrouped(all, 'entry', 'entries')}`
        : `${countGrouped(all, 'entry', 'entries')}, the latest first`}
      {requests < all &&
        `: ${countGrouped(requests, 'request')}, ${countGrouped(all - requests, 'command')}`}
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
  return <RequestDetailView key={sequence} request={entry} close={close} />
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

/** Saves the journal, and opens files of it. */
function Files() {
  useSignalEffect(() => {
    const file = droppedFile.value
    if (!file) return
    droppedFile.value = null
    openFile(file)
  })
  return (
    <div class="files">
      {!openedFile.value && (
        <>
          <Button
            title="Requests as an HTTP archive, for the developer tools of browsers"
            onPress={() => save('/requests.har', 'requests.har')}
          >
            Save HAR
          </Button>
          <Button
            title="All that happened, for seo-sandbox replay"
            onPress={() => save('/session', 'session.json')}
          >
            Save session
          </Button>
        </>
      )}
      <FileButton
        title="Opens a HAR or session file, which can be dropped here too"
        accept=".har,.json,.jsonl"
        onFile={openFile}
      >
        Open file
      </FileButton>
    </div>
  )
}

/** Says that what is shown is a file, and leads back. */
function FileBanner() {
  const file = openedFile.value
  if (opening.value !== null) {
    return (
      <p class="file-banner" role="status">
        Reading <bdi>{opening.value.slice(0, 100)}</bdi> …
      </p>
    )
  }
  if (!file) return null
  const entries = file.lines.length.toLocaleString('en')
  return (
    <div class="file-banner" role="status">
      <span>
        <strong>
          <bdi>{file.name.slice(0, 100)}</bdi>
        </strong>
        , a {file.kind} file with {entries} entries. Nothing of it is sent.
      </span>
      <button
        type="button"
        class="button"
        onClick={() => {
          closeFile()
          heldAt.value = null
          clearFilter()
          select(undefined)
        }}
      >
        Back to the live traffic
      </button>
    </div>
  )
}
