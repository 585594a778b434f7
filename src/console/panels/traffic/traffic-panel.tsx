import { useSignalEffect } from '@preact/signals'
import { Activity, Download, X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { countGrouped } from '../../../wording/count.ts'
import { toDay, toMoment, toTime } from '../../../wording/times.ts'
import { api } from '../../api/client.ts'
import { transport, connection } from '../../api/transport.ts'
import type { Review } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FileButton, save } from '../../parts/files.tsx'
import { EmptyState, Skeleton } from '../../parts/placeholders.tsx'
import { Readable } from '../../parts/readable.tsx'
import { Section } from '../../parts/section.tsx'
import { currentWorld, DEFAULT_WORLD } from '../../state/current-world.ts'
import { hrefWith } from '../../state/location.ts'
import { useKeys, droppedFile } from '../../state/page.ts'
import type { Resource } from '../../state/resource.ts'
import { ClientReview, MistakeCounts, useReview } from './client-review.tsx'
import { Filters } from './filters.tsx'
import { AllGauges, LastGauges } from './gauges.tsx'
import { openedFile, closeFile, openFile, opening } from './opened-file.ts'
import { RequestDetailView, toClockTime } from './request-detail.tsx'
import { RequestList } from './request-list.tsx'
import { TimeRange } from './time-range.tsx'
import { countUpTo } from './traffic-lines.ts'
import {
  allLines,
  clearFilter,
  heldAt,
  lineCounts,
  open,
  opened,
  requestCount,
  selected,
  shownLines,
} from './traffic-state.ts'
import './traffic.css'

const KEYS = [
  { keys: 'Escape', does: 'Close the request', press: () => open(undefined) },
  { keys: 'j', does: 'Select the next request below', press: () => step(-1) },
  { keys: 'k', does: 'Select the next request above', press: () => step(1) },
]

export function TrafficPanel() {
  useKeys(KEYS)
  useEffect(() => () => void (heldAt.value = null), [])
  const review = useReview()
  const isEmpty = allLines.value.length === 0
  return (
    <>
      <div class="row head">
        <h1>Traffic</h1>
        <Summary />
        <Files />
      </div>
      <FileBanner />
      {!isEmpty && <Band review={review} />}
      {!isEmpty && <Filters />}
      <div class={`fill split ${opened.value === undefined ? '' : 'with-detail'}`}>
        <RequestList empty={<Empty />} />
        <Opened review={review} />
      </div>
    </>
  )
}

function Band({ review }: { review: Resource<Review> }) {
  const isLive = !openedFile.value
  return (
    <div class="band">
      <TimeRange />
      {isLive && <LastGauges />}
      {isLive && (
        <p class="small more">
          <MistakeCounts of={review} />
          <a href={hrefWith({ request: 'review' })}>Review of the client</a>
          <a href={hrefWith({ request: 'limits' })}>Limits of all tokens</a>
        </p>
      )}
    </div>
  )
}

function Summary() {
  const { value: lines } = allLines
  const first = lines.find(({ entry }) => entry.kind === 'request')
  if (openedFile.value || !first) return null
  const { error } = lineCounts.value
  const isToday = toDay(first.at) === toDay(lines.at(-1)?.at ?? first.at)
  const since = isToday ? toTime(first.at) : toMoment(first.at)
  const errors = error === 0 ? '' : `, ${error.toLocaleString('en')} of them failed`
  return <p>{`${countGrouped(requestCount.value, 'request')} since ${since}${errors}`}</p>
}

function Empty() {
  if (openedFile.value) {
    return <EmptyState title="An empty file">Nothing was recorded in it.</EmptyState>
  }
  if (connection.value === 'connecting') return <Skeleton />
  const base = `${transport().base}/api/v1`
  return (
    <EmptyState
      icon={Activity}
      title="No requests yet"
      action={
        <Button
          variant="primary"
          onPress={() => api.request({ path: '/api/v1/projects' }, 'Requested the projects')}
        >
          Send a first request
        </Button>
      }
    >
      Each request appears here with its reason.
      {transport().isShared && (
        <>
          {' '}
          Point your client at
          <br />
          <code>{base}</code> <CopyButton text={base} name="the base URL" />
          {currentWorld.value !== DEFAULT_WORLD && (
            <>
              <br />
              Nothing here but a 401?{' '}
              <a href={hrefWith({ panel: 'connect' })}>Copy the token again</a>.
            </>
          )}
        </>
      )}
    </EmptyState>
  )
}

function Opened({ review }: { review: Resource<Review> }) {
  const view = opened.value
  if (view === undefined) return null
  if (view === 'review' || view === 'limits') {
    return (
      <OpenedSection title={view === 'review' ? 'Review of the client' : 'Limits of all tokens'}>
        {view === 'review' ? <ClientReview of={review} /> : <AllGauges />}
      </OpenedSection>
    )
  }
  const lines = allLines.value
  const line = lines[countUpTo(lines, view) - 1]
  const entry = line?.sequence === view ? line.entry : undefined
  if (entry?.kind === 'request')
    return <RequestDetailView key={view} request={entry} close={CLOSE} />
  return (
    <OpenedSection title={entry ? 'Command' : `Request ${view}`}>
      <p class="soft">
        {entry
          ? `The world clock after it: ${toClockTime(entry.clock.now)}`
          : 'It is not in the journal, or not any more.'}
      </p>
      {entry && <Readable body={JSON.stringify(entry.command)} name="the command" />}
    </OpenedSection>
  )
}

const CLOSE = <Button variant="quiet" icon={X} label="Close" onPress={() => open(undefined)} />

function OpenedSection({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Section
      class="beside detail"
      label={title}
      title={<span class="lead">{title}</span>}
      aside={CLOSE}
    >
      {children}
    </Section>
  )
}

/** Selects the next newer entry, or the next older one if `by` is -1; the latest entry if none is selected. */
function step(by: 1 | -1): void {
  const lines = shownLines.peek()
  const current = selected.peek()
  const next = lines[current === undefined ? lines.length - 1 : countUpTo(lines, current) - 1 + by]
  if (!next) return
  heldAt.value ??= lines.at(-1)?.sequence ?? null
  open(next.sequence)
}

function Files() {
  const [isOpen, setOpen] = useState(false)
  useSignalEffect(() => {
    const file = droppedFile.value
    if (!file) return
    droppedFile.value = null
    openFile(file)
  })
  const close = (): void => setOpen(false)
  const then = (act: () => unknown) => async () => {
    await act()
    close()
  }
  return (
    <>
      <Button icon={Download} onPress={() => setOpen(true)}>
        Save or open
      </Button>
      {isOpen && (
        <Dialog title="Save or open" onClose={close} isSheet>
          <dl class="files">
            {!openedFile.value && (
              <>
                <dt>
                  <Button onPress={then(() => save('/requests.har', 'requests.har'))}>
                    Save HAR
                  </Button>
                </dt>
                <dd>The requests, for the developer tools of browsers</dd>
                <dt>
                  <Button onPress={then(() => save('/session', 'session.json'))}>
                    Save session
                  </Button>
                </dt>
                <dd>All that happened, for seo-sandbox replay</dd>
              </>
            )}
            <dt>
              <FileButton
                accept=".har,.json,.jsonl"
                onFile={(file) => then(() => openFile(file))()}
              >
                Open file
              </FileButton>
            </dt>
            <dd>A HAR or session file, which can be dropped on the page too</dd>
          </dl>
        </Dialog>
      )}
    </>
  )
}

function closeOpened(): void {
  closeFile()
  heldAt.value = null
  clearFilter()
  open(undefined)
}

function FileBanner() {
  const file = openedFile.value
  if (opening.value !== null) {
    return (
      <p class="row banner" role="status">
        Reading <bdi>{opening.value.slice(0, 100)}</bdi> …
      </p>
    )
  }
  if (!file) return null
  const entries = file.lines.length.toLocaleString('en')
  return (
    <div class="row banner" role="status">
      <span>
        <strong>
          <bdi>{file.name.slice(0, 100)}</bdi>
        </strong>
        , a {file.kind} file with {entries} entries. Nothing of it is sent.
      </span>
      <Button onPress={closeOpened}>Back to the live traffic</Button>
    </div>
  )
}
